// For operators: is the process alive, can it serve, and what does its API look like.
import { z } from "zod";
import { type Call, endpoint } from "../endpoint.ts";
import { timestamp } from "../models/collection.ts";
import { exchangeOf } from "../middleware/exchange.ts";

const tag = "Operations";

const health = z.object({
  status: z.enum(["healthy", "unhealthy"]),
  timestamp,
  /** Seconds since the process started. */
  uptime: z.number(),
  database: z.enum(["connected", "disconnected"]),
  error: z.string().optional(),
}).meta({ id: "Health" });

/** Milliseconds after which a store that does not answer counts as unreachable. */
const PING_TIMEOUT = 2000;

async function reachable(call: Pick<Call, "store">): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("timed out")), PING_TIMEOUT);
  });
  try {
    await Promise.race([call.store.ping(), timeout]);
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

async function healthAnswer(call: Pick<Call, "store" | "services" | "context">): Promise<Response> {
  const connected = await reachable(call);
  const body: z.infer<typeof health> = {
    status: connected ? "healthy" : "unhealthy",
    timestamp: call.services.clock().toISOString(),
    uptime: Math.round(performance.now()) / 1000,
    database: connected ? "connected" : "disconnected",
    ...(connected ? {} : { error: "The data store cannot be reached" }),
  };
  return plainJson(call, body, connected ? 200 : 503);
}

function plainJson(call: Pick<Call, "context">, body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      ...exchangeOf(call.context).headers,
    },
  });
}

const [apiHealth, rootHealth] = [false, true].map((root) =>
  endpoint({
    method: "get",
    path: "/health",
    root,
    tag,
    summary: "Health check",
    description: "503 when the data store cannot be reached.",
    access: "public",
    raw: "application/json",
    data: health,
    errors: ["UNAVAILABLE"],
    handle: healthAnswer,
  })
);

const livez = endpoint({
  method: "get",
  path: "/livez",
  root: true,
  tag,
  summary: "The process runs",
  access: "public",
  raw: "application/json",
  data: z.object({ status: z.literal("ok") }),
  handle: (call) => plainJson(call, { status: "ok" }),
});

const readyz = endpoint({
  method: "get",
  path: "/readyz",
  root: true,
  tag,
  summary: "The process can serve: its data store answers",
  access: "public",
  raw: "application/json",
  data: z.object({ status: z.enum(["ok", "unavailable"]) }),
  errors: ["UNAVAILABLE"],
  async handle(call) {
    const ready = await reachable(call);
    return plainJson(call, { status: ready ? "ok" : "unavailable" }, ready ? 200 : 503);
  },
});

export const probeRoutes = [apiHealth!, livez, readyz];
export const rootHealthRoutes = [rootHealth!];

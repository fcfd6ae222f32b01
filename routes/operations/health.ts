// For operators: is the process alive, can it serve, and what does its API look like.
import { z } from "zod";
import { type Call, endpoint } from "../../http/endpoint.ts";
import { timestamp } from "../../models/collection.ts";
import { exchangeOf } from "../../http/exchange.ts";
import { StoreFull } from "../../storage/port.ts";

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

/** What keeps the store from serving; null when nothing does. */
async function problemOf(call: Pick<Call, "store">): Promise<"unavailable" | "full" | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("timed out")), PING_TIMEOUT);
  });
  try {
    await Promise.race([call.store.ping(), timeout]);
    return null;
  } catch (error) {
    return error instanceof StoreFull ? "full" : "unavailable";
  } finally {
    clearTimeout(timer);
  }
}

const EXPLAINED = {
  unavailable: "The data store cannot be reached",
  full: "The disk of the data store is full",
} as const;

async function healthAnswer(
  call: Pick<Call, "store" | "now" | "services" | "context">,
): Promise<Response> {
  const problem = await problemOf(call);
  const body: z.infer<typeof health> = {
    status: problem ? "unhealthy" : "healthy",
    timestamp: call.now,
    uptime: Math.round(performance.now()) / 1000,
    database: problem === "unavailable" ? "disconnected" : "connected",
    ...(problem ? { error: EXPLAINED[problem] } : {}),
  };
  return plainJson(call, body, problem ? 503 : 200);
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
    operationId: root ? "getRootHealth" : "getHealth",
    method: "get",
    path: "/health",
    root,
    tag,
    summary: "Health check",
    description: "503 when the data store cannot be reached, or its disk is full.",
    access: "public",
    raw: "application/json",
    data: health,
    errors: ["UNAVAILABLE"],
    handle: healthAnswer,
  })
);

const livez = endpoint({
  operationId: "getLiveness",
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
  operationId: "getReadiness",
  method: "get",
  path: "/readyz",
  root: true,
  tag,
  summary: "The process can serve: its data store answers",
  access: "public",
  raw: "application/json",
  description:
    "503 when the store cannot be reached. `full`, with 200, when its disk is: what adds more than a little answers 507, and the rest is served, so that room can be made. `unreadableRecords`, where there are any, counts those that are damaged and left out: see the log.",
  data: z.object({
    status: z.enum(["ok", "unavailable", "full"]),
    unreadableRecords: z.number().int().optional(),
  }),
  errors: ["UNAVAILABLE"],
  async handle(call) {
    const problem = await problemOf(call);
    const unreadableRecords = call.store.unreadable() || undefined;
    const status = problem === "unavailable" ? 503 : 200;
    return plainJson(call, { status: problem ?? "ok", unreadableRecords }, status);
  },
});

export const probeRoutes = [apiHealth!, livez, readyz];
export const rootHealthRoutes = [rootHealth!];

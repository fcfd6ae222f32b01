// Metrics for Prometheus.
import { timingSafeEqual } from "node:crypto";
import { type Call, endpoint } from "../../http/endpoint.ts";
import { isPrivate } from "../../core/addresses.ts";
import { ApiError, notFound } from "../../core/errors.ts";
import { sha256 } from "../../core/hashing.ts";
import { exchangeOf } from "../../http/exchange.ts";

const metrics = endpoint({
  operationId: "getMetrics",
  method: "get",
  path: "/metrics",
  root: true,
  tag: "Operations",
  summary: "Metrics in the Prometheus text format",
  description:
    "Where METRICS_TOKEN is set, only with that token as bearer. Where it is not, only for who asks " +
    "directly from a private network (RFC 1918, RFC 4193) or this machine: not through a proxy.",
  access: "public",
  raw: "text/plain",
  errors: ["UNAUTHORIZED"],
  async handle(call) {
    const { context, services: { metrics, settings } } = call;
    if (!metrics) throw notFound("resource");
    if (settings.metricsToken !== undefined) {
      assertToken(context.req.raw.headers.get("authorization"), settings.metricsToken);
    } else if (!isNear(call)) {
      throw new ApiError("UNAUTHORIZED", "The metrics are closed: set METRICS_TOKEN to open them");
    }
    return new Response(await metrics.expose(), {
      headers: {
        "content-type": metrics.contentType,
        "cache-control": "no-store",
        ...exchangeOf(context).headers,
      },
    });
  },
});

/** Behind a proxy every request comes from a near address, so one that was forwarded never counts as near. */
function isNear({ context, ip }: Pick<Call, "context" | "ip">): boolean {
  const { headers } = context.req.raw;
  return isPrivate(ip) && !headers.has("x-forwarded-for") && !headers.has("forwarded");
}

/** Compares digests in constant time, so that how long it takes tells nothing of the token or its length. */
function assertToken(header: string | null, token: string): void {
  const given = /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1] ?? "";
  const [a, b] = [given, token].map((text) => new TextEncoder().encode(sha256(text)));
  if (!timingSafeEqual(a!, b!)) {
    throw new ApiError("UNAUTHORIZED", "The metrics need the token that METRICS_TOKEN sets");
  }
}

export const metricsRoutes = [metrics];

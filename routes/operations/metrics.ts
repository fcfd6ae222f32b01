// Metrics for Prometheus.
import { timingSafeEqual } from "node:crypto";
import { endpoint } from "../endpoint.ts";
import { ApiError, notFound } from "../errors.ts";
import { sha256 } from "../services/hashing.ts";
import { exchangeOf } from "../middleware/exchange.ts";

const metrics = endpoint({
  method: "get",
  path: "/metrics",
  root: true,
  tag: "Operations",
  summary: "Metrics in the Prometheus text format",
  description: "Where METRICS_TOKEN is set, only with that token as bearer.",
  access: "public",
  raw: "text/plain",
  errors: ["UNAUTHORIZED"],
  async handle({ context, services }) {
    const { metrics, config } = services;
    if (!metrics) throw notFound("resource");
    if (config.metricsToken !== undefined) {
      assertToken(context.req.raw.headers.get("authorization"), config.metricsToken);
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

/** Compares digests, so that neither the time nor the length tells anything. */
function assertToken(header: string | null, token: string): void {
  const given = /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1] ?? "";
  const [a, b] = [given, token].map((text) => new TextEncoder().encode(sha256(text)));
  if (!timingSafeEqual(a!, b!)) {
    throw new ApiError("UNAUTHORIZED", "The metrics need the token that METRICS_TOKEN sets");
  }
}

export const metricsRoutes = [metrics];

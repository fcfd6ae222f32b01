// Answers without the envelope, for the clients of other servers.
import type { Context } from "hono";
import { exchangeOf } from "./exchange.ts";

/** The parameter of an `Accept` header, and of a query, that asks for the data alone. */
const BARE = "envelope=false";

/**
 * By what the data alone is asked for, as the clients of other servers expect it: the URL (the base path for them, or
 * `envelope=false` in the query) or `Accept: application/json;envelope=false`. Null: by nothing.
 */
export function bareness(c: Context): "url" | "accept" | null {
  const { url } = c.req;
  if (exchangeOf(c).bare || (url.includes(BARE) && /[?&]envelope=false(&|$)/.test(url))) {
    return "url";
  }
  return c.req.raw.headers.get("accept")?.includes(BARE) ? "accept" : null;
}

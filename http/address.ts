// The address that a request was sent to, which its sender writes.
import type { Context } from "hono";
import { invalid } from "../core/errors.ts";

/**
 * @returns What was asked for. Its host is what the client claims it to be.
 * @throws {ApiError} 400 for a Host that cannot be one (RFC 9112, section 3.2).
 */
export function addressAsked(c: Context): URL {
  const url = URL.parse(c.req.url);
  if (url === null) throw invalid("host", "The Host header names no host");
  return url;
}

/**
 * True when the request was sent to the host of the origin. Schemes are not compared: behind a proxy that ends TLS the
 * server sees http. A proxy may spell the default port out, so the host is read in the scheme of the origin.
 */
export function isSentTo(c: Context, origin: URL): boolean {
  const { host } = addressAsked(c);
  return URL.parse(`${origin.protocol}//${host}`)?.host === origin.host;
}

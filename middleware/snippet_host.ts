// SNIPPET_ORIGIN leads to this server too: there it serves the pages of snippets, and nobody signs in.
import type { MiddlewareHandler } from "hono";
import { notFoundHere } from "../core/errors.ts";
import { isSentTo } from "../http/address.ts";

/** @param origin Of the pages of snippets. */
export function snippetHost(origin: string): MiddlewareHandler {
  const apart = new URL(origin);
  return function snippetHostMiddleware(c, next) {
    if (isSentTo(c, apart) && !c.req.path.startsWith("/s/")) throw notFoundHere();
    return next();
  };
}

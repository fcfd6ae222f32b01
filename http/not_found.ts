// Paths at which nothing is served, and methods that a path does not take.
import type { Context, Hono } from "hono";
import { ApiError, notFoundHere } from "../core/errors.ts";
import { exchangeOf } from "./exchange.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/**
 * What becomes of a path that nothing is served at, or nothing by this method: OPTIONS is answered with the methods
 * that are taken (RFC 9110 section 9.3.7), another with 405 and the same (section 15.5.6).
 */
export function nothingAt(app: Hono, c: Context): Response | ApiError {
  const { method, path } = c.req;
  const taken = METHODS.filter((one) =>
    app.router.match(one, path)[0].some(([[, route]]) => !route.path.includes("*"))
  );
  if (taken.length === 0) return notFoundHere();
  const allow = [...taken, ...(taken.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  if (method !== "OPTIONS") {
    return new ApiError("METHOD_NOT_ALLOWED", undefined, { headers: { allow } });
  }
  return new Response(null, { status: 204, headers: { ...exchangeOf(c).headers, allow } });
}

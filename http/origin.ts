// Cross-site request forgery: which requests did not come from a page of ours (OWASP CSRF Prevention Cheat Sheet).
import type { Context } from "hono";
import type { Settings } from "../config/settings.ts";
import { isSentTo } from "./address.ts";

/** RFC 9110 section 9.2.1: these change nothing. */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export function changesState(c: Context): boolean {
  return !SAFE_METHODS.has(c.req.method);
}

/**
 * True when a browser says that another site's page sent the request. Without `Origin` and `Sec-Fetch-Site` the
 * client is no browser, or one so old that the SameSite attribute of the cookies has to do.
 */
export function isForeign(c: Context, settings: Settings): boolean {
  const { headers } = c.req.raw;
  const origin = headers.get("origin");
  if (origin !== null && settings.corsOrigins?.includes(origin)) return false;
  if (headers.get("sec-fetch-site") === "cross-site") return true;
  return origin !== null && !isOwn(c, settings, origin);
}

/** True unless a browser says that the request came from a page of another origin, be it one that we trust otherwise. */
export function isSameOrigin(c: Context, settings: Settings): boolean {
  const { headers } = c.req.raw;
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") return false;
  const origin = headers.get("origin");
  return origin === null || isOwn(c, settings, origin);
}

function isOwn(c: Context, settings: Settings, origin: string): boolean {
  const asked = URL.parse(origin);
  if (asked === null || !/^https?:$/.test(asked.protocol)) return false;
  return isSentTo(c, asked) || asked.origin === new URL(settings.publicUrl).origin;
}

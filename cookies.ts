// The two session cookies: the access token of a web session, and the opaque one that the check-in reads.
import type { Context } from "hono";
import { serialize } from "hono/utils/cookie";
import type { Config } from "./config.ts";

/** Carries the access token, in variants that take it as a credential. */
export const TOKEN_COOKIE = "token";
/** Names the session to the snippet service. */
export const SESSION_COOKIE = "quarterdeck.session-token";

/** Set-Cookie values for a new session. */
export function sessionCookies(
  c: Context,
  config: Config,
  values: { readonly token: string; readonly session: string },
): string[] {
  const attributes = baseAttributes(c, config);
  const cookies = [
    serialize(SESSION_COOKIE, values.session, { ...attributes, maxAge: config.lifetimes.refresh }),
  ];
  if (config.variant.cookies) cookies.push(tokenCookie(c, config, values.token));
  return cookies;
}

/**
 * Set-Cookie value for an access token.
 *
 * @param maxAge Seconds; 0 removes the cookie. @default the lifetime of access tokens
 */
export function tokenCookie(
  c: Context,
  config: Config,
  token: string,
  maxAge = config.lifetimes.access,
): string {
  return serialize(TOKEN_COOKIE, token, { ...baseAttributes(c, config), maxAge });
}

/** Set-Cookie values that remove both. */
export function clearedCookies(c: Context, config: Config): string[] {
  const attributes = { ...baseAttributes(c, config), maxAge: 0 };
  const cookies = [serialize(SESSION_COOKIE, "", attributes)];
  if (config.variant.cookies) cookies.push(tokenCookie(c, config, "", 0));
  return cookies;
}

/** OWASP Session Management Cheat Sheet: not for scripts, not across sites, not in the clear. */
function baseAttributes(c: Context, config: Config) {
  const secure = config.publicUrl.startsWith("https:") || c.req.url.startsWith("https:");
  return { httpOnly: true, sameSite: "Lax" as const, path: "/", secure };
}

// The cookies: a web session's access token, the opaque one that names the session to snippets, and the device's.
import type { Context } from "hono";
import { serialize } from "hono/utils/cookie";
import type { Settings } from "../config/settings.ts";
import { DEVICE_LIFETIME } from "../services/accounts/tokens.ts";

/** Carries the access token, in variants that take it as a credential. */
export const TOKEN_COOKIE = "token";
/** Names the session to the snippet service. */
export const SESSION_COOKIE = "quarterdeck.session-token";
/** Tells a device that has signed in before from a stranger. It is no credential, and stays after a log-out. */
export const DEVICE_COOKIE = "quarterdeck.device";

/** Carries the refresh token where no script shall read it. */
export const REFRESH_COOKIE = "quarterdeck.refresh";

/** Holds what the browser has to know of a sign-in by a provider, sealed. */
export const PROVIDER_COOKIE = "quarterdeck.provider";

/** Set-Cookie values for a new session. */
export function sessionCookies(
  c: Context,
  settings: Settings,
  values: { readonly token: string; readonly session: string; readonly device: string },
): string[] {
  const attributes = baseAttributes(c, settings);
  const cookies = [
    serialize(SESSION_COOKIE, values.session, {
      ...attributes,
      maxAge: settings.lifetimes.refresh,
    }),
    deviceCookie(c, settings, values.device),
  ];
  if (settings.variant.cookies) cookies.push(tokenCookie(c, settings, values.token));
  return cookies;
}

/**
 * Set-Cookie value for an access token.
 *
 * @param maxAge Seconds; 0 removes the cookie. @default the lifetime of access tokens
 */
export function tokenCookie(
  c: Context,
  settings: Settings,
  token: string,
  maxAge = settings.lifetimes.access,
): string {
  return serialize(TOKEN_COOKIE, token, { ...baseAttributes(c, settings), maxAge });
}

/** Set-Cookie value for a device token: where there are no pages, only the routes of signing in are sent it. */
export function deviceCookie(c: Context, settings: Settings, token: string): string {
  return serialize(DEVICE_COOKIE, token, {
    ...baseAttributes(c, settings),
    ...(settings.variant.cookies ? {} : { path: `${settings.basePath}/auth` }),
    maxAge: DEVICE_LIFETIME,
  });
}

/**
 * Set-Cookie value for a refresh token: it goes to the routes of signing in alone, and never across sites.
 *
 * @param maxAge Seconds; 0 removes the cookie. @default the lifetime of refresh tokens
 */
export function refreshCookie(
  c: Context,
  settings: Settings,
  token: string,
  maxAge = settings.lifetimes.refresh,
): string {
  return serialize(REFRESH_COOKIE, token, {
    ...baseAttributes(c, settings),
    sameSite: "Strict",
    path: `${settings.basePath}/auth`,
    maxAge,
  });
}

/**
 * Set-Cookie value for a sign-in by a provider that goes on. Where there are pages they are sent it too; it is Lax, for
 * the browser comes back from another site.
 *
 * @param maxAge Seconds; 0 removes the cookie.
 */
export function providerCookie(
  c: Context,
  settings: Settings,
  flow: string,
  maxAge: number,
): string {
  return serialize(PROVIDER_COOKIE, flow, {
    ...baseAttributes(c, settings),
    ...(settings.variant.cookies ? {} : { path: `${settings.basePath}/auth/oidc` }),
    maxAge,
  });
}

/** Set-Cookie values that end the session in the browser. */
export function clearedCookies(c: Context, settings: Settings): string[] {
  const attributes = { ...baseAttributes(c, settings), maxAge: 0 };
  const cookies = [serialize(SESSION_COOKIE, "", attributes), refreshCookie(c, settings, "", 0)];
  if (settings.variant.cookies) cookies.push(tokenCookie(c, settings, "", 0));
  return cookies;
}

/** OWASP Session Management Cheat Sheet: not for scripts, not across sites, not in the clear. */
function baseAttributes(c: Context, settings: Settings) {
  const secure = settings.publicUrl.startsWith("https:") || c.req.url.startsWith("https:");
  return { httpOnly: true, sameSite: "Lax" as const, path: "/", secure };
}

// The guard of variants with pages: who has no session gets 401 from the API, and the login page elsewhere.
import type { Context, MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import { TOKEN_COOKIE, tokenCookie } from "../cookies.ts";
import type { Endpoint } from "../endpoint.ts";
import { ApiError } from "../errors.ts";
import { fullPath } from "../mount.ts";
import { principalOfToken } from "../services/principals.ts";
import { loginPath } from "../services/redirects.ts";
import type { Services } from "../services/services.ts";
import { renewToken } from "../services/sessions.ts";
import { changesState, isForeign } from "./origin.ts";
import { exchangeOf } from "./exchange.ts";

/** By whole segments: `/loginx` is not public. */
const PUBLIC_PAGES = ["/login", "/register", "/forgot-password", "/reset-password"];
/** By whole segments. */
const PROTECTED_PAGES = ["/users"];
/** The contract protects every path that starts so. */
const PROTECTED_START = "/dashboard";

/**
 * Guards the pages and the API.
 *
 * - Public: the pages for signing in, everything below `/api/auth`, and endpoints that are declared public.
 * - Without the cookie: 401 on `/api/` paths, elsewhere 302 to the login page, which leads back. A bearer token does
 *   for the API too; it is checked with the endpoint.
 * - With a cookie that is not good any more: 302 to the login page, the cookie cleared, on both. A client that asks
 *   for JSON and not for HTML gets 401 instead of a page it could not read.
 * - With a good one: the token is renewed before it expires, for as long as the session lasts.
 * - What changes state and comes from another site is refused with 403 when a cookie vouches for it.
 */
export function guard(services: Services, endpoints: readonly Endpoint[]): MiddlewareHandler {
  const { basePath } = services.config;
  const open = [...PUBLIC_PAGES, `${basePath}/auth`, ...openPaths(endpoints, basePath)];
  return async function guardMiddleware(c, next) {
    const { path } = c.req;
    const api = path.startsWith(`${basePath}/`);
    assertOwnSite(c, services, api);
    if (open.some((prefix) => within(path, prefix))) return await next();
    if (api) return await apiAnswer(c, services) ?? await next();
    return isProtectedPage(path) ? await pageAnswer(c, services) ?? await next() : await next();
  };
}

/** What needs no session by its own declaration, and the API's description. */
function openPaths(endpoints: readonly Endpoint[], basePath: string): string[] {
  const declared = endpoints.filter(({ access }) => access === "public" || access === "optional")
    .map((endpoint) => fullPath(endpoint, basePath).replace(/\/\{.*$/, ""));
  return [...new Set(declared), `${basePath}/docs`, `${basePath}/openapi.json`];
}

function within(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

function isProtectedPage(path: string): boolean {
  return path.startsWith(PROTECTED_START) ||
    PROTECTED_PAGES.some((prefix) => within(path, prefix));
}

/** Pages take forms before there is a cookie: another site must not sign anyone in either. */
function assertOwnSite(c: Context, { config }: Services, api: boolean): void {
  if (!changesState(c)) return;
  const byCookie = !c.req.raw.headers.has("authorization") &&
    getCookie(c, TOKEN_COOKIE) !== undefined;
  if ((byCookie || !api) && isForeign(c, config)) {
    throw new ApiError("FORBIDDEN", "Cannot accept the request: it comes from another site");
  }
}

async function apiAnswer(c: Context, services: Services): Promise<Response | null> {
  if (c.req.raw.headers.has("authorization")) return null;
  const token = getCookie(c, TOKEN_COOKIE);
  if (!token) throw new ApiError("UNAUTHORIZED");
  if (await isGood(c, services, token)) return null;
  const accept = c.req.raw.headers.get("accept") ?? "";
  if (!accept.includes("application/json") || accept.includes("text/html")) {
    return toLogin(c, services);
  }
  throw new ApiError("UNAUTHORIZED", undefined, {
    headers: { "set-cookie": cleared(c, services) },
  });
}

async function pageAnswer(c: Context, services: Services): Promise<Response | null> {
  const token = getCookie(c, TOKEN_COOKIE);
  if (token) return await isGood(c, services, token) ? null : toLogin(c, services);
  const { pathname, search } = new URL(c.req.url);
  return redirect(c, loginPath(pathname + search));
}

/** Whether the token and its session are good; the answer then carries a younger token when it is due. */
async function isGood(c: Context, services: Services, token: string): Promise<boolean> {
  const { store, tokens, config, clock } = services;
  const principal = await principalOfToken(store, tokens, token);
  if (principal === null) return false;
  const renewed = await renewToken(tokens, principal.session, token, clock());
  if (renewed) exchangeOf(c).headers["set-cookie"] = tokenCookie(c, config, renewed);
  return true;
}

function toLogin(c: Context, services: Services): Response {
  return redirect(c, loginPath(), { "set-cookie": cleared(c, services) });
}

function cleared(c: Context, { config }: Services): string {
  return tokenCookie(c, config, "", 0);
}

function redirect(c: Context, location: string, headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status: 302,
    headers: { ...exchangeOf(c).headers, "cache-control": "no-store", ...headers, location },
  });
}

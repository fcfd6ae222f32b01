// The guard of variants with pages: who has no session gets 401 from the API, and the login page elsewhere.
import type { Context, MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import { PAGES } from "../console/pages.ts";
import { TOKEN_COOKIE, tokenCookie } from "../http/cookies.ts";
import { type Endpoint, envelopedPath, fullPath } from "../http/endpoint.ts";
import { ApiError } from "../core/errors.ts";
import { principalOfToken } from "../services/accounts/principals.ts";
import { loginPath } from "../services/accounts/redirects.ts";
import type { Services } from "../services/services.ts";
import { renewToken } from "../services/accounts/sessions.ts";
import { addressAsked } from "../http/address.ts";
import { changesState, isForeign } from "../http/origin.ts";
import { exchangeOf } from "../http/exchange.ts";

/** Pages of the console that need no session, with what is below them; whole segments are compared: `/loginx` is not public. */
const PUBLIC_PAGES = PAGES.filter((page) => "public" in page).map(({ path }) => path);
/** Pages of the console that need one, with what is below them; whole segments are compared here too. */
const PROTECTED_PAGES = PAGES.filter((page) => !("public" in page) && !page.path.includes(":"))
  .map(({ path }) => path);
/** The contract protects every path that starts with these characters, `/dashboardx` too. */
const PROTECTED_START = "/dashboard";

/**
 * Guards the pages and the API.
 *
 * - Public: the pages for signing in, everything below `/api/auth`, and endpoints that are declared public.
 * - Without the cookie: 401 on `/api/` paths, elsewhere 302 to the login page, which leads back. A bearer token does
 *   for the API too, and a ticket for a stream; they are checked with the endpoint.
 * - With a cookie that is not good any more: 302 to the login page, the cookie cleared, on both. A client that asks
 *   for JSON and not for HTML gets 401 instead of a page it could not read.
 * - Without the console there is no login page, nor any other that needs a session: nobody is sent there. Paths of pages
 *   answer that nothing is there, and a bad cookie gets 401 from the API.
 * - With a good one: the token is renewed before it expires, for as long as the session lasts.
 * - What changes state and comes from another site is refused with 403 when a cookie vouches for it, or when it may
 *   set one.
 */
export function guard(services: Services, endpoints: readonly Endpoint[]): MiddlewareHandler {
  const { basePath, console: hasPages } = services.settings;
  const streams = new Set(
    endpoints.filter((one) => one.eventSource).map((one) => fullPath(one, basePath)),
  );
  const open = [...PUBLIC_PAGES, `${basePath}/auth`, ...openPaths(endpoints, basePath)];
  return async function guardMiddleware(c, next) {
    const path = envelopedPath(c.req.path, basePath);
    const api = path.startsWith(`${basePath}/`);
    assertOwnSite(c, services, { api, signsIn: within(path, `${basePath}/auth`) });
    // What a path takes is no secret, and OPTIONS does nothing else.
    const asksMethods = c.req.method === "OPTIONS";
    if (asksMethods || open.some((prefix) => within(path, prefix))) return await next();
    if (streams.has(path) && c.req.query("ticket") !== undefined) return await next();
    if (api) return await apiAnswer(c, services) ?? await next();
    return hasPages && isProtectedPage(path)
      ? await pageAnswer(c, services) ?? await next()
      : await next();
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

/** Signing in, by a form or the API, comes before there is a cookie: another site must not sign anyone in either. */
function assertOwnSite(
  c: Context,
  { settings }: Services,
  { api, signsIn }: { api: boolean; signsIn: boolean },
): void {
  if (!changesState(c)) return;
  const byBrowser = !c.req.raw.headers.has("authorization") &&
    (signsIn || getCookie(c, TOKEN_COOKIE) !== undefined);
  if ((byBrowser || !api) && isForeign(c, settings)) {
    throw new ApiError("FORBIDDEN", "Cannot accept the request: it comes from another site");
  }
}

async function apiAnswer(c: Context, services: Services): Promise<Response | null> {
  if (c.req.raw.headers.has("authorization")) return null;
  const token = getCookie(c, TOKEN_COOKIE);
  if (!token) throw new ApiError("UNAUTHORIZED");
  if (await isGood(c, services, token)) return null;
  const accept = c.req.raw.headers.get("accept") ?? "";
  const readsPages = !accept.includes("application/json") || accept.includes("text/html");
  if (readsPages && services.settings.console) return toLogin(c, services);
  throw new ApiError("UNAUTHORIZED", undefined, {
    headers: { "set-cookie": cleared(c, services) },
  });
}

async function pageAnswer(c: Context, services: Services): Promise<Response | null> {
  const token = getCookie(c, TOKEN_COOKIE);
  if (token) return await isGood(c, services, token) ? null : toLogin(c, services);
  const { pathname, search } = addressAsked(c);
  return redirect(c, loginPath(pathname + search));
}

/** Whether the token and its session are good; the answer then carries a younger token when it is due. */
async function isGood(c: Context, services: Services, token: string): Promise<boolean> {
  const { store, tokens, settings, clock } = services;
  const principal = await principalOfToken(store, tokens, token);
  if (!principal?.session) return false;
  const renewed = await renewToken(tokens, principal.session, token, clock());
  if (renewed) exchangeOf(c).headers["set-cookie"] = tokenCookie(c, settings, renewed);
  return true;
}

function toLogin(c: Context, services: Services): Response {
  return redirect(c, loginPath(), { "set-cookie": cleared(c, services) });
}

function cleared(c: Context, { settings }: Services): string {
  return tokenCookie(c, settings, "", 0);
}

function redirect(c: Context, location: string, headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status: 302,
    headers: { ...exchangeOf(c).headers, "cache-control": "no-store", ...headers, location },
  });
}

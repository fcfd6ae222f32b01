// How pages are answered: their headers, their files, their errors, and who asks for them.
import { createHash } from "node:crypto";
import type { Context, Hono } from "hono";
import { getCookie } from "hono/cookie";
import { TOKEN_COOKIE } from "../cookies.ts";
import { exchangeOf } from "../middleware/exchange.ts";
import { ErrorPage } from "../pages/forms.tsx";
import type { Assets } from "../pages/layout.tsx";
import { knownError } from "../respond.ts";
import type { Principal } from "../services/access.ts";
import type { Visitor } from "../services/authentication.ts";
import { principalOfToken } from "../services/principals.ts";
import type { Services } from "../services/services.ts";

/** Nothing but our stylesheet, icon and forms: no script at all. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; " +
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** OWASP HTTP Headers Cheat Sheet. With no-referrer, browsers would send forms with `Origin: null`. */
const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#0b6382"/>
<g fill="none" stroke="#fff" stroke-width="2.25" stroke-linecap="round">
<path d="M16 10v16M9 13h14M8 19c1 5 4 7 8 7s7-2 8-7"/><circle cx="16" cy="7.5" r="2.5"/></g></svg>`;

/** A page. */
export function html(c: Context, page: { toString(): string }, status = 200): Response {
  return new Response(`<!doctype html>${page}`, {
    status,
    headers: { ...exchangeOf(c).headers, ...PAGE_HEADERS },
  });
}

/** RFC 9110 section 15.4.4: after a form, the browser gets another page. */
export function seeOther(
  c: Context,
  location: string,
  cookies: readonly string[] = [],
): Response {
  const headers = {
    ...exchangeOf(c).headers,
    "cache-control": "no-store",
    // Headers are ASCII (RFC 9110 section 5.5); browsers encode the rest just so.
    location: location.replace(/[^\x21-\x7e]+/gu, encodeURIComponent),
  };
  const response = new Response(null, { status: 303, headers });
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}

/** Serves the stylesheet and the icon, under names that change with them. */
function mountAssets(app: Hono): Assets {
  const style = Deno.readTextFileSync(new URL("../pages/style.css", import.meta.url));
  return {
    stylesheet: asset(app, "style.css", "text/css; charset=utf-8", style),
    icon: asset(app, "icon.svg", "image/svg+xml", ICON),
  };
}

function asset(app: Hono, name: string, type: string, text: string): string {
  const path = `/assets/${createHash("sha256").update(text).digest("hex").slice(0, 12)}-${name}`;
  app.get(path, (c) =>
    new Response(text, {
      headers: {
        ...exchangeOf(c).headers,
        "content-type": type,
        "cache-control": "public, max-age=31536000, immutable",
      },
    }));
  return path;
}

/** Whoever the cookie of the request vouches for. */
export async function principalOf(c: Context, services: Services): Promise<Principal | null> {
  const token = getCookie(c, TOKEN_COOKIE);
  if (!token) return null;
  const principal = await principalOfToken(services.store, services.tokens, token);
  if (principal) exchangeOf(c).userId = principal.user.id;
  return principal;
}

export interface PageOptions {
  readonly services: Services;
  readonly addressOf: (c: Context) => string;
}

/** What the pages of a server share. */
export interface Site {
  readonly services: Services;
  readonly assets: Assets;
  /** Mounts a page; errors that its handler throws are pages too. */
  serve(
    method: "GET" | "POST",
    path: string,
    handle: (c: Context) => Response | Promise<Response>,
  ): void;
  visitorOf(c: Context): Visitor;
}

export function createSite(app: Hono, { services, addressOf }: PageOptions): Site {
  const assets = mountAssets(app);
  return {
    services,
    assets,
    serve(method, path, handle) {
      app.on(method, path, async (c) => {
        exchangeOf(c).route = path;
        try {
          return await handle(c);
        } catch (thrown) {
          const error = knownError(thrown);
          if (!error) throw thrown;
          const title = "That did not work";
          const page = <ErrorPage assets={assets} title={title} message={error.message} />;
          return html(c, page, error.status);
        }
      });
    },
    visitorOf(c) {
      const ip = addressOf(c);
      const actor = { userId: null, ip, requestId: exchangeOf(c).requestId };
      return { services, actor, ip, userAgent: c.req.header("user-agent") };
    },
  };
}

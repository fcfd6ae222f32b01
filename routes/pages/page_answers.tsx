// How pages are answered: their headers, their files, their errors.
import { createHash } from "node:crypto";
import type { Context, Hono } from "hono";
import { getCookie } from "hono/cookie";
import type { Settings } from "../../config/settings.ts";
import { DEVICE_COOKIE } from "../../http/cookies.ts";
import { ICON } from "../../pages/icon.ts";
import { ErrorPage, type PageLink } from "../../pages/forms.tsx";
import type { Assets } from "../../pages/layout.tsx";
import { knownError } from "../../http/failures.ts";
import type { Services, Visitor } from "../../services/services.ts";
import { exchangeOf } from "../../http/exchange.ts";

/** Allows only our own stylesheet, images and forms, and no script at all. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; " +
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** OWASP HTTP Headers Cheat Sheet. With no-referrer, browsers would send forms with `Origin: null`. */
export const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};

/** The answer with a page. */
export function html(c: Context, page: { toString(): string }, status = 200): Response {
  return new Response(`<!doctype html>${page}`, {
    status,
    headers: { ...exchangeOf(c).headers, ...PAGE_HEADERS },
  });
}

/** Serves the stylesheet and the icon under names that change with their content, so browsers may keep them. */
function mountAssets(app: Hono): Assets {
  const style = Deno.readTextFileSync(new URL("../../pages/style.css", import.meta.url));
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

export interface PageOptions {
  readonly services: Services;
  readonly addressOf: (c: Context) => string;
}

/** What the pages of a server share. */
export interface Site {
  readonly services: Services;
  readonly assets: Assets;
  /** Link to where people sign in; where this server has no such page, to the application or the start page. */
  readonly signIn: PageLink;
  /** Link that a page with an error offers. */
  readonly home: PageLink;
  /** Mounts a page; a known error that its handler throws is answered as a page too. */
  serve(
    method: "GET" | "POST",
    path: string,
    handle: (c: Context) => Response | Promise<Response>,
  ): void;
  visitorOf(c: Context): Visitor;
}

/** Whether people use the server through an application of their own. */
export function hasFrontend({ frontendUrl, publicUrl }: Settings): boolean {
  return frontendUrl !== publicUrl;
}

function exitsOf(settings: Settings): Pick<Site, "signIn" | "home"> {
  if (hasFrontend(settings)) {
    const application = { href: settings.frontendUrl, label: "Back to the application" };
    return { signIn: application, home: application };
  }
  const start = { href: "/", label: "About this server" };
  return { signIn: start, home: start };
}

export function createSite(app: Hono, { services, addressOf }: PageOptions): Site {
  const assets = mountAssets(app);
  const { signIn, home } = exitsOf(services.settings);
  return {
    services,
    assets,
    signIn,
    home,
    serve(method, path, handle) {
      app.on(method, path, async (c) => {
        exchangeOf(c).route = path;
        try {
          return await handle(c);
        } catch (thrown) {
          const error = knownError(thrown);
          if (!error) throw thrown;
          Object.assign(exchangeOf(c).headers, error.headers);
          const title = "That did not work";
          const page = (
            <ErrorPage assets={assets} title={title} message={error.message} home={home} />
          );
          return html(c, page, error.status);
        }
      });
    },
    visitorOf(c) {
      const ip = addressOf(c);
      const actor = { userId: null, ip, requestId: exchangeOf(c).requestId };
      const device = getCookie(c, DEVICE_COOKIE);
      return { services, actor, ip, userAgent: c.req.header("user-agent"), device };
    },
  };
}

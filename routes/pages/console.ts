// Serves the console: the page that every address of it is answered with, and the files that this page asks for.
import type { Context, Hono } from "hono";
import { type ConsolePage, PAGES } from "../../console/pages.ts";
import { exchangeOf } from "../../http/exchange.ts";
import { VERSION } from "../../http/version.ts";
import type { Services } from "../../services/services.ts";
import { PAGE_HEADERS } from "./page_answers.tsx";

/** Our own scripts, styles and API alone: no inline script or style, nothing of other origins, no evaluation of text. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; " +
  "img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; manifest-src 'self'; " +
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

const DIST = new URL("../../console/dist/", import.meta.url);
/** Where the files are served, under names that change with their content. */
const FILES = "/assets/console/";

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

/** What `deno task console` writes beside the files. */
interface Manifest {
  readonly script: string;
  readonly preload: readonly string[];
  readonly theme: string;
  readonly style: string;
  readonly files: readonly string[];
}

export interface ConsoleOptions {
  readonly services: Services;
  /** Of the server, by name: the console shows what is there. */
  readonly modules: readonly string[];
  /** Path of the icon. */
  readonly icon: string;
}

/** Answers with the console's page. @param route Names it in logs and metrics. */
export type ShowConsole = (c: Context, route: string, status?: number) => Response;

/** Mounts the console at the paths of its pages but the root. */
export function mountConsole(app: Hono, options: ConsoleOptions): ShowConsole {
  const manifest: Manifest = JSON.parse(Deno.readTextFileSync(new URL("manifest.json", DIST)));
  const page = shell(manifest, options);
  const headers = { ...PAGE_HEADERS, "content-security-policy": CONTENT_SECURITY_POLICY };
  const show: ShowConsole = (c, route, status = 200) => {
    const exchange = exchangeOf(c);
    exchange.route = route;
    return new Response(page, { status, headers: { ...exchange.headers, ...headers } });
  };
  const { production } = options.services.settings;
  for (const { path, development } of PAGES as readonly ConsolePage[]) {
    if (!development || !production) app.get(path, (c) => show(c, path));
  }
  for (const name of manifest.files) app.get(FILES + name, (c) => file(c, name));
  return show;
}

/** What browsers get for addresses that nothing is served at: the console says so. Null for everybody else. */
export function showUnknown(c: Context, show: ShowConsole, basePath: string): Response | null {
  const { method, path } = c.req;
  const forBrowser = method === "GET" && !path.startsWith(`${basePath}/`) &&
    c.req.header("accept")?.includes("text/html");
  return forBrowser ? show(c, "/*", 404) : null;
}

/** The page, without anything of whoever asks: what it shows the console asks the API for. */
function shell({ script, preload, theme, style }: Manifest, options: ConsoleOptions): string {
  const { services: { settings }, modules, icon } = options;
  const place = {
    api: settings.basePath,
    modules,
    open: settings.variant.open,
    variant: settings.variant.name,
    version: VERSION,
    development: !settings.production,
    registration: settings.registration,
    providers: settings.providers.map(({ name, label }) => ({ name, label })),
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="quarterdeck" content="${escaped(JSON.stringify(place))}">
<title>Quarterdeck</title>
<link rel="icon" type="image/svg+xml" href="${icon}">
<script src="${FILES}${theme}"></script>
<link rel="stylesheet" href="${FILES}${style}">
${preload.map((name) => `<link rel="modulepreload" href="${FILES}${name}">`).join("\n")}
<script type="module" src="${FILES}${script}"></script>
</head>
<body>
<noscript>The console needs JavaScript. The API does not: see ${settings.basePath}/docs.</noscript>
<div id="console"></div>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/** Files that were asked for, by name: few and small. */
const files = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

async function file(c: Context, name: string): Promise<Response> {
  const known = files.get(name) ?? Deno.readFile(new URL(name, DIST));
  files.set(name, known);
  const bytes = await known.catch((error) => {
    files.delete(name);
    throw error;
  });
  const headers = {
    ...exchangeOf(c).headers,
    "content-type": TYPES[name.split(".").at(-1)!] ?? "application/octet-stream",
    "cache-control": "public, max-age=31536000, immutable",
  };
  return new Response(bytes, { headers });
}

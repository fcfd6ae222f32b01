// The API page: the OpenAPI document, and Swagger UI with its script and style served from here.
import type { Context, Hono } from "hono";
import type { Awaitable } from "../../core/awaitable.ts";
import { errorTable } from "../../core/errors.ts";
import { slices, type Work } from "../../core/slices.ts";
import type { Endpoint } from "../../http/endpoint.ts";
import type { DocumentOptions } from "../../http/openapi.ts";
import { inLanguage } from "../../http/texts/catalogue.ts";
import type { Variant } from "../../config/variants.ts";
import { exchangeOf } from "../../http/exchange.ts";
import { ICON } from "../../pages/icon.ts";

const page = (basePath: string) =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Quarterdeck API</title>
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${basePath}/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${basePath}/docs/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="${basePath}/docs/swagger-ui.js"></script>
<script src="${basePath}/docs/start.js"></script>
</body>
</html>
`;

/** Fills the page. Swagger UI creates the page's `main` itself, and is dark where `html` has the class `dark-mode`. */
const startScript = (basePath: string) =>
  `const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();
SwaggerUIBundle({ url: "${basePath}/openapi.json", dom_id: "#api", deepLinking: true, docExpansion: "none", filter: true });
`;

/** What every code of an error means; the type of a problem detail leads here. */
const errorsPage = (basePath: string) =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errors of the Quarterdeck API</title>
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${basePath}/docs/icon.svg" type="image/svg+xml">
</head>
<body>
<h1>Errors</h1>
<table>
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">English</th><th scope="col">中文</th></tr></thead>
<tbody>
${
    Object.entries(errorTable).map(([code, { status, message }]) =>
      `<tr id="${code}"><th scope="row">${code}</th><td>${status}</td><td>${message}</td>` +
      `<td lang="zh">${inLanguage(message, "zh")}</td></tr>`
    ).join("\n")
  }
</tbody>
</table>
</body>
</html>
`;

/** Scripts come from this server alone; Swagger UI needs inline styles, and data URLs for its icons. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; script-src 'self'; " +
  "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** The document as it is sent. What makes it is loaded when it is first asked for. */
async function written(
  endpoints: readonly Endpoint[],
  options: Omit<DocumentOptions, "examples">,
): Promise<Uint8Array<ArrayBuffer>> {
  const [{ describing }, { default: examples }] = await Promise.all([
    import("../../http/openapi.ts"),
    import("../../http/openapi/examples.json", { with: { type: "json" } }),
  ]);
  function* writing(): Work<Uint8Array<ArrayBuffer>> {
    const document = yield* describing(endpoints, { ...options, examples });
    yield;
    return new TextEncoder().encode(JSON.stringify(document));
  }
  return await slices.run(writing());
}

/** Mounts `/openapi.json`, `/docs` and what the page loads. The document is made at its first use. */
export function mountDocs(
  app: Hono,
  endpoints: readonly Endpoint[],
  { basePath, variant }: { basePath: string; variant: Variant },
): void {
  let document: Awaitable<Uint8Array<ArrayBuffer>> | undefined;
  app.get(`${basePath}/openapi.json`, async (c) => {
    document ??= written(endpoints, { basePath, variant });
    return send(c, await document, "application/json");
  });
  app.get(`${basePath}/docs`, (c) =>
    send(c, page(basePath), "text/html; charset=utf-8", {
      "content-security-policy": CONTENT_SECURITY_POLICY,
      "referrer-policy": "no-referrer",
    }));
  app.get(
    `${basePath}/docs/start.js`,
    (c) => send(c, startScript(basePath), "text/javascript; charset=utf-8"),
  );
  app.get(
    `${basePath}/docs/errors`,
    (c) =>
      send(c, errorsPage(basePath), "text/html; charset=utf-8", {
        "content-security-policy": CONTENT_SECURITY_POLICY,
        "referrer-policy": "no-referrer",
      }),
  );
  app.get(
    `${basePath}/docs/icon.svg`,
    (c) => send(c, ICON, "image/svg+xml", LASTING),
  );
  app.get(`${basePath}/docs/swagger-ui.js`, async (c) => {
    const script = await textOf(
      SCRIPT,
      () => import("swagger-ui-dist/swagger-ui-bundle.js", { with: { type: "text" } }),
    );
    return send(c, script, "text/javascript; charset=utf-8", LASTING);
  });
  app.get(`${basePath}/docs/swagger-ui.css`, async (c) => {
    const style = await textOf(
      STYLE,
      () => import("swagger-ui-dist/swagger-ui.css", { with: { type: "text" } }),
    );
    return send(c, style, "text/css; charset=utf-8", LASTING);
  });
}

const SCRIPT = import.meta.resolve("swagger-ui-dist/swagger-ui-bundle.js");
const STYLE = import.meta.resolve("swagger-ui-dist/swagger-ui.css");

/** Older runtimes (Deno 2.5) cannot import text: there the file is read from the folder of its package. */
async function textOf(file: string, load: () => Promise<{ default: string }>): Promise<string> {
  try {
    return (await load()).default;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return await Deno.readTextFile(new URL(file));
  }
}

const LASTING = { "cache-control": "public, max-age=86400" };

function send(
  c: Context,
  body: string | Uint8Array<ArrayBuffer>,
  type: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(body, {
    headers: { ...exchangeOf(c).headers, "content-type": type, ...headers },
  });
}

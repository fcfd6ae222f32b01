// The API page: the OpenAPI document, and Swagger UI with its script and style served from here.
import type { Context, Hono } from "hono";
import type { Endpoint } from "../endpoint.ts";
import { openApiDocument } from "../openapi.ts";
import type { Variant } from "../variants.ts";
import { exchangeOf } from "../middleware/exchange.ts";

const page = (basePath: string) =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Quarterdeck API</title>
<link rel="stylesheet" href="${basePath}/docs/swagger-ui.css">
</head>
<body>
<main id="api"></main>
<script src="${basePath}/docs/swagger-ui.js"></script>
<script src="${basePath}/docs/start.js"></script>
</body>
</html>
`;

const startScript = (basePath: string) =>
  `SwaggerUIBundle({ url: "${basePath}/openapi.json", dom_id: "#api", deepLinking: true, docExpansion: "none", filter: true });\n`;

/** Scripts come from here alone; Swagger UI sets inline styles and has its icons in data URLs. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; script-src 'self'; " +
  "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** Mounts `/openapi.json`, `/docs` and what the page loads; each is made at first use. */
export function mountDocs(
  app: Hono,
  endpoints: readonly Endpoint[],
  { basePath, variant }: { basePath: string; variant: Variant },
): void {
  let document: string | undefined;
  app.get(`${basePath}/openapi.json`, (c) => {
    document ??= JSON.stringify(openApiDocument(endpoints, { basePath, variant }));
    return send(c, document, "application/json");
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
  app.get(`${basePath}/docs/swagger-ui.js`, async (c) => {
    const { default: script } = await import("swagger-ui-dist/swagger-ui-bundle.js", {
      with: { type: "text" },
    });
    return send(c, script, "text/javascript; charset=utf-8", LASTING);
  });
  app.get(`${basePath}/docs/swagger-ui.css`, async (c) => {
    const { default: style } = await import("swagger-ui-dist/swagger-ui.css", {
      with: { type: "text" },
    });
    return send(c, style, "text/css; charset=utf-8", LASTING);
  });
}

const LASTING = { "cache-control": "public, max-age=86400" };

function send(
  c: Context,
  body: string,
  type: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(body, {
    headers: { ...exchangeOf(c).headers, "content-type": type, ...headers },
  });
}

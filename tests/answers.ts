// What holds for every answer in the tests: it is declared, documented, and told in both languages.
import assert from "node:assert/strict";
import type { App } from "../app.ts";
import type { Settings } from "../config/settings.ts";
import { type Endpoint, envelopedPath, fullPath } from "../http/endpoint.ts";
import { OTHER_PROBLEM } from "../http/language.ts";
import { refusalsOf } from "../http/openapi/refusals.ts";
import { inLanguage, toldBy } from "../http/texts/catalogue.ts";
import { assertDocumented, assertErrorDocumented } from "./documented.ts";

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // deno-lint-ignore no-explicit-any -- tests look into whatever came
  readonly body: any;
  /** `body.data` */
  // deno-lint-ignore no-explicit-any -- as above
  readonly data: any;
}

/** Nothing leaves the server that the endpoint does not declare, nor what the API document does not tell. */
export function assertSuccess(
  app: App,
  settings: Settings,
  { method, headers: sent }: Request,
  path: string,
  reply: Reply,
): void {
  const { pathname, searchParams } = new URL(path, "http://localhost");
  const endpoint = endpointAt(app, settings, method, envelopedPath(pathname, settings.basePath));
  if (!endpoint) return;
  const { status, headers: received, text, body, data } = reply;
  assertDocumented(endpoint, settings, { method, path, sent, status, received, text, body });
  if (!endpoint.data || data === undefined || endpoint.raw) return;
  // What is left of a record is no whole one.
  if (searchParams.get("fields") || searchParams.get("include")) return;
  assert.deepEqual(endpoint.data.parse(data), data, `undeclared data from ${method} ${path}`);
}

/** Every message that people are shown stands in the catalogue, with its code and in both languages. */
// deno-lint-ignore no-explicit-any -- whatever came
function assertTranslatable(body: any): void {
  const message = typeof body?.error === "string" ? body.error : body?.message;
  const details: { message: string; code: string }[] = body?.error?.details ?? body?.details ?? [];
  if (message !== undefined) {
    assert.ok(toldBy(message), `http/texts has no text for: ${message}`);
    assert.notEqual(inLanguage(message, "zh"), message);
  }
  for (const { message, code } of details) {
    assert.notEqual(code, OTHER_PROBLEM, `http/texts has no text for: ${message}`);
  }
}

/** An endpoint gives no error that the API document does not name for it. */
export function assertRefusal(
  app: App,
  settings: Settings,
  { method, headers: sent }: Request,
  path: string,
  reply: Reply,
): void {
  const { status, text, body, headers: received } = reply;
  const { pathname } = new URL(path, "http://localhost");
  const endpoint = endpointAt(app, settings, method, envelopedPath(pathname, settings.basePath));
  // Bytes that are damaged, and paths that lead nowhere, are not an endpoint's.
  if (!endpoint || method === "OPTIONS") return;
  const codes = refusalsOf(endpoint, settings.variant).get(status);
  assert.ok(codes, `${method} ${path} documents no ${status}: ${text}`);
  if (received.get("content-language") === "en") assertTranslatable(body);
  const code = body?.error?.code;
  if (code) assert.ok(codes.includes(code), `${method} ${path} documents no ${code}: ${text}`);
  assertErrorDocumented(endpoint, settings, { method, path, sent, status, received, text, body });
}

/** The endpoints of an application with the patterns of their paths: those with the fewest parameters first. */
const patterns = new WeakMap<App, readonly { endpoint: Endpoint; pattern: RegExp }[]>();

function patternsOf(app: App, { basePath }: Settings) {
  const known = patterns.get(app);
  if (known) return known;
  const parameters = ({ path }: Endpoint) => path.split("{").length;
  const made = app.endpoints.toSorted((a, b) => parameters(a) - parameters(b)).map((endpoint) => {
    const pattern = fullPath(endpoint, basePath).replaceAll(/\{\w+\}/g, "[^/]+");
    return { endpoint, pattern: new RegExp(`^${pattern}$`) };
  });
  patterns.set(app, made);
  return made;
}

/** The endpoint that serves a path: literal segments first, as the server does. */
function endpointAt(
  app: App,
  settings: Settings,
  method: string,
  path: string,
): Endpoint | undefined {
  const wanted = method.toLowerCase() === "patch" ? "put" : method.toLowerCase();
  return patternsOf(app, settings).find(({ endpoint, pattern }) =>
    endpoint.method === wanted && pattern.test(path)
  )?.endpoint;
}

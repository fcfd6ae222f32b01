// Requests that the application makes of itself, for a batch or a program: they pass all that other requests pass.
import type { Context } from "hono";
import { getPath } from "hono/utils/url";
import type { Awaitable } from "../core/awaitable.ts";
import { JsonText } from "../core/json.ts";
import { addressAsked } from "./address.ts";
import { type Endpoint, fullPath, type Inside } from "./endpoint.ts";
import { type Bindings, type Exchange, exchangeOf } from "./exchange.ts";
import { SegmentRouter } from "./router.ts";

/** What tells who sends a request, and from where. */
const OF_SENDER = [
  "accept-language",
  "authorization",
  "cookie",
  "origin",
  "sec-fetch-site",
  "user-agent",
  "x-forwarded-for",
];

export interface InsideOptions {
  readonly basePath: string;
  /** Serves a request as one from outside, but for its exchange. */
  readonly serve: (request: Request, bindings: Bindings) => Awaitable<Response>;
}

export function createInside(
  endpoints: readonly Endpoint[],
  { basePath, serve }: InsideOptions,
): Inside {
  const router = new SegmentRouter<Endpoint>();
  for (const endpoint of endpoints) {
    const path = fullPath(endpoint, basePath).replaceAll(/\{(\w+)\}/g, ":$1");
    router.add(endpoint.method.toUpperCase(), path, endpoint);
    if (endpoint.method === "put") router.add("PATCH", path, endpoint);
  }
  const endpointAt = (method: string, path: string): Endpoint | null => {
    const url = URL.parse(`http://inside${path}`);
    if (url === null || url.host !== "inside") return null;
    return router.match(method, getPath(new Request(url)))[0][0]?.[0] ?? null;
  };
  return {
    endpoints,
    basePath,
    endpointAt,
    async ask(outer, { method, path, headers, body }, part) {
      const { type, text } = sentBody(body, endpointAt(method, path));
      const request = new Request(addressAsked(outer).origin + path, {
        method,
        headers: headersFor(outer, headers, type),
        body: text,
      });
      const { requestId, trace, observe } = exchangeOf(outer);
      const startedAt = observe ? performance.now() : 0;
      const exchange: Exchange = {
        requestId,
        trace,
        startedAt,
        headers: {},
        observe,
        inside: true,
        part,
      };
      const { info } = outer.env as Bindings;
      const response = await serve(request, { exchange, info });
      observe?.(request, response, { exchange, info });
      const { refusal } = exchange;
      return {
        status: response.status,
        headers: response.headers,
        text: await response.text(),
        refusal,
      };
    },
  };
}

/** A body as it is sent: CSV is a text in what asks for it, and goes on as that. */
function sentBody(body: unknown, endpoint: Endpoint | null): { type?: string; text?: string } {
  if (body === undefined) return {};
  if (typeof body === "string" && endpoint?.csv) return { type: "text/csv", text: body };
  const text = body instanceof JsonText ? body.text : JSON.stringify(body);
  return { type: "application/json", text };
}

function headersFor(
  outer: Context,
  own: Readonly<Record<string, string>> = {},
  contentType?: string,
): Headers {
  const headers = new Headers({ accept: "application/json", ...own });
  for (const name of OF_SENDER) {
    const value = outer.req.raw.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  if (contentType !== undefined) headers.set("content-type", contentType);
  return headers;
}

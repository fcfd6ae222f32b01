// Every route that takes JSON or CSV: what is over its limit is refused unread, and JSON of too many values unparsed.
import assert from "node:assert/strict";
import { bodyLimitOf, type Endpoint, fullPath } from "../../../http/endpoint.ts";
import { openApiDocument } from "../../../http/openapi.ts";
import { type Harness, harness } from "../../harness.ts";

const { h, endpoints } = await (async () => {
  const h = await harness({ variant: "full", env: { RATE_LIMIT: "false" } });
  return { h, endpoints: h.app.endpoints.filter(({ body }) => body !== undefined) };
})();

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;

interface Outcome {
  readonly status: number;
  /** Bytes that the server took of the body. */
  readonly taken: number;
  /** Times that the body was parsed. */
  readonly parsed: number;
}

/** @param declared Whether Content-Length tells the size. */
async function send(
  h: Harness,
  endpoint: Endpoint,
  text: string,
  declared: boolean,
): Promise<Outcome> {
  const chunks = text.match(/[^]{1,4096}/g)!.map((part) => new TextEncoder().encode(part));
  let taken = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks.shift();
      if (!chunk) return controller.close();
      taken += chunk.length;
      controller.enqueue(chunk);
    },
  }, { highWaterMark: 0 });
  const path = fullPath(endpoint, h.settings.basePath).replaceAll(/\{\w+\}/g, "none");
  const headers: Record<string, string> = {
    "content-type": endpoint.csv ? "text/csv" : "application/json",
    ...(endpoint.access === "public" ? {} : { authorization: `Bearer ${h.tokens.super}` }),
    ...(declared ? { "content-length": String(text.length) } : {}),
  };
  const request = new Request(`http://localhost${path}`, {
    method: endpoint.method.toUpperCase(),
    headers,
    body,
  });
  const parse = JSON.parse;
  let parsed = 0;
  JSON.parse = (given, ...rest) => {
    if (given === text) parsed++;
    return parse(given, ...rest);
  };
  try {
    const response = await h.app.fetch(request, { remoteAddr: { hostname: "127.0.0.1" } });
    await response.body?.cancel();
    return { status: response.status, taken, parsed };
  } finally {
    JSON.parse = parse;
  }
}

/** An object of so many bytes. */
const ofSize = (bytes: number) => `{${" ".repeat(bytes - 2)}}`;

Deno.test("body limits: one byte over the limit of each route is 413, and is not parsed", async () => {
  assert.ok(endpoints.length > 40);
  for (const endpoint of endpoints) {
    const limit = bodyLimitOf(endpoint);
    const told = await send(h, endpoint, ofSize(limit + 1), true);
    assert.deepEqual(told, { status: 413, taken: 0, parsed: 0 }, nameOf(endpoint));
    const streamed = await send(h, endpoint, ofSize(limit + 1), false);
    assert.deepEqual(streamed, { status: 413, taken: limit + 1, parsed: 0 }, nameOf(endpoint));
  }
});

Deno.test("body limits: a body at the limit of each route is read", async () => {
  for (const endpoint of endpoints) {
    const limit = bodyLimitOf(endpoint);
    const { status, taken, parsed } = await send(h, endpoint, ofSize(limit), false);
    assert.notEqual(status, 413, nameOf(endpoint));
    const once = endpoint.csv ? 0 : 1;
    assert.deepEqual({ taken, parsed }, { taken: limit, parsed: once }, nameOf(endpoint));
  }
});

Deno.test("body limits: a body of very many values is 400, and is not parsed", async () => {
  const names = Array.from({ length: 10_000 }, (_, n) => `"${n}":0`).join();
  for (const endpoint of endpoints.filter(({ csv }) => !csv)) {
    const limit = bodyLimitOf(endpoint);
    const bodies = ["[".repeat(limit), `{"\\"":"{",${names}}`, `[${'"[",'.repeat(10_000)}0]`];
    for (const text of bodies.filter(({ length }) => length <= limit)) {
      const { status, parsed } = await send(h, endpoint, text, true);
      assert.deepEqual({ status, parsed }, { status: 400, parsed: 0 }, nameOf(endpoint));
    }
  }
});

Deno.test("body limits: text counts as one value, whatever it holds", async () => {
  const create = endpoints.find((one) => nameOf(one) === "post /documents")!;
  const content = '[{,\\"\\\\'.repeat(20_000);
  const { status } = await send(h, create, `{"title":"Dense","content":"${content}"}`, true);
  assert.equal(status, 201);
});

Deno.test("body limits: without a sign-in only sources of snippets may be over 16 KiB", () => {
  const open = endpoints.filter(({ access }) => access === "public" || access === "optional");
  const large = open.filter((endpoint) => bodyLimitOf(endpoint) > 16 * 1024);
  assert.deepEqual(large.map(nameOf).sort(), ["post /markdown", "post /share"]);
});

Deno.test("body limits: the API document tells each, and that it is held", () => {
  const { basePath, variant } = h.settings;
  const document = openApiDocument(h.app.endpoints, { basePath, variant });
  // deno-lint-ignore no-explicit-any -- the document is looked into as its readers do
  const paths = document.paths as any;
  for (const endpoint of endpoints) {
    const operation = paths[fullPath(endpoint, basePath)][endpoint.method];
    assert.equal(
      operation.requestBody.description,
      `At most ${bodyLimitOf(endpoint)} bytes`,
      nameOf(endpoint),
    );
    assert.ok(operation.responses[413], nameOf(endpoint));
  }
});

Deno.test("body limits: the application ends", async () => await h[Symbol.asyncDispose]());

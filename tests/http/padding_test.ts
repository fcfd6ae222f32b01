// One JSON answer of many has a long head, which widens the buffer of its connection.
import assert from "node:assert/strict";
import { Listener } from "../../http/listener.ts";
import { Padding } from "../../http/padding.ts";

const EVERY = 256;
/** Which of so many has it. */
const PADDED = 8;

/** Which of some answers were padded, from 1. */
function padded(
  answer: () => Response,
  count: number,
  { padding = new Padding(), port = 40_000 } = {},
): number[] {
  const found: number[] = [];
  for (let n = 1; n <= count; n++) {
    const response = answer();
    padding.add(response, port);
    if (response.headers.has("x-padding")) found.push(n);
    let head = 0;
    for (const [name, value] of response.headers) head += name.length + value.length + 4;
    // A status line, a date and a length are added; nginx takes 4096 bytes by default.
    assert.ok(head < 3700, `a head of ${head} bytes`);
  }
  return found;
}

const answer = (type: string, link = "") => () =>
  new Response("{}", { headers: { "content-type": type, link } });

Deno.test("padding: one JSON answer of 256 has it; pages and files have none", () => {
  assert.deepEqual(padded(answer("application/json"), 2 * EVERY), [PADDED, PADDED + EVERY]);
  assert.deepEqual(padded(answer("application/json"), PADDED - 1), []);
  assert.deepEqual(padded(answer("text/html; charset=utf-8"), EVERY), []);
  assert.deepEqual(padded(() => new Response(null, { status: 304 }), EVERY), []);
});

Deno.test("padding: each connection has one of its own", () => {
  const padding = new Padding();
  const json = answer("application/json");
  assert.deepEqual(padded(json, EVERY - 1, { padding, port: 1 }), [PADDED]);
  assert.deepEqual(padded(json, EVERY - 1, { padding, port: 65_535 }), [PADDED]);
});

Deno.test("padding: a head that is long already gets none", () => {
  assert.deepEqual(padded(answer("application/json", "x".repeat(600)), EVERY), [PADDED]);
  assert.deepEqual(padded(answer("application/json", "x".repeat(1000)), EVERY), []);
});

Deno.test("padding: the listener adds it to what is answered at once, and to no other", async () => {
  const listener = new Listener({ port: 0, hostname: "127.0.0.1" }, (request) => {
    const made = answer("application/json")();
    return request.url.endsWith("/later") ? Promise.resolve(made) : made;
  });
  const found: Record<string, number> = {};
  // The other way round the one that has it would be over before.
  for (const path of ["/later", "/now"]) {
    found[path] = 0;
    for (let n = 0; n < 2 * PADDED; n++) {
      const { body, headers } = await fetch(`http://127.0.0.1:${listener.port}${path}`);
      await body?.cancel();
      found[path] += Number(headers.has("x-padding"));
    }
  }
  await listener.close();
  assert.deepEqual(found, { "/now": 1, "/later": 0 });
});

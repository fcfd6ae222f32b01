// One JSON answer of many has a long head, which widens the buffer of its connection.
import assert from "node:assert/strict";
import { Listener } from "../../http/listener.ts";
import { Padding } from "../../http/padding.ts";

const EVERY = 61;

/** How many of some answers were padded. */
function padded(answer: () => Response, count: number): number {
  const padding = new Padding();
  let found = 0;
  for (let n = 0; n < count; n++) {
    const response = answer();
    padding.add(response);
    found += Number(response.headers.has("x-padding"));
    let head = 0;
    for (const [name, value] of response.headers) head += name.length + value.length + 4;
    // A status line, a date and a length are added; nginx takes 4096 bytes by default.
    assert.ok(head < 3700, `a head of ${head} bytes`);
  }
  return found;
}

const answer = (type: string, link = "") => () =>
  new Response("{}", { headers: { "content-type": type, link } });

Deno.test("padding: one JSON answer of 61 has it; pages and files have none", () => {
  assert.equal(padded(answer("application/json"), 3 * EVERY), 3);
  assert.equal(padded(answer("application/json"), EVERY - 1), 0);
  assert.equal(padded(answer("text/html; charset=utf-8"), 3 * EVERY), 0);
  assert.equal(padded(() => new Response(null, { status: 304 }), 3 * EVERY), 0);
});

Deno.test("padding: a head that is long already gets none", () => {
  assert.equal(padded(answer("application/json", "x".repeat(600)), 3 * EVERY), 3);
  assert.equal(padded(answer("application/json", "x".repeat(1000)), 3 * EVERY), 0);
});

Deno.test("padding: the listener adds it to what is answered at once, and to no other", async () => {
  const listener = new Listener({ port: 0, hostname: "127.0.0.1" }, (request) => {
    const made = answer("application/json")();
    return request.url.endsWith("/later") ? Promise.resolve(made) : made;
  });
  const found: Record<string, number> = {};
  for (const path of ["/now", "/later"]) {
    found[path] = 0;
    for (let n = 0; n < EVERY; n++) {
      const { body, headers } = await fetch(`http://127.0.0.1:${listener.port}${path}`);
      await body?.cancel();
      found[path] += Number(headers.has("x-padding"));
    }
  }
  await listener.close();
  assert.deepEqual(found, { "/now": 1, "/later": 0 });
});

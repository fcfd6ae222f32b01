// JSON bodies as bytes: only text in UTF-8 is taken, however it arrives.
import assert from "node:assert/strict";
import { documents } from "../../models/documents.ts";
import { files } from "../../models/files.ts";
import { harness } from "../harness.ts";
import { form } from "../uploads.ts";

const encode = (text: string) => [...new TextEncoder().encode(text)];

/** Around bytes that stand for the title. */
const body = (title: readonly number[]) =>
  Uint8Array.from([...encode('{"title":"'), ...title, ...encode('"}')]);

/** Headers by which it is read at once, and in pieces. */
const ways = ({ length }: Uint8Array): Record<string, string>[] => [
  { "content-type": "application/json" },
  { "content-type": "application/json", "content-length": String(length) },
];

const BROKEN: Readonly<Record<string, readonly number[]>> = {
  "Latin-1": [0x63, 0x61, 0x66, 0xe9],
  "a character cut off": [0xe2, 0x82],
  "an overlong slash": [0xc0, 0xaf],
  "a surrogate": [0xed, 0xa0, 0x80],
};

Deno.test("body: what is not UTF-8 is refused, and nothing is stored", async () => {
  await using h = await harness();
  for (const [name, title] of Object.entries(BROKEN)) {
    for (const headers of ways(body(title))) {
      const reply = await h.ask("POST", "/api/documents", {
        as: "admin",
        headers,
        body: body(title),
      });
      assert.deepEqual([reply.status, reply.body.error?.details], [400, [{
        field: "body",
        message: "Cannot read the request body: it is not UTF-8",
        code: "not_utf8",
      }]], name);
    }
  }
  assert.equal(await h.store.from(documents).count(), 0);
});

Deno.test("body: any character in UTF-8 is kept as it is", async () => {
  await using h = await harness();
  const title = "ä € 𝄞 \u{fffd}";
  const bytes = body(encode(title));
  for (const headers of ways(bytes)) {
    const reply = await h.ask("POST", "/api/documents", { as: "admin", headers, body: bytes });
    assert.deepEqual([reply.status, reply.data.title], [201, title]);
  }
});

Deno.test("body: one that is said to be encoded is refused, whatever it is", async () => {
  await using h = await harness();
  const plain = new TextEncoder().encode('{"title":"Log"}');
  const gzip = new Blob([plain]).stream().pipeThrough(new CompressionStream("gzip"));
  const packed = new Uint8Array(await new Response(gzip).arrayBuffer());
  const json = (coding: string) => ({
    "content-type": "application/json",
    "content-encoding": coding,
  });
  const requests = [
    ["/api/documents", packed, json("gzip"), 415],
    ["/api/documents", plain, json("br"), 415],
    ["/api/files/upload", form(), { "content-encoding": "gzip" }, 415],
    ["/api/documents", plain, json("identity"), 201],
  ] as const;
  for (const [path, body, headers, status] of requests) {
    const reply = await h.ask("POST", path, { as: "admin", headers, body });
    assert.equal(reply.status, status, `${path} ${headers["content-encoding"]}: ${reply.text}`);
    if (status === 415) assert.equal(reply.headers.get("accept-encoding"), "identity");
  }
  assert.equal(await h.store.from(documents).count(), 1);
  assert.equal(await h.store.from(files).count(), 0);
});

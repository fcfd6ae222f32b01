// Downloads: ranges, conditions, names, HEAD.
import assert from "node:assert/strict";
import fc from "fast-check";
import { attachment } from "../../http/download.ts";
import { type Harness, harness } from "../harness.ts";
import { form, upload } from "../uploads.ts";

const TEXT = "0123456789";

async function arrange(h: Harness, name = "digits.txt") {
  const bytes = new TextEncoder().encode(TEXT);
  const file = await upload(h, "admin", { bytes, name, type: "text/plain" });
  return { path: `/api/files/${file.id}/download`, etag: `"${file.sha256}"` };
}

Deno.test("download: the whole, with its headers", async () => {
  await using h = await harness();
  const { path, etag } = await arrange(h, 'na"me ü.txt');
  const reply = await h.ask("GET", path, { as: "admin" });
  assert.equal(reply.status, 200);
  assert.equal(reply.text, TEXT);
  const headers = {
    "content-type": "text/plain",
    "content-length": "10",
    "accept-ranges": "bytes",
    "cache-control": "private, no-cache",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    "content-disposition":
      `attachment; filename="na_me _.txt"; filename*=UTF-8''na%22me%20%C3%BC.txt`,
    etag,
  };
  for (const [name, value] of Object.entries(headers)) {
    assert.equal(reply.headers.get(name), value, name);
  }
});

Deno.test("download: HEAD gives the headers alone, and opens no bytes", async () => {
  await using h = await harness();
  const { path, etag } = await arrange(h);
  // A range is for GET alone.
  for (const range of ["", "bytes=0-3", "bytes=10-"]) {
    const reply = await h.ask("HEAD", path, { as: "admin", headers: { range } });
    assert.equal(reply.status, 200);
    assert.equal(reply.text, "");
    assert.equal(reply.headers.get("content-length"), "10");
    assert.equal(reply.headers.get("etag"), etag);
  }
});

Deno.test("download: ranges", async () => {
  await using h = await harness();
  const { path, etag } = await arrange(h);
  const cases: readonly [string, number, string, string | null][] = [
    ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
    ["bytes=4-", 206, "456789", "bytes 4-9/10"],
    ["bytes=-3", 206, "789", "bytes 7-9/10"],
    ["bytes=-30", 206, TEXT, "bytes 0-9/10"],
    ["bytes=8-100", 206, "89", "bytes 8-9/10"],
    ["Bytes=9-9", 206, "9", "bytes 9-9/10"],
    ["bytes=10-", 416, "", "bytes */10"],
    ["bytes=-0", 416, "", "bytes */10"],
    ["bytes=5-2", 200, TEXT, null],
    ["bytes=-", 200, TEXT, null],
    ["bytes=0-1,3-4", 200, TEXT, null],
    ["lines=0-1", 200, TEXT, null],
    ["nonsense", 200, TEXT, null],
  ];
  for (const [range, status, text, contentRange] of cases) {
    const reply = await h.ask("GET", path, { as: "admin", headers: { range } });
    assert.equal(reply.status, status, range);
    if (status !== 416) assert.equal(reply.text, text, range);
    else assert.equal(reply.body.error.code, "RANGE_NOT_SATISFIABLE");
    assert.equal(reply.headers.get("content-range"), contentRange, range);
    if (status === 206) assert.equal(reply.headers.get("content-length"), String(text.length));
  }
  const ask = async (condition: string) => {
    const headers = { range: "bytes=0-0", "if-range": condition };
    return (await h.ask("GET", path, { as: "admin", headers })).status;
  };
  assert.equal(await ask(etag), 206);
  assert.equal(await ask('"other"'), 200);
  assert.equal(await ask(`W/${etag}`), 200);
  assert.equal(await ask("Sat, 21 Nov 2026 10:00:00 GMT"), 200);
});

Deno.test("download: If-None-Match", async () => {
  await using h = await harness();
  const { path, etag } = await arrange(h);
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
    const headers = { "if-none-match": known };
    const reply = await h.ask("GET", path, { as: "admin", headers });
    assert.equal(reply.status, 304, known);
    assert.equal(reply.headers.get("etag"), etag);
  }
  const reply = await h.ask("GET", path, { as: "admin", headers: { "if-none-match": '"x"' } });
  assert.equal(reply.status, 200);
});

Deno.test("download: any range of a file of several chunks", async () => {
  await using h = await harness();
  const bytes = crypto.getRandomValues(new Uint8Array(65536)).map((byte) => byte || 1);
  const large = new Uint8Array(200_000).map((_, n) => bytes[n % 65521]!);
  const body = form({ bytes: large, name: "large.bin", type: "" });
  const { data } = await h.ask("POST", "/api/files/upload", { as: "admin", body });
  await fc.assert(
    fc.asyncProperty(fc.nat(199_999), fc.nat(199_999), async (a, b) => {
      const [start, last] = [Math.min(a, b), Math.max(a, b)];
      const headers = {
        authorization: `Bearer ${h.tokens.admin}`,
        range: `bytes=${start}-${last}`,
      };
      const response = await h.app.fetch(new Request(`http://localhost${data.url}`, { headers }));
      assert.deepEqual(await response.bytes(), large.slice(start, last + 1));
    }),
    { numRuns: 30 },
  );
});

Deno.test("download: a deleted file is gone", async () => {
  await using h = await harness();
  const { path } = await arrange(h);
  await h.ask("DELETE", path.replace("/download", ""), { as: "admin" });
  assert.equal((await h.ask("GET", path, { as: "admin" })).status, 404);
});

Deno.test("attachment is a header value that gives back the name", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 80 }), (name) => {
    const value = attachment(name);
    assert.match(
      value,
      /^attachment; filename="[\x20-\x7e]*"; filename\*=UTF-8''[\w%.!#$&+^`|~-]*$/,
    );
    const exact = value.split("UTF-8''")[1]!;
    assert.equal(decodeURIComponent(exact), name.toWellFormed());
    new Headers({ "content-disposition": value });
  }));
});

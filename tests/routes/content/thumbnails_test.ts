// Thumbnails: what they are made of, that each is made once, counts for nobody, and goes with its file; and links.
import assert from "node:assert/strict";
import { fileTypeFromBuffer } from "file-type";
import { contents } from "../../../models/files.ts";
import { BlobRemoved } from "../../../storage/port.ts";
import { type Harness, harness } from "../../harness.ts";
import { bombPng, gif, picture, see, turnedJpeg } from "../../pictures.ts";
import { bytesAt, form, stored, upload } from "../../uploads.ts";

const RIGHTS = ["files:create", "files:update", "files:delete"];

async function imageOf(h: Harness, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  await h.grant("user", ...RIGHTS);
  const type = (await fileTypeFromBuffer(bytes))!.mime;
  return (await upload(h, "user", { bytes, name: "picture", type })).id;
}

const path = (id: string, size = 64) => `/api/files/${id}/thumbnail?size=${size}`;

Deno.test("thumbnails: of each format, within the size, in its proportions", async () => {
  await using h = await harness();
  const made = [
    { bytes: picture(300, 150, { format: "jpeg" }), size: [64, 32], type: "image/jpeg" },
    { bytes: picture(150, 300, { format: "webp" }), size: [32, 64], type: "image/jpeg" },
    { bytes: picture(300, 300, { alpha: 0 }), size: [64, 64], type: "image/png" },
    { bytes: picture(20, 10), size: [20, 10], type: "image/jpeg" },
    { bytes: picture(2000, 1), size: [64, 1], type: "image/jpeg" },
    { bytes: gif(), size: [1, 1], type: "image/jpeg" },
  ];
  for (const { bytes, size, type } of made) {
    const id = await imageOf(h, bytes);
    const reply = await h.ask("GET", path(id), { as: "user" });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers.get("content-type"), type);
    assert.equal(reply.headers.get("x-content-type-options"), "nosniff");
    assert.match(reply.headers.get("content-security-policy")!, /sandbox/);
    const { width, height } = see(await bytesAt(h, "user", path(id)));
    assert.deepEqual([width, height], size);
  }
});

Deno.test("thumbnails: upright, however the camera was held", async () => {
  await using h = await harness();
  const jpeg = picture(90, 60, { format: "jpeg" });
  // Where the white third, which was at the top, is to be seen: 3 turns by 180°, 6 and 8 by 90° each way.
  const white = { 1: [0.5, 0.1], 3: [0.5, 0.9], 6: [0.9, 0.5], 8: [0.1, 0.5] };
  for (const [orientation, [x, y]] of Object.entries(white)) {
    const id = await imageOf(h, turnedJpeg(jpeg, Number(orientation)));
    const seen = see(await bytesAt(h, "user", path(id)));
    assert.equal(seen.width > seen.height, Number(orientation) < 5, orientation);
    const [, green, blue] = seen.at(x!, y!);
    assert.ok(green! > 200 && blue! > 200, `${orientation}: ${seen.at(x!, y!)}`);
  }
});

Deno.test("thumbnails: each is made once, kept, counts for nobody, and goes with the last use of its content", async () => {
  await using h = await harness();
  const bytes = picture(300, 150);
  const id = await imageOf(h, bytes);
  const before = await stored(h);
  const asked = Array.from({ length: 5 }, () => h.ask("GET", path(id), { as: "user" }));
  const tags = (await Promise.all(asked)).map((reply) => reply.headers.get("etag"));
  assert.equal(new Set(tags).size, 1);
  const kept = await stored(h);
  assert.deepEqual(kept.used, before.used);
  assert.equal(kept.blobs.length, before.blobs.length + 1);
  assert.deepEqual(Object.values(kept.references), [1, 1]);
  const again = await h.ask("GET", path(id), {
    as: "user",
    headers: { "if-none-match": tags[0]! },
  });
  assert.equal(again.status, 304);
  const part = await h.ask("GET", path(id), { as: "user", headers: { range: "bytes=0-1" } });
  assert.equal(part.status, 206);

  const copy = await upload(h, "user", { bytes });
  await h.ask("DELETE", `/api/files/${id}?permanent=true`, { as: "user" });
  assert.equal((await stored(h)).blobs.length, before.blobs.length + 1);
  assert.equal((await h.ask("GET", path(copy.id), { as: "user" })).headers.get("etag"), tags[0]);
  await h.ask("DELETE", `/api/files/${copy.id}?permanent=true`, { as: "user" });
  const { blobs, references } = await stored(h);
  assert.deepEqual({ blobs, references }, { blobs: [], references: {} });
});

Deno.test("thumbnails: a thumbnail that someone uploads is a file of its own, and ends with its own last use", async () => {
  await using h = await harness();
  const id = await imageOf(h, picture(300, 150));
  const small = new Uint8Array(await bytesAt(h, "user", path(id, 256)));
  const second = (await upload(h, "user", { bytes: small, type: "image/jpeg" })).id;
  await bytesAt(h, "user", path(second));
  await h.ask("DELETE", `/api/files/${id}?permanent=true`, { as: "user" });
  assert.deepEqual(
    new Uint8Array(await bytesAt(h, "user", `/api/files/${second}/download`)),
    small,
  );
  await h.ask("DELETE", `/api/files/${second}?permanent=true`, { as: "user" });
  assert.deepEqual((await stored(h)).blobs, []);
  assert.equal(await h.store.from(contents).count(), 0);
});

Deno.test("thumbnails: a file that is deleted while its thumbnail is made leaves nothing", async () => {
  await using h = await harness();
  const id = await imageOf(h, picture(300, 150));
  const asked = h.ask("GET", path(id), { as: "user" });
  await h.ask("DELETE", `/api/files/${id}?permanent=true`, { as: "user" });
  assert.ok([200, 404].includes((await asked).status));
  assert.equal(await h.store.from(contents).count(), 0);
});

Deno.test("thumbnails: a file that is deleted once its thumbnail is stored leaves no bytes", async () => {
  await using h = await harness();
  const id = await imageOf(h, picture(300, 150));
  const { blobs } = h.store;
  const put = blobs.put.bind(blobs);
  blobs.put = async (...asked) => {
    blobs.put = put;
    const made = await put(...asked);
    await h.ask("DELETE", `/api/files/${id}?permanent=true`, { as: "user" });
    return made;
  };
  const reply = await h.ask("GET", path(id), { as: "user" });
  assert.equal(reply.status, 404, reply.text);
  assert.deepEqual((await stored(h)).blobs, []);
});

Deno.test("thumbnails: a file that is deleted while its bytes are read is not there", async () => {
  await using h = await harness();
  const id = await imageOf(h, picture(300, 150));
  const { blobs } = h.store;
  const get = blobs.get.bind(blobs);
  blobs.get = async (blobId) => {
    blobs.get = get;
    await h.ask("DELETE", `/api/files/${id}?permanent=true`, { as: "user" });
    return new ReadableStream({ pull: (controller) => controller.error(new BlobRemoved(blobId)) });
  };
  const reply = await h.ask("GET", path(id), { as: "user" });
  assert.equal(reply.status, 404, reply.text);
  assert.equal(await h.store.from(contents).count(), 0);
});

Deno.test("thumbnails: what is no image, is broken or unpacks to too much is told, and the next one is made", async () => {
  await using h = await harness();
  const jpeg = picture(200, 200, { format: "jpeg" });
  const hostile = [
    { bytes: bombPng(60_000, 60_000), error: /too large/ },
    { bytes: bombPng(20_000, 2), error: /too large/ },
    { bytes: bombPng(4000, 4000), error: /broken/ },
    { bytes: bombPng(0, 5), error: /no image/ },
    { bytes: picture(200, 200).slice(0, 200), error: /broken/ },
    { bytes: picture(50, 50, { format: "webp" }).slice(0, 40), error: /broken/ },
    { bytes: gif().slice(0, 30), error: /no image|broken/ },
    { bytes: jpeg.slice(0, 60), error: /no image|broken/ },
  ];
  for (const { bytes, error } of hostile) {
    const id = await imageOf(h, bytes);
    for (let n = 0; n < 2; n++) {
      const reply = await h.ask("GET", path(id), { as: "user" });
      assert.equal(reply.status, 415, reply.text);
      assert.match(reply.text, error);
    }
  }
  const text = await upload(h, "user", {
    bytes: new TextEncoder().encode("<svg xmlns='http://www.w3.org/2000/svg'/>"),
    name: "a.svg",
    type: "image/svg+xml",
  });
  assert.equal((await h.ask("GET", path(text.id), { as: "user" })).status, 415);
  assert.equal((await h.ask("GET", path(text.id, 65), { as: "user" })).status, 400);
  const fine = await imageOf(h, jpeg);
  assert.equal((await h.ask("GET", path(fine), { as: "user" })).status, 200);
});

Deno.test("thumbnails: only those who may read the file see them", async () => {
  await using h = await harness();
  const id = await imageOf(h, picture(30, 30));
  assert.equal((await h.ask("GET", path(id))).status, 401);
  await h.grant("guest", "files:view");
  assert.equal((await h.ask("GET", path(id), { as: "guest" })).status, 404);
});

Deno.test("links: one opens for as long as it was made, without a token, and its thumbnail with it", async () => {
  await using h = await harness();
  const id = await imageOf(h, picture(300, 150));
  for (const expiresIn of [59, 604_801, 1.5, "60"]) {
    const reply = await h.ask("POST", `/api/files/${id}/link`, { as: "user", body: { expiresIn } });
    assert.equal(reply.status, 400, String(expiresIn));
  }
  const body = { expiresIn: 7200, disposition: "inline" };
  const made = await h.ask("POST", `/api/files/${id}/link`, { as: "user", body });
  assert.equal(made.status, 200, made.text);
  assert.equal(made.headers.get("cache-control"), "no-store");
  const { url } = made.data;
  h.clock.advance(7_199_000);
  const shown = await h.ask("GET", url);
  assert.equal(shown.status, 200);
  assert.match(shown.headers.get("content-disposition")!, /^inline/);
  const small = await h.ask("GET", `${url}&size=64`);
  assert.equal(small.headers.get("content-type"), "image/jpeg");
  h.clock.advance(1000);
  assert.equal((await h.ask("GET", url)).status, 403);
});

Deno.test("links: one ends with the version, the file and the session", async () => {
  await using h = await harness();
  const id = await imageOf(h, picture(30, 30));
  const link = async () => (await h.ask("POST", `/api/files/${id}/link`, { as: "user" })).data.url;
  const first = await link();
  const body = form({ bytes: picture(40, 40), fields: { fileId: id } });
  assert.equal((await h.ask("POST", "/api/files/upload", { as: "user", body })).status, 201);
  assert.equal((await h.ask("GET", first)).status, 403);
  const second = await link();
  assert.equal((await h.ask("GET", second)).status, 200);
  await h.ask("DELETE", `/api/files/${id}?permanent=true`, { as: "user" });
  assert.equal((await h.ask("GET", second)).status, 404);
  await h.grant("guest", "files:view");
  const foreign = await h.ask("POST", `/api/files/${id}/link`, { as: "guest" });
  assert.equal(foreign.status, 404);
});

// Uploads: what is taken, what is refused, and that nothing is left behind of what is refused.
import assert from "node:assert/strict";
import { type Harness, harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";
import { bytesAt, form, jpeg, pdf, png, stored, upload } from "../../uploads.ts";

const UNKNOWN = "01930000-0000-7000-8000-000000000000";

async function arrange(h: Harness) {
  await h.grant("user", "files:create", "files:update", "files:delete");
  await h.grant("other", "files:create", "files:update", "files:delete");
  const mine = await upload(h, "user", { name: "mine.png" });
  const theirs = await upload(h, "other", { name: "theirs.pdf", bytes: pdf(), type: "" });
  return { mine, theirs, blobs: (await stored(h)).blobs.length };
}

type State = Awaited<ReturnType<typeof arrange>>;

/** Nothing was stored beyond what was arranged. */
async function nothingLeft(h: Harness, _: unknown, { blobs }: State) {
  assert.equal((await stored(h)).blobs.length, blobs);
}

/** A form written by hand. */
function raw(text: string, type = "multipart/form-data; boundary=xx") {
  return { body: text, headers: { "content-type": type } };
}

const PART = 'Content-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';

scenarios("uploads", {
  arrange,
  rows: [
    {
      name: "a file is stored and described",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      body: form({ bytes: jpeg(), name: "C:\\photos\\sea.jpg", type: "image/jpeg" }),
      status: 201,
      holds: (_: State, h: Harness) => ({
        success: true,
        data: {
          name: "sea.jpg",
          type: "image",
          mimeType: "image/jpeg",
          size: 11,
          path: "/sea.jpg",
          ownerId: h.accounts.user.id,
          isFavorite: false,
          version: 1,
        },
      }),
      absent: ["totalSize", '"rev"'],
      async after(h, reply) {
        assert.match(reply.data.sha256, /^[0-9a-f]{64}$/);
        assert.deepEqual(await bytesAt(h, "user", reply.data.url), jpeg());
      },
    },
    {
      name: "the field name wins over the file's, as a name alone",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      body: form({ fields: { name: "../../etc/pass\u0007wd" } }),
      status: 201,
      holds: { data: { name: "passwd" } },
    },
    {
      name: "the same bytes are stored once",
      method: "POST",
      path: "/api/files/upload",
      as: "other",
      body: form(),
      status: 201,
      async after(h, reply, state) {
        await nothingLeft(h, reply, state);
        assert.equal((await stored(h)).references[reply.data.sha256], 2);
      },
    },
    {
      name: "with fileId: a new version of the same file",
      method: "POST",
      path: ({ mine }) => `/api/files/upload?fileId=${mine.id}`,
      as: "user",
      body: form({ bytes: pdf(), type: "application/pdf", name: "mine.pdf" }),
      status: 201,
      holds: ({ mine }: State) => ({
        data: { id: mine.id, name: "mine.png", version: 2, type: "document", size: pdf().length },
      }),
    },
    {
      name: "with fileId in the form",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      body: ({ mine }: State) => form({ fields: { fileId: mine.id } }),
      status: 201,
      holds: { data: { version: 2 } },
    },
    {
      name: "with fileId of another's file: 404",
      method: "POST",
      path: ({ theirs }) => `/api/files/upload?fileId=${theirs.id}`,
      as: "user",
      body: form({ bytes: png("x") }),
      status: 404,
      after: nothingLeft,
    },
    {
      name: "into an unknown folder: 400",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      body: form({ bytes: png("x"), fields: { folderId: UNKNOWN } }),
      status: 400,
      details: ["folderId"],
      after: nothingLeft,
    },
    {
      name: "without the part: 400 with a plain text",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      body: (() => {
        const data = new FormData();
        data.set("name", "x");
        return data;
      })(),
      status: 400,
      holds: { success: false, error: "Cannot take the upload: it has no part 'file'" },
    },
    {
      name: "an empty form: 400 with a plain text",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      ...raw("--xx--\r\n"),
      status: 400,
      after: (_, reply) => assert.equal(typeof reply.body.error, "string"),
    },
    {
      name: "no body at all: 400 with a plain text",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      status: 400,
      after: (_, reply) => assert.equal(typeof reply.body.error, "string"),
    },
    {
      name: "a text field named file is no file: 400",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      ...raw('--xx\r\nContent-Disposition: form-data; name="file"\r\n\r\ntext\r\n--xx--\r\n'),
      status: 400,
      after: (_, reply) => assert.equal(typeof reply.body.error, "string"),
    },
    {
      name: "a file input left empty: 400",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      ...raw(
        '--xx\r\nContent-Disposition: form-data; name="file"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n--xx--\r\n',
      ),
      status: 400,
      after: (_, reply) => assert.equal(typeof reply.body.error, "string"),
    },
    {
      name: "an empty file: 400",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      body: form({ bytes: new Uint8Array() }),
      status: 400,
      details: ["file"],
      after: nothingLeft,
    },
    {
      name: "two files: 400",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      body: (() => {
        const data = form({ bytes: png("1") });
        data.append("file", new File([png("2")], "b.png", { type: "image/png" }));
        return data;
      })(),
      status: 400,
      details: ["file"],
      after: nothingLeft,
    },
    {
      name: "JSON: 400 with a plain text",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      body: { file: "x" },
      status: 400,
      after: (_, reply) =>
        assert.match(
          reply.body.error,
          /expected multipart\/form-data, received 'application\/json'/,
        ),
    },
    {
      name: "no boundary: 400",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      ...raw("--xx--\r\n", "multipart/form-data"),
      status: 400,
      after: (_, reply) => assert.match(reply.body.error, /boundary/),
    },
    {
      name: "no form at all: 400",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      ...raw("garbage"),
      status: 400,
      after: (_, reply) => assert.match(reply.body.error, /not complete/),
    },
    {
      name: "a form cut off in its file: 400",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      ...raw(`--xx\r\n${PART}the start of some`),
      status: 400,
      details: ["body"],
      after: nothingLeft,
    },
    {
      name: "a form cut off after its file: 400",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      ...raw(
        `--xx\r\n${PART}content\r\n--xx\r\nContent-Disposition: form-data; name="name"\r\n\r\nx`,
      ),
      status: 400,
      details: ["body"],
      after: nothingLeft,
    },
    {
      name: "bytes that are not what is declared: 415",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      body: form({ bytes: pdf("x"), type: "image/png" }),
      status: 415,
      after: nothingLeft,
    },
    {
      name: "any type is taken, and told by the bytes",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      body: form({ bytes: new TextEncoder().encode("plain words"), name: "a.png", type: "" }),
      status: 201,
      holds: { data: { mimeType: "text/plain", type: "document" } },
    },
    {
      name: "who may only view: 403",
      method: "POST",
      path: "/api/files/upload",
      as: "guest",
      body: form(),
      status: 403,
    },
    {
      name: "without a token: 401",
      method: "POST",
      path: "/api/files/upload",
      body: form(),
      status: 401,
    },
  ],
});

scenarios("upload limits", {
  env: { UPLOAD_MAX_BYTES: "1000", STORAGE_QUOTA: "1500" },
  arrange: (h) => h.grant("user", "files:create", "files:update", "files:delete"),
  rows: [
    {
      name: "a file over the limit: 413",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      body: form({ bytes: png("x".repeat(1000)) }),
      status: 413,
      after: async (h) => assert.deepEqual((await stored(h)).blobs, []),
    },
    {
      name: "a body that says it is over the limit is not read: 413",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      body: new ReadableStream({
        pull: () => assert.fail("the body was read"),
      }, { highWaterMark: 0 }),
      headers: { "content-type": "multipart/form-data; boundary=xx", "content-length": "100000" },
      status: 413,
    },
    {
      name: "a body over the limit that does not say so: 413",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      ...raw(`--xx\r\n\r\n${"x".repeat(100_000)}`),
      status: 413,
    },
    {
      name: "exactly the limit passes",
      method: "POST",
      path: "/api/files/upload",
      as: "user",
      body: form({ bytes: png("x".repeat(1000 - png().length)) }),
      status: 201,
      holds: { data: { size: 1000 } },
    },
  ],
});

Deno.test("uploads: the quota holds for all versions, two at once, and comes back by deleting", async () => {
  await using h = await harness({ env: { STORAGE_QUOTA: "1500" } });
  await h.grant("user", "files:create", "files:update", "files:delete");
  const size = 1000;
  const bytes = (text: string) => png(text.repeat(size - png().length));
  const send = (text: string, query = "") =>
    h.ask("POST", `/api/files/upload${query}`, { as: "user", body: form({ bytes: bytes(text) }) });

  const replies = await Promise.all([send("a"), send("b"), send("c")]);
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [201, 413, 413]);
  const refused = replies.find((reply) => reply.status === 413)!;
  // How much is left depends on whether what is in flight is counted, or stored, or both for a moment.
  assert.match(refused.body.error.message, /\d+ bytes are left of the storage quota of 1500/);
  const { id } = replies.find((reply) => reply.status === 201)!.data;

  assert.equal((await send("d", `?fileId=${id}`)).status, 413);
  const full = await stored(h);
  assert.equal(full.used[h.accounts.user.id], size);
  assert.deepEqual(full.blobs, full.blobIds);

  assert.equal(
    (await h.ask("DELETE", `/api/files/${id}?permanent=true`, { as: "user" })).status,
    200,
  );
  const empty = await stored(h);
  assert.equal(empty.used[h.accounts.user.id], 0);
  assert.deepEqual(empty.blobs, []);
  assert.deepEqual(empty.references, {});
  assert.equal((await send("e")).status, 201);
});

Deno.test("uploads: full takes JPEG, PNG and PDF only, and tells a missing part in the envelope", async () => {
  await using h = await harness({ variant: "full" });
  const send = (file: Parameters<typeof form>[0]) =>
    h.ask("POST", "/api/files/upload", { as: "admin", body: form(file) });

  assert.equal((await send({})).status, 201);
  assert.equal((await send({ bytes: jpeg(), type: "image/jpeg" })).status, 201);
  assert.equal((await send({ bytes: jpeg(), type: "image/jpg" })).status, 201);
  assert.equal((await send({ bytes: pdf(), type: "application/octet-stream" })).status, 201);
  const text = new TextEncoder().encode("words");
  assert.equal((await send({ bytes: text, type: "text/plain" })).status, 415);
  assert.equal((await send({ bytes: text, type: "image/png" })).status, 415);
  assert.equal((await send({ bytes: pdf(), type: "image/jpeg" })).status, 415);

  for (const [body, field] of [[new FormData(), "file"], [{ file: "x" }, "body"]] as const) {
    const reply = await h.ask("POST", "/api/files/upload", { as: "admin", body });
    assert.equal(reply.status, 400);
    assert.equal(reply.body.error.code, "VALIDATION_ERROR");
    assert.equal(reply.body.error.details[0].field, field);
  }
});

// The versions of a file.
import assert from "node:assert/strict";
import { type Harness, harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";
import { bytesAt, form, pdf, png, stored, upload } from "../../uploads.ts";

const UNKNOWN = "01930000-0000-7000-8000-000000000000";

/** A file with two versions, a PNG and then a PDF. */
async function arrange(h: Harness) {
  await h.grant("user", "files:create", "files:update", "files:delete");
  await h.grant("other", "files:update", "files:delete");
  const first = await upload(h, "user", { name: "paper" });
  const body = form({ bytes: pdf(), type: "application/pdf" });
  const reply = await h.ask("POST", `/api/files/upload?fileId=${first.id}`, { as: "user", body });
  assert.equal(reply.status, 201, reply.text);
  return { id: first.id, first, second: reply.data };
}

type State = Awaited<ReturnType<typeof arrange>>;

scenarios("file versions", {
  variant: "full",
  arrange,
  rows: [
    {
      name: "the history, the newest first",
      method: "GET",
      path: ({ id }) => `/api/files/${id}/versions`,
      as: "user",
      status: 200,
      holds: ({ first, second }: State, h: Harness) => ({
        data: [
          { version: 2, size: pdf().length, sha256: second.sha256 },
          { version: 1, size: png().length, sha256: first.sha256, createdBy: h.accounts.user.id },
        ],
        pagination: { total: 2 },
      }),
      absent: ["fileId", "mimeType"],
    },
    {
      name: "the history of another's: 404",
      method: "GET",
      path: ({ id }) => `/api/files/${id}/versions`,
      as: "other",
      status: 404,
    },
    {
      name: "the history without a token: 401",
      method: "GET",
      path: ({ id }) => `/api/files/${id}/versions`,
      status: 401,
    },
    {
      name: "the history as guest: 403",
      method: "GET",
      path: ({ id }) => `/api/files/${id}/versions`,
      as: "guest",
      status: 403,
    },
    {
      name: "download of an old version",
      method: "GET",
      path: ({ id }) => `/api/files/${id}/versions/1/download`,
      as: "user",
      status: 200,
      async after(h, reply, { id, first }) {
        assert.equal(reply.headers.get("content-type"), "image/png");
        assert.equal(reply.headers.get("etag"), `"${first.sha256}"`);
        const old = await bytesAt(h, "user", `/api/files/${id}/versions/1/download`);
        assert.deepEqual(old, png());
        assert.deepEqual(await bytesAt(h, "user", `/api/files/${id}/download`), pdf());
      },
    },
    ...["3", "0", "x", "-1", "1e0"].map((version) => ({
      name: `download of version ${version}: 404`,
      method: "GET",
      path: ({ id }: State) => `/api/files/${id}/versions/${version}/download`,
      as: "user" as const,
      status: 404,
    })),
    {
      name: "download of another's version: 404",
      method: "GET",
      path: ({ id }) => `/api/files/${id}/versions/1/download`,
      as: "other",
      status: 404,
    },
    {
      name: "download of a version without a token: 401",
      method: "GET",
      path: ({ id }) => `/api/files/${id}/versions/1/download`,
      status: 401,
    },
    {
      name: "download of a version as guest: 403",
      method: "GET",
      path: ({ id }) => `/api/files/${id}/versions/1/download`,
      as: "guest",
      status: 403,
    },
    {
      name: "restore makes a new version of the same content",
      method: "POST",
      path: ({ id }) => `/api/files/${id}/versions/1/restore`,
      as: "user",
      status: 200,
      holds: ({ first }: State) => ({
        data: { version: 3, sha256: first.sha256, type: "image", mimeType: "image/png" },
      }),
      async after(h, _, { id, first, second }) {
        assert.deepEqual(await bytesAt(h, "user", `/api/files/${id}/download`), png());
        const { references, used, blobs } = await stored(h);
        assert.deepEqual(references, { [first.sha256]: 2, [second.sha256]: 1 });
        assert.equal(used[h.accounts.user.id], 2 * png().length + pdf().length);
        assert.equal(blobs.length, 2);
        const storage = await h.ask("GET", "/api/files/storage", { as: "user" });
        assert.equal(storage.data.used, used[h.accounts.user.id]);
        assert.equal(storage.data.breakdown.images, used[h.accounts.user.id]);
        await h.ask("DELETE", `/api/files/${id}?permanent=true`, { as: "user" });
        const left = await stored(h);
        assert.deepEqual([left.blobs, left.references], [[], {}]);
      },
    },
    {
      name: "delete gives the bytes back to the quota",
      method: "DELETE",
      path: ({ id }) => `/api/files/${id}/versions/1`,
      as: "user",
      status: 200,
      async after(h, _, { id, second }) {
        const { references, used, blobs } = await stored(h);
        assert.deepEqual(references, { [second.sha256]: 1 });
        assert.equal(used[h.accounts.user.id], pdf().length);
        assert.equal(blobs.length, 1);
        const history = await h.ask("GET", `/api/files/${id}/versions`, { as: "user" });
        assert.deepEqual(history.data.map(({ version }: { version: number }) => version), [2]);
        assert.deepEqual(await bytesAt(h, "user", `/api/files/${id}/download`), pdf());
        const { data } = await h.ask("GET", "/api/files/storage", { as: "user" });
        assert.equal(data.breakdown.documents, pdf().length);
        assert.equal(
          (await h.ask("DELETE", `/api/files/${id}?permanent=true`, { as: "user" })).status,
          200,
        );
        assert.equal((await stored(h)).used[h.accounts.user.id], 0);
      },
    },
    {
      name: "delete of the current version: 409",
      method: "DELETE",
      path: ({ id }) => `/api/files/${id}/versions/2`,
      as: "user",
      status: 409,
    },
    ...[
      ["of none", "/versions/9", "user", 404],
      ["of another's", "/versions/1", "other", 404],
      ["as guest", "/versions/1", "guest", 403],
      ["without a token", "/versions/1", null, 401],
    ].map(([what, rest, as, status]) => ({
      name: `delete ${what}: ${status}`,
      method: "DELETE",
      path: ({ id }: State) => `/api/files/${id}${rest}`,
      as: as as "user",
      status: status as number,
    })),
    {
      name: "delete with a stale If-Match: 412",
      method: "DELETE",
      path: ({ id }) => `/api/files/${id}/versions/1`,
      as: "user",
      headers: { "if-match": '"stale"' },
      status: 412,
    },
    {
      name: "restore of none: 404",
      method: "POST",
      path: ({ id }) => `/api/files/${id}/versions/9/restore`,
      as: "user",
      status: 404,
    },
    {
      name: "restore of an unknown file: 404",
      method: "POST",
      path: `/api/files/${UNKNOWN}/versions/1/restore`,
      as: "user",
      status: 404,
    },
    {
      name: "restore of another's: 404",
      method: "POST",
      path: ({ id }) => `/api/files/${id}/versions/1/restore`,
      as: "other",
      status: 404,
    },
    {
      name: "restore with a stale If-Match: 412",
      method: "POST",
      path: ({ id }) => `/api/files/${id}/versions/1/restore`,
      as: "user",
      headers: { "if-match": '"stale"' },
      status: 412,
    },
    {
      name: "restore as guest: 403",
      method: "POST",
      path: ({ id }) => `/api/files/${id}/versions/1/restore`,
      as: "guest",
      status: 403,
    },
    {
      name: "restore without a token: 401",
      method: "POST",
      path: ({ id }) => `/api/files/${id}/versions/1/restore`,
      status: 401,
    },
  ],
});

Deno.test("file versions: with whom a file is shared to edit cannot fill its owner's quota", async () => {
  const size = png().length;
  await using h = await harness({ variant: "full", env: { STORAGE_QUOTA: String(20 * size) } });
  await h.grant("user", "files:create", "files:update", "files:delete");
  await h.grant("other", "files:create", "files:update", "files:delete");
  const { id } = await upload(h, "user", {});
  const body = { userId: h.accounts.other.id, permission: "edit" };
  await h.ask("POST", `/api/files/${id}/share`, { as: "user", body });
  const restore = (as: "user" | "other") =>
    h.ask("POST", `/api/files/${id}/versions/1/restore`, { as });
  let restored = 0;
  while ((await restore("other")).status === 200) restored++;
  assert.equal(restored, 17);
  const version = form({ bytes: png() });
  const path = `/api/files/upload?fileId=${id}`;
  assert.equal((await h.ask("POST", path, { as: "other", body: version })).status, 413);
  // The owner still stores what they want to, and removes what others brought, one by one.
  await upload(h, "user", { name: "own.png" });
  assert.equal((await restore("user")).status, 200);
  assert.equal((await restore("user")).status, 413);
  assert.equal((await h.ask("DELETE", `/api/files/${id}/versions/5`, { as: "other" })).status, 403);
  assert.equal((await h.ask("DELETE", `/api/files/${id}/versions/5`, { as: "user" })).status, 200);
  assert.equal((await restore("user")).status, 200);
});

Deno.test("file versions: restoring counts for the quota", async () => {
  await using h = await harness({
    variant: "full",
    env: { STORAGE_QUOTA: String(png().length + pdf().length) },
  });
  const { id } = await arrange(h);
  const reply = await h.ask("POST", `/api/files/${id}/versions/1/restore`, { as: "user" });
  assert.equal(reply.status, 413);
});

Deno.test("file versions: versions uploaded at once all get a number of their own", async () => {
  await using h = await harness({ variant: "full" });
  const { id } = await upload(h, "admin");
  const replies = await Promise.all(["a", "b", "c", "d"].map((text) => {
    const body = form({ bytes: png(text) });
    return h.ask("POST", `/api/files/upload?fileId=${id}`, { as: "admin", body });
  }));
  assert.deepEqual(replies.map((reply) => reply.data.version).sort(), [2, 3, 4, 5]);
});

Deno.test("file versions: a file has at most 100, and room again when one is deleted", async () => {
  await using h = await harness({ variant: "full" });
  const { id } = await arrange(h);
  const ask = (method: string, version: string) =>
    h.ask(method, `/api/files/${id}/versions/${version}`, { as: "user" });
  for (let count = 2; count < 100; count++) {
    assert.equal((await ask("POST", "1/restore")).status, 200);
  }
  const full = await ask("POST", "1/restore");
  assert.equal(full.status, 409, full.text);
  assert.match(full.body.error.message, /at most 100 versions: delete some first/);
  const body = form({ bytes: png("another") });
  const upload = () => h.ask("POST", `/api/files/upload?fileId=${id}`, { as: "user", body });
  assert.equal((await upload()).status, 409);
  const blobs = await Array.fromAsync(h.store.blobs.list());
  assert.equal(blobs.length, 2, "the refused upload has left its bytes");
  assert.equal((await ask("DELETE", "2")).status, 200);
  assert.equal((await ask("POST", "1/restore")).status, 200);
});

// Where files are: their paths, moving and copying.
import assert from "node:assert/strict";
import { type Harness, harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";
import { bytesAt, form, pdf, stored, upload } from "../../uploads.ts";
import { arrange, folder, type State } from "./file_scene.ts";

const UNKNOWN = "01930000-0000-7000-8000-000000000000";

scenarios("file placement", {
  variant: "full",
  arrange,
  rows: [
    {
      name: "a path is that of the folders",
      method: "GET",
      path: ({ report }) => `/api/files/${report.id}`,
      as: "user",
      status: 200,
      holds: { data: { path: "/Reports/2026/sales.pdf" } },
    },
    {
      name: "list of a folder",
      method: "GET",
      path: ({ year }) => `/api/files?folderId=${year.id}`,
      as: "user",
      status: 200,
      holds: { data: [{ name: "sales.pdf", path: "/Reports/2026/sales.pdf" }] },
    },
    {
      name: "list of the root",
      method: "GET",
      path: "/api/files?folderId=root",
      as: "user",
      status: 200,
      holds: { data: [{ name: "sea.png" }] },
    },
    {
      name: "move into a folder",
      method: "POST",
      path: ({ image }) => `/api/files/${image.id}/move`,
      as: "user",
      body: ({ reports }: State) => ({ folderId: reports.id }),
      status: 200,
      holds: { data: { path: "/Reports/sea.png" } },
    },
    {
      name: "move by path, whatever its case",
      method: "POST",
      path: ({ image }) => `/api/files/${image.id}/move`,
      as: "user",
      body: { targetPath: "/reports/2026/" },
      status: 200,
      holds: { data: { path: "/Reports/2026/sea.png" } },
    },
    {
      name: "move to the root",
      method: "POST",
      path: ({ report }) => `/api/files/${report.id}/move`,
      as: "user",
      body: { folderId: null },
      status: 200,
      holds: { data: { path: "/sales.pdf", folderId: undefined } },
    },
    {
      name: "move by a change of the folder",
      method: "PUT",
      path: ({ report }) => `/api/files/${report.id}`,
      as: "user",
      body: { folderId: "root", isFavorite: true },
      status: 200,
      holds: { data: { path: "/sales.pdf", isFavorite: true } },
    },
    {
      name: "move into an unknown folder: 400",
      method: "POST",
      path: ({ image }) => `/api/files/${image.id}/move`,
      as: "user",
      body: { folderId: UNKNOWN },
      status: 400,
      details: ["folderId"],
    },
    {
      name: "move to an unknown path: 400",
      method: "POST",
      path: ({ image }) => `/api/files/${image.id}/move`,
      as: "user",
      body: { targetPath: "/Reports/2027" },
      status: 400,
      details: ["targetPath"],
    },
    {
      name: "move into another's folder is as into none: 400",
      method: "POST",
      path: ({ image }) => `/api/files/${image.id}/move`,
      as: "user",
      body: ({ foreign }: State) => ({ folderId: foreign.id }),
      status: 400,
      details: ["folderId"],
    },
    {
      name: "move into another's folder by who sees it: 403",
      method: "POST",
      path: ({ image }) => `/api/files/${image.id}/move`,
      as: "admin",
      body: ({ foreign }: State) => ({ folderId: foreign.id }),
      status: 403,
    },
    {
      name: "move nowhere: 400",
      method: "POST",
      path: ({ image }) => `/api/files/${image.id}/move`,
      as: "user",
      body: {},
      status: 400,
      details: ["folderId"],
    },
    {
      name: "move another's: 404",
      method: "POST",
      path: ({ theirs }) => `/api/files/${theirs.id}/move`,
      as: "user",
      body: { folderId: null },
      status: 404,
    },
    {
      name: "move with a stale If-Match: 412",
      method: "POST",
      path: ({ image }) => `/api/files/${image.id}/move`,
      as: "user",
      headers: { "if-match": '"stale"' },
      body: { folderId: null },
      status: 412,
    },
    {
      name: "move without a token: 401",
      method: "POST",
      path: ({ image }) => `/api/files/${image.id}/move`,
      body: { folderId: null },
      status: 401,
    },
    {
      name: "move as guest: 403",
      method: "POST",
      path: ({ image }) => `/api/files/${image.id}/move`,
      as: "guest",
      body: { folderId: null },
      status: 403,
    },
    {
      name: "copy beside the original; the bytes are stored once and counted twice",
      method: "POST",
      path: ({ report }) => `/api/files/${report.id}/copy`,
      as: "user",
      body: {},
      status: 201,
      holds: { data: { path: "/Reports/2026/sales (copy).pdf", version: 1 } },
      async after(h, reply, { report, image }) {
        const { references, used, blobs, blobIds } = await stored(h);
        assert.equal(references[report.sha256], 2);
        assert.equal(used[h.accounts.user.id], 2 * report.size + image.size);
        assert.deepEqual(blobs.sort(), blobIds.sort());
        await h.ask("DELETE", `/api/files/${report.id}`, { as: "user" });
        assert.deepEqual(await bytesAt(h, "user", reply.data.url), pdf("sales"));
      },
    },
    {
      name: "copy without a body, as of a document",
      method: "POST",
      path: ({ report }) => `/api/files/${report.id}/copy`,
      as: "user",
      status: 201,
      holds: { data: { path: "/Reports/2026/sales (copy).pdf" } },
    },
    {
      name: "copy elsewhere keeps the name",
      method: "POST",
      path: ({ report }) => `/api/files/${report.id}/copy`,
      as: "user",
      body: { targetPath: "/" },
      status: 201,
      holds: { data: { path: "/sales.pdf" } },
    },
    {
      name: "a copy of another's is one's own, at the root",
      method: "POST",
      path: ({ report }) => `/api/files/${report.id}/copy`,
      as: "admin",
      body: { name: "mine.pdf" },
      status: 201,
      holds: (_: State, h: Harness) => ({
        data: { path: "/mine.pdf", ownerId: h.accounts.admin.id },
      }),
    },
    {
      name: "copy to two places: 400",
      method: "POST",
      path: ({ report }) => `/api/files/${report.id}/copy`,
      as: "user",
      body: { folderId: null, targetPath: "/" },
      status: 400,
      details: ["folderId"],
    },
    {
      name: "copy another's: 404",
      method: "POST",
      path: ({ theirs }) => `/api/files/${theirs.id}/copy`,
      as: "user",
      body: {},
      status: 404,
    },
    {
      name: "copy without a token: 401",
      method: "POST",
      path: ({ report }) => `/api/files/${report.id}/copy`,
      body: {},
      status: 401,
    },
    {
      name: "copy as guest: 403",
      method: "POST",
      path: ({ report }) => `/api/files/${report.id}/copy`,
      as: "guest",
      body: {},
      status: 403,
    },
  ],
});

Deno.test("file placement: the entity tag follows the path", async () => {
  await using h = await harness({ variant: "full" });
  const inside = await folder(h, "admin", "Before");
  const file = await upload(h, "admin", { fields: { folderId: inside.id } });
  const path = `/api/files/${file.id}`;
  const etag = (await h.ask("GET", path, { as: "admin" })).headers.get("etag")!;
  const conditional = { as: "admin", headers: { "if-none-match": etag } } as const;
  assert.equal((await h.ask("GET", path, conditional)).status, 304);
  await h.ask("PUT", `/api/folders/${inside.id}`, { as: "admin", body: { name: "After" } });
  const fresh = await h.ask("GET", path, conditional);
  assert.equal(fresh.status, 200);
  assert.equal(fresh.data.path, "/After/picture.png");
  const list = await h.ask("GET", "/api/files", { as: "admin" });
  assert.equal(list.data[0].path, "/After/picture.png");
  const stale = await h.ask("PUT", path, {
    as: "admin",
    headers: { "if-match": etag },
    body: { name: "x" },
  });
  assert.equal(stale.status, 412);
});

Deno.test("file placement: is not in variant compact, download is", async () => {
  await using h = await harness();
  const file = await upload(h, "admin", {});
  assert.equal((await h.ask("GET", "/api/files/storage", { as: "admin" })).status, 404);
  assert.equal((await h.ask("GET", "/api/folders", { as: "admin" })).status, 404);
  assert.equal(
    (await h.ask("GET", file.id && `/api/files/${file.id}/download`, { as: "admin" })).status,
    200,
  );
  assert.equal(
    (await h.ask("POST", "/api/files/upload", { as: "admin", body: form() })).status,
    201,
  );
});

// Files in variant full: storage, search, moving, copying, many at once.
import assert from "node:assert/strict";
import { files } from "../../models/files.ts";
import { type Harness, harness } from "../harness.ts";
import { scenarios } from "../scenario.ts";
import { bytesAt, form, jpeg, pdf, stored, upload } from "../uploads.ts";

const UNKNOWN = "01930000-0000-7000-8000-000000000000";
const ALL = ["files:create", "files:update", "files:delete"];

async function folder(h: Harness, as: "user" | "other" | "admin", name: string, parentId?: string) {
  const reply = await h.ask("POST", "/api/folders", { as, body: { name, parentId } });
  assert.equal(reply.status, 201, reply.text);
  return reply.data as { id: string };
}

async function arrange(h: Harness) {
  await h.grant("user", ...ALL);
  await h.grant("other", ...ALL);
  const reports = await folder(h, "user", "Reports");
  const year = await folder(h, "user", "2026", reports.id);
  const foreign = await folder(h, "other", "Foreign");
  const image = await upload(h, "user", { name: "sea.png" });
  const report = await upload(h, "user", {
    name: "sales.pdf",
    bytes: pdf("sales"),
    type: "application/pdf",
    fields: { folderId: year.id },
  });
  const theirs = await upload(h, "other", { bytes: jpeg(), name: "t.jpg", type: "image/jpeg" });
  return { reports, year, foreign, image, report, theirs };
}

type State = Awaited<ReturnType<typeof arrange>>;

scenarios("file management", {
  variant: "full",
  arrange,
  rows: [
    {
      name: "storage, by kind",
      method: "GET",
      path: "/api/files/storage",
      as: "user",
      status: 200,
      holds: ({ image, report }: State) => ({
        data: {
          used: image.size + report.size,
          total: 1024 ** 3,
          fileCount: 2,
          breakdown: {
            images: image.size,
            documents: report.size,
            videos: 0,
            audio: 0,
            archives: 0,
            others: 0,
          },
        },
      }),
    },
    {
      name: "storage of who has nothing",
      method: "GET",
      path: "/api/files/storage",
      as: "admin",
      status: 200,
      holds: { data: { used: 0, fileCount: 0 } },
    },
    {
      name: "storage without a token: 401",
      method: "GET",
      path: "/api/files/storage",
      status: 401,
    },
    {
      name: "storage as guest: 403",
      method: "GET",
      path: "/api/files/storage",
      as: "guest",
      status: 403,
    },
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
      name: "search by name, in any of its fields",
      method: "POST",
      path: "/api/files/search",
      as: "user",
      body: { keyword: "SALES", type: "Document", mimeType: "", page: "1", limit: 5 },
      status: 200,
      holds: { data: [{ name: "sales.pdf" }], pagination: { total: 1, limit: 5 } },
    },
    {
      name: "search by size, date and folder",
      method: "POST",
      path: "/api/files/search",
      as: "admin",
      body: ({ year, report }: State) => ({
        folderId: year.id,
        minSize: report.size,
        maxSize: report.size,
        from: "2026-11-21",
        to: "2026-11-22",
      }),
      status: 200,
      holds: { data: [{ name: "sales.pdf" }] },
    },
    {
      name: "search that excludes by size",
      method: "POST",
      path: "/api/files/search",
      as: "admin",
      body: { query: "s", minSize: 5000 },
      status: 200,
      holds: { data: [] },
    },
    {
      name: "search sees no other's",
      method: "POST",
      path: "/api/files/search",
      as: "user",
      body: { search: "t.jpg" },
      status: 200,
      holds: { data: [], pagination: { total: 0 } },
    },
    {
      name: "search with bad conditions: 400",
      method: "POST",
      path: "/api/files/search",
      as: "user",
      body: { type: "poem", minSize: -1, from: "yesterday", page: 0 },
      status: 400,
      details: ["type", "minSize", "from", "page"],
    },
    {
      name: "search without a body: 400",
      method: "POST",
      path: "/api/files/search",
      as: "user",
      status: 400,
      details: ["body"],
    },
    {
      name: "search without a token: 401",
      method: "POST",
      path: "/api/files/search",
      body: {},
      status: 401,
    },
    {
      name: "search as guest: 403",
      method: "POST",
      path: "/api/files/search",
      as: "guest",
      body: {},
      status: 403,
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
    {
      name: "batch delete answers for each and touches no other's",
      method: "POST",
      path: "/api/files/batch-delete",
      as: "user",
      body: ({ image, theirs, report }: State) => ({
        ids: [image.id, theirs.id, UNKNOWN, report.id, image.id],
      }),
      status: 200,
      holds: ({ image, theirs, report }: State) => ({
        data: [
          { id: image.id, status: "deleted" },
          { id: theirs.id, status: "not_found" },
          { id: UNKNOWN, status: "not_found" },
          { id: report.id, status: "deleted" },
        ],
        message: "2 of 4 files are deleted",
      }),
      async after(h, _, { theirs }) {
        const left = await stored(h);
        assert.equal(left.files, 1);
        assert.deepEqual(left.references, { [theirs.sha256]: 1 });
        assert.deepEqual(left.blobs, left.blobIds);
        assert.equal(left.used[h.accounts.user.id], 0);
      },
    },
    {
      name: "batch delete of none: 400",
      method: "POST",
      path: "/api/files/batch-delete",
      as: "user",
      body: { ids: [] },
      status: 400,
      details: ["ids"],
    },
    {
      name: "batch delete of more than 100: 400",
      method: "POST",
      path: "/api/files/batch-delete",
      as: "user",
      body: { ids: Array.from({ length: 101 }, (_, n) => `id-${n}`) },
      status: 400,
      details: ["ids"],
    },
    {
      name: "batch delete without a token: 401",
      method: "POST",
      path: "/api/files/batch-delete",
      body: { ids: ["x"] },
      status: 401,
    },
    {
      name: "batch delete as guest: 403",
      method: "POST",
      path: "/api/files/batch-delete",
      as: "guest",
      body: { ids: ["x"] },
      status: 403,
    },
    {
      name: "batch move answers for each and touches no other's",
      method: "POST",
      path: "/api/files/batch-move",
      as: "user",
      body: ({ image, theirs, report, reports }: State) => ({
        ids: [image.id, theirs.id, report.id],
        folderId: reports.id,
      }),
      status: 200,
      holds: ({ image, theirs, report }: State) => ({
        data: [
          { id: image.id, status: "moved" },
          { id: theirs.id, status: "not_found" },
          { id: report.id, status: "moved" },
        ],
      }),
      async after(h, _, { reports, theirs }) {
        assert.equal(await h.store.from(files).count({ folderId: reports.id }), 2);
        assert.equal((await h.store.from(files).get(theirs.id))?.folderId, undefined);
      },
    },
    {
      name: "batch move by who manages files keeps everyone's files in their own folders",
      method: "POST",
      path: "/api/files/batch-move",
      as: "admin",
      body: ({ image, theirs, reports }: State) => ({
        ids: [theirs.id, image.id],
        folderId: reports.id,
      }),
      status: 200,
      holds: { data: [{ status: "forbidden" }, { status: "moved" }] },
    },
    {
      name: "batch move into another's folder: 400",
      method: "POST",
      path: "/api/files/batch-move",
      as: "user",
      body: ({ image, foreign }: State) => ({ ids: [image.id], folderId: foreign.id }),
      status: 400,
      details: ["folderId"],
    },
    {
      name: "batch move nowhere: 400",
      method: "POST",
      path: "/api/files/batch-move",
      as: "user",
      body: { ids: ["x"] },
      status: 400,
      details: ["folderId"],
    },
    {
      name: "batch move without a token: 401",
      method: "POST",
      path: "/api/files/batch-move",
      body: { ids: ["x"], folderId: null },
      status: 401,
    },
    {
      name: "batch move as guest: 403",
      method: "POST",
      path: "/api/files/batch-move",
      as: "guest",
      body: { ids: ["x"], folderId: null },
      status: 403,
    },
  ],
});

Deno.test("file management: a copy counts for the quota of who makes it", async () => {
  const size = pdf().length;
  await using h = await harness({ variant: "full", env: { STORAGE_QUOTA: `${size + 1}` } });
  await h.grant("user", ...ALL);
  const file = await upload(h, "user", { bytes: pdf(), type: "application/pdf" });
  const copy = (as: "user" | "admin") =>
    h.ask("POST", `/api/files/${file.id}/copy`, { as, body: {} });
  assert.equal((await copy("user")).status, 413);
  assert.equal((await copy("admin")).status, 201);
});

Deno.test("file management: the entity tag follows the path", async () => {
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

Deno.test("file management: is not in variant compact, download is", async () => {
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

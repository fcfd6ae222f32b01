// Files in every variant: list, details, download, change, delete.
import assert from "node:assert/strict";
import { shares } from "../../../models/shares.ts";
import type { Harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";
import { pdf, stored, upload } from "../../uploads.ts";

const UNKNOWN = "01930000-0000-7000-8000-000000000000";

async function arrange(h: Harness) {
  await h.grant("user", "files:create", "files:update", "files:delete");
  await h.grant("other", "files:create", "files:update", "files:delete");
  const mine = await upload(h, "user", { name: "mine.png" });
  const theirs = await upload(h, "other", { name: "theirs.pdf", bytes: pdf(), type: "" });
  return { mine, theirs };
}

type State = Awaited<ReturnType<typeof arrange>>;

scenarios("files", {
  arrange,
  rows: [
    {
      name: "list: one's own",
      method: "GET",
      path: "/api/files",
      as: "user",
      status: 200,
      holds: { data: [{ name: "mine.png" }], pagination: { total: 1, page: 1, limit: 10 } },
    },
    {
      name: "list: everyone's for who manages files",
      method: "GET",
      path: "/api/files?sort=name",
      as: "admin",
      status: 200,
      holds: { data: [{ name: "mine.png" }, { name: "theirs.pdf" }] },
    },
    {
      name: "list: by type, owner, mark and root",
      method: "GET",
      path: "/api/files?type=IMAGE&isFavorite=false&folderId=root&mimeType=image/png",
      as: "admin",
      status: 200,
      holds: { data: [{ name: "mine.png" }] },
    },
    {
      name: "list: a filter on the owner shows nothing more",
      method: "GET",
      path: ({ theirs }) => `/api/files?ownerId=${theirs.ownerId}`,
      as: "user",
      status: 200,
      holds: { data: [], pagination: { total: 0 } },
    },
    {
      name: "list: searched",
      method: "GET",
      path: "/api/files?search=MINE",
      as: "admin",
      status: 200,
      holds: { data: [{ name: "mine.png" }] },
    },
    {
      name: "list: an unknown type: 400",
      method: "GET",
      path: "/api/files?type=poem",
      as: "user",
      status: 400,
      details: ["type"],
    },
    { name: "list without a token: 401", method: "GET", path: "/api/files", status: 401 },
    { name: "list as guest: 403", method: "GET", path: "/api/files", as: "guest", status: 403 },
    {
      name: "details, with an entity tag",
      method: "GET",
      path: ({ mine }) => `/api/files/${mine.id}`,
      as: "user",
      status: 200,
      holds: ({ mine }: State) => ({ data: mine }),
      after: (_, reply) => assert.ok(reply.headers.get("etag")),
    },
    {
      name: "details of another's: 404",
      method: "GET",
      path: ({ theirs }) => `/api/files/${theirs.id}`,
      as: "user",
      status: 404,
    },
    {
      name: "details of none: 404",
      method: "GET",
      path: `/api/files/${UNKNOWN}`,
      as: "admin",
      status: 404,
    },
    {
      name: "details without a token: 401",
      method: "GET",
      path: ({ mine }) => `/api/files/${mine.id}`,
      status: 401,
    },
    {
      name: "details as guest: 403",
      method: "GET",
      path: ({ mine }) => `/api/files/${mine.id}`,
      as: "guest",
      status: 403,
    },
    {
      name: "download of another's: 404",
      method: "GET",
      path: ({ theirs }) => theirs.id && `/api/files/${theirs.id}/download`,
      as: "user",
      status: 404,
    },
    {
      name: "download without a token: 401",
      method: "GET",
      path: ({ mine }) => `/api/files/${mine.id}/download`,
      status: 401,
    },
    {
      name: "download as guest: 403",
      method: "GET",
      path: ({ mine }) => `/api/files/${mine.id}/download`,
      as: "guest",
      status: 403,
    },
    {
      name: "rename and mark",
      method: "PUT",
      path: ({ mine }) => `/api/files/${mine.id}`,
      as: "user",
      body: { name: "renamed.png", isFavorite: true, size: 1, ownerId: "x" },
      status: 200,
      holds: ({ mine }: State) => ({
        data: { name: "renamed.png", path: "/renamed.png", isFavorite: true, size: mine.size },
      }),
    },
    {
      name: "a name with slashes or of the wrong type: 400",
      method: "PATCH",
      path: ({ mine }) => `/api/files/${mine.id}`,
      as: "user",
      body: { name: "../x", isFavorite: "yes" },
      status: 400,
      details: ["name", "isFavorite"],
    },
    {
      name: "change with a stale If-Match: 412",
      method: "PUT",
      path: ({ mine }) => `/api/files/${mine.id}`,
      as: "user",
      headers: { "if-match": '"stale"' },
      body: { name: "x" },
      status: 412,
    },
    {
      name: "change another's: 404",
      method: "PUT",
      path: ({ theirs }) => `/api/files/${theirs.id}`,
      as: "user",
      body: { name: "x" },
      status: 404,
    },
    {
      name: "change as who may view alone: 403",
      method: "PUT",
      path: ({ mine }) => `/api/files/${mine.id}`,
      as: "guest",
      body: { name: "x" },
      status: 403,
    },
    {
      name: "change without a token: 401",
      method: "PUT",
      path: ({ mine }) => `/api/files/${mine.id}`,
      body: { name: "x" },
      status: 401,
    },
    {
      name: "change in text: 415",
      method: "PUT",
      path: ({ mine }) => `/api/files/${mine.id}`,
      as: "user",
      body: "x",
      headers: { "content-type": "text/plain" },
      status: 415,
    },
    {
      name: "delete, with bytes, versions and shares",
      method: "DELETE",
      path: ({ mine }) => `/api/files/${mine.id}?permanent=true`,
      as: "user",
      status: 200,
      holds: ({ mine }: State) => ({ data: { id: mine.id } }),
      async after(h, _, { mine, theirs }) {
        assert.equal((await h.ask("GET", `/api/files/${mine.id}`, { as: "user" })).status, 404);
        const left = await stored(h);
        assert.deepEqual(left.references, { [theirs.sha256]: 1 });
        assert.deepEqual(left.blobs, left.blobIds);
        assert.equal(await h.store.from(shares).count(), 0);
      },
    },
    {
      name: "delete with a stale If-Match: 412",
      method: "DELETE",
      path: ({ mine }) => `/api/files/${mine.id}`,
      as: "user",
      headers: { "if-match": '"stale"' },
      status: 412,
    },
    {
      name: "delete another's: 404",
      method: "DELETE",
      path: ({ theirs }) => `/api/files/${theirs.id}`,
      as: "user",
      status: 404,
    },
    {
      name: "delete without the permission: 403",
      method: "DELETE",
      path: ({ mine }) => `/api/files/${mine.id}`,
      as: "guest",
      status: 403,
    },
    {
      name: "delete without a token: 401",
      method: "DELETE",
      path: ({ mine }) => `/api/files/${mine.id}`,
      status: 401,
    },
  ],
});

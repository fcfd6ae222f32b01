// Many files at once: moved, deleted, each with its own outcome.
import assert from "node:assert/strict";
import { files } from "../../../models/files.ts";
import { scenarios } from "../../scenario.ts";
import { arrange, type State } from "./file_scene.ts";
import { stored } from "../../uploads.ts";

const UNKNOWN = "01930000-0000-7000-8000-000000000000";

scenarios("file batches", {
  variant: "full",
  arrange,
  rows: [
    {
      name: "batch delete answers for each and touches no other's",
      method: "POST",
      path: "/api/files/batch-delete",
      as: "user",
      body: ({ image, theirs, report }: State) => ({
        ids: [image.id, theirs.id, UNKNOWN, report.id, image.id],
        permanent: true,
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

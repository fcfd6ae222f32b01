// What is deleted in pieces is gone from the first of them on, for everybody.
import assert from "node:assert/strict";
import { deletions } from "../../../models/deletions.ts";
import { documents } from "../../../models/documents.ts";
import { contents, files, fileVersions } from "../../../models/files.ts";
import { folders } from "../../../models/folders.ts";
import { teamMembers, teams } from "../../../models/teams.ts";
import { finishDeletions } from "../../../services/content/deletions.ts";
import {
  assertEmpty,
  beginDeletion,
  fillFolders,
  fillTeam,
  withHarness,
} from "../content/deletion_scene.ts";

Deno.test("a folder whose deletion has begun is gone with all that is in it, and its name is free", async () => {
  await withHarness(async (h, store) => {
    await h.grant("user", "files:create", "files:update", "files:delete");
    const { outer, inner, kept } = await fillFolders(h);
    const path = `/api/folders/${outer.id}`;
    await beginDeletion(h, store, `${path}?recursive=true&permanent=true`);
    const left = (await store.from(files).list({ limit: 1 })).rows[0]!;
    for (const as of ["user", "super"] as const) {
      const lists = `/api/folders?ownerId=${h.accounts.user.id}`;
      assert.deepEqual((await h.ask("GET", lists, { as })).data, []);
      assert.equal((await h.ask("GET", "/api/files", { as })).body.pagination.total, 0);
      const search = await h.ask("POST", "/api/files/search", { as, body: { query: "F" } });
      assert.equal(search.body.pagination.total, 0);
      for (const one of [`/api/files/${left.id}`, `/api/files/${left.id}/download`]) {
        assert.equal((await h.ask("GET", one, { as })).status, 404);
      }
      const name = { as, body: { name: "Again" } };
      assert.equal((await h.ask("PUT", path, name)).status, 404);
      assert.equal((await h.ask("PUT", `/api/folders/${inner.id}`, name)).status, 404);
      const ids = kept.map(({ id }) => id).slice(-100);
      const moved = await h.ask("POST", "/api/files/batch-move", {
        as,
        body: { ids, folderId: null },
      });
      assert.ok(moved.data.every(({ status }: { status: string }) => status === "not_found"));
    }
    for (const parentId of [outer.id, inner.id]) {
      const inside = { as: "user" as const, body: { name: "New", parentId } };
      assert.equal((await h.ask("POST", "/api/folders", inside)).status, 400);
    }
    const again = { as: "user" as const, body: { name: outer.name } };
    assert.equal((await h.ask("POST", "/api/folders", again)).status, 201);
    h.clock.advance(6000);
    await finishDeletions(store, h.clock.now());
    await assertEmpty(h, [files, fileVersions, contents, deletions]);
    assert.equal(await store.from(folders).count(), 1);
  });
});

Deno.test("a team whose deletion has begun is gone, and opens nothing to anybody", async () => {
  await withHarness(async (h, store) => {
    await h.grant("user", "teams:view", "teams:update", "teams:delete", "documents:update");
    await h.grant("other", "teams:view");
    const { team, document } = await fillTeam(h);
    const path = `/api/teams/${team.id}`;
    const read = () => h.ask("GET", `/api/documents/${document.id}`, { as: "other" });
    assert.equal((await read()).status, 200);
    await beginDeletion(h, store, path);
    const member = { userId: h.accounts.other.id };
    assert.equal(await store.from(teamMembers).count(member), 1, "it is the last to go");
    assert.equal((await read()).status, 404);
    const list = await h.ask("GET", "/api/documents", { as: "other" });
    assert.equal(list.body.pagination.total, 0);
    for (const as of ["user", "other", "super"] as const) {
      assert.equal((await h.ask("GET", path, { as })).status, 404);
      assert.equal((await h.ask("GET", "/api/teams", { as })).body.pagination.total, 0);
      assert.equal(
        (await h.ask("PUT", path, { as, body: { name: "Again" } })).status,
        as === "other" ? 403 : 404,
      );
    }
    const share = { as: "super" as const, body: { teamId: team.id } };
    assert.equal((await h.ask("POST", `/api/documents/${document.id}/share`, share)).status, 400);
    h.clock.advance(6000);
    await finishDeletions(store, h.clock.now());
    await assertEmpty(h, [teams, teamMembers, deletions]);
    assert.equal((await store.from(documents).get(document.id))!.teamId, undefined);
  });
});

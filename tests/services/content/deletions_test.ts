// Deletions of any size, and reading all: in commits that are small, and to their end whatever happens in between.
import assert from "node:assert/strict";
import { deletions } from "../../../models/deletions.ts";
import { documents } from "../../../models/documents.ts";
import { contents, files, fileVersions, storageUsage } from "../../../models/files.ts";
import { folders, slotOf } from "../../../models/folders.ts";
import { messages, receipts } from "../../../models/messages.ts";
import { notifications } from "../../../models/notifications.ts";
import { teamMembers, teams } from "../../../models/teams.ts";
import { snippets } from "../../../models/snippets.ts";
import { users } from "../../../models/users.ts";
import { finishDeletion, finishDeletions } from "../../../services/content/deletions.ts";
import { StoreUnavailable } from "../../../storage/port.ts";
import type { Harness } from "../../harness.ts";
import type { Interposed } from "../../interposed.ts";
import { rowsRead } from "../../reads.ts";
import {
  assertEmpty,
  beginDeletion,
  COUNT,
  fillFolders,
  fillMailbox,
  fillTeam,
  stamp,
  withHarness,
} from "./deletion_scene.ts";

/** Changes in one commit, checks of what was read included. */
const MOST = 400;

async function assertGone({ store, accounts }: Harness) {
  const userId = accounts.other.id;
  assert.equal(await store.from(users).get(userId), null);
  assert.equal(await store.from(receipts).count({ userId }), 0);
  assert.equal(await store.from(notifications).count({ userId }), 0);
  assert.equal(
    await store.from(messages).count({ any: [{ senderId: userId }, { recipientId: userId }] }),
    0,
  );
  assert.equal(await store.from(messages).count(), COUNT);
  assert.equal(await store.from(documents).count({ ownerId: accounts.super.id }), COUNT);
  assert.equal(await store.from(snippets).count({ userId: accounts.super.id }), COUNT);
  assert.equal(await store.from(deletions).count(), 0);
}

function assertSmall(store: Interposed, from = 0) {
  const sizes = store.committed.slice(from).map((changes) => changes.length);
  assert.ok(Math.max(...sizes) <= MOST, `commits of ${sizes.join(", ")} changes`);
}

Deno.test("deleting a user who has much goes in small commits, and others write between them", async () => {
  await withHarness(async (h, store) => {
    await fillMailbox(h);
    let other: Promise<unknown> | undefined;
    let written = -1;
    store.afterCommit = () => {
      other ??= h.ask("POST", "/api/documents", {
        as: "admin",
        body: { title: "Mine", content: "" },
      })
        .then(({ status }) => {
          assert.equal(status, 201);
          written = store.committed.length;
        });
    };
    const { status } = await h.ask("DELETE", `/api/users/${h.accounts.other.id}`, { as: "super" });
    assert.equal(status, 200);
    await other;
    await assertGone(h);
    assertSmall(store);
    assert.ok(written < store.committed.length, "the other write waited for the whole deletion");
    assert.equal(
      (await h.ask("GET", `/api/users/${h.accounts.other.id}`, { as: "super" })).status,
      404,
    );
  });
});

Deno.test("a deletion that a crash broke off has ended the account at once, and is done later", async () => {
  for (const crashAt of [1, 2, 9]) {
    await withHarness(async (h, store) => {
      await fillMailbox(h);
      const path = `/api/users/${h.accounts.other.id}`;
      let commits = 0;
      store.beforeCommit = () => {
        if (commits++ === crashAt) throw new StoreUnavailable("killed");
      };
      assert.equal((await h.ask("DELETE", path, { as: "super" })).status, 503);
      store.beforeCommit = null;
      assert.equal((await h.ask("GET", "/api/users/me", { as: "other" })).status, 401);
      const revive = await h.ask("PUT", path, { as: "super", body: { status: "active" } });
      assert.equal(revive.status, 409);
      await finishDeletions(store, h.clock.now());
      assert.equal(await store.from(deletions).count(), 1, "whoever began it may be at it still");
      h.clock.advance(120_000);
      await finishDeletions(store, h.clock.now());
      await assertGone(h);
    });
  }
});

Deno.test("what a deleted heir was to get passes on", async () => {
  await withHarness(async (h, store) => {
    await fillMailbox(h);
    await h.grant("admin", "*");
    store.beforeCommit = () => {
      if (store.committed.some((changes) => changes.some((of) => of.collection === "deletions"))) {
        throw new StoreUnavailable("killed");
      }
    };
    const gone = await h.ask("DELETE", `/api/users/${h.accounts.other.id}`, { as: "admin" });
    assert.equal(gone.status, 503);
    store.beforeCommit = null;
    assert.equal(
      (await h.ask("DELETE", `/api/users/${h.accounts.admin.id}`, { as: "super" })).status,
      200,
    );
    h.clock.advance(120_000);
    await finishDeletions(store, h.clock.now());
    await assertGone(h);
  });
});

Deno.test("reading all of many notifications goes in small commits", async () => {
  await withHarness(async (h, store) => {
    await fillMailbox(h);
    const { status, data } = await h.ask("PUT", "/api/notifications/read-all", { as: "other" });
    assert.deepEqual([status, data.count], [200, COUNT]);
    assert.equal(await h.store.from(notifications).count({ read: false }), 0);
    assertSmall(store);
    assert.ok(store.committed.length >= COUNT / 100);
  });
});

Deno.test("a folder with many files, and a team with many members, go in small commits", async () => {
  await withHarness(async (h, store) => {
    const { outer, blob } = await fillFolders(h);
    const path = `/api/folders/${outer.id}`;
    assert.equal((await h.ask("DELETE", path, { as: "super" })).status, 409);
    assert.equal(
      (await h.ask("DELETE", `${path}?recursive=true&permanent=true`, { as: "super" })).status,
      200,
    );
    await assertEmpty(h, [folders, files, fileVersions, contents, deletions]);
    assert.equal(await h.store.blobs.get(blob.id), null);
    assert.equal((await h.store.from(storageUsage).get(h.accounts.user.id))!.used, 0);

    const { team } = await fillTeam(h);
    assert.equal((await h.ask("DELETE", `/api/teams/${team.id}`, { as: "super" })).status, 200);
    await assertEmpty(h, [teams, teamMembers, deletions]);
    assertSmall(store);
  });
});

Deno.test("a deletion that goes on elsewhere is left to whoever is at it", async () => {
  await withHarness(async (h, store) => {
    const { outer } = await fillFolders(h);
    await beginDeletion(h, store, `/api/folders/${outer.id}?recursive=true&permanent=true`);
    h.clock.advance(4000);
    let pieces = 0;
    store.beforeCommit = () => {
      if (pieces++ === 1) throw new StoreUnavailable("killed");
    };
    await assert.rejects(finishDeletion(store, outer.id));
    store.beforeCommit = null;
    h.clock.advance(4000);
    const before = await store.from(files).count();
    await finishDeletions(store, h.clock.now());
    assert.equal(await store.from(files).count(), before);
    h.clock.advance(2000);
    await finishDeletions(store, h.clock.now());
    await assertEmpty(h, [files, deletions]);
  });
});

Deno.test("a folder with many folders is read once, not anew for each piece", async () => {
  await withHarness(async (h, store) => {
    const ownerId = h.accounts.user.id;
    const names = Array.from({ length: 1200 }, (_, n) => `Folder ${n}`);
    const outer = { ...stamp(), name: "Outer", ownerId, slot: slotOf(null, "Outer") };
    const inner = names.map((name, n) => {
      return { ...stamp(n), name, ownerId, parentId: outer.id, slot: slotOf(outer.id, name) };
    });
    await h.store.load(folders, [outer, ...inner]);
    const path = `/api/folders/${outer.id}?recursive=true&permanent=true`;
    const read = await rowsRead(store, folders, async () => {
      assert.equal((await h.ask("DELETE", path, { as: "super" })).status, 200);
    });
    await assertEmpty(h, [folders, deletions]);
    assert.ok(read <= 2 * names.length, `${read} folders were read`);
    assertSmall(store);
  });
});

Deno.test("files with many versions go in small commits too", async () => {
  await withHarness(async (h, store) => {
    const { outer, kept } = await fillFolders(h);
    const more = kept.slice(0, 10).flatMap(({ id: fileId, size, mimeType, sha256, ownerId }) =>
      Array.from({ length: 99 }, (_, n) => ({
        ...stamp(n),
        fileId,
        version: n + 2,
        size,
        mimeType,
        sha256,
        createdBy: ownerId,
      }))
    );
    await h.store.load(fileVersions, more);
    await h.store.transact({ userId: null }, async (tx) => {
      const content = (await tx.from(contents).get(kept[0]!.sha256))!;
      tx.update(contents, content, { references: COUNT + more.length });
      const usage = (await tx.from(storageUsage).get(h.accounts.user.id))!;
      tx.update(storageUsage, usage, { used: usage.used + more.length * kept[0]!.size });
    });
    const path = `/api/folders/${outer.id}?recursive=true&permanent=true`;
    assert.equal((await h.ask("DELETE", path, { as: "super" })).status, 200);
    await assertEmpty(h, [folders, files, fileVersions, contents, deletions]);
    assert.equal((await h.store.from(storageUsage).get(h.accounts.user.id))!.used, 0);
    assertSmall(store);
  });
});

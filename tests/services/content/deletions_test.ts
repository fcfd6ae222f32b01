// Deletions of any size, and reading all: in commits that are small, and to their end whatever happens in between.
import assert from "node:assert/strict";
import { newId } from "../../../core/ids.ts";
import { deletions } from "../../../models/deletions.ts";
import { documents } from "../../../models/documents.ts";
import { contents, files, fileVersions, storageUsage } from "../../../models/files.ts";
import { folders } from "../../../models/folders.ts";
import { conversations, messages, participants, receipts } from "../../../models/messages.ts";
import { notifications } from "../../../models/notifications.ts";
import { teamMembers, teams } from "../../../models/teams.ts";
import { users } from "../../../models/users.ts";
import { finishDeletions } from "../../../services/content/deletions.ts";
import { type CollectionDeclaration, StoreUnavailable } from "../../../storage/port.ts";
import { openOnEngine } from "../../engine.ts";
import { type Harness, harness } from "../../harness.ts";
import { type Interposed, interposed } from "../../interposed.ts";

const COUNT = 400;
/** Changes in one commit, checks of what was read included. */
const MOST = 400;
const START = Date.UTC(2026, 0, 1);

const stamp = (n = 0) => {
  const at = new Date(START + n).toISOString();
  return { id: newId(START + n), createdAt: at, updatedAt: at };
};
const range = Array.from({ length: COUNT }, (_, n) => n);

async function withHarness(run: (h: Harness, store: Interposed) => Promise<void>) {
  let store: Interposed | undefined;
  const open = async (clock: () => Date) => store = interposed(await openOnEngine(clock), clock);
  const h = await harness({ variant: "full", open });
  try {
    await run(h, store!);
  } finally {
    store!.beforeCommit = store!.afterCommit = null;
    await h[Symbol.asyncDispose]();
  }
}

/** A mailbox, documents and notifications of `other`. */
async function fill({ store, accounts }: Harness) {
  const [userId, senderId] = [accounts.other.id, accounts.user.id];
  const conversation = {
    ...stamp(),
    type: "private" as const,
    createdBy: userId,
    lastMessageAt: stamp().createdAt,
  };
  const conversationId = conversation.id;
  await store.load(conversations, [conversation]);
  await store.load(participants, [
    { ...stamp(), conversationId, userId },
    { ...stamp(), conversationId, userId: senderId },
  ]);
  const sent = range.map((n) => ({
    ...stamp(n),
    conversationId,
    senderId: n % 2 ? userId : senderId,
    recipientId: n % 2 ? senderId : userId,
    type: "text" as const,
    content: `Message ${n}`,
  }));
  await store.load(messages, sent);
  for (const [n, holder] of [userId, senderId].entries()) {
    await store.load(
      receipts,
      sent.map(({ id: messageId, senderId, type }, at) => ({
        ...stamp(n + at),
        messageId,
        conversationId,
        type,
        userId: holder,
        sent: senderId === holder,
      })),
    );
  }
  const told = { type: "message" as const, title: "T", content: "C", read: false };
  await store.load(notifications, range.map((n) => ({ ...stamp(n), ...told, userId })));
  const written = { content: "", type: "document" as const, size: 0, ownerId: userId };
  await store.load(documents, range.map((n) => ({ ...stamp(n), ...written, title: `D${n}` })));
}

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
  assert.equal(await store.from(deletions).count(), 0);
}

// deno-lint-ignore no-explicit-any -- collections of different records
async function assertEmpty({ store }: Harness, collections: CollectionDeclaration<any>[]) {
  for (const collection of collections) {
    assert.equal(await store.from(collection).count(), 0, collection.name);
  }
}

function assertSmall(store: Interposed, from = 0) {
  const sizes = store.committed.slice(from).map((changes) => changes.length);
  assert.ok(Math.max(...sizes) <= MOST, `commits of ${sizes.join(", ")} changes`);
}

Deno.test("deleting a user who has much goes in small commits, and others write between them", async () => {
  await withHarness(async (h, store) => {
    await fill(h);
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
      await fill(h);
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
    await fill(h);
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
    await fill(h);
    const { status, data } = await h.ask("PUT", "/api/notifications/read-all", { as: "other" });
    assert.deepEqual([status, data.count], [200, COUNT]);
    assert.equal(await h.store.from(notifications).count({ read: false }), 0);
    assertSmall(store);
    assert.ok(store.committed.length >= COUNT / 100);
  });
});

Deno.test("a folder with many files, and a team with many members, go in small commits", async () => {
  await withHarness(async (h, store) => {
    const ownerId = h.accounts.user.id;
    const outer = { ...stamp(), name: "Outer", ownerId, slot: "Outer" };
    const inner = { ...stamp(), name: "Inner", ownerId, slot: "Inner", parentId: outer.id };
    await h.store.load(folders, [outer, inner]);
    const blob = await h.store.blobs.put(new Blob(["hello"]).stream(), { maxBytes: 9 });
    const { sha256, size } = blob;
    await h.store.load(contents, [{
      ...stamp(),
      id: sha256,
      blobId: blob.id,
      size,
      references: COUNT,
    }]);
    const kept = range.map((n) => ({
      ...stamp(n),
      name: `F${n}`,
      type: "document" as const,
      mimeType: "text/plain",
      size,
      folderId: n % 2 ? outer.id : inner.id,
      ownerId,
      isFavorite: false,
      version: 1,
      sha256,
      totalSize: size,
    }));
    await h.store.load(files, kept);
    const versions = kept.map(({ id: fileId, mimeType }, n) => ({
      ...stamp(n),
      fileId,
      version: 1,
      size,
      mimeType,
      sha256,
      createdBy: ownerId,
    }));
    await h.store.load(fileVersions, versions);
    await h.store.load(storageUsage, [{ ...stamp(), id: ownerId, used: COUNT * size }]);
    const path = `/api/folders/${outer.id}`;
    assert.equal((await h.ask("DELETE", path, { as: "super" })).status, 409);
    assert.equal((await h.ask("DELETE", `${path}?recursive=true`, { as: "super" })).status, 200);
    await assertEmpty(h, [folders, files, fileVersions, contents, deletions]);
    assert.equal(await h.store.blobs.get(blob.id), null);
    assert.equal((await h.store.from(storageUsage).get(ownerId))!.used, 0);

    const team = { ...stamp(), name: "Crew", ownerId };
    await h.store.load(teams, [team]);
    const members = range.map((n) => ({
      ...stamp(n),
      name: `M${n}`,
      email: `m${n}@example.com`,
      role: "user",
      permissions: [],
      status: "active" as const,
    }));
    await h.store.load(users, members);
    const role = "member" as const;
    await h.store.load(
      teamMembers,
      members.map(({ id: userId }, n) => ({ ...stamp(n), teamId: team.id, userId, role })),
    );
    assert.equal((await h.ask("DELETE", `/api/teams/${team.id}`, { as: "super" })).status, 200);
    await assertEmpty(h, [teams, teamMembers, deletions]);
    assertSmall(store);
  });
});

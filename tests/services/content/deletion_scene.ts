// What is deleted in more than one commit: a mailbox, folders, a team; and deletions that are broken off.
import assert from "node:assert/strict";
import { newId } from "../../../core/ids.ts";
import { deletions } from "../../../models/deletions.ts";
import { documents } from "../../../models/documents.ts";
import { contents, files, fileVersions, storageUsage } from "../../../models/files.ts";
import { folders, slotOf } from "../../../models/folders.ts";
import { conversations, messages, participants, receipts } from "../../../models/messages.ts";
import { notifications } from "../../../models/notifications.ts";
import { snippets } from "../../../models/snippets.ts";
import { teamMembers, teams } from "../../../models/teams.ts";
import { users } from "../../../models/users.ts";
import { type CollectionDeclaration, StoreUnavailable } from "../../../storage/port.ts";
import type { Harness } from "../../harness.ts";
import { type Interposed, interposedHarness } from "../../interposed.ts";

/** Of everything that is deleted in pieces. */
export const COUNT = 400;
const START = Date.UTC(2026, 0, 1);

/** What every record has. */
export const stamp = (n = 0) => {
  const at = new Date(START + n).toISOString();
  return { id: newId(START + n), createdAt: at, updatedAt: at };
};
const range = Array.from({ length: COUNT }, (_, n) => n);

export async function withHarness(run: (h: Harness, store: Interposed) => Promise<void>) {
  const h = await interposedHarness({ variant: "full" });
  try {
    await run(h, h.store);
  } finally {
    h.store.beforeCommit = h.store.afterCommit = null;
    await h[Symbol.asyncDispose]();
  }
}

/** A mailbox, documents, snippets and notifications of `other`. */
export async function fillMailbox({ store, accounts }: Harness) {
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
  const snippet = { content: "x", size: 1, language: "html" as const, userId };
  await store.load(snippets, range.map((n) => ({ ...stamp(n), ...snippet })));
  const written = { content: "", type: "document" as const, size: 0, ownerId: userId };
  await store.load(documents, range.map((n) => ({ ...stamp(n), ...written, title: `D${n}` })));
}

/** Nothing is left in the collections. */
export async function assertEmpty(
  { store }: Harness,
  // deno-lint-ignore no-explicit-any -- collections of different records
  collections: CollectionDeclaration<any>[],
) {
  for (const collection of collections) {
    assert.equal(await store.from(collection).count(), 0, collection.name);
  }
}

/** Two folders, one in the other, with many files that have the same bytes. */
export async function fillFolders(h: Harness) {
  const ownerId = h.accounts.user.id;
  const outer = { ...stamp(), name: "Outer", ownerId, slot: slotOf(null, "Outer") };
  const inner = { ...stamp(), name: "Inner", ownerId, slot: slotOf(outer.id, "Inner") };
  await h.store.load(folders, [outer, { ...inner, parentId: outer.id }]);
  const blob = await h.store.blobs.put(new Blob(["hello"]).stream(), { maxBytes: 9 });
  const { sha256, size } = blob;
  const content = { ...stamp(), id: sha256, blobId: blob.id, size, references: COUNT };
  await h.store.load(contents, [content]);
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
  return { outer, inner, blob, kept };
}

/** A team with many members, `other` among them, and a document that they read. */
export async function fillTeam(h: Harness) {
  const team = { ...stamp(), name: "Crew", ownerId: h.accounts.user.id };
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
  // The last of them: a piece begins with the first.
  const ids = [...members.map(({ id }) => id), h.accounts.other.id];
  await h.store.load(
    teamMembers,
    ids.map((userId, n) => ({ ...stamp(n), teamId: team.id, userId, role })),
  );
  const written = { title: "Log", content: "", type: "document" as const, size: 0 };
  const document = { ...stamp(COUNT), ...written, ownerId: h.accounts.user.id, teamId: team.id };
  await h.store.load(documents, [document]);
  return { team, document };
}

/** Lets the deletion begin, and no more. */
export async function beginDeletion(h: Harness, store: Interposed, path: string) {
  let commits = 0;
  store.beforeCommit = () => {
    if (commits++ === 1) throw new StoreUnavailable("killed");
  };
  assert.equal((await h.ask("DELETE", path, { as: "super" })).status, 503);
  store.beforeCommit = null;
  assert.equal(await store.from(deletions).count(), 1);
}

// What happens to everything that refers to a user who is deleted: it ends, passes on, or forgets them.
import { chunks } from "../../core/chunks.ts";
import { apiKeys } from "../../models/api_keys.ts";
import { attendees, events, reminders } from "../../models/calendar.ts";
import type { CollectionDeclaration, Entity } from "../../models/collection.ts";
import { tasks } from "../../models/dashboard.ts";
import { documents } from "../../models/documents.ts";
import { files, fileVersions, storageUsage } from "../../models/files.ts";
import { folders, slotOf } from "../../models/folders.ts";
import { idempotentAnswers } from "../../models/idempotency.ts";
import { identities } from "../../models/identities.ts";
import {
  conversations,
  hiddenMessages,
  type Message,
  messages,
  participants,
  receipts,
} from "../../models/messages.ts";
import { numbered } from "../../models/names.ts";
import { notifications } from "../../models/notifications.ts";
import { passkeys } from "../../models/passkeys.ts";
import { preferences } from "../../models/preferences.ts";
import { documentRevisions } from "../../models/revisions.ts";
import { secondFactors, signInChallenges } from "../../models/second_factors.ts";
import { emailLinks, passwordResets, sessions } from "../../models/sessions.ts";
import { shares } from "../../models/shares.ts";
import { checkins, snippets } from "../../models/snippets.ts";
import { teamMembers, teams } from "../../models/teams.ts";
import { trash } from "../../models/trash.ts";
import { webhooks } from "../../models/webhooks.ts";
import { planShareEnds } from "../access/shares.ts";
import { planAvatarEnd } from "../images/avatars.ts";
import { planVisible } from "../messaging/messages.ts";
import { everyMatch } from "../../storage/every_match.ts";
import type { Piece } from "../../storage/pieces.ts";
import type { Transaction, Where } from "../../storage/port.ts";
import type { Heirs } from "../access/heirs.ts";

/** Who gets what, and whether the data of the deleted user are erased: then what nobody else holds ends too. */
export interface Terms extends Heirs {
  readonly erase?: boolean;
}

/** `end` removes the record, `pass` puts the heir in the field, `forget` empties it. */
type Fate = "end" | "pass" | "forget";

/** A part of the deletion of a user: what it plans, and which records are shown with what it ended. */
type Rule = (tx: Transaction, piece: Piece, userId: string, terms: Terms) => Promise<Touched>;

/** The records that ended shares, members and attendees were shown with: their versions change too. */
interface Touched {
  // deno-lint-ignore no-explicit-any -- collections of different records
  readonly collection?: CollectionDeclaration<any>;
  readonly ids: readonly string[];
}

/** Every reference to a user. What a user owned passes on, so that nothing is lost; what was only theirs ends. */
const references: readonly Rule[] = [
  rule(sessions, { userId: "end" }),
  rule(passwordResets, { userId: "end" }),
  rule(idempotentAnswers, { userId: "end" }),
  rule(emailLinks, { userId: "end" }),
  rule(apiKeys, { userId: "end" }),
  rule(secondFactors, { userId: "end" }),
  rule(signInChallenges, { userId: "end" }),
  rule(passkeys, { userId: "end" }),
  rule(identities, { userId: "end" }),
  rule(preferences, { userId: "end" }),
  rule(webhooks, { ownerId: "end" }),
  rule(teamMembers, { userId: "end" }, { shownWith: [teams, "teamId"] }),
  rule(attendees, { userId: "end" }, { shownWith: [events, "eventId"] }),
  rule(reminders, { userId: "end" }),
  rule(participants, { userId: "end" }),
  rule(receipts, { userId: "end" }),
  rule(hiddenMessages, { userId: "end" }),
  rule(notifications, { userId: "end" }),
  rule(shares, { userId: "end", createdBy: "pass" }, { shownWith: [documents, "documentId"] }),
  rule(documents, { ownerId: "pass" }, { heir: "documents", sharedBy: "documentId" }),
  rule(documentRevisions, { ownerId: "pass", changedBy: "forget" }, { heir: "documents" }),
  rule(files, { ownerId: "pass" }, { heir: "files", sharedBy: "fileId" }),
  rule(fileVersions, { createdBy: "pass" }),
  rule(events, { ownerId: "pass" }, { heir: "calendar" }),
  rule(conversations, { createdBy: "pass" }),
  rule(tasks, { createdBy: "pass", assigneeId: "forget" }),
];

/**
 * Plans as much of what the deletion of a user entails as the piece has room for.
 *
 * @returns Ids of the blobs that nothing refers to any more.
 */
export async function planUserPiece(
  tx: Transaction,
  piece: Piece,
  userId: string,
  terms: Terms,
): Promise<readonly string[]> {
  const touched: Touched[] = [];
  for (const follow of references) touched.push(await follow(tx, piece, userId, terms));
  for (const { collection, ids } of touched) if (collection) await touch(tx, collection, ids);
  await forgetInMessages(tx, piece, userId, terms.erase === true);
  await passTeams(tx, piece, userId, terms.teams);
  await passFolders(tx, piece, userId, terms.files);
  await passTrash(tx, piece, userId, terms);
  await passStorageUsage(tx, userId, terms.files);
  await passSnippets(tx, piece, userId, terms.rest);
  const checkin = await tx.from(checkins).get(userId);
  if (checkin) tx.remove(checkins, checkin);
  return await planAvatarEnd(tx, userId);
}

function rule<T extends Entity>(
  collection: CollectionDeclaration<T>,
  fates: Partial<Record<keyof T & string, Fate>>,
  options: {
    readonly heir?: keyof Heirs;
    // deno-lint-ignore no-explicit-any -- collections of different records
    readonly shownWith?: readonly [CollectionDeclaration<any>, keyof T & string];
    /** The field of a share that names such a record: what was shared with the heir is the heir's own now. */
    readonly sharedBy?: "documentId" | "fileId";
  } = {},
): Rule {
  const { heir = "rest", shownWith: [parents, parentField] = [], sharedBy } = options;
  const fields = Object.entries(fates) as [keyof T & string, Fate][];
  return async (tx, piece, userId, terms) => {
    const any = fields.map(([field]) => ({ [field]: userId }) as Where<T>);
    const ids: string[] = [];
    const found = await piece.take(tx, collection, { any } as Where<T>);
    if (sharedBy) {
      for (const id of chunks(found.map(({ id }) => id))) {
        const where = { [sharedBy]: id, userId: terms[heir] };
        await planShareEnds(tx, await everyMatch(tx, shares, where));
      }
    }
    for (const record of found) {
      const touched = fields.filter(([field]) => record[field] === userId);
      if (touched.some(([, fate]) => fate === "end")) {
        tx.remove(collection, record);
        if (parentField && record[parentField]) ids.push(record[parentField] as string);
      } else {
        const patch = touched.map((
          [field, fate],
        ) => [field, fate === "pass" ? terms[heir] : undefined]);
        tx.update(collection, record, Object.fromEntries(patch));
      }
    }
    return { collection: parents, ids };
  };
}

async function touch<T extends Entity>(
  tx: Transaction,
  collection: CollectionDeclaration<T>,
  ids: readonly string[],
): Promise<void> {
  for (const record of await tx.from(collection).getMany([...new Set(ids)])) {
    if (record) tx.update(collection, record, {});
  }
}

/** Messages stay with the others, without a name. @param erase Those that nobody else holds end. */
async function forgetInMessages(
  tx: Transaction,
  piece: Piece,
  userId: string,
  erase: boolean,
): Promise<void> {
  const any = [{ senderId: userId }, { recipientId: userId }];
  const found = await piece.take(tx, messages, { any });
  if (found.length === 0) return;
  // The user's own receipts come first: once a piece has room for messages, it ends the last of them.
  const where = { messageId: found.map(({ id }) => id), userId: { ne: userId } };
  const held = erase
    ? await tx.from(receipts).aggregate({ by: "messageId", where })
    : found.map(({ id }) => ({ key: id }));
  const kept = new Set(held.map(({ key }) => key));
  await planVisible(tx, found.map(({ id }) => id).filter((id) => !kept.has(id)));
  for (const message of found) {
    if (!kept.has(message.id)) {
      tx.remove(messages, message);
      continue;
    }
    const patch: Partial<Pick<Message, "senderId" | "recipientId">> = {};
    if (message.senderId === userId) patch.senderId = undefined;
    if (message.recipientId === userId) patch.recipientId = undefined;
    tx.update(messages, message, patch);
  }
}

/** The heir becomes the owner, as a member too. */
async function passTeams(
  tx: Transaction,
  piece: Piece,
  userId: string,
  heirId: string,
): Promise<void> {
  for (const team of await piece.take(tx, teams, { ownerId: userId })) {
    tx.update(teams, team, { ownerId: heirId });
    const member = await tx.from(teamMembers).findBy("member", team.id, heirId);
    if (member) tx.update(teamMembers, member, { role: "owner" });
    else tx.insert(teamMembers, { teamId: team.id, userId: heirId, role: "owner" });
  }
}

/** A folder gets a number after its name where the heir already has one of that name. */
async function passFolders(
  tx: Transaction,
  piece: Piece,
  userId: string,
  heirId: string,
): Promise<void> {
  const taken = new Set<string>();
  // Looked up one by one, which the commit checks: others may be deleted at the same time, with the same heir.
  const isTaken = async (slot: string) =>
    taken.has(slot) || await tx.from(folders).findBy("name", heirId, slot) !== null;
  for (const folder of await piece.take(tx, folders, { ownerId: userId })) {
    let { name, slot } = folder;
    for (let n = 2; await isTaken(slot); n++) {
      name = numbered(folder.name, n);
      slot = slotOf(folder.parentId, name);
    }
    taken.add(slot);
    tx.update(folders, folder, { ownerId: heirId, name, slot });
  }
}

/** What is in the trash passes to who gets what is not; what they deleted of others is deleted by nobody known. */
async function passTrash(
  tx: Transaction,
  piece: Piece,
  userId: string,
  terms: Terms,
): Promise<void> {
  const any = [{ ownerId: userId }, { deletedBy: userId }];
  for (const entry of await piece.take(tx, trash, { any })) {
    const heirId = entry.kind === "document" ? terms.documents : terms.files;
    tx.update(trash, entry, {
      ownerId: entry.ownerId === userId ? heirId : entry.ownerId,
      deletedBy: entry.deletedBy === userId ? undefined : entry.deletedBy,
    });
  }
}

/** Snippets pass to the heir. Their public pages stay, but name nobody as the author. */
async function passSnippets(
  tx: Transaction,
  piece: Piece,
  userId: string,
  heirId: string,
): Promise<void> {
  for (const snippet of await piece.take(tx, snippets, { userId })) {
    tx.update(snippets, snippet, { userId: heirId, unnamed: true });
  }
}

async function passStorageUsage(tx: Transaction, userId: string, heirId: string): Promise<void> {
  const [left, held] = await tx.from(storageUsage).getMany([userId, heirId]);
  if (!left) return;
  tx.remove(storageUsage, left);
  if (held) tx.update(storageUsage, held, { used: held.used + left.used });
  else tx.insert(storageUsage, { id: heirId, used: left.used });
}

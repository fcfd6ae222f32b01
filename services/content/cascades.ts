// What happens to everything that refers to a user who is deleted: it ends, passes on, or forgets them.
import { apiKeys } from "../../models/api_keys.ts";
import { attendees, events, reminders } from "../../models/calendar.ts";
import type { CollectionDeclaration, Entity } from "../../models/collection.ts";
import { tasks } from "../../models/dashboard.ts";
import { documents } from "../../models/documents.ts";
import { files, fileVersions, storageUsage } from "../../models/files.ts";
import { folders, slotOf } from "../../models/folders.ts";
import { idempotentAnswers } from "../../models/idempotency.ts";
import { conversations, messages, participants, receipts } from "../../models/messages.ts";
import { notifications } from "../../models/notifications.ts";
import { passkeys } from "../../models/passkeys.ts";
import { secondFactors, signInChallenges } from "../../models/second_factors.ts";
import { emailLinks, passwordResets, sessions } from "../../models/sessions.ts";
import { shares } from "../../models/shares.ts";
import { checkins, snippets } from "../../models/snippets.ts";
import { teamMembers, teams } from "../../models/teams.ts";
import { everyMatch } from "../../storage/every_match.ts";
import type { Piece } from "../../storage/pieces.ts";
import type { Transaction, Where } from "../../storage/port.ts";
import type { Heirs } from "../access/heirs.ts";

/** `end` removes the record, `pass` puts the heir in the field, `forget` empties it. */
type Fate = "end" | "pass" | "forget";

/** A part of the deletion of a user: what it plans, and which records are shown with what it ended. */
type Rule = (tx: Transaction, piece: Piece, userId: string, heirs: Heirs) => Promise<Touched>;

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
  rule(teamMembers, { userId: "end" }, { shownWith: [teams, "teamId"] }),
  rule(attendees, { userId: "end" }, { shownWith: [events, "eventId"] }),
  rule(reminders, { userId: "end" }),
  rule(participants, { userId: "end" }),
  rule(receipts, { userId: "end" }),
  rule(notifications, { userId: "end" }),
  rule(shares, { userId: "end", createdBy: "pass" }, { shownWith: [documents, "documentId"] }),
  rule(documents, { ownerId: "pass" }, { heir: "documents" }),
  rule(files, { ownerId: "pass" }, { heir: "files" }),
  rule(fileVersions, { createdBy: "pass" }),
  rule(events, { ownerId: "pass" }, { heir: "calendar" }),
  rule(conversations, { createdBy: "pass" }),
  rule(tasks, { createdBy: "pass", assigneeId: "forget" }),
  rule(messages, { senderId: "forget", recipientId: "forget" }),
];

/** Plans as much of what the deletion of a user entails as the piece has room for. */
export async function planUserPiece(
  tx: Transaction,
  piece: Piece,
  userId: string,
  heirs: Heirs,
): Promise<void> {
  const touched: Touched[] = [];
  for (const follow of references) touched.push(await follow(tx, piece, userId, heirs));
  for (const { collection, ids } of touched) if (collection) await touch(tx, collection, ids);
  await passTeams(tx, piece, userId, heirs.teams);
  await passFolders(tx, piece, userId, heirs.files);
  await passStorageUsage(tx, userId, heirs.files);
  await passSnippets(tx, piece, userId, heirs.rest);
  const checkin = await tx.from(checkins).get(userId);
  if (checkin) tx.remove(checkins, checkin);
}

function rule<T extends Entity>(
  collection: CollectionDeclaration<T>,
  fates: Partial<Record<keyof T & string, Fate>>,
  options: {
    readonly heir?: keyof Heirs;
    // deno-lint-ignore no-explicit-any -- collections of different records
    readonly shownWith?: readonly [CollectionDeclaration<any>, keyof T & string];
  } = {},
): Rule {
  const { heir = "rest", shownWith: [parents, parentField] = [] } = options;
  const fields = Object.entries(fates) as [keyof T & string, Fate][];
  return async (tx, piece, userId, heirs) => {
    const any = fields.map(([field]) => ({ [field]: userId }) as Where<T>);
    const ids: string[] = [];
    for (const record of await piece.take(tx, collection, { any } as Where<T>)) {
      const touched = fields.filter(([field]) => record[field] === userId);
      if (touched.some(([, fate]) => fate === "end")) {
        tx.remove(collection, record);
        if (parentField && record[parentField]) ids.push(record[parentField] as string);
      } else {
        const patch = touched.map((
          [field, fate],
        ) => [field, fate === "pass" ? heirs[heir] : undefined]);
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
  const passed = await piece.take(tx, folders, { ownerId: userId });
  if (passed.length === 0) return;
  const held = await everyMatch(tx, folders, { ownerId: heirId, parentId: null });
  const taken = new Set(held.map((folder) => folder.slot));
  for (const folder of passed) {
    let { name, slot } = folder;
    for (let n = 2; taken.has(slot); n++) {
      name = `${folder.name} (${n})`;
      slot = slotOf(folder.parentId, name);
    }
    taken.add(slot);
    tx.update(folders, folder, { ownerId: heirId, name, slot });
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

// What happens to everything that refers to a user who is deleted: it ends, passes on, or forgets them.
import { attendees, events, reminders } from "../models/calendar.ts";
import type { CollectionDeclaration, Entity } from "../models/collection.ts";
import { tasks } from "../models/dashboard.ts";
import { documents } from "../models/documents.ts";
import { files, fileVersions, storageUsage } from "../models/files.ts";
import { folders, slotOf } from "../models/folders.ts";
import { conversations, messages, participants, receipts } from "../models/messages.ts";
import { notifications } from "../models/notifications.ts";
import { passwordResets, sessions } from "../models/sessions.ts";
import { shares } from "../models/shares.ts";
import { checkins, snippets } from "../models/snippets.ts";
import { teamMembers, teams } from "../models/teams.ts";
import type { Transaction, Where } from "../store.ts";

/** `end` removes the record, `pass` puts the heir in the field, `forget` empties it. */
type Fate = "end" | "pass" | "forget";

type Rule = (tx: Transaction, userId: string, heirId: string) => Promise<void>;

/** Every reference to a user. What a user owned passes on, so that nothing is lost; what was only theirs ends. */
const references: readonly Rule[] = [
  rule(sessions, { userId: "end" }),
  rule(passwordResets, { userId: "end" }),
  rule(teamMembers, { userId: "end" }),
  rule(attendees, { userId: "end" }),
  rule(reminders, { userId: "end" }),
  rule(participants, { userId: "end" }),
  rule(receipts, { userId: "end" }),
  rule(notifications, { userId: "end" }),
  rule(shares, { userId: "end", createdBy: "pass" }),
  rule(documents, { ownerId: "pass" }),
  rule(files, { ownerId: "pass" }),
  rule(fileVersions, { createdBy: "pass" }),
  rule(events, { ownerId: "pass" }),
  rule(conversations, { createdBy: "pass" }),
  rule(tasks, { createdBy: "pass", assigneeId: "forget" }),
  rule(messages, { senderId: "forget", recipientId: "forget" }),
  rule(snippets, { userId: "forget" }),
];

/**
 * Plans what the deletion of a user entails.
 *
 * @param heirId The user who gets what the deleted one owned.
 */
export async function planUserDeletion(
  tx: Transaction,
  userId: string,
  heirId: string,
): Promise<void> {
  for (const follow of references) await follow(tx, userId, heirId);
  await touchParents(tx, userId);
  await passTeams(tx, userId, heirId);
  await passFolders(tx, userId, heirId);
  await passStorageUsage(tx, userId, heirId);
  const checkin = await tx.from(checkins).get(userId);
  if (checkin) tx.remove(checkins, checkin);
}

function rule<T extends Entity>(
  collection: CollectionDeclaration<T>,
  fates: Partial<Record<keyof T & string, Fate>>,
): Rule {
  const fields = Object.entries(fates) as [keyof T & string, Fate][];
  return async (tx, userId, heirId) => {
    const any = fields.map(([field]) => ({ [field]: userId }) as Where<T>);
    for (const record of await everyMatch(tx, collection, { any } as Where<T>)) {
      const touched = fields.filter(([field]) => record[field] === userId);
      if (touched.some(([, fate]) => fate === "end")) {
        tx.remove(collection, record);
      } else {
        const patch = touched.map(([field, fate]) => [field, fate === "pass" ? heirId : undefined]);
        tx.update(collection, record, Object.fromEntries(patch));
      }
    }
  };
}

/** Shares, members and attendees are shown with what they belong to, so its version moves. */
async function touchParents(tx: Transaction, userId: string): Promise<void> {
  const given = await everyMatch(tx, shares, { userId });
  await touch(tx, documents, given.flatMap((share) => share.documentId ?? []));
  const joined = await everyMatch(tx, teamMembers, { userId });
  await touch(tx, teams, joined.map((member) => member.teamId));
  const attended = await everyMatch(tx, attendees, { userId });
  await touch(tx, events, attended.map((attendee) => attendee.eventId));
}

async function touch<T extends Entity>(
  tx: Transaction,
  collection: CollectionDeclaration<T>,
  ids: readonly string[],
): Promise<void> {
  for (const record of await tx.from(collection).getMany(ids)) {
    if (record) tx.update(collection, record, {});
  }
}

/** The heir becomes the owner, as a member too. */
async function passTeams(tx: Transaction, userId: string, heirId: string): Promise<void> {
  for (const team of await everyMatch(tx, teams, { ownerId: userId })) {
    tx.update(teams, team, { ownerId: heirId });
    const member = await tx.from(teamMembers).findBy("member", team.id, heirId);
    if (member) tx.update(teamMembers, member, { role: "owner" });
    else tx.insert(teamMembers, { teamId: team.id, userId: heirId, role: "owner" });
  }
}

/** A folder gets a number where the heir has one of the same name. */
async function passFolders(tx: Transaction, userId: string, heirId: string): Promise<void> {
  const held = await everyMatch(tx, folders, { ownerId: heirId, parentId: null });
  const taken = new Set(held.map((folder) => folder.slot));
  for (const folder of await everyMatch(tx, folders, { ownerId: userId })) {
    let { name, slot } = folder;
    for (let n = 2; taken.has(slot); n++) {
      name = `${folder.name} (${n})`;
      slot = slotOf(folder.parentId, name);
    }
    taken.add(slot);
    tx.update(folders, folder, { ownerId: heirId, name, slot });
  }
}

async function passStorageUsage(tx: Transaction, userId: string, heirId: string): Promise<void> {
  const [left, held] = await tx.from(storageUsage).getMany([userId, heirId]);
  if (!left) return;
  tx.remove(storageUsage, left);
  if (held) tx.update(storageUsage, held, { used: held.used + left.used });
  else tx.insert(storageUsage, { id: heirId, used: left.used });
}

/** Every record that matches, page by page. */
export async function everyMatch<T extends Entity>(
  reader: Pick<Transaction, "from">,
  collection: CollectionDeclaration<T>,
  where: Where<T>,
): Promise<readonly T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await reader.from(collection).list({ where, limit: 1000, cursor });
    found.push(...page.rows);
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return found;
}

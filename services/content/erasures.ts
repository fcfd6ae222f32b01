// What a deletion does beyond its own when it erases a person's data: their name goes at once, their traces in pieces.
import { type ApiKey, apiKeys } from "../../models/api_keys.ts";
import { auditLog, type AuditRecord } from "../../models/audit.ts";
import type { CollectionDeclaration, Entity } from "../../models/collection.ts";
import { visitors } from "../../models/dashboard.ts";
import type { Deletion } from "../../models/deletions.ts";
import { notifications } from "../../models/notifications.ts";
import { type Passkey, passkeys } from "../../models/passkeys.ts";
import { sessions } from "../../models/sessions.ts";
import { type User, users } from "../../models/users.ts";
import { webhookDeliveries, type WebhookDelivery, webhooks } from "../../models/webhooks.ts";
import { auditEntry, type SealedPart } from "../../storage/audit.ts";
import { everyMatch } from "../../storage/every_match.ts";
import type { Piece } from "../../storage/pieces.ts";
import type { Actor, Transaction, Where } from "../../storage/port.ts";
import { DELETED_USER } from "../access/persons.ts";
import { planForgotten } from "./bundles.ts";
import { endMailedLinks, endSessions } from "../accounts/sessions.ts";
import { clearedOf, UNNAMED } from "../audit/erased.ts";

/**
 * Plans that the account names nobody any more and that nobody is signed in by it. What the audit log says of it from
 * then on, its removal included, has no name. The address is one that nobody can have (RFC 2606, section 2).
 *
 * @param actor Who erases: the log says so.
 */
export async function planAnonymity(tx: Transaction, user: User, actor: Actor): Promise<void> {
  tx.update(users, user, {
    name: DELETED_USER.name,
    email: `${user.id.toLowerCase()}@erased.invalid`,
    username: undefined,
    phone: undefined,
    avatar: undefined,
    department: undefined,
    position: undefined,
    bio: undefined,
    timeZone: undefined,
    lastLoginAt: undefined,
    unverifiedSince: undefined,
    passwordHash: undefined,
    permissions: [],
    status: "inactive",
  });
  const act = { action: "erase", target: users.name, targetId: user.id };
  tx.insert(auditLog, auditEntry(actor, { ...act, targetName: DELETED_USER.name }));
  await endSessions(tx, user.id);
  await endMailedLinks(tx, user.id);
  await unname(tx, apiKeys, user.id);
  await unname(tx, passkeys, user.id);
  // Named by its address.
  for (const hook of await everyMatch(tx, webhooks, { ownerId: user.id })) {
    const url = `https://${UNNAMED.get(webhooks.name)}`;
    tx.update(webhooks, hook, { url, active: false, description: undefined });
  }
}

/** The names of keys are the user's own words, and the log names a key by them when it ends. */
async function unname<T extends ApiKey | Passkey>(
  tx: Transaction,
  collection: CollectionDeclaration<T>,
  userId: string,
): Promise<void> {
  const name = UNNAMED.get(collection.name)!;
  for (const key of await everyMatch(tx, collection, { userId } as Where<T>)) {
    tx.update(collection, key, { name } as Partial<Omit<T, keyof Entity>>);
  }
}

/**
 * Plans as much as the piece has room for of what no record refers to the user by, and which tells of them all the same.
 *
 * @returns How far the audit log is cleared, for the deletion to keep.
 */
export async function planErasurePiece(
  tx: Transaction,
  piece: Piece,
  { id: userId, clearedTo }: Pick<Deletion, "id" | "clearedTo">,
): Promise<string | undefined> {
  for (const visitor of await piece.take(tx, visitors, { userId })) tx.remove(visitors, visitor);
  for (const told of await piece.take(tx, notifications, { aboutId: userId })) {
    tx.remove(notifications, told);
  }
  await planForgotten(tx, piece, userId);
  const told: Where<WebhookDelivery>[] = [{ targetId: userId }, { actorId: userId }];
  for (const delivery of await piece.take(tx, webhookDeliveries, { any: told })) {
    tx.remove(webhookDeliveries, delivery);
  }
  const any: Where<AuditRecord>[] = [
    { actorId: userId },
    { impersonatorId: userId },
    { target: users.name, targetId: userId },
  ];
  const { rows, cursor } = await piece.takeAfter(tx, auditLog, { any }, clearedTo);
  for (const entry of rows) clear(tx, entry, userId);
  await clearKeyNames(tx, rows, userId);
  await endImpersonations(tx, rows, userId);
  return cursor;
}

/** What happened stays, by the id of who did it; who that was, and from where, goes. */
function clear(tx: Transaction, entry: AuditRecord, userId: string): void {
  const parts: SealedPart[] = [];
  if ((entry.impersonatorId ?? entry.actorId) === userId) parts.push("origin");
  const isAbout = entry.target === users.name && entry.targetId === userId;
  if (isAbout || entry.actorId === userId) parts.push("changes");
  if (isAbout || entry.actorId === userId && UNNAMED.has(entry.target)) parts.push("name");
  const cleared = clearedOf(entry, parts);
  if (cleared) tx.update(auditLog, entry, cleared);
}

/** Keys of theirs that others have revoked: an entry for each at most. */
async function clearKeyNames(
  tx: Transaction,
  entries: readonly AuditRecord[],
  userId: string,
): Promise<void> {
  const made = entries.filter(({ actorId, action, target }) =>
    actorId === userId && action === "insert" && UNNAMED.has(target)
  );
  if (made.length === 0) return;
  const revoked = await everyMatch(tx, auditLog, {
    target: [...UNNAMED.keys()],
    targetId: made.map(({ targetId }) => targetId),
    actorId: { ne: userId },
  });
  for (const entry of revoked) {
    const cleared = clearedOf(entry, ["name", "changes"]);
    if (cleared) tx.update(auditLog, entry, cleared);
  }
}

/** Sessions that they have open as others tell where they are. */
async function endImpersonations(
  tx: Transaction,
  entries: readonly AuditRecord[],
  userId: string,
): Promise<void> {
  const acts = entries.filter(({ action, actorId }) =>
    action === "impersonate" && actorId === userId
  );
  if (acts.length === 0) return;
  const actedAs = [...new Set(acts.map(({ targetId }) => targetId))];
  for (const session of await everyMatch(tx, sessions, { userId: actedAs })) {
    if (session.impersonatorId === userId) tx.remove(sessions, session);
  }
}

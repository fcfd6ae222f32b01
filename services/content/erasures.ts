// What a deletion does beyond its own when it erases a person's data: their name goes at once, their traces in pieces.
import { type ApiKey, apiKeys } from "../../models/api_keys.ts";
import { auditLog, type AuditRecord } from "../../models/audit.ts";
import type { CollectionDeclaration, Entity } from "../../models/collection.ts";
import { visitors } from "../../models/dashboard.ts";
import type { Deletion } from "../../models/deletions.ts";
import { identities } from "../../models/identities.ts";
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
  const linked = await everyMatch(tx, identities, { userId: user.id });
  await clearOwn(tx, linked.map(({ id }) => id), user.id);
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
  const own = rows.filter(({ actorId, target }) => actorId === userId && isOwn(target));
  await clearOwn(tx, own.map(({ targetId }) => targetId), userId);
  await endImpersonations(tx, rows, userId);
  return cursor;
}

/** Whether records of a collection are their owner's alone: who tells of one tells of that person. */
function isOwn(target: string): boolean {
  return UNNAMED.has(target) || target === identities.name;
}

/** What happened stays, by the id of who did it; who that was, and from where, goes. */
function clear(tx: Transaction, entry: AuditRecord, userId: string): void {
  const parts: SealedPart[] = [];
  const isAbout = entry.target === users.name && entry.targetId === userId;
  const by = entry.impersonatorId ?? entry.actorId;
  // Nobody is signed in yet who registers, or comes by a mailed link.
  if (by === userId || isAbout && by === undefined) parts.push("origin");
  if (isAbout || entry.actorId === userId) parts.push("changes");
  if (isAbout || entry.actorId === userId && UNNAMED.has(entry.target)) parts.push("name");
  const cleared = clearedOf(entry, parts);
  if (cleared) tx.update(auditLog, entry, cleared);
}

/** What others did to things of theirs, such as revoking a key, or nobody, such as a first sign-in: few entries for each. */
async function clearOwn(
  tx: Transaction,
  ids: readonly string[],
  userId: string,
): Promise<void> {
  if (ids.length === 0) return;
  const told = await everyMatch(tx, auditLog, {
    target: [...UNNAMED.keys(), identities.name],
    targetId: [...new Set(ids)],
    actorId: { ne: userId },
  });
  // Whoever administers others has acted on what is theirs: it stays as it is.
  const others = new Set(
    told.filter(({ action, actorId }) => action === "insert" && actorId !== undefined)
      .map(({ targetId }) => targetId),
  );
  for (const entry of told) {
    if (others.has(entry.targetId)) continue;
    const parts: SealedPart[] = ["changes"];
    if (UNNAMED.has(entry.target)) parts.push("name");
    if (entry.actorId === undefined) parts.push("origin");
    const cleared = clearedOf(entry, parts);
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

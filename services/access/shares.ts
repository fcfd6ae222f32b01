// Sharing documents and files: the rules that both follow.
import { invalid } from "../../core/errors.ts";
import { type Share, type ShareRequest, shares } from "../../models/shares.ts";
import { teamMembers } from "../../models/teams.ts";
import { everyMatch } from "../../storage/every_match.ts";
import type { Store, Transaction } from "../../storage/port.ts";
import type { Principal } from "./access.ts";
import { notify, withdraw } from "../messaging/notifications.ts";
import { activeUsers, staying } from "./persons.ts";
import { reachableTeam } from "./teams.ts";
import { isOpen } from "./visibility.ts";
import { DAY } from "../../core/units.ts";

/** What is shared. */
export interface Subject {
  readonly kind: "document" | "file";
  readonly id: string;
  readonly ownerId: string;
  /** Title or name. */
  readonly name: string;
}

/** Members of a team at most that are told of what is shared with it: those who joined last. */
const MAX_TOLD = 200;

/** Shares looked at in one commit. */
const BATCH = 50;

/** Fields and unique keys of a share, by what is shared. */
const KEYS = {
  document: { id: "documentId", user: "documentUser", team: "documentTeam" },
  file: { id: "fileId", user: "fileUser", team: "fileTeam" },
} as const;

/**
 * Plans the shares that a request asks for. Someone with whom it is shared already gets the new permission and expiry;
 * users with whom it was not, or not any more, are told, and so are the members of a team.
 *
 * @throws {ApiError} VALIDATION_ERROR for an unknown user or team, the owner, or an expiry that has passed.
 */
export async function planShares(
  tx: Transaction,
  principal: Principal,
  subject: Subject,
  { userId, userIds, teamId, permission, expiresAt }: ShareRequest,
): Promise<Share[]> {
  if (expiresAt && expiresAt <= tx.now) throw invalid("expiresAt", "must be in the future");
  const granted = { permission, expiresAt: expiresAt ?? undefined };
  const by = principal.user;
  const keys = KEYS[subject.kind];

  async function plan(target: { userId: string } | { teamId: string }): Promise<Share> {
    const [unique, value] = "userId" in target
      ? [keys.user, target.userId]
      : [keys.team, target.teamId];
    const known = await tx.from(shares).findBy(unique, subject.id, value);
    if (known && isOpen(known, tx.now)) return tx.update(shares, known, granted);
    // What has expired opens again by another share, so that streams tell of it as of any that opens something.
    if (known) await planShareEnds(tx, [known]);
    const share = tx.insert(shares, {
      [keys.id]: subject.id,
      ...target,
      ...granted,
      createdBy: by.id,
    });
    const told = "userId" in target ? [value] : await lastToJoin(tx, value);
    tell(tx, principal, subject, share, told);
    return share;
  }

  if (teamId !== undefined) {
    const team = await reachableTeam(tx, principal, teamId);
    return [await plan({ teamId: team.id })];
  }
  const field = userIds ? "userIds" : "userId";
  const ids = userIds ?? [userId!];
  if (ids.includes(subject.ownerId)) {
    throw invalid(field, `the ${subject.kind} belongs to '${subject.ownerId}' already`);
  }
  const planned: Share[] = [];
  for (const user of await activeUsers(tx, ids, field)) {
    planned.push(await plan({ userId: user.id }));
  }
  return planned;
}

async function lastToJoin(tx: Transaction, teamId: string): Promise<readonly string[]> {
  const { rows } = await tx.from(teamMembers).list({ where: { teamId }, limit: MAX_TOLD });
  return await staying(tx, rows.map((member) => member.userId));
}

/** Whoever shares is not told of it, nor is the owner. */
function tell(
  tx: Transaction,
  { user }: Principal,
  subject: Subject,
  share: Share,
  userIds: readonly string[],
): void {
  for (const userId of userIds) {
    if (userId === user.id || userId === subject.ownerId) continue;
    notify(tx, {
      userId,
      type: "user",
      title: `${user.name} shared a ${subject.kind} with you`,
      content: subject.name,
      link: `/${subject.kind}s/${subject.id}`,
      subjectId: share.id,
      aboutId: user.id,
    });
  }
}

/** Plans that shares end; what was told of them names what they opened, so it is taken back. */
export async function planShareEnds(tx: Transaction, ended: readonly Share[]): Promise<void> {
  if (ended.length === 0) return;
  for (const share of ended) tx.remove(shares, share);
  await withdraw(tx, ended.map(({ id }) => id));
}

/** Shares that expired longer ago have been looked at by an earlier sweep. Milliseconds. */
const SWEPT_BEFORE = 30 * DAY;

/** Takes back what was told of shares that have expired. The shares stay, to be renewed. */
export async function withdrawExpiredShares(store: Store, now: Date): Promise<void> {
  const since = new Date(now.getTime() - SWEPT_BEFORE).toISOString();
  const where = { expiresAt: { gt: since, lte: now.toISOString() } };
  const expired = (await everyMatch(store, shares, where)).map(({ id }) => id);
  for (let at = 0; at < expired.length; at += BATCH) {
    await store.transact(
      { userId: null },
      (tx) => withdraw(tx, expired.slice(at, at + BATCH)),
    );
  }
}

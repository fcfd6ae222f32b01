// Teams as they are shown, who may change them, and what goes with them.
import { chunks } from "../../core/chunks.ts";
import { conflict, forbidden, invalid, notFound } from "../../core/errors.ts";
import { type Document, documents } from "../../models/documents.ts";
import { notifications } from "../../models/notifications.ts";
import { shares } from "../../models/shares.ts";
import {
  type PublicTeam,
  type Team,
  type TeamMember,
  teamMembers,
  teams,
} from "../../models/teams.ts";
import { users } from "../../models/users.ts";
import type { Store, Transaction, Where } from "../../storage/port.ts";
import { manages, permits, type Principal } from "./access.ts";
import { doomedTeams } from "./doomed.ts";
import { activeUsers } from "./persons.ts";
import { teamsOf } from "./visibility.ts";
import { everyMatch } from "../../storage/every_match.ts";
import type { Piece } from "../../storage/pieces.ts";

type Source = Pick<Store, "from">;

/** The condition that lists the teams a caller sees: one's own; for those who manage teams, all. */
export async function visibleTeams(source: Source, principal: Principal): Promise<Where<Team>> {
  if (!manages(principal, "teams")) return { id: await teamsOf(source, principal.user.id) };
  const doomed = await doomedTeams(source);
  return doomed.size === 0 ? {} : { id: { ne: [...doomed] } };
}

/** The membership of a user. */
export async function memberOf(
  source: Source,
  teamId: string,
  userId: string,
): Promise<TeamMember | null> {
  return await source.from(teamMembers).findBy("member", teamId, userId);
}

/**
 * The team, when the caller sees it, and what the caller is to it; who manages teams counts as its owner.
 *
 * @throws {ApiError} NOT_FOUND
 */
export async function seenTeam(
  source: Source,
  principal: Principal,
  id: string,
): Promise<{ team: Team; role: TeamMember["role"] }> {
  const team = await source.from(teams).get(id);
  const role = manages(principal, "teams")
    ? "owner"
    : (await memberOf(source, id, principal.user.id))?.role;
  if (!team || !role || (await doomedTeams(source)).has(id)) throw notFound("team");
  return { team, role };
}

/**
 * @param role Of the caller, by `seenTeam`.
 * @param asked `owner` for what only the owner may do, who may do all that an admin may.
 * @throws {ApiError} FORBIDDEN
 */
export function assertMayChange(role: TeamMember["role"], asked: "admin" | "owner"): void {
  if (role === "owner" || role === asked) return;
  throw forbidden(
    asked === "admin"
      ? "Only the owner and the admins of a team may change it"
      : "Only the owner of a team may hand it over or delete it",
  );
}

/** Teams that others can make someone own: nobody is asked, and each counts for their quota of records. */
const MAX_HANDED = 1000;

/**
 * Plans that a team has another owner, who becomes a member; the owner until now stays as an admin.
 *
 * @throws {ApiError} VALIDATION_ERROR for an unknown user; CONFLICT for one who owns too many teams.
 */
export async function planTransfer(tx: Transaction, team: Team, ownerId: string): Promise<void> {
  await activeUsers(tx, [ownerId], "ownerId");
  if (await tx.from(teams).count({ ownerId }) >= MAX_HANDED) {
    throw conflict(`Nobody is handed a team who owns ${MAX_HANDED} already`);
  }
  const before = await memberOf(tx, team.id, team.ownerId);
  if (before) tx.update(teamMembers, before, { role: "admin" });
  const next = await memberOf(tx, team.id, ownerId);
  if (next) tx.update(teamMembers, next, { role: "owner" });
  else tx.insert(teamMembers, { teamId: team.id, userId: ownerId, role: "owner" });
}

/**
 * The team that a document is put in, or something is shared with: one the caller is in, or any for those who manage
 * documents or teams.
 *
 * @throws {ApiError} VALIDATION_ERROR
 */
export async function reachableTeam(
  source: Source,
  principal: Principal,
  teamId: string,
): Promise<Team> {
  const team = await source.from(teams).get(teamId);
  const reached = team && !(await doomedTeams(source)).has(teamId) && (
    manages(principal, "documents") || manages(principal, "teams") ||
    await memberOf(source, teamId, principal.user.id) !== null
  );
  if (!reached) throw invalid("teamId", `there is no team '${teamId}' that you are in`);
  return team;
}

/**
 * Teams as the caller sees them, in their order. Being put into a team does not tell one's address to the others: it
 * is shown to those who may see users anyway.
 */
export async function shapeTeams(
  source: Source,
  principal: Principal,
  shown: readonly Team[],
): Promise<PublicTeam[]> {
  const showsAll = permits(principal.permissions, "users:view");
  const all = await everyMatch(source, teamMembers, { teamId: shown.map((team) => team.id) });
  const people = await source.from(users).getMany([...new Set(all.map((member) => member.userId))]);
  const userById = new Map(people.flatMap((user) => user ? [[user.id, user] as const] : []));
  const byTeam = Map.groupBy(all, (member) => member.teamId);
  return shown.map((team) => {
    const members = (byTeam.get(team.id) ?? []).toReversed().flatMap((member) => {
      const user = userById.get(member.userId);
      if (!user) return [];
      const { name, avatar } = user;
      const email = showsAll || user.id === principal.user.id ? user.email : undefined;
      const { userId, role, createdAt: joinedAt } = member;
      return [{ userId, name, email, avatar, role, joinedAt }];
    });
    return { ...team, members, memberCount: members.length };
  });
}

/** Members of a team, at most. */
const MAX_MEMBERS = 1000;

/** @throws {ApiError} CONFLICT when nobody more can join. */
export async function assertRoom(tx: Transaction, { id }: Team): Promise<void> {
  if (await tx.from(teamMembers).count({ teamId: id }) < MAX_MEMBERS) return;
  throw conflict(`A team has at most ${MAX_MEMBERS} members`);
}

/** Plans that a member leaves: what they were told of the team, and of what is shared with it, is taken back. */
export async function planLeavingTeam(tx: Transaction, member: TeamMember): Promise<void> {
  const { teamId, userId } = member;
  tx.remove(teamMembers, member);
  // What one person is told is limited in number, what is shared with a team is not.
  const told = await everyMatch(tx, notifications, { userId, type: "user" });
  const ended = new Set([teamId]);
  for (const id of chunks(told.flatMap(({ subjectId }) => subjectId ?? []))) {
    for (const share of await everyMatch(tx, shares, { id, teamId })) ended.add(share.id);
  }
  for (const one of told) if (ended.has(one.subjectId ?? "")) tx.remove(notifications, one);
}

/**
 * Plans as much of the deletion of a team as the piece has room for: its memberships and the shares with it end, and
 * its documents belong to their owners alone.
 */
export async function planTeamPiece(tx: Transaction, piece: Piece, teamId: string): Promise<void> {
  for (const member of await piece.take(tx, teamMembers, { teamId })) {
    tx.remove(teamMembers, member);
  }
  for (const told of await piece.take(tx, notifications, { subjectId: teamId })) {
    tx.remove(notifications, told);
  }
  const changed = new Map<string, Document>();
  for (const document of await piece.take(tx, documents, { teamId })) {
    changed.set(document.id, tx.update(documents, document, { teamId: undefined }));
  }
  for (const share of await piece.take(tx, shares, { teamId })) {
    for (const told of await piece.take(tx, notifications, { subjectId: share.id })) {
      tx.remove(notifications, told);
    }
    // The share stays until all notifications of it are removed: the next piece finds them by it.
    if (!piece.whole) return;
    tx.remove(shares, share);
    const id = share.documentId;
    const document = id === undefined || changed.has(id) ? null : await tx.from(documents).get(id);
    if (document) changed.set(document.id, tx.update(documents, document, {}));
  }
}

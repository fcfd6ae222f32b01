// Teams as they are shown, who may change them, and what goes with them.
import { forbidden, invalid, notFound } from "../errors.ts";
import { documents } from "../models/documents.ts";
import { shares } from "../models/shares.ts";
import {
  type PublicTeam,
  type Team,
  type TeamMember,
  teamMembers,
  teams,
} from "../models/teams.ts";
import { users } from "../models/users.ts";
import type { Store, Transaction, Where } from "../store.ts";
import { manages, type Principal } from "./access.ts";
import { everyMatch } from "./cascades.ts";
import { activeUsers } from "./persons.ts";
import { teamsOf } from "./visibility.ts";

type Source = Pick<Store, "from">;

/** The condition that lists the teams a caller sees: one's own; for those who manage teams, all. */
export async function visibleTeams(source: Source, principal: Principal): Promise<Where<Team>> {
  if (manages(principal, "teams")) return {};
  return { id: await teamsOf(source, principal.user.id) };
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
  if (!team || !role) throw notFound("team");
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

/**
 * Plans that a team has another owner, who becomes a member; the owner until now stays as an admin.
 *
 * @throws {ApiError} VALIDATION_ERROR for an unknown user.
 */
export async function planTransfer(tx: Transaction, team: Team, ownerId: string): Promise<void> {
  await activeUsers(tx, [ownerId], "ownerId");
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
  const reached = team && (
    manages(principal, "documents") || manages(principal, "teams") ||
    await memberOf(source, teamId, principal.user.id) !== null
  );
  if (!reached) throw invalid("teamId", `there is no team '${teamId}' that you are in`);
  return team;
}

/** Teams in public, in their order. */
export async function shapeTeams(
  source: Source,
  shown: readonly Team[],
): Promise<PublicTeam[]> {
  const all = await everyMatch(source, teamMembers, { teamId: shown.map((team) => team.id) });
  const found = await source.from(users).getMany([...new Set(all.map((member) => member.userId))]);
  const known = new Map(found.flatMap((user) => user ? [[user.id, user] as const] : []));
  const byTeam = Map.groupBy(all, (member) => member.teamId);
  return shown.map((team) => {
    const members = (byTeam.get(team.id) ?? []).toReversed().flatMap((member) => {
      const user = known.get(member.userId);
      if (!user) return [];
      const { name, email, avatar } = user;
      const { userId, role, createdAt: joinedAt } = member;
      return [{ userId, name, email, avatar, role, joinedAt }];
    });
    return { ...team, members, memberCount: members.length };
  });
}

/** Plans the deletion of a team: its memberships and the shares with it end, its documents are nobody's but their owners'. */
export async function planTeamDeletion(tx: Transaction, team: Team): Promise<void> {
  const teamId = team.id;
  for (const member of await everyMatch(tx, teamMembers, { teamId })) {
    tx.remove(teamMembers, member);
  }
  const ended = await everyMatch(tx, shares, { teamId });
  for (const share of ended) tx.remove(shares, share);
  const shared = ended.flatMap((share) => share.documentId ?? []);
  for (const document of await everyMatch(tx, documents, { any: [{ teamId }, { id: shared }] })) {
    tx.update(documents, document, document.teamId === teamId ? { teamId: undefined } : {});
  }
  tx.remove(teams, team);
}

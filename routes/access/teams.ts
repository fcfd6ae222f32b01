// Teams and their members.
import { z } from "zod";
import { assertMatch } from "../../http/conditional.ts";
import { endpoint } from "../../http/endpoint.ts";
import { personIn } from "../../http/references.ts";
import { conflict, existing } from "../../core/errors.ts";
import { deleted, patchOf } from "../../models/requests.ts";
import {
  memberAddition,
  memberUpdate,
  publicTeam,
  type Team,
  teamCreation,
  teamListQuery,
  teamMembers,
  teams,
  teamUpdate,
} from "../../models/teams.ts";
import { listing, pagination } from "../../http/lists.ts";
import type { Principal } from "../../services/access/access.ts";
import { notify } from "../../services/messaging/notifications.ts";
import { finishDeletion, planTeamDeletion } from "../../services/content/deletions.ts";
import { activeUsers } from "../../services/access/persons.ts";
import {
  assertMayChange,
  assertRoom,
  memberOf,
  planLeavingTeam,
  planTransfer,
  seenTeam,
  shapeTeams,
  visibleTeams,
} from "../../services/access/teams.ts";
import type { Store, Where } from "../../storage/port.ts";
import { KIB, MIB } from "../../core/units.ts";

const tag = "Teams";

async function shown({ store, principal }: { store: Store; principal: Principal }, team: Team) {
  const [data] = await shapeTeams(store, principal, [team]);
  return { data: data!, etag: team.rev };
}

const list = endpoint({
  operationId: "listTeams",
  method: "get",
  path: "/teams",
  tag,
  summary: "List teams",
  description: "Those one is in; for who manages teams, all.",
  access: "teams:view",
  query: teamListQuery,
  list: true,
  data: z.array(publicTeam),
  include: { owner: personIn("ownerId") },
  async handle(call) {
    const paging = listing<Team>(call.query);
    const seen: Where<Team> = await visibleTeams(call.store, call.principal);
    const where = { all: [call.query.where, seen] };
    const page = await call.store.from(teams).list({ ...paging, where });
    return {
      data: await shapeTeams(call.store, call.principal, page.rows),
      pagination: pagination(paging, page),
    };
  },
});

const details = endpoint({
  operationId: "getTeam",
  method: "get",
  path: "/teams/{id}",
  tag,
  summary: "Team details",
  access: "teams:view",
  data: publicTeam,
  include: { owner: personIn("ownerId") },
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { team } = await seenTeam(call.store, call.principal, call.params.id);
    return await shown(call, team);
  },
});

const create = endpoint({
  operationId: "createTeam",
  method: "post",
  path: "/teams",
  tag,
  summary: "Create a team",
  description: "The caller becomes its owner.",
  access: "teams:create",
  created: true,
  makes: "teams",
  body: teamCreation,
  bodyLimit: 64 * KIB,
  data: publicTeam,
  async handle(call) {
    const ownerId = call.principal.user.id;
    const team = await call.transact((tx) => {
      const team = tx.insert(teams, { ...patchOf(call.body), name: call.body.name, ownerId });
      tx.insert(teamMembers, { teamId: team.id, userId: ownerId, role: "owner" });
      return team;
    });
    return { ...await shown(call, team), message: "The team is created" };
  },
});

const update = endpoint({
  operationId: "updateTeam",
  method: "put",
  path: "/teams/{id}",
  tag,
  summary: "Change a team",
  description:
    "Takes only the changed fields. `ownerId` hands the team over: only its owner may, and who manages teams; who was " +
    "its owner stays as an admin.",
  access: "teams:update",
  body: teamUpdate,
  bodyLimit: MIB,
  data: publicTeam,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
  async handle(call) {
    const team = await call.transact(async (tx) => {
      const { ownerId } = call.body;
      const { team, role } = await seenTeam(tx, call.principal, call.params.id);
      assertMatch(call, team.rev);
      const transfer = ownerId !== undefined && ownerId !== team.ownerId;
      assertMayChange(role, transfer ? "owner" : "admin");
      if (transfer) await planTransfer(tx, team, ownerId);
      return tx.update(teams, team, patchOf(call.body));
    });
    return { ...await shown(call, team), message: "The team is saved" };
  },
});

const remove = endpoint({
  operationId: "deleteTeam",
  method: "delete",
  path: "/teams/{id}",
  tag,
  summary: "Delete a team",
  description:
    "Ends its memberships and what was shared with it; its documents stay their owners'.",
  access: "teams:delete",
  data: deleted,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  commits: "apart",
  async handle(call) {
    const { id } = call.params;
    await call.transact(async (tx) => {
      const { team, role } = await seenTeam(tx, call.principal, id);
      assertMatch(call, team.rev);
      assertMayChange(role, "owner");
      await planTeamDeletion(tx, team, call.principal.user.id);
    });
    await finishDeletion(call.store, id);
    return { data: { id }, message: "The team is deleted" };
  },
});

const addMember = endpoint({
  operationId: "addTeamMember",
  method: "post",
  path: "/teams/{id}/members",
  tag,
  summary: "Add a member to a team",
  description: "Answers with the team.",
  access: "teams:update",
  created: true,
  body: memberAddition,
  data: publicTeam,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
  async handle(call) {
    const { userId, role } = call.body;
    const by = call.principal.user;
    const team = await call.transact(async (tx) => {
      const found = await seenTeam(tx, call.principal, call.params.id);
      const { team } = found;
      assertMatch(call, team.rev);
      assertMayChange(found.role, "admin");
      await activeUsers(tx, [userId], "userId");
      if (await memberOf(tx, team.id, userId)) throw conflict("The user is a member already");
      await assertRoom(tx, team);
      tx.insert(teamMembers, { teamId: team.id, userId, role });
      if (userId !== by.id) {
        notify(tx, {
          userId,
          type: "user",
          title: `${by.name} added you to a team`,
          content: team.name,
          link: `/teams/${team.id}`,
          subjectId: team.id,
          aboutId: by.id,
        });
      }
      return tx.update(teams, team, {});
    });
    return { ...await shown(call, team), message: "The member is added" };
  },
});

const changeMember = endpoint({
  operationId: "updateTeamMember",
  method: "put",
  path: "/teams/{id}/members/{userId}",
  tag,
  summary: "Change the role of a member of a team",
  description: "Answers with the team. The owner changes by handing the team over.",
  access: "teams:update",
  body: memberUpdate,
  data: publicTeam,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id, userId } = call.params;
    const team = await call.transact(async (tx) => {
      const { team, role } = await seenTeam(tx, call.principal, id);
      assertMatch(call, team.rev);
      assertMayChange(role, "admin");
      const member = existing(await memberOf(tx, id, userId), "member of this team");
      if (member.role === "owner") {
        throw conflict("The owner keeps that role: hand the team over to someone else first");
      }
      tx.update(teamMembers, member, { role: call.body.role });
      return tx.update(teams, team, {});
    });
    return { ...await shown(call, team), message: "The member is saved" };
  },
});

const removeMember = endpoint({
  operationId: "removeTeamMember",
  method: "delete",
  path: "/teams/{id}/members/{userId}",
  tag,
  summary: "Remove a member from a team",
  description: "Members may remove themselves; the owner only after handing the team over.",
  access: "teams:update",
  data: deleted,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id, userId } = call.params;
    await call.transact(async (tx) => {
      const { team, role } = await seenTeam(tx, call.principal, id);
      assertMatch(call, team.rev);
      if (userId !== call.principal.user.id) assertMayChange(role, "admin");
      const member = existing(await memberOf(tx, id, userId), "member of this team");
      if (member.role === "owner") {
        throw conflict("The owner cannot be removed: hand the team over to someone else first");
      }
      await planLeavingTeam(tx, member);
      tx.update(teams, team, {});
    });
    return { data: { id: userId }, message: "The member is removed" };
  },
});

export const teamRoutes = [
  list,
  details,
  create,
  update,
  remove,
  addMember,
  changeMember,
  removeMember,
];

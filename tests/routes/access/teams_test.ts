// Teams: who sees and changes them, members, handing over, and what a deletion takes along.
import assert from "node:assert/strict";
import { documents } from "../../../models/documents.ts";
import { notifications } from "../../../models/notifications.ts";
import { shares } from "../../../models/shares.ts";
import { teamMembers, teams } from "../../../models/teams.ts";
import { newId } from "../../../core/ids.ts";
import { type Account, type Harness, harness } from "../../harness.ts";
import { interposedHarness } from "../../interposed.ts";
import { rowsRead } from "../../reads.ts";
import { type Row, scenarios } from "../../scenario.ts";

const RIGHTS = ["teams:view", "teams:create", "teams:update", "teams:delete"];

/** A team of `user` in which `guest` is an admin; `other` holds every permission and is in no team. */
async function arrange(h: Harness) {
  for (const account of ["user", "other", "guest"] as const) await h.grant(account, ...RIGHTS);
  const id = Object.fromEntries(
    Object.entries(h.accounts).map(([account, user]) => [account, user.id]),
  ) as Record<Account, string>;
  const body = { name: "Crew", description: "All hands", avatar: "/crew.png" };
  const made = await h.ask("POST", "/api/teams", { as: "user", body });
  assert.equal(made.status, 201, made.text);
  const path = `/api/teams/${made.data.id}`;
  const admin = { userId: id.guest, role: "ADMIN" };
  const added = await h.ask("POST", `${path}/members`, { as: "user", body: admin });
  assert.equal(added.status, 201, added.text);
  return { id, team: added.data, path };
}

type State = Awaited<ReturnType<typeof arrange>>;

const at = (rest = "") => (s: State) => s.path + rest;
const ofMember = (account: Account) => (s: State) => `${s.path}/members/${s.id[account]}`;
const stale = { "if-match": '"stale"' };

const rows: Row<State>[] = [
  {
    name: "create makes the caller the owner",
    method: "POST",
    path: "/api/teams",
    as: "other",
    body: { name: "New", ownerId: "ignored" },
    status: 201,
    holds: (s: State) => ({
      data: {
        name: "New",
        ownerId: s.id.other,
        memberCount: 1,
        members: [{
          userId: s.id.other,
          name: "Other Person",
          email: "other@example.com",
          role: "owner",
          joinedAt: "2026-11-21T10:00:00.000Z",
        }],
      },
    }),
  },
  {
    name: "create names each bad field",
    method: "POST",
    path: "/api/teams",
    as: "user",
    body: { name: "", description: 5, avatar: "javascript:x" },
    status: 400,
    details: ["name", "description", "avatar"],
  },
  {
    name: "create without a token: 401",
    method: "POST",
    path: "/api/teams",
    body: {},
    status: 401,
  },
  {
    name: "list holds the teams one is in",
    method: "GET",
    path: "/api/teams",
    as: "guest",
    status: 200,
    holds: { data: [{ name: "Crew", memberCount: 2 }], pagination: { total: 1 } },
  },
  {
    name: "list holds no others",
    method: "GET",
    path: "/api/teams",
    as: "other",
    status: 200,
    holds: { data: [], pagination: { total: 0 } },
  },
  {
    name: "list holds all for who manages teams",
    method: "GET",
    path: "/api/teams?search=HANDS&sort=name",
    as: "admin",
    status: 200,
    holds: { data: [{ name: "Crew" }] },
  },
  {
    name: "list by owner",
    method: "GET",
    path: (s) => `/api/teams?ownerId=${s.id.guest}`,
    as: "guest",
    status: 200,
    holds: { pagination: { total: 0 } },
  },
  {
    name: "list by no field: 400",
    method: "GET",
    path: "/api/teams?sort=x",
    as: "user",
    status: 400,
  },
  { name: "list without a token: 401", method: "GET", path: "/api/teams", status: 401 },
  {
    name: "details, the owner first",
    method: "GET",
    path: at(),
    as: "guest",
    status: 200,
    holds: (s: State) => ({
      data: { members: [{ userId: s.id.user, role: "owner" }, { role: "admin" }] },
    }),
  },
  { name: "details for who manages teams", method: "GET", path: at(), as: "admin", status: 200 },
  {
    name: "details for who is not in it: 404",
    method: "GET",
    path: at(),
    as: "other",
    status: 404,
  },
  { name: "details, unknown: 404", method: "GET", path: "/api/teams/x", as: "super", status: 404 },
  { name: "details without a token: 401", method: "GET", path: at(), status: 401 },
  {
    name: "update by an admin of the team",
    method: "PATCH",
    path: at(),
    as: "guest",
    body: { name: "Renamed", description: null },
    status: 200,
    holds: { data: { name: "Renamed", description: undefined, avatar: "/crew.png" } },
  },
  {
    name: "update names each bad field",
    method: "PUT",
    path: at(),
    as: "user",
    body: { name: 5, ownerId: "" },
    status: 400,
    details: ["name", "ownerId"],
  },
  {
    name: "update by who is not in it: 404",
    method: "PUT",
    path: at(),
    as: "other",
    body: { name: "Mine" },
    status: 404,
  },
  {
    name: "update with a stale If-Match: 412",
    method: "PUT",
    path: at(),
    as: "user",
    headers: stale,
    body: { name: "Late" },
    status: 412,
  },
  { name: "update without a token: 401", method: "PUT", path: at(), body: {}, status: 401 },
  {
    name: "handing over makes the new owner a member, and the old one an admin",
    method: "PUT",
    path: at(),
    as: "user",
    body: (s: State) => ({ ownerId: s.id.other }),
    status: 200,
    holds: (s: State) => ({ data: { ownerId: s.id.other, memberCount: 3 } }),
    after(_, reply, s) {
      const members: { userId: string; role: string }[] = reply.data.members;
      const roles = Object.fromEntries(members.map(({ userId, role }) => [userId, role]));
      assert.deepEqual(roles, {
        [s.id.user]: "admin",
        [s.id.guest]: "admin",
        [s.id.other]: "owner",
      });
    },
  },
  {
    name: "handing over to a member",
    method: "PUT",
    path: at(),
    as: "super",
    body: (s: State) => ({ ownerId: s.id.guest }),
    status: 200,
    holds: { data: { memberCount: 2, members: [{ role: "admin" }, { role: "owner" }] } },
  },
  {
    name: "handing over by an admin of the team: 403",
    method: "PUT",
    path: at(),
    as: "guest",
    body: (s: State) => ({ ownerId: s.id.guest }),
    status: 403,
  },
  {
    name: "handing over to the owner changes nothing",
    method: "PUT",
    path: at(),
    as: "guest",
    body: (s: State) => ({ ownerId: s.id.user, name: "Same" }),
    status: 200,
    holds: { data: { name: "Same", members: [{ role: "owner" }, { role: "admin" }] } },
  },
  {
    name: "handing over to an unknown user: 400",
    method: "PUT",
    path: at(),
    as: "user",
    body: { ownerId: "unknown" },
    status: 400,
    details: ["ownerId"],
  },
  {
    name: "add a member, who is told",
    method: "POST",
    path: at("/members"),
    as: "guest",
    body: (s: State) => ({ userId: s.id.other }),
    status: 201,
    holds: { data: { memberCount: 3, members: [{}, {}, { role: "member" }] } },
    async after(h, _, s) {
      const told = await h.store.from(notifications).list({ where: { userId: s.id.other } });
      assert.equal(told.rows[0]?.link, `/teams/${s.team.id}`);
      assert.equal((await h.ask("GET", s.path, { as: "other" })).status, 200);
    },
  },
  {
    name: "add a member who is there: 409",
    method: "POST",
    path: at("/members"),
    as: "user",
    body: (s: State) => ({ userId: s.id.guest }),
    status: 409,
  },
  {
    name: "add an unknown user: 400",
    method: "POST",
    path: at("/members"),
    as: "user",
    body: { userId: "unknown" },
    status: 400,
    details: ["userId"],
  },
  {
    name: "add a second owner: 400",
    method: "POST",
    path: at("/members"),
    as: "user",
    body: (s: State) => ({ userId: s.id.other, role: "owner" }),
    status: 400,
    details: ["role"],
  },
  {
    name: "add a member by who is not in it: 404",
    method: "POST",
    path: at("/members"),
    as: "other",
    body: (s: State) => ({ userId: s.id.other }),
    status: 404,
  },
  {
    name: "add a member without a token: 401",
    method: "POST",
    path: at("/members"),
    body: {},
    status: 401,
  },
  {
    name: "change the role of a member",
    method: "PUT",
    path: ofMember("guest"),
    as: "user",
    body: { role: "member" },
    status: 200,
    holds: (s: State) => ({
      data: { members: [{ userId: s.id.user }, { userId: s.id.guest, role: "member" }] },
    }),
    async after(h, _, s) {
      const update = { as: "guest", body: { name: "Mutiny" } } as const;
      assert.equal((await h.ask("PUT", s.path, update)).status, 403);
    },
  },
  {
    name: "change the role of a member to owner: 400",
    method: "PUT",
    path: ofMember("guest"),
    as: "user",
    body: { role: "owner" },
    status: 400,
    details: ["role"],
  },
  {
    name: "change the role of the owner: 409",
    method: "PUT",
    path: ofMember("user"),
    as: "guest",
    body: { role: "member" },
    status: 409,
  },
  {
    name: "change the role of who is no member: 404",
    method: "PUT",
    path: ofMember("other"),
    as: "user",
    body: { role: "admin" },
    status: 404,
  },
  {
    name: "change the role of a member by who is not in it: 404",
    method: "PUT",
    path: ofMember("guest"),
    as: "other",
    body: { role: "member" },
    status: 404,
  },
  {
    name: "change the role of a member with a stale If-Match: 412",
    method: "PUT",
    path: ofMember("guest"),
    as: "user",
    headers: stale,
    body: { role: "member" },
    status: 412,
  },
  {
    name: "change the role of a member without a token: 401",
    method: "PUT",
    path: ofMember("guest"),
    body: { role: "member" },
    status: 401,
  },
  {
    name: "remove a member",
    method: "DELETE",
    path: ofMember("guest"),
    as: "user",
    status: 200,
    holds: (s: State) => ({ data: { id: s.id.guest } }),
    async after(h, _, s) {
      assert.equal((await h.ask("GET", s.path, { as: "guest" })).status, 404);
      assert.equal((await h.ask("GET", s.path, { as: "user" })).data.memberCount, 1);
    },
  },
  { name: "leave", method: "DELETE", path: ofMember("guest"), as: "guest", status: 200 },
  {
    name: "remove the owner: 409",
    method: "DELETE",
    path: ofMember("user"),
    as: "super",
    status: 409,
  },
  {
    name: "leave as the owner: 409",
    method: "DELETE",
    path: ofMember("user"),
    as: "user",
    status: 409,
  },
  {
    name: "remove who is no member: 404",
    method: "DELETE",
    path: ofMember("other"),
    as: "user",
    status: 404,
  },
  {
    name: "remove a member by who is not in it: 404",
    method: "DELETE",
    path: ofMember("guest"),
    as: "other",
    status: 404,
  },
  {
    name: "remove a member with a stale If-Match: 412",
    method: "DELETE",
    path: ofMember("guest"),
    as: "user",
    headers: stale,
    status: 412,
  },
  {
    name: "remove a member without a token: 401",
    method: "DELETE",
    path: ofMember("guest"),
    status: 401,
  },
  { name: "delete by the owner", method: "DELETE", path: at(), as: "user", status: 200 },
  { name: "delete by who manages teams", method: "DELETE", path: at(), as: "admin", status: 200 },
  {
    name: "delete by an admin of the team: 403",
    method: "DELETE",
    path: at(),
    as: "guest",
    status: 403,
  },
  {
    name: "delete by who is not in it: 404",
    method: "DELETE",
    path: at(),
    as: "other",
    status: 404,
  },
  {
    name: "delete with a stale If-Match: 412",
    method: "DELETE",
    path: at(),
    as: "user",
    headers: stale,
    status: 412,
  },
  { name: "delete without a token: 401", method: "DELETE", path: at(), status: 401 },
];

scenarios("teams", { variant: "full", arrange, rows });

Deno.test("teams: a plain member sees the team and may only leave it", async () => {
  await using h = await harness({ variant: "full" });
  const { id, path } = await arrange(h);
  const member = { userId: id.other };
  assert.equal((await h.ask("POST", `${path}/members`, { as: "user", body: member })).status, 201);
  const ask = (method: string, rest = "", body?: unknown) =>
    h.ask(method, path + rest, { as: "other", body }).then((reply) => reply.status);
  assert.equal(await ask("GET"), 200);
  assert.equal(await ask("PUT", "", { name: "Mine" }), 403);
  assert.equal(await ask("POST", "/members", { userId: id.super }), 403);
  assert.equal(await ask("DELETE", `/members/${id.guest}`), 403);
  assert.equal(await ask("DELETE"), 403);
  assert.equal(await ask("DELETE", `/members/${id.other}`), 200);
});

Deno.test("teams: a member without the permission of the endpoint: 403", async () => {
  await using h = await harness({ variant: "full" });
  for (const [method, path] of [["GET", "/api/teams"], ["GET", "/api/teams/x"]] as const) {
    assert.equal((await h.ask(method, path, { as: "user" })).status, 403);
  }
  for (const [method, path] of [["POST", ""], ["PUT", "/x"], ["DELETE", "/x"]] as const) {
    const reply = await h.ask(method, `/api/teams${path}`, { as: "user", body: { name: "T" } });
    assert.equal(reply.status, 403);
  }
  for (const [method, path] of [["POST", ""], ["DELETE", "/y"]] as const) {
    const reply = await h.ask(method, `/api/teams/x/members${path}`, { as: "user", body: {} });
    assert.equal(reply.status, 403);
  }
});

Deno.test("teams: the same member added many times at once: one is added, the others 409", async () => {
  await using h = await harness({ variant: "full" });
  const { id, path } = await arrange(h);
  const add = () => h.ask("POST", `${path}/members`, { as: "user", body: { userId: id.other } });
  const replies = await Promise.all([add(), add(), add()]);
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [201, 409, 409]);
  assert.equal(await h.store.from(teamMembers).count({ userId: id.other }), 1);
  assert.equal(await h.store.from(notifications).count({ userId: id.other }), 1);
});

Deno.test("teams: a deletion takes memberships and shares along, and frees documents", async () => {
  await using h = await harness({ variant: "full" });
  const { team, path } = await arrange(h);
  await h.grant("user", "documents:create", "documents:update");
  const create = async (teamId?: string) => {
    const body = { title: "T", teamId };
    return (await h.ask("POST", "/api/documents", { as: "user", body })).data.id as string;
  };
  const [both, shared] = [await create(team.id), await create()];
  for (const id of [both, shared]) {
    const body = { teamId: team.id };
    const reply = await h.ask("POST", `/api/documents/${id}/share`, { as: "user", body });
    assert.equal(reply.status, 201);
  }
  assert.equal((await h.ask("DELETE", path, { as: "user" })).status, 200);
  assert.equal(await h.store.from(teams).count(), 0);
  assert.equal(await h.store.from(teamMembers).count(), 0);
  assert.equal(await h.store.from(shares).count(), 0);
  for (const id of [both, shared]) {
    assert.equal((await h.store.from(documents).get(id))?.teamId, undefined);
    const { data } = await h.ask("GET", `/api/documents/${id}`, { as: "user" });
    assert.equal(data.shared, false);
  }
});

Deno.test("teams: who leaves has their own news looked through, not all that is shared with the team", async () => {
  await using h = await interposedHarness({ variant: "full" });
  const { team, id, path } = await arrange(h);
  await h.grant("user", "documents:create", "documents:update");
  const at = h.clock.now().toISOString();
  const stamp = () => ({ id: newId(h.clock.now().getTime()), createdAt: at, updatedAt: at });
  const written = { content: "", type: "document" as const, size: 0, ownerId: id.user };
  const many = Array.from({ length: 1500 }, (_, n) => ({ ...stamp(), ...written, title: `${n}` }));
  await h.store.load(documents, many);
  const given = { teamId: team.id, permission: "read" as const, createdBy: id.user };
  await h.store.load(shares, many.map((one) => ({ ...stamp(), ...given, documentId: one.id })));
  const body = { title: "Merger" };
  const { data: document } = await h.ask("POST", "/api/documents", { as: "user", body });
  const share = { as: "user" as const, body: { teamId: team.id } };
  await h.ask("POST", `/api/documents/${document.id}/share`, share);
  const told = { userId: id.guest };
  const before = await h.store.from(notifications).count(told);
  assert.ok(before > 0);
  const read = await rowsRead(h.store, shares, async () => {
    const reply = await h.ask("DELETE", `${path}/members/${id.guest}`, { as: "user" });
    assert.equal(reply.status, 200, reply.text);
  });
  assert.ok(read <= before, `${read} shares were read`);
  assert.equal(await h.store.from(notifications).count(told), 0);
});

Deno.test("teams: the deletion of a user ends memberships and hands owned teams on", async () => {
  await using h = await harness({ variant: "full" });
  const { id, path } = await arrange(h);
  assert.equal((await h.ask("DELETE", `/api/users/${id.user}`, { as: "super" })).status, 200);
  const { data } = await h.ask("GET", path, { as: "guest" });
  assert.equal(data.ownerId, id.super);
  assert.deepEqual(
    data.members.map(({ userId, role }: { userId: string; role: string }) => [userId, role]),
    [[id.guest, "admin"], [id.super, "owner"]],
  );
});

Deno.test("teams: others cannot fill someone's quota by handing over teams", async () => {
  await using h = await harness({ variant: "full" });
  const { id, path } = await arrange(h);
  const at = h.clock.now().toISOString();
  const stamp = () => ({ id: newId(h.clock.now().getTime()), createdAt: at, updatedAt: at });
  const owned = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ ...stamp(), name: `T${n}`, ownerId: id.other }));
  await h.store.load(teams, owned(1000));
  const hand = { as: "user" as const, body: { ownerId: id.other } };
  const refused = await h.ask("PUT", path, hand);
  assert.equal(refused.status, 409, refused.text);
  assert.match(refused.body.error.message, /who owns 1000 already/);
  await h.store.transact({ userId: null }, async (tx) => {
    const [one] = (await tx.from(teams).list({ where: { ownerId: id.other }, limit: 1 })).rows;
    tx.remove(teams, one!);
  });
  assert.equal((await h.ask("PUT", path, hand)).status, 200);
});

Deno.test("teams: compact has none", async () => {
  await using h = await harness();
  assert.equal((await h.ask("GET", "/api/teams", { as: "super" })).status, 404);
});

// Files shared with users and teams: who sees and changes what.
import assert from "node:assert/strict";
import { notifications } from "../../../models/notifications.ts";
import { shares } from "../../../models/shares.ts";
import { teamMembers, teams } from "../../../models/teams.ts";
import { type Account, type Harness, harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";
import { bytesAt, form, png, stored, upload } from "../../uploads.ts";

const UNKNOWN = "01930000-0000-7000-8000-000000000000";
const ALL = ["files:create", "files:update", "files:delete"];

async function arrange(h: Harness) {
  await h.grant("user", ...ALL);
  await h.grant("other", ...ALL);
  const folder = await h.ask("POST", "/api/folders", { as: "user", body: { name: "Private" } });
  const folderId: string = folder.data.id;
  const file = await upload(h, "user", { fields: { folderId } });
  return {
    id: file.id,
    folderId,
    sha256: file.sha256,
    other: h.accounts.other.id,
    user: file.ownerId,
  };
}

type State = Awaited<ReturnType<typeof arrange>>;

const path = ({ id }: State) => `/api/files/${id}/share`;

scenarios("file sharing", {
  variant: "full",
  arrange,
  rows: [
    {
      name: "with a user, who is told and sees it, but not where it is",
      method: "POST",
      path,
      as: "user",
      body: ({ other }: State) => ({ userId: other }),
      status: 201,
      holds: ({ id, other }: State) => ({
        data: { fileId: id, userId: other, permission: "read" },
      }),
      async after(h, _, { id, other }) {
        const seen = await h.ask("GET", `/api/files/${id}`, { as: "other" });
        assert.equal(seen.status, 200);
        assert.equal(seen.data.path, "/picture.png");
        assert.equal(seen.data.folderId, undefined);
        const list = await h.ask("GET", "/api/files", { as: "other" });
        assert.equal(list.data.length, 1);
        assert.deepEqual(await bytesAt(h, "other", `/api/files/${id}/download`), png());
        assert.equal(await h.store.from(notifications).count({ userId: other }), 1);
      },
    },
    {
      name: "with a user, whom no filter tells where it is",
      method: "POST",
      path,
      as: "user",
      body: ({ other }: State) => ({ userId: other }),
      status: 201,
      async after(h, _, { id, folderId }) {
        const mine = await h.ask("POST", "/api/folders", { as: "other", body: { name: "Mine" } });
        const own = await upload(h, "other", { fields: { folderId: mine.data.id } });
        const found = async (query: string, as: Account = "other") => {
          const list = await h.ask("GET", `/api/files?sort=createdAt&${query}`, { as });
          return list.data.map((file: { id: string }) => file.id);
        };
        assert.deepEqual(await found(`folderId=${folderId}`), []);
        assert.deepEqual(await found(`folderId=${mine.data.id}`), [own.id]);
        assert.deepEqual(await found(`folderId=${mine.data.id}&folderId=root`), [id, own.id]);
        assert.deepEqual(await found("folderId=root"), [id]);
        assert.deepEqual(await found("folderId_ne=root"), [own.id]);
        assert.deepEqual(await found(`folderId_ne=${folderId}`), [id, own.id]);
        assert.deepEqual(await found(`folderId_lte=${folderId}`), []);
        assert.deepEqual(await found(`folderId=${folderId}`, "super"), [id]);
        const body = { folderId };
        assert.deepEqual(
          (await h.ask("POST", "/api/files/search", { as: "other", body })).data,
          [],
        );
      },
    },
    {
      name: "with several users",
      method: "POST",
      path,
      as: "user",
      body: (_: State) => ({ userIds: [_.other], permission: "EDIT", expiresAt: "2027-01-01" }),
      status: 201,
      holds: { data: [{ permission: "edit", expiresAt: "2027-01-01T00:00:00.000Z" }] },
    },
    {
      name: "with oneself: 400",
      method: "POST",
      path,
      as: "user",
      body: ({ user }: State) => ({ userId: user }),
      status: 400,
      details: ["userId"],
    },
    {
      name: "with an unknown user: 400",
      method: "POST",
      path,
      as: "user",
      body: { userId: UNKNOWN },
      status: 400,
    },
    {
      name: "with nobody: 400",
      method: "POST",
      path,
      as: "user",
      body: { permission: "read" },
      status: 400,
      details: ["userId"],
    },
    {
      name: "another's: 404",
      method: "POST",
      path,
      as: "other",
      body: ({ other }: State) => ({ userId: other }),
      status: 404,
    },
    {
      name: "with a stale If-Match: 412",
      method: "POST",
      path,
      as: "user",
      headers: { "if-match": '"stale"' },
      body: ({ other }: State) => ({ userId: other }),
      status: 412,
    },
    { name: "without a token: 401", method: "POST", path, body: { userId: "x" }, status: 401 },
    {
      name: "as guest: 403",
      method: "POST",
      path,
      as: "guest",
      body: { userId: "x" },
      status: 403,
    },
    { name: "list: none yet", method: "GET", path, as: "user", status: 200, holds: { data: [] } },
    { name: "list of another's: 404", method: "GET", path, as: "other", status: 404 },
    { name: "list without a token: 401", method: "GET", path, status: 401 },
    { name: "list as guest: 403", method: "GET", path, as: "guest", status: 403 },
    {
      name: "end of none: 404",
      method: "DELETE",
      path: (state) => `${path(state)}/${UNKNOWN}`,
      as: "user",
      status: 404,
    },
    {
      name: "end of another's: 404",
      method: "DELETE",
      path: (state) => `${path(state)}/${UNKNOWN}`,
      as: "other",
      status: 404,
    },
    {
      name: "end without a token: 401",
      method: "DELETE",
      path: (state) => `${path(state)}/${UNKNOWN}`,
      status: 401,
    },
    {
      name: "end as guest: 403",
      method: "DELETE",
      path: (state) => `${path(state)}/${UNKNOWN}`,
      as: "guest",
      status: 403,
    },
  ],
});

async function shareWith(h: Harness, state: State, body: Record<string, unknown>) {
  const reply = await h.ask("POST", path(state), { as: "user", body });
  assert.equal(reply.status, 201, reply.text);
  return reply.data;
}

async function statuses(h: Harness, as: Account, { id }: State) {
  const ask = async (method: string, path: string, body?: unknown) =>
    (await h.ask(method, path, { as, body })).status;
  return {
    details: await ask("GET", `/api/files/${id}`),
    change: await ask("PUT", `/api/files/${id}`, { isFavorite: true }),
    version: await ask("POST", `/api/files/upload?fileId=${id}`, form({ bytes: png("v") })),
    share: await ask("POST", `/api/files/${id}/share`, { userId: h.accounts.admin.id }),
  };
}

Deno.test("file sharing: read opens reading, edit changing, and only the owner shares", async () => {
  await using h = await harness({ variant: "full" });
  const state = await arrange(h);
  const before = await statuses(h, "other", state);
  assert.deepEqual(before, { details: 404, change: 404, version: 404, share: 404 });
  await shareWith(h, state, { userId: state.other, permission: "comment" });
  const reading = await statuses(h, "other", state);
  assert.deepEqual(reading, { details: 200, change: 403, version: 403, share: 403 });
  const batch = { ids: [state.id] };
  const refused = await h.ask("POST", "/api/files/batch-delete", { as: "other", body: batch });
  assert.deepEqual(refused.data, [{ id: state.id, status: "forbidden" }]);

  await shareWith(h, state, { userId: state.other, permission: "edit" });
  assert.equal(await h.store.from(shares).count(), 1);
  const editing = await statuses(h, "other", state);
  assert.deepEqual(editing, { details: 200, change: 200, version: 201, share: 403 });
  const { used } = await stored(h);
  assert.deepEqual(Object.keys(used), [state.user], "a version counts for the owner");
  // What it is and where it is stays the owner's to decide.
  const path = `/api/files/${state.id}`;
  const moves = { folderId: null };
  assert.equal((await h.ask("DELETE", path, { as: "other" })).status, 403);
  assert.equal((await h.ask("POST", `${path}/move`, { as: "other", body: moves })).status, 403);
  assert.equal((await h.ask("PUT", path, { as: "other", body: moves })).status, 403);
  for (const name of ["batch-delete", "batch-move"]) {
    const body = { ...batch, ...(name === "batch-move" ? moves : {}) };
    const reply = await h.ask("POST", `/api/files/${name}`, { as: "other", body });
    assert.deepEqual(reply.data, [{ id: state.id, status: "forbidden" }]);
  }
  const deleted = await h.ask("POST", "/api/files/batch-delete", { as: "user", body: batch });
  assert.deepEqual(deleted.data, [{ id: state.id, status: "deleted" }]);
  assert.equal(await h.store.from(shares).count(), 0);
});

Deno.test("file sharing: a share opens nothing once it has expired or ended", async () => {
  await using h = await harness({ variant: "full" });
  const state = await arrange(h);
  const see = async () => (await h.ask("GET", `/api/files/${state.id}`, { as: "other" })).status;
  await shareWith(h, state, { userId: state.other, expiresAt: "2026-11-21T10:05:00Z" });
  assert.equal(await see(), 200);
  h.clock.advance(6 * 60 * 1000);
  assert.equal(await see(), 404);
  const { id } = await shareWith(h, state, { userId: state.other });
  assert.equal(await see(), 200);
  const list = await h.ask("GET", path(state), { as: "user" });
  assert.deepEqual(list.data.map((share: { id: string }) => share.id), [id]);
  const ended = await h.ask("DELETE", `${path(state)}/${id}`, { as: "user" });
  assert.deepEqual(ended.data, { id });
  assert.equal(await see(), 404);
});

Deno.test("file sharing: a team's members see what is shared with it", async () => {
  await using h = await harness({ variant: "full" });
  const state = await arrange(h);
  const team = await h.store.transact({ userId: null }, (tx) => {
    const team = tx.insert(teams, { name: "Team", ownerId: state.user });
    for (const userId of [state.user, state.other]) {
      tx.insert(teamMembers, { teamId: team.id, userId, role: "member" });
    }
    return team;
  });
  await shareWith(h, state, { teamId: team.id, permission: "edit" });
  const seen = await statuses(h, "other", state);
  assert.deepEqual(seen, { details: 200, change: 200, version: 201, share: 403 });
});

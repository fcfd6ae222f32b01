// What each level allows on a document: nothing, a share, a team, ownership, management; and when a share opens nothing.
import assert from "node:assert/strict";
import { documents } from "../../../models/documents.ts";
import { type Account, harness } from "../../harness.ts";
import { arrange, done, share, type State, teamOf } from "./document_scene.ts";

const DAY = 24 * 60 * 60 * 1000;

/** Every operation of sharing, as what it is asked with. */
const OPERATIONS = {
  view: { method: "GET", path: (s: State) => s.path },
  copy: { method: "POST", path: (s: State) => `${s.path}/copy` },
  update: { method: "PUT", path: (s: State) => s.path, body: () => ({ title: "New" }) },
  tag: { method: "POST", path: (s: State) => `${s.path}/tags`, body: () => ({ name: "new" }) },
  untag: { method: "DELETE", path: (s: State) => `${s.path}/tags/${s.own.tags[0].id}` },
  move: { method: "POST", path: (s: State) => `${s.path}/move`, body: () => ({ folder: "/b" }) },
  share: {
    method: "POST",
    path: (s: State) => `${s.path}/share`,
    body: (s: State) => ({ userId: s.id.super }),
  },
  unshare: { method: "DELETE", path: (s: State, shareId: string) => `${s.path}/share/${shareId}` },
  folder: { method: "PUT", path: (s: State) => s.path, body: () => ({ folder: "/b" }) },
  team: { method: "PUT", path: (s: State) => s.path, body: () => ({ teamId: null }) },
  delete: { method: "DELETE", path: (s: State) => s.path },
} as const;

type Operation = keyof typeof OPERATIONS;
const READS: readonly Operation[] = ["view", "copy"];
const EDITS: readonly Operation[] = [...READS, "update", "tag", "untag"];
const ALL = Object.keys(OPERATIONS) as Operation[];

/** Who is at which level, and what they may. */
const LEVELS: Record<string, { as: Account; permission?: string; may: readonly Operation[] }> = {
  none: { as: "other", may: [] },
  read: { as: "other", permission: "read", may: READS },
  comment: { as: "other", permission: "comment", may: READS },
  edit: { as: "other", permission: "edit", may: EDITS },
  "team member": { as: "other", may: READS },
  owner: { as: "user", may: ALL },
  manager: { as: "admin", may: ALL },
};

for (const [level, { as, permission, may }] of Object.entries(LEVELS)) {
  for (const name of ALL) {
    const allowed = may.includes(name);
    const refused = level === "none" ? 404 : 403;
    Deno.test(`document levels: ${level} ${allowed ? "may" : "may not"} ${name}`, async () => {
      await using h = await harness({ variant: "full" });
      const s = await arrange(h);
      const team = await teamOf(h, level === "team member" ? ["other"] : []);
      await done(h, "PUT", s.path, { as: "user", body: { teamId: team.id } });
      if (permission) await share(h, s, { userId: s.id.other, permission });
      const { data } = await share(h, s, { userId: s.id.guest });
      const before = await h.store.from(documents).get(s.own.id);

      const operation = OPERATIONS[name];
      const body = "body" in operation ? operation.body(s) : undefined;
      const reply = await h.ask(operation.method, operation.path(s, data.id), { as, body });
      if (allowed) assert.ok(reply.status < 300, reply.text);
      else assert.equal(reply.status, refused, reply.text);
      if (!allowed) assert.equal(await h.store.from(documents).get(s.own.id), before);
    });
  }
}

Deno.test("document levels: the operations need their permission and a token", async (t) => {
  await using h = await harness({ variant: "full" });
  const path = "/api/documents/any";
  const created = ["share", "tags", "move", "copy"].map((name) => ["POST", `${path}/${name}`]);
  const ended = ["share/any", "tags/any"].map((name) => ["DELETE", `${path}/${name}`]);
  for (const [method, at] of [...created, ...ended] as [string, string][]) {
    await t.step(`${method} ${at}`, async () => {
      assert.equal((await h.ask(method, at, { body: {} })).status, 401);
      assert.equal((await h.ask(method, at, { as: "user", body: {} })).status, 403);
      const body = { userId: "x", name: "x", folder: "/x" };
      assert.equal((await h.ask(method, at, { as: "admin", body })).status, 404);
    });
  }
});

Deno.test("document shares: an expired one opens nothing", async () => {
  await using h = await harness({ variant: "full" });
  const s = await arrange(h);
  const expiresAt = new Date(h.clock.now().getTime() + DAY).toISOString();
  await share(h, s, { userId: s.id.other, permission: "edit", expiresAt });
  const total = async () =>
    (await h.ask("GET", "/api/documents", { as: "other" })).body.pagination.total;
  const save = () => h.ask("PUT", s.path, { as: "other", body: { title: "By other" } });

  h.clock.advance(DAY - 1);
  assert.equal((await save()).status, 200);
  assert.equal(await total(), 2);
  h.clock.advance(1);
  assert.equal((await save()).status, 404);
  assert.equal((await h.ask("GET", s.path, { as: "other" })).status, 404);
  assert.equal(await total(), 1);
  const owners = await h.ask("GET", s.path, { as: "user" });
  assert.equal(owners.data.shared, false);
  assert.equal(owners.data.shares.length, 1);
  await share(h, s, { userId: s.id.other });
  assert.equal((await h.ask("GET", s.path, { as: "other" })).status, 200);
});

Deno.test("document shares: with a team they open to its members, as long as they are in it", async () => {
  await using h = await harness({ variant: "full" });
  const s = await arrange(h);
  const team = await teamOf(h, ["other"]);
  const reply = await share(h, s, { teamId: team.id, permission: "edit" });
  assert.equal(reply.data.teamId, team.id);
  const save = () => h.ask("PUT", s.path, { as: "other", body: { title: "By other" } });
  assert.equal((await save()).status, 200);
  assert.equal((await h.ask("GET", s.path, { as: "guest" })).status, 404);

  const member = `/api/teams/${team.id}/members/${s.id.other}`;
  await done(h, "DELETE", member, { as: "user" });
  assert.equal((await save()).status, 404);
});

Deno.test("document shares: the best of several counts", async () => {
  await using h = await harness({ variant: "full" });
  const s = await arrange(h);
  const team = await teamOf(h, ["other"]);
  await share(h, s, { teamId: team.id, permission: "edit" });
  await share(h, s, { userId: s.id.other, permission: "read" });
  const reply = await h.ask("PUT", s.path, { as: "other", body: { title: "By other" } });
  assert.equal(reply.status, 200);
});

Deno.test("documents of a team: only its members, or who manages, put them there", async () => {
  await using h = await harness({ variant: "full" });
  const s = await arrange(h);
  const team = await teamOf(h, ["other"]);
  const body = { title: "Minutes", teamId: team.id };
  assert.equal((await h.ask("POST", "/api/documents", { as: "guest", body })).status, 400);
  assert.equal((await h.ask("POST", "/api/documents", { as: "admin", body })).status, 201);
  const made = await done(h, "POST", "/api/documents", { as: "other", body });
  const seen = await h.ask("GET", `/api/documents?teamId=${team.id}`, { as: "user" });
  assert.equal(seen.body.pagination.total, 2);
  const stranger = await h.ask("GET", `/api/documents?teamId=${team.id}`, { as: "guest" });
  assert.equal(stranger.body.pagination.total, 0);
  assert.equal((await h.ask("GET", `/api/documents/${made.id}`, { as: "guest" })).status, 404);
  const away = await h.ask("PUT", s.path, { as: "user", body: { teamId: "unknown" } });
  assert.equal(away.status, 400);
});

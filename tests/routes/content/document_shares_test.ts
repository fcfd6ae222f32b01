// Sharing documents, and ending it.
import assert from "node:assert/strict";
import { notifications } from "../../../models/notifications.ts";
import { shares } from "../../../models/shares.ts";
import { withdrawExpiredShares } from "../../../services/access/shares.ts";
import { harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";
import { arrange, done, share, type State } from "./document_scene.ts";

scenarios("document shares", {
  variant: "full",
  arrange,
  rows: [
    {
      name: "share with a user opens the document and tells them",
      method: "POST",
      path: (s) => `${s.path}/share`,
      as: "user",
      body: (s: State) => ({ userId: s.id.other }),
      status: 201,
      holds: (s: State) => ({
        data: { documentId: s.own.id, userId: s.id.other, permission: "read" },
      }),
      async after(h, _, s) {
        const seen = await h.ask("GET", s.path, { as: "other" });
        assert.equal(seen.data.shared, true);
        assert.equal(seen.data.shares, undefined);
        const owners = await h.ask("GET", s.path, { as: "user" });
        assert.equal(owners.data.shares.length, 1);
        const listed = await h.ask("GET", "/api/documents?sort=title", { as: "other" });
        assert.deepEqual(listed.data.map((row: { title: string }) => row.title), ["Diary", "Plan"]);
        const told = await h.store.from(notifications).list({ where: { userId: s.id.other } });
        assert.equal(told.total, 1);
        assert.equal(told.rows[0]!.link, `/documents/${s.own.id}`);
      },
    },
    {
      name: "share with several users answers with a list",
      method: "POST",
      path: (s) => `${s.path}/share`,
      as: "user",
      body: (s: State) => ({ userIds: [s.id.other, s.id.guest, s.id.other], permission: "EDIT" }),
      status: 201,
      holds: { data: [{ permission: "edit" }, { permission: "edit" }] },
    },
    {
      name: "sharing again replaces permission and expiry, and tells nobody again",
      method: "POST",
      path: (s) => `${s.path}/share`,
      as: "user",
      body: (s: State) => ({ userId: s.id.other, expiresAt: "2026-12-01" }),
      status: 201,
      holds: { data: { expiresAt: "2026-12-01T00:00:00.000Z" } },
      async after(h, reply, s) {
        const again = await share(h, s, { userId: s.id.other, permission: "comment" });
        assert.equal(again.data.id, reply.data.id);
        assert.equal(again.data.permission, "comment");
        assert.equal(again.data.expiresAt, undefined);
        assert.equal(await h.store.from(shares).count(), 1);
        assert.equal(await h.store.from(notifications).count({ userId: s.id.other }), 1);
      },
    },
    {
      name: "share moves the document's ETag",
      method: "GET",
      path: (s) => s.path,
      as: "user",
      status: 200,
      async after(h, reply, s) {
        const headers = { "if-match": reply.headers.get("etag")! };
        const body = { userId: s.id.other };
        const ask = () => h.ask("POST", `${s.path}/share`, { as: "user", headers, body });
        assert.equal((await ask()).status, 201);
        assert.equal((await ask()).status, 412);
      },
    },
    ...([
      ["nobody", () => ({}), ["userId"]],
      ["a user and a team", () => ({ userId: "x", teamId: "y" }), ["userId"]],
      ["an unknown user", () => ({ userId: "unknown" }), ["userId"]],
      ["unknown users", (s: State) => ({ userIds: [s.id.other, "x", "y"] }), [
        "userIds",
        "userIds",
      ]],
      ["the owner", (s: State) => ({ userId: s.id.user }), ["userId"]],
      ["an unknown team", () => ({ teamId: "unknown" }), ["teamId"]],
      ["an unknown permission", (s: State) => ({ userId: s.id.other, permission: "all" }), [
        "permission",
      ]],
      [
        "an expiry that has passed",
        (s: State) => ({ userId: s.id.other, expiresAt: "2026-11-21T10:00:00Z" }),
        ["expiresAt"],
      ],
      ["no date", (s: State) => ({ userId: s.id.other, expiresAt: "soon" }), ["expiresAt"]],
    ] as const).map(([what, body, details]) => ({
      name: `share with ${what}: 400`,
      method: "POST",
      path: (s: State) => `${s.path}/share`,
      as: "user" as const,
      body,
      status: 400,
      details,
    })),
    {
      name: "the owner reads with whom it is shared, by name, and it counts as no view",
      method: "POST",
      path: (s) => `${s.path}/share`,
      as: "user",
      body: (s: State) => ({ userId: s.id.other, permission: "edit" }),
      status: 201,
      async after(h, { data: share }, s) {
        const before = (await h.ask("GET", "/api/documents", { as: "user" })).data;
        const path = `${s.path}/share`;
        const listed = await h.ask("GET", `${path}?include=user,team`, { as: "user" });
        assert.equal(listed.status, 200, listed.text);
        const [{ user, ...shown }] = listed.data;
        assert.deepEqual(shown, share);
        assert.deepEqual([user.id, user.name], [s.id.other, h.accounts.other.name]);
        assert.deepEqual((await h.ask("GET", "/api/documents", { as: "user" })).data, before);
        // Whoever it is shared with, even to change it, is not told of the others.
        assert.equal((await h.ask("GET", path, { as: "other" })).status, 403);
      },
    },
    ...([["other", 404], [undefined, 401]] as const).map(([as, status]) => ({
      name: `with whom it is shared, read by ${as ?? "nobody"}: ${status}`,
      method: "GET",
      path: (s: State) => `${s.path}/share`,
      as,
      status,
    })),
    {
      name: "unshare closes the document",
      method: "POST",
      path: (s) => `${s.path}/share`,
      as: "user",
      body: (s: State) => ({ userId: s.id.other }),
      status: 201,
      async after(h, { data }, s) {
        const path = `${s.path}/share/${data.id}`;
        const ended = await h.ask("DELETE", path, { as: "user" });
        assert.deepEqual([ended.status, ended.data], [200, { id: data.id }]);
        assert.equal((await h.ask("GET", s.path, { as: "other" })).status, 404);
        assert.equal((await h.ask("GET", s.path, { as: "user" })).data.shared, false);
        assert.equal((await h.ask("DELETE", path, { as: "user" })).status, 404);
      },
    },
    {
      name: "unshare with a share of another document: 404",
      method: "POST",
      path: (s) => `${s.path}/share`,
      as: "user",
      body: (s: State) => ({ userId: s.id.guest }),
      status: 201,
      async after(h, { data }, s) {
        const reply = await h.ask("DELETE", `${s.hidden}/share/${data.id}`, { as: "other" });
        assert.equal(reply.status, 404);
        assert.equal(await h.store.from(shares).count(), 1);
      },
    },
    {
      name: "unshare with a stale If-Match: 412",
      method: "POST",
      path: (s) => `${s.path}/share`,
      as: "user",
      body: (s: State) => ({ userId: s.id.guest }),
      status: 201,
      async after(h, { data }, s) {
        const headers = { "if-match": '"stale"' };
        const path = `${s.path}/share/${data.id}`;
        assert.equal((await h.ask("DELETE", path, { as: "user", headers })).status, 412);
      },
    },
  ],
});

Deno.test("document shares: the same one made many times at once is one share", async () => {
  await using h = await harness({ variant: "full" });
  const s = await arrange(h);
  const replies = await Promise.all(
    ["read", "edit", "comment"].map((permission) =>
      share(h, s, { userId: s.id.other, permission })
    ),
  );
  assert.deepEqual(replies.map((reply) => reply.status), [201, 201, 201]);
  assert.equal(new Set(replies.map((reply) => reply.data.id)).size, 1);
  assert.equal(await h.store.from(shares).count(), 1);
  assert.equal(await h.store.from(notifications).count({ userId: s.id.other }), 1);
});

Deno.test("document shares: deleting a user ends them, and it shows", async () => {
  await using h = await harness({ variant: "full" });
  const s = await arrange(h);
  await share(h, s, { userId: s.id.other });
  assert.equal((await h.ask("GET", s.path, { as: "user" })).data.shared, true);
  await done(h, "DELETE", `/api/users/${s.id.other}`, { as: "super" });
  const { data } = await h.ask("GET", s.path, { as: "user" });
  assert.deepEqual([data.shared, data.shares], [false, []]);
});

Deno.test("document shares: whom it has expired for is told when it is shared with them again", async () => {
  await using h = await harness({ variant: "full" });
  const s = await arrange(h);
  const { id: userId } = h.accounts.other;
  await share(h, s, { userId, expiresAt: "2026-11-21T11:00:00Z" });
  h.clock.advance(2 * 60 * 60_000);
  assert.equal((await h.ask("GET", s.path, { as: "other" })).status, 404);
  // Before the sweep has taken back what was told of it, and after.
  for (const swept of [false, true]) {
    if (swept) await withdrawExpiredShares(h.store, h.clock.now());
    const expiresAt = new Date(h.clock.now().getTime() + 60_000).toISOString();
    assert.equal((await share(h, s, { userId, expiresAt })).status, 201);
    const told = await h.store.from(notifications).list({ where: { userId } });
    assert.deepEqual([told.total, told.rows[0]!.read], [1, false]);
    h.clock.advance(120_000);
  }
});

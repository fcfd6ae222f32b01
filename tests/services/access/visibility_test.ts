// What opens a record to a member of a team, checked at the commit, and who is told that something was shared.
import assert from "node:assert/strict";
import { documents } from "../../../models/documents.ts";
import { notifications } from "../../../models/notifications.ts";
import { teamMembers } from "../../../models/teams.ts";
import { users } from "../../../models/users.ts";
import { documentFor } from "../../../services/content/documents.ts";
import { visible } from "../../../services/access/visibility.ts";
import { principalOfToken } from "../../../services/accounts/principals.ts";
import { harness } from "../../harness.ts";
import { arrange, done, share, teamOf } from "../../routes/content/document_scene.ts";

Deno.test("visibility: what a member writes while being removed from the team does not pass", async () => {
  await using h = await harness({ variant: "full" });
  const s = await arrange(h);
  const team = await teamOf(h, ["other"]);
  await share(h, s, { teamId: team.id, permission: "edit" });
  const { store, tokens } = h.app.services;
  const principal = await principalOfToken(store, tokens, h.tokens.other);

  let tries = 0;
  const writing = h.store.transact({ userId: s.id.other }, async (tx) => {
    tries++;
    const { document } = await documentFor(tx, principal!, s.own.id, "edit", tx.now);
    if (tries === 1) {
      const path = `/api/teams/${team.id}/members/${s.id.other}`;
      await done(h, "DELETE", path, { as: "user" });
    }
    tx.update(documents, document, { title: "Written too late" });
  });
  await assert.rejects(writing, { code: "NOT_FOUND" });
  assert.equal(tries, 2);
  assert.equal((await h.store.from(documents).get(s.own.id))?.title, "Plan");
});

Deno.test("shares: the members of a team are told once, but not who shares and not the owner", async () => {
  await using h = await harness({ variant: "full" });
  const s = await arrange(h);
  const team = await teamOf(h, ["other", "guest", "super"]);
  const told = () => h.store.from(notifications).list({ where: { type: "user" }, limit: 100 });
  const before = (await told()).total;
  const reply = await share(h, s, { teamId: team.id }, "super");
  assert.equal(reply.status, 201);
  await share(h, s, { teamId: team.id, permission: "edit" });
  const { rows } = await told();
  const fresh = rows.filter(({ title }) => title === "Super Person shared a document with you");
  assert.equal(rows.length, before + 2);
  assert.deepEqual(
    fresh.map(({ userId, content, link }) => [userId, content, link]).sort(),
    [s.id.other, s.id.guest].map((id) => [id, "Plan", `/documents/${s.own.id}`]).sort(),
  );
});

Deno.test("shares: of a large team, 200 members are told in the same commit", async () => {
  await using h = await harness({ variant: "full" });
  const s = await arrange(h);
  const team = await teamOf(h, []);
  await h.store.transact({ userId: null }, (tx) => {
    for (let n = 0; n < 250; n++) {
      const { id } = tx.insert(users, {
        name: `Member ${n}`,
        email: `member${n}@example.com`,
        role: "user",
        permissions: [],
        status: "active",
      });
      tx.insert(teamMembers, { teamId: team.id, userId: id, role: "member" });
    }
  });
  assert.equal((await share(h, s, { teamId: team.id })).status, 201);
  assert.equal(await h.store.from(notifications).count({ type: "user" }), 200);
});

Deno.test("visibility: what is opened to a user is the same list until it is another one, or a share runs out", async () => {
  await using h = await harness({ variant: "full" });
  const s = await arrange(h);
  const { store, tokens } = h.app.services;
  const principal = (await principalOfToken(store, tokens, h.tokens.other))!;
  const seen = async () => {
    const now = h.clock.now().toISOString();
    const { any = [] } = await visible(store, principal, "documents", now);
    return (any[1]?.id ?? []) as readonly string[];
  };
  assert.deepEqual(await seen(), []);
  await share(h, s, { userId: s.id.other, expiresAt: "2026-11-21T11:00:00.000Z" });
  const opened = await seen();
  assert.deepEqual(opened, [s.own.id]);
  assert.equal(await seen(), opened);
  await share(h, s, { userId: s.id.guest });
  assert.equal(await seen(), opened, "somebody else's share changes nothing");
  h.clock.advance(3_600_000);
  assert.deepEqual(await seen(), []);
});

// Erasing a person: what is left tells nobody who they were, whenever the server is killed; who may, and what stays.
import assert from "node:assert/strict";
import { MINUTE } from "../../../core/units.ts";
import { allCollections } from "../../../models/all.ts";
import { auditLog } from "../../../models/audit.ts";
import { deletions } from "../../../models/deletions.ts";
import { documents } from "../../../models/documents.ts";
import { messages, receipts } from "../../../models/messages.ts";
import { notifications } from "../../../models/notifications.ts";
import { emailLinks, sessions } from "../../../models/sessions.ts";
import { users } from "../../../models/users.ts";
import { finishDeletions } from "../../../services/content/deletions.ts";
import { type Harness, harness } from "../../harness.ts";
import { interposedHarness, killed } from "../../interposed.ts";
import { scenarios } from "../../scenario.ts";
import { collectionsThatTell, leaveTraces, type Person } from "./person_scene.ts";

const erase = (id: string) => `/api/users/${id}?erase=true`;

/** What names `other` before anything is erased: the scene leaves a mark in each. */
const TOLD = [
  "apiKeys",
  "auditLog",
  "emailLinks",
  "identities",
  "notifications",
  "passkeys",
  "preferences",
  "sessions",
  "users",
  "webhooks",
];

async function assertErased(h: Harness, person: Person): Promise<void> {
  assert.deepEqual(await collectionsThatTell(h), []);
  assert.equal(await h.store.from(users).get(person.id), null);
  assert.equal(await h.store.from(deletions).count(), 0);
  for (const collection of allCollections) {
    if (collection === auditLog) continue;
    for await (const record of h.store.from(collection).scan()) {
      // A private conversation is found by the ids of its two.
      const { pairKey: _, ...rest } = record as { pairKey?: string };
      assert.ok(!JSON.stringify(rest).includes(person.id), `${collection.name} names the account`);
    }
  }
}

async function trail(h: Harness, person: Person) {
  const any = [{ actorId: person.id }, { targetId: person.id }];
  const { rows } = await h.store.from(auditLog).list({
    where: { any },
    sort: "createdAt",
    limit: 100,
  });
  return rows;
}

Deno.test("erasure: nothing in the whole store names the person, and the audit log is as long as before", async () => {
  await using h = await harness({ variant: "full" });
  const person = await leaveTraces(h);
  assert.deepEqual(await collectionsThatTell(h), TOLD);
  const before = await trail(h, person);
  const { visits } = h.app.services;
  visits.visit(person.id);
  const { status, body } = await h.ask("DELETE", erase(person.id), { as: "super" });
  assert.deepEqual([status, body.data, body.message], [
    200,
    { id: person.id },
    "The user is erased",
  ]);
  // The visit, which was in memory only.
  await visits.flush();
  await assertErased(h, person);

  const after = await trail(h, person);
  const kept = after.slice(0, before.length);
  const told = ({ id, actorId, action, target, targetId, fields, createdAt }: typeof after[0]) => {
    return { id, actorId, action, target, targetId, fields, createdAt };
  };
  assert.deepEqual(kept.map(told), before.map(told));
  const own = kept.filter(({ actorId }) => actorId === person.id);
  assert.ok(own.length > 5);
  assert.ok(own.every(({ ip, requestId }) => ip === undefined && requestId === undefined));
  const done = after.slice(before.length).filter(({ target }) => target === "users");
  assert.deepEqual(
    done.map(({ action, actorId, targetName }) => [action, actorId, targetName]).sort(),
    ["erase", "remove", "update"].map((act) => [act, h.accounts.super.id, "Deleted user"]),
  );
  assert.ok(done.some(({ action, ip }) => action === "erase" && ip === "127.0.0.1"));
});

Deno.test("erasure: what others hold stays without a name, what nobody else holds goes", async () => {
  await using h = await harness({ variant: "full" });
  const person = await leaveTraces(h);
  assert.equal((await h.ask("DELETE", erase(person.id), { as: "super" })).status, 200);
  const message = await h.ask("GET", "/api/messages/conversations", { as: "user" });
  const [{ lastMessage }] = message.data;
  assert.deepEqual([lastMessage.id, lastMessage.content, lastMessage.sender], [
    person.messageId,
    "See you",
    { id: "", name: "Deleted user" },
  ]);
  assert.equal(await h.store.from(messages).get(person.forgottenId), null);
  assert.equal(await h.store.from(receipts).count({ messageId: person.forgottenId }), 0);
  assert.equal(
    (await h.store.from(documents).get(person.documentId))!.ownerId,
    h.accounts.super.id,
  );
  const shown = await h.ask("GET", `/api/documents/${person.documentId}`, { as: "user" });
  assert.equal(shown.status, 200);
  for (const path of [`/api/teams/${person.teamId}`, `/api/calendar/events/${person.eventId}`]) {
    assert.equal((await h.ask("GET", path, { as: "super" })).data.ownerId, h.accounts.super.id);
  }
  const snippet = await h.ask("GET", `/api/share/${person.snippetId}`);
  assert.deepEqual([snippet.status, snippet.data.userId], [200, undefined]);
  assert.equal(await h.store.from(notifications).count({ userId: h.accounts.user.id }), 0);
});

Deno.test("erasure: the account ends at once, and its address is free", async () => {
  await using h = await harness({ variant: "full" });
  const { id, token, refreshToken, key } = await leaveTraces(h);
  assert.equal((await h.ask("DELETE", erase(id), { as: "super" })).status, 200);
  for (const credential of [token, key]) {
    assert.equal((await h.ask("GET", "/api/documents", { token: credential })).status, 401);
  }
  const refreshed = await h.ask("POST", "/api/auth/refresh", { body: { refreshToken } });
  assert.equal(refreshed.status, 401);
  const again = await h.ask("POST", "/api/users", {
    as: "super",
    body: { name: "Somebody New", email: h.accounts.other.email, password: "a quiet harbour" },
  });
  assert.equal(again.status, 201);
});

Deno.test("without erase=true the audit log says whom it was about", async () => {
  for (const query of ["", "?erase=false", "?erase="]) {
    await using h = await harness({ variant: "full" });
    const person = await leaveTraces(h);
    const { status, body } = await h.ask("DELETE", `/api/users/${person.id}${query}`, {
      as: "super",
    });
    assert.deepEqual([status, body.message], [200, "The user is deleted"]);
    assert.deepEqual(await collectionsThatTell(h), ["auditLog", "notifications"]);
    assert.ok(await h.store.from(messages).get(person.forgottenId));
    const { rows } = await h.store.from(auditLog).list({
      where: { targetId: person.id },
      limit: 1,
    });
    assert.deepEqual([rows[0]!.action, rows[0]!.targetName], ["remove", "Zeldamira Quixworth"]);
  }
});

Deno.test("an erasure that is killed between any two of its commits is finished later", async () => {
  let pieces = Infinity;
  for (let crashAt = 0; crashAt <= pieces; crashAt++) {
    await using h = await interposedHarness({ variant: "full" });
    const { store, accounts } = h;
    const person = await leaveTraces(h);
    // More than one piece of entries, of each kind.
    await store.load(auditLog, entries(person.id, accounts.admin.id));
    let commits = 0;
    store.beforeCommit = () => {
      if (commits++ === crashAt) throw killed();
    };
    const { status } = await h.ask("DELETE", erase(person.id), { as: "super" });
    store.beforeCommit = null;
    if (status === 200) {
      pieces = crashAt;
      assert.ok(pieces >= 4, `${pieces} commits`);
      await assertErased(h, person);
      break;
    }
    assert.equal(status, 503);
    if (crashAt === 0) {
      assert.equal((await h.ask("GET", "/api/users/me", { token: person.token })).status, 200);
      continue;
    }
    const shown = await h.ask("GET", `/api/users/${person.id}`, { as: "super" });
    assert.deepEqual([shown.data.name, shown.data.status], ["Deleted user", "inactive"]);
    assert.equal((await h.ask("GET", "/api/users/me", { token: person.token })).status, 401);
    // A link that was mailed before would give the account its address back.
    assert.equal(await store.from(emailLinks).count({ userId: person.id }), 0);
    assert.equal(await store.from(sessions).count({ userId: person.id }), 0);
    h.clock.advance(2 * MINUTE);
    await finishDeletions(store, h.clock.now());
    await assertErased(h, person);
    const sizes = store.committed.map((changes) => changes.length);
    assert.ok(Math.max(...sizes) <= 400, `commits of ${sizes.join(", ")} changes`);
  }
});

/** Entries by the person and about them, as many as take several pieces. */
function entries(personId: string, otherId: string) {
  return Array.from({ length: 240 }, (_, n) => {
    const at = new Date(Date.UTC(2026, 0, 1) + n).toISOString();
    const about = n % 2 === 0;
    return {
      id: `entry-${String(n).padStart(4, "0")}`,
      createdAt: at,
      updatedAt: at,
      actorId: about ? otherId : personId,
      action: "update",
      target: about ? "users" : "documents",
      targetId: about ? personId : `document-${n}`,
      targetName: about ? "Zeldamira Quixworth" : "Plan",
      fields: ["name"],
      ip: about ? "192.0.2.9" : "203.0.113.77",
      requestId: `request-${n}`,
    };
  });
}

Deno.test("a deletion under way is made an erasure by asking for it", async () => {
  await using h = await interposedHarness({ variant: "full" });
  const person = await leaveTraces(h);
  const many = Array.from({ length: 150 }, (_, n) => {
    const at = new Date(Date.UTC(2026, 0, 1) + n).toISOString();
    const told = { type: "system" as const, title: "T", content: "C", read: false };
    return { id: `note-${n}`, createdAt: at, updatedAt: at, ...told, userId: person.id };
  });
  await h.store.load(notifications, many);
  let commits = 0;
  h.store.beforeCommit = () => {
    if (commits++ === 1) throw killed();
  };
  assert.equal((await h.ask("DELETE", `/api/users/${person.id}`, { as: "super" })).status, 503);
  h.store.beforeCommit = null;
  assert.equal((await h.store.from(deletions).get(person.id))!.erase, undefined);
  assert.equal((await h.ask("DELETE", erase(person.id), { as: "super" })).status, 200);
  const left = await collectionsThatTell(h);
  assert.deepEqual(left, []);
  assert.equal(await h.store.from(users).get(person.id), null);
});

Deno.test("erasure: of who revoked the keys of others, what the log says of these stays", async () => {
  await using h = await harness({ variant: "full" });
  await h.grant("admin", "users:update");
  const body = { name: "Deploys", scopes: ["documents:view"] };
  const made = await h.ask("POST", "/api/auth/keys", { as: "user", from: "203.0.113.7", body });
  assert.equal(made.status, 201, made.text);
  const told = async () => {
    const where = { targetId: made.data.id, actorId: h.accounts.user.id };
    return (await h.store.from(auditLog).list({ where })).rows;
  };
  const [before] = await told();
  const path = `/api/users/${h.accounts.user.id}/keys/${made.data.id}`;
  assert.equal((await h.ask("DELETE", path, { as: "admin" })).status, 200);
  assert.equal((await h.ask("DELETE", erase(h.accounts.admin.id), { as: "super" })).status, 200);
  const [after] = await told();
  assert.deepEqual([after!.targetName, after!.ip], ["Deploys", "203.0.113.7"]);
  assert.deepEqual(after, before);
});

Deno.test("erasure: of a super_admin who acted as others, where they were goes too", async () => {
  await using h = await harness({ variant: "full" });
  const { status } = await h.ask("PUT", `/api/users/${h.accounts.other.id}`, {
    as: "super",
    body: { role: "super_admin" },
  });
  assert.equal(status, 200);
  const login = await h.ask("POST", "/api/auth/login", {
    from: "203.0.113.77",
    body: { email: h.accounts.other.email, password: "correct horse battery" },
  });
  const acting = await h.ask("POST", `/api/users/${h.accounts.admin.id}/impersonate`, {
    token: login.data.accessToken,
    from: "203.0.113.77",
  });
  assert.equal(acting.status, 201, acting.text);
  const made = await h.ask("POST", "/api/documents", {
    token: acting.data.accessToken,
    from: "203.0.113.77",
    body: { title: "Theirs" },
  });
  assert.equal(made.status, 201);
  assert.equal((await h.ask("DELETE", erase(h.accounts.other.id), { as: "super" })).status, 200);
  const { rows: [entry] } = await h.store.from(auditLog).list({
    where: { targetId: made.data.id, action: "insert" },
  });
  assert.deepEqual([entry!.actorId, entry!.impersonatorId, entry!.ip, entry!.requestId], [
    h.accounts.admin.id,
    h.accounts.other.id,
    undefined,
    undefined,
  ]);
  assert.deepEqual(await collectionsThatTell(h), []);
});

scenarios("erasure", {
  variant: "full",
  arrange: (h) => h.accounts,
  rows: [
    { name: "not signed in", method: "DELETE", path: ({ user }) => erase(user.id), status: 401 },
    {
      name: "without the permission",
      method: "DELETE",
      path: ({ other }) => erase(other.id),
      as: "user",
      status: 403,
      holds: { error: { details: [{ field: "permission", message: "users:delete" }] } },
    },
    {
      name: "somebody who may do more",
      method: "DELETE",
      path: (accounts) => erase(accounts.super.id),
      as: "admin",
      status: 403,
    },
    {
      name: "oneself",
      method: "DELETE",
      path: ({ admin }) => erase(admin.id),
      as: "admin",
      status: 409,
      holds: { error: { code: "CONFLICT", message: "You cannot delete yourself" } },
    },
    {
      name: "the last super_admin, oneself too",
      method: "DELETE",
      path: (accounts) => erase(accounts.super.id),
      as: "super",
      status: 409,
    },
    { name: "nobody", method: "DELETE", path: erase("nobody"), as: "super", status: 404 },
    {
      name: "another version than the one that was seen",
      method: "DELETE",
      path: ({ other }) => erase(other.id),
      as: "super",
      headers: { "if-match": '"old"' },
      status: 412,
    },
    {
      name: "neither true nor false",
      method: "DELETE",
      path: ({ other }) => `/api/users/${other.id}?erase=perhaps`,
      as: "super",
      status: 400,
      details: ["erase"],
    },
  ],
});

for (const variant of ["compact", "full", "web"]) {
  Deno.test(`erasure (${variant}): needs a proof of the last minutes, which a program cannot give`, async () => {
    await using h = await harness({ variant });
    const { data } = await h.ask("POST", "/api/auth/keys", {
      as: "super",
      body: { name: "k", scopes: ["*"] },
    });
    const path = erase(h.accounts.other.id);
    const refuse = async (ask: { as?: "super"; token?: string }) => {
      const { status } = await h.ask("DELETE", path, ask);
      assert.equal(status, 403);
      assert.equal((await h.store.from(users).get(h.accounts.other.id))!.status, "active");
    };
    await refuse({ token: data.key });
    h.clock.advance(11 * MINUTE);
    await refuse({ as: "super" });
    const proven = await h.ask("POST", "/api/auth/step-up", {
      as: "super",
      body: { currentPassword: "correct horse battery" },
    });
    assert.equal(proven.status, 200, proven.text);
    assert.equal((await h.ask("DELETE", path, { as: "super" })).status, 200);
  });
}

// Acting as another user: by super_admin alone, never unseen, and over when their own session is.
import assert from "node:assert/strict";
import { auditLog } from "../../../models/audit.ts";
import { HOUR, MINUTE, SECOND } from "../../../core/units.ts";
import { type Harness, harness, PASSWORD } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";

const path = (h: Harness, account: keyof Harness["accounts"]) =>
  `/api/users/${h.accounts[account].id}/impersonate`;

async function actAs(h: Harness, account: keyof Harness["accounts"]): Promise<string> {
  const reply = await h.ask("POST", path(h, account), { as: "super" });
  assert.equal(reply.status, 201, reply.text);
  assert.equal(reply.data.refreshToken, undefined);
  assert.ok(reply.data.expiresIn <= 3600);
  return reply.data.accessToken;
}

for (const variant of ["compact", "full", "web"]) {
  Deno.test(`impersonation (${variant}): sees and does what the user may, and both names are told`, async () => {
    await using h = await harness({ variant });
    const token = await actAs(h, "user");
    const me = await h.ask("GET", "/api/users/me", { token });
    assert.equal(me.data.id, h.accounts.user.id);
    assert.equal(me.headers.get("x-impersonated-by"), h.accounts.super.id);
    assert.equal((await h.ask("GET", "/api/users", { token })).status, 403);
    assert.equal((await h.ask("GET", "/api/auth/sessions", { token })).status, 200);
    const claims = JSON.parse(atob(token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")));
    assert.deepEqual(claims.act, { sub: h.accounts.super.id });
    const { rows } = await h.store.from(auditLog).list({ where: { action: "impersonate" } });
    assert.deepEqual(rows.map(({ actorId, targetId }) => [actorId, targetId]), [
      [h.accounts.super.id, h.accounts.user.id],
    ]);
    assert.match(rows[0]!.requestId ?? "none", /^[\w-]{8,}$/);
  });
}

Deno.test("impersonation: where the super_admin is, neither the user is told nor who looks after users", async () => {
  await using h = await harness();
  const headers = { "user-agent": "Browser-of-theirs/1.0" };
  const from = "203.0.113.77";
  const acted = await h.ask("POST", path(h, "user"), { as: "super", from, headers });
  assert.equal(acted.status, 201);
  const own = await h.ask("GET", "/api/auth/sessions", { as: "user" });
  const marked = own.data.filter((one: { impersonated: boolean }) => one.impersonated);
  assert.equal(marked.length, 1, "they see that somebody acts as them");
  const ofUser = `/api/users/${h.accounts.user.id}`;
  const admins = await h.ask("GET", `${ofUser}/sessions`, { as: "admin" });
  const exported = await h.ask("GET", `${ofUser}/data`, { as: "user" });
  for (const { status, text } of [own, admins, exported]) {
    assert.equal(status, 200, text);
    assert.doesNotMatch(text, /203\.0\.113\.77|Browser-of-theirs/);
  }
});

Deno.test("impersonation: ends where the user becomes a super_admin", async () => {
  await using h = await harness();
  const token = await actAs(h, "admin");
  assert.equal((await h.ask("GET", "/api/users", { token })).status, 200);
  const body = { role: "super_admin" };
  const promoted = await h.ask("PUT", `/api/users/${h.accounts.admin.id}`, { as: "super", body });
  assert.equal(promoted.status, 200, promoted.text);
  assert.equal((await h.ask("GET", "/api/users", { token })).status, 401);
  assert.equal((await h.ask("GET", "/api/users", { as: "admin" })).status, 200);
});

Deno.test("impersonation: what is done is recorded with both", async () => {
  await using h = await harness();
  const token = await actAs(h, "admin");
  const { data, status } = await h.ask("POST", "/api/documents", { token, body: { title: "x" } });
  assert.equal(status, 201);
  const { rows: [record] } = await h.store.from(auditLog).list({ where: { targetId: data.id } });
  assert.equal(record!.actorId, h.accounts.admin.id);
  assert.equal(record!.impersonatorId, h.accounts.super.id);
});

Deno.test("impersonation: makes and ends no credentials", async (t) => {
  await using h = await harness();
  const token = await actAs(h, "admin");
  const refused: [string, string, unknown?][] = [
    ["POST", "/api/auth/keys", { name: "x", scopes: ["users:view"] }],
    ["POST", "/api/auth/mfa/totp"],
    ["POST", "/api/auth/change-password", {
      currentPassword: PASSWORD,
      newPassword: "another harbour",
    }],
    ["POST", "/api/auth/step-up", { currentPassword: PASSWORD }],
    ["PUT", "/api/users/me", { name: "Somebody Else" }],
    ["PUT", `/api/users/${h.accounts.user.id}`, { password: "another harbour" }],
    ["POST", `/api/users/${h.accounts.user.id}/impersonate`],
  ];
  for (const [method, path, body] of refused) {
    await t.step(`${method} ${path}`, async () => {
      assert.equal((await h.ask(method, path, { token, body })).status, 403);
    });
  }
});

Deno.test("impersonation: is over after an hour", async () => {
  await using h = await harness({ env: { JWT_ACCESS_EXPIRES: "2h" } });
  const token = await actAs(h, "user");
  h.clock.advance(HOUR - SECOND);
  assert.equal((await h.ask("GET", "/api/users/me", { token })).status, 200);
  h.clock.advance(2 * SECOND);
  assert.equal((await h.ask("GET", "/api/users/me", { token })).status, 401);
});

Deno.test("impersonation: ends with the session of the super_admin, and when they are one no more", async () => {
  for (const end of ["logout", "demoted", "suspended"]) {
    await using h = await harness();
    const token = await actAs(h, "user");
    const boss = `/api/users/${h.accounts.super.id}`;
    if (end === "logout") await h.ask("POST", "/api/auth/logout", { as: "super" });
    else {
      await h.ask("PUT", `/api/users/${h.accounts.other.id}`, {
        as: "super",
        body: { role: "super_admin" },
      });
      const body = end === "demoted" ? { role: "admin" } : { status: "suspended" };
      assert.equal((await h.ask("PUT", boss, { as: "other", body })).status, 200);
    }
    assert.equal((await h.ask("GET", "/api/users/me", { token })).status, 401, end);
  }
});

Deno.test("impersonation: takes a fresh proof", async () => {
  await using h = await harness();
  h.clock.advance(10 * MINUTE + SECOND);
  const reply = await h.ask("POST", path(h, "user"), { as: "super" });
  assert.equal(reply.body.error.code, "STEP_UP_REQUIRED");
});

const post = { method: "POST", status: 403 } as const;

scenarios("impersonation", {
  arrange: async (h) => {
    await h.ask("PUT", `/api/users/${h.accounts.guest.id}`, {
      as: "super",
      body: { status: "inactive" },
    });
    await h.grant("admin", "users:*");
    return h.accounts;
  },
  rows: [
    {
      ...post,
      name: "by an administrator: 403",
      path: (a) => `/api/users/${a.user.id}/impersonate`,
      as: "admin",
    },
    {
      ...post,
      name: "by a user: 403",
      path: (a) => `/api/users/${a.other.id}/impersonate`,
      as: "user",
    },
    {
      ...post,
      name: "of oneself: 409",
      path: (a) => `/api/users/${a.super.id}/impersonate`,
      as: "super",
      status: 409,
    },
    {
      ...post,
      name: "of who is inactive: 409",
      path: (a) => `/api/users/${a.guest.id}/impersonate`,
      as: "super",
      status: 409,
    },
    {
      ...post,
      name: "of nobody: 404",
      path: "/api/users/nobody/impersonate",
      as: "super",
      status: 404,
    },
    {
      ...post,
      name: "without a token: 401",
      path: (a) => `/api/users/${a.user.id}/impersonate`,
      status: 401,
    },
  ],
});

Deno.test("impersonation: never of another super_admin", async () => {
  await using h = await harness();
  await h.ask("PUT", `/api/users/${h.accounts.other.id}`, {
    as: "super",
    body: { role: "super_admin" },
  });
  assert.equal((await h.ask("POST", path(h, "other"), { as: "super" })).status, 403);
});

// Signing up, in and out, refreshing, recovery and password changes.
import assert from "node:assert/strict";
import { passwordResets, sessions } from "../../../models/sessions.ts";
import { users } from "../../../models/users.ts";
import { type Harness, harness, PASSWORD, type Reply } from "../../harness.ts";
import { interposedHarness, killed } from "../../interposed.ts";
import { scenarios } from "../../scenario.ts";

const NEW_PASSWORD = "another fine password";

async function logIn(h: Harness, email = "user@example.com", password = PASSWORD) {
  return await h.ask("POST", "/api/auth/login", { body: { email, password } });
}

scenarios("auth", {
  rows: [
    {
      name: "login gives the pair at both levels, and the user without the hash",
      method: "POST",
      path: "/api/auth/login",
      body: { email: "USER@example.com ", password: PASSWORD },
      status: 200,
      holds: {
        success: true,
        data: { expiresIn: 900, user: { email: "user@example.com", role: "user" } },
        user: { roles: [{ name: "user", label: "User" }] },
      },
      absent: ["passwordHash", "argon2id", "cookieHash"],
      after(_, reply) {
        const { accessToken, refreshToken } = reply.data;
        assert.ok(accessToken && refreshToken && accessToken !== refreshToken);
        assert.equal(reply.body.accessToken, accessToken);
        assert.equal(reply.body.refreshToken, refreshToken);
        assert.equal(reply.body.token, accessToken);
        assert.equal(reply.headers.get("cache-control"), "no-store");
        const claims = JSON.parse(atob(accessToken.split(".")[1]));
        assert.equal(claims.userId, reply.data.user.id);
        assert.equal(JSON.parse(atob(accessToken.split(".")[0])).alg, "HS256");
      },
    },
    ...[
      ["a wrong password", "user@example.com", "wrong password"],
      ["an unknown account", "nobody@example.com", PASSWORD],
    ].map(([name, email, password]) => ({
      name: `login with ${name}: 401 with the same body`,
      method: "POST",
      path: "/api/auth/login",
      body: { email, password },
      status: 401,
      holds: {
        success: false,
        error: { code: "UNAUTHORIZED", message: "E-mail or password is wrong" },
      },
    })),
    {
      name: "login names each bad field",
      method: "POST",
      path: "/api/auth/login",
      body: { email: "not an address" },
      status: 400,
      holds: { success: false, error: { code: "VALIDATION_ERROR" } },
      details: ["email", "password"],
    },
    {
      name: "login with a text as the body: 400",
      method: "POST",
      path: "/api/auth/login",
      body: '"text"',
      headers: { "content-type": "application/json" },
      status: 400,
      details: ["body"],
    },
    {
      name: "login with broken JSON: 400",
      method: "POST",
      path: "/api/auth/login",
      body: '{"email":',
      headers: { "content-type": "application/json" },
      status: 400,
      details: ["body"],
    },
    {
      name: "login with an empty body: 400",
      method: "POST",
      path: "/api/auth/login",
      status: 400,
      details: ["body"],
    },
    {
      name: "login as a form: 415",
      method: "POST",
      path: "/api/auth/login",
      body: "email=user@example.com",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      status: 415,
    },
    {
      name: "login with more than 16 KiB: 413",
      method: "POST",
      path: "/api/auth/login",
      body: { email: "x".repeat(1024 * 1024), password: "x" },
      status: 413,
    },
    {
      name: "register creates a user and signs in",
      method: "POST",
      path: "/api/auth/register",
      body: { name: "New Person", email: "New@Example.com", password: NEW_PASSWORD },
      status: 201,
      holds: { data: { user: { name: "New Person", email: "new@example.com", role: "user" } } },
      async after(h, reply) {
        const me = await h.ask("GET", "/api/users/me", { token: reply.data.accessToken });
        assert.equal(me.data.email, "new@example.com");
      },
    },
    {
      name: "register takes no role from the body",
      method: "POST",
      path: "/api/auth/register",
      body: {
        name: "New Person",
        email: "new@example.com",
        password: NEW_PASSWORD,
        role: "super_admin",
        permissions: ["*"],
        status: "suspended",
      },
      status: 201,
      holds: { data: { user: { role: "user", status: "active" } } },
    },
    {
      name: "register with a taken e-mail: 409",
      method: "POST",
      path: "/api/auth/register",
      body: { name: "New Person", email: "USER@example.com", password: NEW_PASSWORD },
      status: 409,
      holds: { error: { code: "CONFLICT" } },
    },
    {
      name: "register names each bad field",
      method: "POST",
      path: "/api/auth/register",
      body: { name: "x", email: "x", password: "12345" },
      status: 400,
      details: ["name", "email", "password"],
    },
    {
      name: "register with a common password: 400",
      method: "POST",
      path: "/api/auth/register",
      body: { name: "New Person", email: "new@example.com", password: "password1" },
      status: 400,
      details: ["password"],
    },
    {
      name: "register with another confirmation: 400",
      method: "POST",
      path: "/api/auth/register",
      body: {
        name: "New Person",
        email: "new@example.com",
        password: NEW_PASSWORD,
        confirmPassword: "x",
      },
      status: 400,
      details: ["confirmPassword"],
    },
    {
      name: "refresh with an access token: 401",
      method: "POST",
      path: "/api/auth/refresh",
      body: { refreshToken: "x.y.z" },
      status: 401,
    },
    { name: "logout without a token: 401", method: "POST", path: "/api/auth/logout", status: 401 },
    {
      name: "reset-password with an unknown token: 400",
      method: "POST",
      path: "/api/auth/reset-password",
      body: { token: "unknown", password: NEW_PASSWORD },
      status: 400,
      details: ["token"],
    },
    {
      name: "change-password with a wrong current one: 400",
      method: "POST",
      path: "/api/auth/change-password",
      as: "user",
      body: { currentPassword: "wrong", newPassword: NEW_PASSWORD },
      status: 400,
      details: ["currentPassword"],
    },
  ],
});

scenarios("auth with registration closed", {
  env: { REGISTRATION: "false" },
  rows: [{
    name: "register: 403",
    method: "POST",
    path: "/api/auth/register",
    body: { name: "New Person", email: "new@example.com", password: NEW_PASSWORD },
    status: 403,
  }],
});

Deno.test("auth: a disabled account gets the answer of a wrong password, and its tokens end", async () => {
  await using h = await harness();
  const suspended = await h.ask("PUT", `/api/users/${h.accounts.user.id}`, {
    as: "super",
    body: { status: "Suspended" },
  });
  assert.equal(suspended.data.status, "suspended");
  assert.equal((await h.ask("GET", "/api/users/me", { as: "user" })).status, 401);
  const reply = await logIn(h);
  assert.equal(reply.status, 401);
  assert.equal(reply.body.message, "E-mail or password is wrong");
});

Deno.test("auth: tokens are good for their own purpose and time only", async () => {
  await using h = await harness();
  const { data } = await logIn(h);
  assert.equal((await h.ask("GET", "/api/users/me", { token: data.refreshToken })).status, 401);
  const misused = await h.ask("POST", "/api/auth/refresh", {
    body: { refreshToken: data.accessToken },
  });
  assert.equal(misused.status, 401);
  const [header, , signature] = data.accessToken.split(".");
  const claims = JSON.parse(atob(data.accessToken.split(".")[1]));
  const forged = btoa(JSON.stringify({ ...claims, userId: h.accounts.super.id })).replaceAll(
    "=",
    "",
  );
  const none = btoa(JSON.stringify({ alg: "none", typ: "JWT" })).replaceAll("=", "");
  for (const token of [`${header}.${forged}.${signature}`, `${none}.${forged}.`, "x", "a.b.c"]) {
    assert.equal((await h.ask("GET", "/api/users/me", { token })).status, 401);
  }
  h.clock.advance(14 * 60_000);
  assert.equal((await h.ask("GET", "/api/users/me", { token: data.accessToken })).status, 200);
  h.clock.advance(60_000);
  const expired = await h.ask("GET", "/api/users/me", { token: data.accessToken });
  assert.equal(expired.status, 401);
  assert.equal(expired.body.error.code, "UNAUTHORIZED");
});

Deno.test("auth: with ?cookie=true a cookie holds the refresh token, and no body", async () => {
  await using h = await harness();
  const body = { email: "user@example.com", password: PASSWORD };
  const login = await h.ask("POST", "/api/auth/login?cookie=true", { body });
  assert.ok(login.data.accessToken);
  assert.doesNotMatch(login.text, /refreshToken/);
  const held = (reply: Reply) =>
    reply.headers.getSetCookie().find((cookie) => cookie.startsWith("quarterdeck.refresh="))!;
  assert.match(held(login), /; Max-Age=604800; Path=\/api\/auth; HttpOnly; SameSite=Strict$/);

  // No body, as `fetch(…, { method: "POST", credentials: "include" })` sends none.
  const refresh = (cookie: string, query = "?cookie=true") =>
    h.ask("POST", `/api/auth/refresh${query}`, { headers: { cookie: cookie.split(";")[0]! } });
  const next = await refresh(held(login));
  assert.equal(next.status, 200, next.text);
  assert.doesNotMatch(next.text, /refreshToken/);
  assert.notEqual(held(next), held(login));
  assert.equal((await refresh("")).status, 401);
  assert.equal((await refresh("quarterdeck.refresh=x")).status, 401);
  const without = await refresh(held(next), "");
  assert.equal(without.status, 400, "the cookie counts only where it is asked for");
  assert.deepEqual(without.body.error.details.map((d: { field: string }) => d.field), [
    "refreshToken",
  ]);

  const logout = await h.ask("POST", "/api/auth/logout", { token: next.data.accessToken });
  assert.match(held(logout), /^quarterdeck.refresh=; Max-Age=0; Path=\/api\/auth/);
  assert.equal((await refresh(held(next))).status, 401);
});

Deno.test("auth: refresh rotates, the parent is accepted for 10 s, reuse ends the session", async () => {
  await using h = await harness();
  const refresh = (refreshToken: string) =>
    h.ask("POST", "/api/auth/refresh", { body: { refreshToken } });
  const first = (await logIn(h)).data.refreshToken;
  const second = await refresh(first);
  assert.equal(second.status, 200);
  assert.equal(second.body.refreshToken, second.data.refreshToken);
  assert.notEqual(second.data.refreshToken, first);

  h.clock.advance(9_000);
  const again = await refresh(first);
  assert.equal(again.data.refreshToken, second.data.refreshToken, "the same successor");

  h.clock.advance(2_000);
  assert.equal((await refresh(first)).status, 401, "reuse after the grace");
  assert.equal((await refresh(second.data.refreshToken)).status, 401, "the session is ended");
  assert.equal(
    (await h.ask("GET", "/api/users/me", { token: second.data.accessToken })).status,
    401,
  );
});

Deno.test("auth: many refreshes at once with one token get one successor", async () => {
  await using h = await harness();
  const { refreshToken } = (await logIn(h)).data;
  const replies = await Promise.all(
    Array.from(
      { length: 10 },
      () => h.ask("POST", "/api/auth/refresh", { body: { refreshToken } }),
    ),
  );
  assert.deepEqual(new Set(replies.map((reply) => reply.status)), new Set([200]));
  assert.equal(new Set(replies.map((reply) => reply.data.refreshToken)).size, 1);
});

Deno.test("auth: a refresh token ends with its lifetime", async () => {
  await using h = await harness();
  const { refreshToken } = (await logIn(h)).data;
  h.clock.advance(7 * 86_400_000 + 1000);
  const reply = await h.ask("POST", "/api/auth/refresh", { body: { refreshToken } });
  assert.equal(reply.status, 401);
});

Deno.test("auth: logout ends the session at once, access token included", async () => {
  await using h = await harness();
  const { data } = await logIn(h);
  const reply = await h.ask("POST", "/api/auth/logout", { token: data.accessToken });
  assert.deepEqual([reply.status, reply.body.success], [200, true]);
  assert.equal((await h.ask("GET", "/api/users/me", { token: data.accessToken })).status, 401);
  const refreshed = await h.ask("POST", "/api/auth/refresh", {
    body: { refreshToken: data.refreshToken },
  });
  assert.equal(refreshed.status, 401);
});

Deno.test("auth: recovery by mail, once, within the hour", async () => {
  await using h = await harness();
  const known = await h.ask("POST", "/api/auth/forgot-password", {
    body: { email: "user@example.com" },
  });
  const unknown = await h.ask("POST", "/api/auth/forgot-password", {
    body: { email: "nobody@example.com" },
  });
  assert.equal(known.status, 200);
  assert.equal(known.text, unknown.text);
  assert.equal(h.mails.length, 1);
  assert.equal(h.mails[0]!.to, "user@example.com");
  const token = /token=([\w-]+)/.exec(h.mails[0]!.text)![1]!;
  assert.equal(
    JSON.stringify(await h.store.from(users).get(h.accounts.user.id)).includes(token),
    false,
  );

  const reset = (password = NEW_PASSWORD) =>
    h.ask("POST", "/api/auth/reset-password", {
      body: { token, password, confirmPassword: password },
    });
  assert.equal((await reset("12345")).status, 400, "a refused password does not use the link up");
  assert.equal((await reset()).status, 200);
  assert.equal((await h.ask("GET", "/api/users/me", { as: "user" })).status, 401, "sessions end");
  assert.equal((await logIn(h)).status, 401);
  assert.equal((await logIn(h, "user@example.com", NEW_PASSWORD)).status, 200);
  assert.equal((await reset("yet another password")).status, 400, "once");
});

/** Asks for links and opens them, by their number. */
function resets(h: Harness) {
  const body = { email: "user@example.com" };
  const tokenOf = (index: number) => /token=([\w-]+)/.exec(h.mails[index]!.text)![1];
  return {
    ask: (from?: string) => h.ask("POST", "/api/auth/forgot-password", { from, body }),
    open: (index: number) =>
      h.ask("POST", "/api/auth/reset-password", {
        body: { token: tokenOf(index), password: NEW_PASSWORD },
      }),
  };
}

Deno.test("auth: while the store is away nobody is told that a mail is on its way", async () => {
  await using h = await interposedHarness();
  h.store.ping = () => Promise.reject(killed());
  for (const email of ["user@example.com", "nobody@example.com"]) {
    const { status } = await h.ask("POST", "/api/auth/forgot-password", { body: { email } });
    assert.equal(status, 503);
  }
  assert.deepEqual(h.mails, []);
});

Deno.test("auth: a reset link ends after an hour", async () => {
  await using h = await harness();
  const { ask, open } = resets(h);
  await ask();
  h.clock.advance(3_600_000 - 1);
  await ask();
  h.clock.advance(1);
  assert.equal((await open(0)).status, 400);
  assert.equal((await open(1)).status, 200);
});

Deno.test("auth: what strangers ask for leaves earlier links good, and a used one ends all", async () => {
  await using h = await harness();
  const { ask, open } = resets(h);
  await ask();
  for (const stranger of ["192.0.2.1", "192.0.2.2"]) await ask(stranger);
  assert.equal(h.mails.length, 3);
  assert.equal((await open(0)).status, 200);
  for (const index of [0, 1, 2]) assert.equal((await open(index)).status, 400);
  assert.equal(await h.store.from(passwordResets).count(), 0);
});

Deno.test("auth: a user has twenty reset links at a time, and an hour later as many again", async () => {
  await using h = await harness({ env: { RATE_LIMIT: "false" } });
  const { ask, open } = resets(h);
  for (let i = 0; i < 25; i++) assert.equal((await ask()).status, 200, "the answer is the same");
  assert.equal(h.mails.length, 20);
  assert.equal(await h.store.from(passwordResets).count(), 20);
  h.clock.advance(3_600_000);
  await ask();
  assert.equal(h.mails.length, 21);
  assert.equal((await open(20)).status, 200);
});

Deno.test("auth: change-password keeps this session and ends the others", async () => {
  await using h = await harness();
  const { data } = await logIn(h);
  const changed = await h.ask("POST", "/api/auth/change-password", {
    token: data.accessToken,
    body: { currentPassword: PASSWORD, newPassword: NEW_PASSWORD },
  });
  assert.equal(changed.status, 200);
  assert.equal((await h.ask("GET", "/api/users/me", { token: data.accessToken })).status, 200);
  assert.equal((await h.ask("GET", "/api/users/me", { as: "user" })).status, 401);
  assert.equal((await logIn(h, "user@example.com", NEW_PASSWORD)).status, 200);
});

Deno.test("auth: failed logins are limited by account, and successes do not count", async () => {
  await using h = await harness();
  for (let i = 0; i < 12; i++) assert.equal((await logIn(h)).status, 200);
  for (let i = 0; i < 10; i++) {
    assert.equal((await logIn(h, "user@example.com", "wrong")).status, 401);
  }
  const limited = await logIn(h);
  assert.equal(limited.status, 429);
  assert.equal(limited.body.error.code, "RATE_LIMITED");
  assert.ok(Number(limited.headers.get("retry-after")) > 0);
  assert.equal((await logIn(h, "other@example.com")).status, 200, "another account goes on");
  h.clock.advance(15 * 60_000);
  assert.equal((await logIn(h)).status, 200);
});

Deno.test("auth: guesses at the same time all count", async () => {
  await using h = await harness();
  const replies = await Promise.all(
    Array.from({ length: 15 }, () => logIn(h, "user@example.com", "wrong")),
  );
  assert.equal(replies.filter((reply) => reply.status === 401).length, 10);
  assert.equal(replies.filter((reply) => reply.status === 429).length, 5);
});

Deno.test("auth: two registrations of one address at once: one wins", async () => {
  await using h = await harness();
  const body = { name: "Same Person", email: "same@example.com", password: NEW_PASSWORD };
  const replies = await Promise.all(
    [1, 2, 3].map(() => h.ask("POST", "/api/auth/register", { body })),
  );
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [201, 409, 409]);
  assert.equal(await h.store.from(users).count(), 6);
});

Deno.test("sessions: seen, ended, and never another user's", async () => {
  await using h = await harness();
  const { data } = await logIn(h);
  const list = await h.ask("GET", "/api/auth/sessions", { token: data.accessToken });
  assert.equal(list.body.pagination.total, 2);
  assert.equal(list.data.filter((session: { current: boolean }) => session.current).length, 1);
  assert.equal(list.text.includes("refreshJti"), false);

  const foreign = await h.store.from(sessions).list({ where: { userId: h.accounts.admin.id } });
  const id = foreign.rows[0]!.id;
  assert.equal((await h.ask("DELETE", `/api/auth/sessions/${id}`, { as: "user" })).status, 404);
  assert.equal((await h.ask("GET", "/api/users/me", { as: "admin" })).status, 200);

  const older = list.data.find((session: { current: boolean }) => !session.current).id;
  const ended = await h.ask("DELETE", `/api/auth/sessions/${older}`, { token: data.accessToken });
  assert.deepEqual(ended.data, { id: older });
  assert.equal((await h.ask("GET", "/api/users/me", { as: "user" })).status, 401);
});

scenarios("sessions of a user", {
  arrange: async (h) => {
    const { rows } = await h.store.from(sessions).list({ where: { userId: h.accounts.user.id } });
    return { user: h.accounts.user.id, admin: h.accounts.super.id, session: rows[0]!.id };
  },
  rows: [
    {
      name: "an admin sees them",
      method: "GET",
      path: (s) => `/api/users/${s.user}/sessions`,
      as: "admin",
      status: 200,
      holds: { pagination: { total: 1 } },
    },
    {
      name: "of an unknown user: 404",
      method: "GET",
      path: "/api/users/unknown/sessions",
      as: "admin",
      status: 404,
    },
    {
      name: "a user does not",
      method: "GET",
      path: (s) => `/api/users/${s.admin}/sessions`,
      as: "user",
      status: 403,
    },
    {
      name: "an admin ends one",
      method: "DELETE",
      path: (s) => `/api/users/${s.user}/sessions/${s.session}`,
      as: "admin",
      status: 200,
      async after(h) {
        assert.equal((await h.ask("GET", "/api/users/me", { as: "user" })).status, 401);
      },
    },
    {
      name: "under another user's id: 404",
      method: "DELETE",
      path: (s) => `/api/users/${s.admin}/sessions/${s.session}`,
      as: "super",
      status: 404,
    },
  ],
});

Deno.test("auth: the token is read behind the scheme, however it is written (RFC 9110)", async () => {
  await using h = await harness();
  const ask = (authorization: string) =>
    h.ask("GET", "/api/users/me", { headers: { authorization } });
  const token = h.tokens.user;
  for (const start of ["Bearer ", "bearer ", "BEARER   ", "Bearer  "]) {
    assert.equal((await ask(`${start}${token}`)).status, 200, `'${start}'`);
  }
  for (const wrong of [token, `Bearer${token}`, `Basic ${token}`, "Bearer", `Bearer ${token} x`]) {
    assert.equal((await ask(wrong)).status, 401, wrong.replace(token, "token"));
  }
});

// One's own e-mail and password: what they take to change, who is told, and what is not given away.
import assert from "node:assert/strict";
import { users } from "../../../models/users.ts";
import { rateLimits } from "../../../services/accounts/limits.ts";
import { type Harness, harness, PASSWORD } from "../../harness.ts";
import { interposedHarness } from "../../interposed.ts";
import { assertHolds, scenarios } from "../../scenario.ts";

const NEW = "new@example.com";

const put = (h: Harness, body: unknown, token = h.tokens.user) =>
  h.ask("PUT", "/api/users/me", { token, body });
const confirm = (h: Harness, token: string, password = PASSWORD) =>
  h.ask("POST", "/api/auth/confirm-email", { body: { token, password } });
const emailOf = async (h: Harness) => (await h.store.from(users).get(h.accounts.user.id))!.email;

scenarios("profile: an e-mail is not changed", {
  arrange: (h) => ({ admin: h.accounts.admin.id }),
  rows: [
    {
      name: "without the current password",
      method: "PUT",
      path: "/api/users/me",
      as: "user",
      body: { email: NEW },
      status: 400,
      details: ["currentPassword"],
      after: (h) => assert.deepEqual(h.mails, []),
    },
    {
      name: "with a wrong one",
      method: "PATCH",
      path: "/api/users/me",
      as: "user",
      body: { email: NEW, currentPassword: "wrong" },
      status: 400,
      details: ["currentPassword"],
      after: (h) => assert.deepEqual(h.mails, []),
    },
    {
      name: "by one's own id",
      method: "PUT",
      path: (s) => `/api/users/${s.admin}`,
      as: "admin",
      body: { email: NEW },
      status: 400,
      holds: {
        message: "Cannot change your own e-mail here: PUT /users/me takes the current password too",
      },
      details: ["email"],
    },
    {
      name: "and the same one needs no password",
      method: "PUT",
      path: "/api/users/me",
      as: "user",
      body: { email: "USER@example.com", name: "Renamed" },
      status: 200,
      holds: { data: { name: "Renamed", email: "user@example.com" } },
      after: (h) => assert.deepEqual(h.mails, []),
    },
    {
      name: "saving what was shown of oneself by one's own id is fine",
      method: "PUT",
      path: (s) => `/api/users/${s.admin}`,
      as: "admin",
      body: { email: "admin@example.com", position: "Captain" },
      status: 200,
    },
    {
      name: "nor is one's own password by one's own id",
      method: "PUT",
      path: (s) => `/api/users/${s.admin}`,
      as: "admin",
      body: { password: "taken over by a thief" },
      status: 400,
      details: ["password"],
      async after(h, reply) {
        assert.match(reply.body.message, /change-password/);
        const body = { email: "admin@example.com", password: PASSWORD };
        assert.equal((await h.ask("POST", "/api/auth/login", { body })).status, 200);
        assert.equal((await h.ask("GET", "/api/users/me", { as: "admin" })).status, 200);
      },
    },
  ],
});

Deno.test("profile: a new e-mail counts once it is confirmed there, and the address before is told", async () => {
  await using h = await harness();
  const asked = await put(h, { email: NEW, currentPassword: PASSWORD, bio: "x" });
  assertHolds(asked.body, { data: { email: "user@example.com", bio: "x" } });
  assert.deepEqual(h.mails.map(({ to, subject }) => [to, subject]), [
    ["user@example.com", "Your e-mail address is to be changed"],
    [NEW, "Confirm your new e-mail address"],
  ]);
  const token = h.mailedToken(NEW);
  const wrong = await confirm(h, token, "wrong");
  assertHolds(wrong.body, { error: { details: [{ field: "password" }] } });
  assert.equal(await emailOf(h), "user@example.com", "the link alone does not do");
  assert.equal((await confirm(h, token)).status, 200);
  assert.equal(await emailOf(h), NEW);
  assert.deepEqual([h.mails[2]!.to, h.mails[2]!.subject], [
    "user@example.com",
    "Your e-mail address was changed",
  ]);
  assert.match(h.mails[2]!.text, /^> new@example\.com$/m);
  assert.equal((await confirm(h, token)).status, 400, "once");
  const login = (email: string) =>
    h.ask("POST", "/api/auth/login", { body: { email, password: PASSWORD } });
  assert.equal((await login(NEW)).status, 200);
  assert.equal((await login("user@example.com")).status, 401);
});

Deno.test("profile: the answer does not tell whether an address has an account; its owner is told", async () => {
  await using h = await harness();
  const ask = (email: string) => put(h, { email, currentPassword: PASSWORD });
  const free = await ask("nobody@example.com");
  const taken = await ask("admin@example.com");
  assert.deepEqual([free.status, taken.status], [200, 200]);
  const shape = (text: string) =>
    text.replaceAll("nobody@example.com", "…").replaceAll("admin@example.com", "…")
      .replace(/"updatedAt":"[^"]+"/g, "");
  assert.equal(shape(taken.text), shape(free.text));
  assert.deepEqual(h.mails.map(({ to }) => to), [
    "user@example.com",
    "nobody@example.com",
    "user@example.com",
    "admin@example.com",
  ]);
  assert.doesNotMatch(h.mails[3]!.text, /token=/);
  assert.equal(await emailOf(h), "user@example.com");
});

Deno.test("profile: five addresses an hour, and wrong passwords count as at the log-in", async () => {
  await using h = await harness();
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) {
    statuses.push((await put(h, { email: `n${i}@example.com`, currentPassword: PASSWORD })).status);
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
  assert.equal(h.mails.length, 10);
  const guesses: number[] = [];
  for (let i = 0; i < 25; i++) {
    const body = { email: NEW, currentPassword: `guess ${i}` };
    guesses.push((await put(h, body, h.tokens.other)).status);
  }
  // As many as a device that is known, and then a stranger, may fail at the log-in.
  assert.deepEqual(guesses, [...Array(20).fill(400), ...Array(5).fill(429)]);
});

Deno.test("profile: a pending change ends with a new password, another change, a day, and an address taken meanwhile", async () => {
  await using h = await harness();
  const ask = async (email: string) => {
    assert.equal((await put(h, { email, currentPassword: PASSWORD })).status, 200);
    return h.mailedToken(email);
  };
  const [first, second] = [await ask("first@example.com"), await ask("second@example.com")];
  assert.equal((await confirm(h, first)).status, 400, "the newest alone");
  h.clock.advance(24 * 3_600_000 + 1);
  assert.equal((await confirm(h, second)).status, 400, "a day");

  const login = { email: "user@example.com", password: PASSWORD };
  const { data } = await h.ask("POST", "/api/auth/login", { body: login });
  const again = { email: "third@example.com", currentPassword: PASSWORD };
  assert.equal((await put(h, again, data.accessToken)).status, 200);
  const taken = h.mailedToken("third@example.com");
  const changed = await h.ask("POST", "/api/auth/change-password", {
    token: data.accessToken,
    body: { currentPassword: PASSWORD, newPassword: "another fine password" },
  });
  assert.equal(changed.status, 200);
  assert.equal((await confirm(h, taken, "another fine password")).status, 400, "a new password");

  const renewed = { email: "fourth@example.com", currentPassword: "another fine password" };
  assert.equal((await put(h, renewed, data.accessToken)).status, 200);
  const late = h.mailedToken("fourth@example.com");
  const { status } = await h.ask("POST", "/api/auth/register", {
    body: { name: "Faster", email: "fourth@example.com", password: "a quiet harbour" },
  });
  assert.equal(status, 201);
  assert.equal((await confirm(h, late, "another fine password")).status, 409);
  assert.equal(await emailOf(h), "user@example.com");
});

Deno.test("profile: links of one kind do not do for another", async () => {
  await using h = await harness();
  await put(h, { email: NEW, currentPassword: PASSWORD });
  const change = h.mailedToken(NEW);
  for (
    const [path, body] of [
      ["verify-email", { token: change, newPassword: "taken over by a thief" }],
      ["verify-email", { token: change, password: PASSWORD }],
      ["reset-password", { token: change, password: "taken over by a thief" }],
    ] as const
  ) {
    assert.equal((await h.ask("POST", `/api/auth/${path}`, { body })).status, 400, path);
  }
  const body = { name: "New Person", email: "fresh@example.com", password: "a quiet harbour" };
  await h.ask("POST", "/api/auth/register", { body });
  const reply = await confirm(h, h.mailedToken("fresh@example.com"), "a quiet harbour");
  assert.equal(reply.status, 400);
});

Deno.test("profile: with verification off the address changes at once, with the password, and the one before is told", async () => {
  await using h = await harness({ env: { EMAIL_VERIFICATION: "off" } });
  assert.equal((await put(h, { email: NEW })).status, 400);
  const reply = await put(h, { email: NEW, currentPassword: PASSWORD });
  assertHolds(reply.body, { data: { email: NEW } });
  assert.deepEqual(h.mails.map(({ to, subject }) => [to, subject]), [
    ["user@example.com", "Your e-mail address was changed"],
  ]);
  const taken = await put(h, { email: "admin@example.com", currentPassword: PASSWORD });
  assert.equal(taken.status, 409);
  for (let i = 0; i < 3; i++) {
    await put(h, { email: "admin@example.com", currentPassword: PASSWORD });
  }
  const limited = await put(h, { email: "admin@example.com", currentPassword: PASSWORD });
  assert.equal(limited.status, 429);
});

Deno.test("profile: user names that others have can be tried twenty times an hour, one by one or together", async () => {
  await using h = await harness({ env: { JWT_ACCESS_EXPIRES: "1d" } });
  const { perAccount, window } = rateLimits.takenName;
  const username = (n: number) => `taken.${n}`;
  await h.store.transact({ userId: null }, async (tx) => {
    tx.update(users, (await tx.from(users).get(h.accounts.admin.id))!, { username: username(1) });
  });
  const statuses = await Promise.all(
    Array.from(
      { length: perAccount + 5 },
      async () => (await put(h, { username: username(1) })).status,
    ),
  );
  assert.equal(statuses.filter((status) => status === 409).length, perAccount);
  assert.equal(statuses.filter((status) => status === 429).length, 5);
  const limited = await put(h, { username: username(2) });
  assert.equal(limited.status, 429, "a free one tells as much");
  assert.equal(limited.headers.get("retry-after"), String(window));
  assert.equal((await put(h, { position: "Mate" })).status, 200, "the rest can be saved");
  const other = { as: "other" as const, body: { username: username(2) } };
  assert.equal((await h.ask("PUT", "/api/users/me", other)).status, 200);
  assert.equal((await put(h, { username: username(2) })).status, 429);
  h.clock.advance(window * 1000);
  assert.equal((await put(h, { username: username(2) })).status, 409);
  assert.equal((await put(h, { username: username(3) })).status, 200);
});

Deno.test("profile: an administrator's change of an address is told to the address before", async () => {
  await using h = await harness();
  const path = `/api/users/${h.accounts.user.id}`;
  assert.equal((await h.ask("PUT", path, { as: "admin", body: { email: NEW } })).status, 200);
  assert.deepEqual(h.mails.map(({ to, subject }) => [to, subject]), [
    ["user@example.com", "Your e-mail address was changed"],
  ]);
});

Deno.test("profile: saving what was shown of oneself does not undo a change of the address that came in between", async () => {
  await using h = await interposedHarness();
  const { store } = h;
  const { id, email } = h.accounts.admin;
  store.beforeCommit = async () => {
    store.beforeCommit = null;
    await store.transact({ userId: null }, async (tx) => {
      tx.update(users, (await tx.from(users).get(id))!, { email: NEW });
    });
  };
  const body = { email, position: "Captain" };
  const reply = await h.ask("PUT", `/api/users/${id}`, { as: "admin", body });
  assert.equal(reply.status, 400);
  assert.equal((await store.from(users).get(id))!.email, NEW);
});

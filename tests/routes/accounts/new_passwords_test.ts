// Wherever a password is set, one answer names all that is wrong, what the schema finds and what it cannot, and its owner is
// told by mail.
import assert from "node:assert/strict";
import { users } from "../../../models/users.ts";
import { harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";

const COMMON = "password1";
const GOOD = "a quiet harbour";

const register = { method: "POST", path: "/api/auth/register", status: 400 };

scenarios("new passwords", {
  arrange: (h) => h.accounts.user.id,
  rows: [
    {
      ...register,
      name: "register names all that is wrong at once",
      body: { name: "x", email: "x", password: COMMON, confirmPassword: GOOD },
      details: ["name", "email", "password", "confirmPassword"],
    },
    {
      ...register,
      name: "register names a short password once",
      body: { name: "x", email: "new@example.com", password: "12345", confirmPassword: "12345" },
      details: ["name", "password"],
    },
    { ...register, name: "register with a number as the body", body: 7, details: ["body"] },
    {
      ...register,
      name: "register with a password that is no text",
      body: { name: "New", email: "new@example.com", password: 123456, confirmPassword: [1] },
      details: ["password", "confirmPassword"],
    },
    {
      name: "reset-password",
      method: "POST",
      path: "/api/auth/reset-password",
      body: { password: COMMON, confirmPassword: GOOD },
      status: 400,
      details: ["token", "password", "confirmPassword"],
    },
    {
      name: "change-password",
      method: "POST",
      path: "/api/auth/change-password",
      as: "user",
      body: { newPassword: COMMON, confirmPassword: GOOD },
      status: 400,
      details: ["currentPassword", "newPassword", "confirmPassword"],
    },
    {
      name: "a user that an administrator creates",
      method: "POST",
      path: "/api/users",
      as: "super",
      body: { name: "x", email: "x", password: COMMON, confirmPassword: GOOD },
      status: 400,
      details: ["name", "email", "password", "confirmPassword"],
    },
    {
      name: "a user that an administrator changes",
      method: "PUT",
      path: (id: string) => `/api/users/${id}`,
      as: "super",
      body: { email: "x", password: COMMON },
      status: 400,
      details: ["email", "password"],
    },
    {
      name: "no password is none that is wrong",
      method: "PUT",
      path: (id: string) => `/api/users/${id}`,
      as: "super",
      body: { bio: "x", confirmPassword: "" },
      status: 200,
    },
  ],
});

scenarios("new passwords in web", {
  variant: "web",
  rows: [{
    ...register,
    name: "register names the missing confirmation with the rest",
    body: { name: "x", email: "x", password: COMMON },
    holds: { success: false },
    details: ["name", "email", "password", "confirmPassword"],
  }],
});

Deno.test("new passwords: their owner is told of each by mail, and nobody at an address that is not proven", async () => {
  await using h = await harness();
  const { id, email } = h.accounts.user;
  const told = () =>
    h.mails.splice(0).filter(({ subject }) => subject === "Your password was changed")
      .map(({ to, text }) => [to, /(session|link|administrator set)/.exec(text)?.[0]]);
  const set = async () => {
    const path = `/api/users/${id}`;
    const { status } = await h.ask("PUT", path, { as: "super", body: { password: `${GOOD}!` } });
    assert.equal(status, 200);
  };
  const reset = async (password: string) => {
    await h.ask("POST", "/api/auth/forgot-password", { body: { email } });
    const body = { token: h.mailedToken(email), password, confirmPassword: password };
    assert.equal((await h.ask("POST", "/api/auth/reset-password", { body })).status, 200);
  };
  const change = await h.ask("POST", "/api/auth/change-password", {
    as: "user",
    body: { currentPassword: "correct horse battery", newPassword: GOOD },
  });
  assert.equal(change.status, 200);
  assert.deepEqual(told(), [[email, "session"]]);
  await set();
  assert.deepEqual(told(), [[email, "administrator set"]]);
  await reset(`${GOOD}!!`);
  assert.deepEqual(told(), [[email, "link"]]);
  // However many are set.
  await set();
  assert.deepEqual(told(), []);
  h.app.services.limiter.clear("passwordMail", id);

  type Changes = { passwordHash?: undefined; lastLoginAt?: string; unverifiedSince?: string };
  const write = (changes: Changes) =>
    h.store.transact({ userId: null }, async (tx) => {
      tx.update(users, (await tx.from(users).get(id))!, changes);
    });
  // Who signed in by a provider alone has another way in now; who never signed in comes by an invitation.
  await write({ passwordHash: undefined, lastLoginAt: h.clock.now().toISOString() });
  await reset(GOOD);
  assert.deepEqual(told(), [[email, "link"]]);
  await write({ passwordHash: undefined, lastLoginAt: undefined });
  await reset(GOOD);
  await write({ unverifiedSince: h.clock.now().toISOString() });
  await set();
  assert.deepEqual(told(), []);
});

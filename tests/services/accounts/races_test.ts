// What happens while a password is being checked: a change of the account in between has the last word.
import assert from "node:assert/strict";
import { passwordResets, sessions } from "../../../models/sessions.ts";
import { type User, users } from "../../../models/users.ts";
import {
  planPasswordChange,
  planPasswordReset,
  verifyCredentials,
} from "../../../services/accounts/accounts.ts";
import { signIn } from "../../../services/accounts/sessions.ts";
import { openOnEngine } from "../../engine.ts";
import { type Harness, harness, hashAtFullCost, PASSWORD } from "../../harness.ts";

hashAtFullCost();

async function change(h: Harness, fields: Partial<User>): Promise<void> {
  await h.store.transact({ userId: null }, async (tx) => {
    tx.update(users, (await tx.from(users).get(h.accounts.user.id))!, fields);
  });
}

for (
  const [what, fields] of [["disabled", { status: "suspended" }], ["given another password", {
    passwordHash: "other",
  }]] as const
) {
  Deno.test(`races: an account ${what} while its password is checked gets no session`, async () => {
    await using h = await harness();
    const user = await verifyCredentials(h.store, "user@example.com", PASSWORD);
    await change(h, fields);
    const userId = h.accounts.user.id;
    const before = await h.store.from(sessions).count({ userId });
    const { tokens } = h.app.services;
    await assert.rejects(signIn(h.store, tokens, user!, {}), { code: "UNAUTHORIZED" });
    assert.equal(await h.store.from(sessions).count({ userId }), before);
  });
}

Deno.test("races: two sign-ins that renew the hash at once both succeed", async () => {
  await using h = await harness();
  await change(h, { passwordHash: await weakHash(PASSWORD) });
  const logIn = () =>
    h.ask("POST", "/api/auth/login", { body: { email: "user@example.com", password: PASSWORD } });
  const replies = await Promise.all([logIn(), logIn(), logIn()]);
  assert.deepEqual(replies.map(({ status }) => status), [200, 200, 200]);
  assert.match((await h.store.from(users).get(h.accounts.user.id))!.passwordHash!, /t=2/);
});

/** A PHC string with less work than new ones take. */
async function weakHash(password: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const key = await crypto.subtle.importKey(
    "raw-secret",
    new TextEncoder().encode(password),
    "Argon2id",
    false,
    ["deriveBits"],
  );
  const algorithm = {
    name: "Argon2id",
    nonce: salt,
    version: 0x13,
    memory: 64,
    passes: 1,
    parallelism: 1,
  };
  const hash = new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, 256));
  const text = (bytes: Uint8Array) => bytes.toBase64({ omitPadding: true });
  return `$argon2id$v=19$m=64,t=1,p=1$${text(salt)}$${text(hash)}`;
}

Deno.test("races: a reset while one changes the password stands", async () => {
  await using h = await harness();
  // Signed in as known, so that the password is being checked when the reset comes.
  await h.ask("GET", "/api/users/me", { as: "user" });
  const body = { currentPassword: PASSWORD, newPassword: "an attacker's choice" };
  const changing = h.ask("POST", "/api/auth/change-password", { as: "user", body });
  const passwordHash = "as reset";
  await h.store.transact({ userId: null }, async (tx) => {
    await planPasswordChange(tx, (await tx.from(users).get(h.accounts.user.id))!, passwordHash);
  });
  // The reset has ended the session, and that is looked at first.
  assert.equal((await changing).status, 401);
  assert.equal((await h.store.from(users).get(h.accounts.user.id))!.passwordHash, passwordHash);
});

Deno.test("races: a link that was mailed to the address before is no good any more", async () => {
  await using h = await harness();
  await h.store.transact({ userId: null }, (tx) => planPasswordReset(tx, h.accounts.user));
  const put = (body: unknown) =>
    h.ask("PUT", `/api/users/${h.accounts.user.id}`, { as: "admin", body });
  await put({ bio: "the same address" });
  assert.equal(await h.store.from(passwordResets).count(), 1);
  await put({ email: "new@example.com" });
  assert.equal(await h.store.from(passwordResets).count(), 0);
});

Deno.test("races: a reset is mailed to the address that the account has when the link is made", async () => {
  // The address changes after the request has looked the account up, and before the link is committed.
  let before = (): Promise<void> => Promise.resolve();
  const open = async (clock: () => Date) => {
    const store = await openOnEngine(clock);
    const { transact } = store;
    store.transact = async (actor, plan) => {
      const run = before;
      before = () => Promise.resolve();
      await run();
      return await transact.call(store, actor, plan) as never;
    };
    return store;
  };
  await using h = await harness({ open });
  before = () => change(h, { email: "moved@example.com" });
  const body = { email: "user@example.com" };
  assert.equal((await h.ask("POST", "/api/auth/forgot-password", { body })).status, 200);
  assert.equal((await h.store.from(users).get(h.accounts.user.id))!.email, "moved@example.com");
  assert.deepEqual(h.mails, [], "no link to an address that is not the account's any more");
  assert.equal(await h.store.from(passwordResets).count(), 0);
});

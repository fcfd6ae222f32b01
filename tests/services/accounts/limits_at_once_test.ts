// Limits hold for requests that come at once: each counts before it waits for anything.
import assert from "node:assert/strict";
import { users } from "../../../models/users.ts";
import { rateLimits } from "../../../services/accounts/limits.ts";
import { harness, hashAtFullCost, PASSWORD, type Reply } from "../../harness.ts";

hashAtFullCost();

const MANY = 12;

/** Counts the passwords that are hashed while `work` runs. */
async function hashedDuring(work: () => Promise<unknown>): Promise<number> {
  const { deriveBits } = crypto.subtle;
  let count = 0;
  crypto.subtle.deriveBits = function (...given) {
    count++;
    return Reflect.apply(deriveBits, this, given);
  };
  try {
    await work();
  } finally {
    crypto.subtle.deriveBits = deriveBits;
  }
  return count;
}

const NEW_PASSWORD = "a quiet harbour";
const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort();

Deno.test("limits at once: one link sets one password, and no other is hashed for it", async () => {
  await using h = await harness();
  await h.ask("POST", "/api/auth/forgot-password", { body: { email: "user@example.com" } });
  const token = h.mailedToken("user@example.com");
  const body = { name: "New Person", email: "new@example.com", password: PASSWORD };
  await h.ask("POST", "/api/auth/register", { body });
  const links = [
    ["192.0.2.1", "/api/auth/reset-password", { token, password: NEW_PASSWORD }],
    ["192.0.2.2", "/api/auth/verify-email", {
      token: h.mailedToken(body.email),
      newPassword: NEW_PASSWORD,
    }],
  ] as const;
  for (const [from, path, body] of links) {
    let replies: Reply[] = [];
    const hashed = await hashedDuring(async () => {
      replies = await Promise.all(
        Array.from({ length: MANY }, () => h.ask("POST", path, { from, body })),
      );
    });
    assert.deepEqual(statusesOf(replies), [200, ...Array(MANY - 1).fill(400)], path);
    assert.equal(hashed, 1, path);
  }
});

Deno.test("limits at once: a link that has expired hashes nothing, and counts as a guess", async () => {
  await using h = await harness();
  await h.ask("POST", "/api/auth/forgot-password", { body: { email: "user@example.com" } });
  const token = h.mailedToken("user@example.com");
  h.clock.advance(3_600_000);
  const { perNetwork } = rateLimits.resetPassword;
  const statuses: number[] = [];
  const hashed = await hashedDuring(async () => {
    for (let i = 0; i <= perNetwork; i++) {
      const body = { token, password: NEW_PASSWORD };
      statuses.push((await h.ask("POST", "/api/auth/reset-password", { body })).status);
    }
  });
  assert.deepEqual(statuses, [...Array(perNetwork).fill(400), 429]);
  assert.equal(hashed, 0);
});

Deno.test("limits at once: changes of one's password, in one session", async () => {
  await using h = await harness();
  const { perAccount } = rateLimits.newPassword;
  const { limiter } = h.app.services;
  const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  const { sid } = JSON.parse(atob(h.tokens.user.split(".")[1]!));
  for (let i = 0; i < perAccount - 1; i++) limiter.hit("newPassword", { account: sid });
  const both = await Promise.all(
    [1, 2].map(() => h.ask("POST", "/api/auth/change-password", { as: "user", body })),
  );
  assert.deepEqual(statusesOf(both), [200, 429]);
  assert.equal(
    (await h.ask("POST", "/api/auth/change-password", { as: "other", body })).status,
    200,
  );
});

Deno.test("limits at once: links that set a password, asked for from many networks", async () => {
  await using h = await harness();
  const body = { email: "user@example.com" };
  const replies = await Promise.all(
    Array.from(
      { length: MANY },
      (_, i) => h.ask("POST", "/api/auth/forgot-password", { from: `192.0.2.${i}`, body }),
    ),
  );
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  assert.equal(h.mails.length, rateLimits.resetMail.perAccount);
});

Deno.test("limits at once: links that prove an address", async () => {
  await using h = await harness();
  await h.store.transact({ userId: null }, async (tx) => {
    const user = await tx.from(users).get(h.accounts.user.id);
    tx.update(users, user!, { unverifiedSince: tx.now });
  });
  const replies = await Promise.all(
    Array.from(
      { length: MANY },
      () => h.ask("POST", "/api/auth/resend-verification", { as: "user" }),
    ),
  );
  const limited = replies.filter(({ status }) => status === 429).length;
  assert.equal(limited, MANY - rateLimits.addressMail.perAccount);
  assert.ok(h.mails.length <= rateLimits.addressMail.perAccount, `${h.mails.length} mails`);
});

Deno.test("limits at once: changes of one's address", async () => {
  await using h = await harness();
  const replies = await Promise.all(
    Array.from({ length: MANY }, (_, i) =>
      h.ask("PUT", "/api/users/me", {
        as: "user",
        body: { email: `new${i}@example.com`, currentPassword: PASSWORD },
      })),
  );
  const limited = replies.filter(({ status }) => status === 429).length;
  assert.equal(limited, MANY - rateLimits.addressMail.perAccount);
  const strangers = h.mails.filter(({ to }) => to.startsWith("new"));
  assert.ok(strangers.length <= rateLimits.addressMail.perAccount, `${strangers.length} mails`);
});

Deno.test("limits at once: exchanges of refresh tokens, in one session", async () => {
  await using h = await harness();
  const logIn = async () => {
    const body = { email: "user@example.com", password: PASSWORD };
    return (await h.ask("POST", "/api/auth/login", { body })).data.refreshToken as string;
  };
  const refresh = (refreshToken: string) =>
    h.ask("POST", "/api/auth/refresh", { body: { refreshToken } });
  const other = await logIn();
  let token = await logIn();
  for (let i = 0; i < rateLimits.rotation.perAccount; i++) {
    const reply = await refresh(token);
    assert.equal(reply.status, 200);
    token = reply.data.refreshToken;
  }
  const limited = await refresh(token);
  assert.equal(limited.status, 429);
  assert.equal(limited.headers.get("retry-after"), String(rateLimits.rotation.window));
  assert.equal((await refresh(other)).status, 200, "another session goes on");
  h.clock.advance(rateLimits.rotation.window * 1000);
  assert.equal((await refresh(token)).status, 200);
});

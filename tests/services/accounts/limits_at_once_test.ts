// Limits hold for requests that come at once: each counts before it waits for anything.
import assert from "node:assert/strict";
import { users } from "../../../models/users.ts";
import { rateLimits } from "../../../services/accounts/limits.ts";
import { harness, PASSWORD } from "../../harness.ts";

const MANY = 12;

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

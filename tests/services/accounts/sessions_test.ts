// How many sessions a user has, how fast they are made, and how long an old refresh token goes on.
import assert from "node:assert/strict";
import { sessions } from "../../../models/sessions.ts";
import { rateLimits } from "../../../services/accounts/limits.ts";
import { MAX_SESSIONS, rotate, signIn } from "../../../services/accounts/sessions.ts";
import { type Harness, harness, PASSWORD } from "../../harness.ts";

function sessionsOf(h: Harness, userId: string): Promise<number> | number {
  return h.store.from(sessions).count({ userId });
}

function logIn(h: Harness, from: string, email = "user@example.com") {
  return h.ask("POST", "/api/auth/login", { from, body: { email, password: PASSWORD } });
}

Deno.test("sessions: a user has fifty; the one that was not used for longest ends", async () => {
  await using h = await harness();
  const { tokens } = h.app.services;
  const { user, other } = h.accounts;
  const open = () => {
    h.clock.advance(1000);
    return signIn(h.store, tokens, user, {});
  };
  const first = await open();
  const second = await open();
  for (let n = 3; n < MAX_SESSIONS; n++) await open();
  assert.equal(await sessionsOf(h, user.id), MAX_SESSIONS, "with the one of the harness");
  h.clock.advance(1000);
  await rotate(h.app.services, first.refreshToken, {});
  await open();
  await open();
  assert.equal(await sessionsOf(h, user.id), MAX_SESSIONS);
  assert.equal(await sessionsOf(h, other.id), 1, "others keep theirs");
  const status = async (token: string) => (await h.ask("GET", "/api/users/me", { token })).status;
  assert.equal(await status(h.tokens.user), 401);
  assert.equal(await status(second.accessToken), 401);
  assert.equal(await status(first.accessToken), 200, "it was used since");
});

Deno.test("sessions: sign-ins at once leave no more", async () => {
  await using h = await harness();
  const { user } = h.accounts;
  const { tokens } = h.app.services;
  for (let n = 1; n < MAX_SESSIONS - 1; n++) await signIn(h.store, tokens, user, {});
  await Promise.all(Array.from({ length: 8 }, () => signIn(h.store, tokens, user, {})));
  assert.equal(await sessionsOf(h, user.id), MAX_SESSIONS);
});

Deno.test("sessions: right passwords make so many a minute, for each network", async () => {
  await using h = await harness();
  const { limiter } = h.app.services;
  const email = "user@example.com";
  for (let n = 1; n < rateLimits.signIn.perPair; n++) {
    limiter.hit("signIn", { address: "192.0.2.1", account: email });
  }
  const replies = await Promise.all([1, 2, 3].map(() => logIn(h, "192.0.2.1")));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 429, 429]);
  const limited = replies.find(({ status }) => status === 429)!;
  assert.equal(limited.headers.get("retry-after"), "60");
  assert.equal((await logIn(h, "192.0.2.2")).status, 200, "nobody else is stopped");
  assert.equal((await logIn(h, "192.0.2.1", "other@example.com")).status, 200);
  h.clock.advance(60_000);
  assert.equal((await logIn(h, "192.0.2.1")).status, 200);
});

for (const [step, good] of [[-1_800_000, false], [-10_001, false], [-5000, true]] as const) {
  Deno.test(`sessions: ${-step / 1000} s after a clock that stepped back, an old refresh token is ${good ? "" : "no "}good`, async () => {
    await using h = await harness();
    const { data } = await logIn(h, "192.0.2.1");
    const refresh = () =>
      h.ask("POST", "/api/auth/refresh", { body: { refreshToken: data.refreshToken } });
    h.clock.advance(60_000);
    assert.equal((await refresh()).status, 200);
    h.clock.stepBack(-step);
    assert.equal((await refresh()).status, good ? 200 : 401);
  });
}

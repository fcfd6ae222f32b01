// Second factors: set up, asked for at every sign-in, each code taken once, and a proof before what is sensitive.
// Names give the statement of OWASP ASVS 5.0 that a test holds.
import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import { existing } from "../../../core/errors.ts";
import { apiKeys } from "../../../models/api_keys.ts";
import { auditLog, SIGN_IN } from "../../../models/audit.ts";
import { secondFactors, signInChallenges } from "../../../models/second_factors.ts";
import { sessions } from "../../../models/sessions.ts";
import { planChallenge } from "../../../services/accounts/challenges.ts";
import { MINUTE, SECOND } from "../../../core/units.ts";
import { type Account, type Harness, harness, PASSWORD, type Reply } from "../../harness.ts";

/** The code that an authenticator shows. @param steps Time steps of 30 seconds from now. */
function codeOf(h: Harness, secret: string, steps = 0): string {
  const totp = new TOTP({
    algorithm: "SHA1",
    digits: 6,
    period: 30,
    secret: Secret.fromBase32(secret),
  });
  return totp.generate({ timestamp: h.clock.now().getTime() + steps * 30 * SECOND });
}

/** Sets up an authenticator; the code that confirmed it is used up. */
async function enrol(h: Harness, as: Account) {
  const { data: { secret } } = await h.ask("POST", "/api/auth/mfa/totp", { as });
  const body = { code: codeOf(h, secret) };
  const { status, data, text } = await h.ask("POST", "/api/auth/mfa/totp/confirm", { as, body });
  assert.equal(status, 200, text);
  h.clock.advance(30 * SECOND);
  return { secret: secret as string, recovery: data.recoveryCodes as string[] };
}

const logIn = (h: Harness, as: Account, from?: string): Promise<Reply> =>
  h.ask("POST", "/api/auth/login", {
    body: { email: `${as}@example.com`, password: PASSWORD },
    from,
  });

const answer = (h: Harness, challenge: string, code: string, from?: string): Promise<Reply> =>
  h.ask("POST", "/api/auth/mfa", { body: { challenge, code }, from });

async function challengeOf(h: Harness, as: Account): Promise<string> {
  const { status, body } = await logIn(h, as);
  assert.equal(status, 200);
  assert.equal(body.accessToken, undefined);
  assert.equal(body.token, undefined);
  assert.equal(body.mfaRequired, true);
  return body.challenge;
}

/** A sign-in that waits, begun without the cost of a password. */
const waiting = (h: Harness, as: Account): Promise<string> =>
  h.store.transact({ userId: null }, (tx) => planChallenge(tx, h.accounts[as], "password"));

for (const variant of ["compact", "full", "web", "snippets"]) {
  Deno.test(`second factors (${variant}): set up, sign in by it, remove it`, async () => {
    await using h = await harness({ variant });
    const before = await h.ask("GET", "/api/auth/mfa", { as: "user" });
    assert.deepEqual(before.data, {
      totp: { enabled: false },
      passkeys: 0,
      recoveryCodes: 0,
      required: false,
    });
    const set = await h.ask("POST", "/api/auth/mfa/totp", { as: "user" });
    assert.equal(set.status, 201);
    assert.match(
      set.data.uri,
      /^otpauth:\/\/totp\/Quarterdeck:user%40example.com\?.*algorithm=SHA1&digits=6&period=30/,
    );
    assert.match(set.data.qr, /^<svg /);
    // Nothing is asked for before it is confirmed.
    assert.equal((await logIn(h, "user")).body.mfaRequired, undefined);

    const { secret, recovery } = await enrol(h, "user");
    assert.equal(recovery.length, 10);
    assert.equal(h.mails.at(-1)?.to, "user@example.com");
    const state = await h.ask("GET", "/api/auth/mfa", { as: "user" });
    assert.equal(state.data.totp.enabled, true);
    assert.equal(state.data.recoveryCodes, 10);

    const done = await answer(h, await challengeOf(h, "user"), codeOf(h, secret));
    assert.equal(done.status, 200, done.text);
    const token = done.body.accessToken ?? done.body.token;
    assert.equal((await h.ask("GET", "/api/auth/sessions", { token })).status, 200);
    const where = { action: SIGN_IN, actorId: h.accounts.user.id };
    const signIns = await h.store.from(auditLog).list({ where });
    const told = signIns.rows.map(({ changes }) => JSON.parse(changes!));
    const way = [{ field: "method", after: "password" }, { field: "secondFactor", after: true }];
    assert.deepEqual(told.filter(([, { after }]) => after), [way]);

    const removed = await h.ask("DELETE", "/api/auth/mfa/totp", { as: "user" });
    assert.equal(removed.status, 200);
    assert.equal((await logIn(h, "user")).body.mfaRequired, undefined);
    const { rows } = await h.store.from(auditLog).list({
      where: { target: "secondFactors" },
      sort: "createdAt",
    });
    assert.deepEqual(rows.map(({ action }) => action), ["insert", "update", "update", "remove"]);
    assert.ok(rows.every(({ actorId }) => actorId === h.accounts.user.id));
  });
}

Deno.test("second factors: ASVS 6.5.1: a code is good once, also at once from two places", async () => {
  await using h = await harness();
  const { secret, recovery } = await enrol(h, "user");
  for (const code of [codeOf(h, secret), recovery[0]!]) {
    const challenges = [await challengeOf(h, "user"), await challengeOf(h, "user")];
    const replies = await Promise.all(challenges.map((one) => answer(h, one, code)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401]);
    assert.equal((await answer(h, await challengeOf(h, "user"), code)).status, 401);
  }
  assert.equal(
    (await h.store.from(secondFactors).findBy("user", h.accounts.user.id))?.recoveryCodes.length,
    9,
  );
});

Deno.test("second factors: ASVS 6.5.5, 6.5.8: the step before and after are taken by the server's clock, no others, and none again", async () => {
  await using h = await harness();
  const { secret } = await enrol(h, "user");
  h.clock.advance(5 * MINUTE);
  for (
    const [steps, status] of [[-2, 401], [2, 401], [-1, 200], [-1, 401], [1, 200], [
      0,
      401,
    ]] as const
  ) {
    const reply = await answer(h, await challengeOf(h, "user"), codeOf(h, secret, steps));
    assert.equal(reply.status, status, `a code ${steps} steps from now`);
  }
});

Deno.test("second factors: ASVS 6.5.2, 6.5.3: recovery codes have 120 bits, are stored hashed, and read in any form", async () => {
  await using h = await harness();
  const { recovery } = await enrol(h, "user");
  for (const code of recovery) {
    assert.match(code, /^([0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}$/);
  }
  assert.equal(new Set(recovery).size, 10);
  const stored = JSON.stringify(
    await h.store.from(secondFactors).findBy("user", h.accounts.user.id),
  );
  for (const code of recovery) {
    assert.ok(!stored.includes(code) && !stored.includes(code.replaceAll("-", "")));
  }
  const typed = recovery[3]!.toUpperCase().replaceAll("-", " ");
  assert.equal((await answer(h, await challengeOf(h, "user"), typed)).status, 200);

  const renewed = await h.ask("POST", "/api/auth/mfa/recovery-codes", { as: "user" });
  assert.equal(renewed.data.recoveryCodes.length, 10);
  assert.equal((await answer(h, await challengeOf(h, "user"), recovery[4]!)).status, 401);
  assert.equal(
    (await answer(h, await challengeOf(h, "user"), renewed.data.recoveryCodes[4])).status,
    200,
  );
});

Deno.test("second factors: an address that nobody proved is not told of changes", async () => {
  await using h = await harness();
  const account = { name: "New One", email: "new@example.com", password: "a quiet harbour" };
  const { body } = await h.ask("POST", "/api/auth/register", { body: account });
  const token = body.accessToken;
  h.mails.length = 0;
  const { data: { secret } } = await h.ask("POST", "/api/auth/mfa/totp", { token });
  const code = codeOf(h, secret);
  const done = await h.ask("POST", "/api/auth/mfa/totp/confirm", { token, body: { code } });
  assert.equal(done.status, 200);
  const login = { email: account.email, password: account.password };
  const asked = await h.ask("POST", "/api/auth/login", { body: login });
  for (let n = 0; n < 5; n++) await answer(h, asked.body.challenge, "000000");
  assert.deepEqual(h.mails, []);
});

Deno.test("second factors: the secret is stored sealed", async () => {
  await using h = await harness();
  const { secret } = await enrol(h, "user");
  const stored = JSON.stringify(
    await h.store.from(secondFactors).findBy("user", h.accounts.user.id),
  );
  assert.ok(!stored.includes(secret));
});

Deno.test("second factors: five wrong codes end a sign-in, and tell the owner", async () => {
  await using h = await harness();
  const { secret } = await enrol(h, "user");
  h.mails.length = 0;
  const challenge = await challengeOf(h, "user");
  for (let n = 0; n < 5; n++) assert.equal((await answer(h, challenge, "000000")).status, 401);
  assert.equal(
    (await answer(h, challenge, codeOf(h, secret))).body.error.message,
    "The sign-in has ended: log in again",
  );
  assert.equal(h.mails.length, 1);
  assert.equal(h.mails[0]!.to, "user@example.com");
  // Whoever knows the right one still gets in, from another sign-in.
  assert.equal((await answer(h, await challengeOf(h, "user"), codeOf(h, secret))).status, 200);
});

Deno.test("second factors: the owner is told of guesses that end no sign-in", async () => {
  await using h = await harness();
  await enrol(h, "user");
  h.mails.length = 0;
  for (let n = 0; n < 8; n++) {
    await answer(h, await waiting(h, "user"), "000000");
    h.clock.advance(15 * MINUTE);
  }
  assert.ok(h.mails.length > 0, "each sign-in was left before it ended");
  assert.equal(h.mails[0]!.subject, "Someone has your password");
});

Deno.test("second factors: the mail of guesses tells what else was right", async () => {
  await using h = await harness();
  await enrol(h, "user");
  h.mails.length = 0;
  for (const method of ["password", "provider"] as const) {
    const challenge = await h.store.transact(
      { userId: null },
      (tx) => planChallenge(tx, h.accounts.user, method),
    );
    for (let n = 0; n < 5; n++) await answer(h, challenge, "000000");
  }
  const [byPassword, byProvider] = h.mails.map(({ text }) => text);
  assert.match(byPassword!, /with your password.*change your password now/s);
  assert.match(
    byProvider!,
    /by your account at a provider.*change the password of that account now/s,
  );
});

Deno.test("second factors: who guesses keeps the owner from no link that sets the password", async () => {
  await using h = await harness();
  await enrol(h, "user");
  for (let network = 0; network < 4; network++) {
    const challenge = await waiting(h, "user");
    for (let n = 0; n < 5; n++) await answer(h, challenge, "000000", `198.51.${network}.1`);
  }
  h.mails.length = 0;
  const body = { email: "user@example.com" };
  assert.equal((await h.ask("POST", "/api/auth/forgot-password", { body })).status, 200);
  assert.deepEqual(h.mails.map(({ to }) => to), [body.email]);
});

Deno.test("second factors: guesses are limited for the account, from wherever they come; a known device passes", async () => {
  await using h = await harness();
  const { secret } = await enrol(h, "user");
  const device = (await logIn(h, "user", "192.0.2.1")).headers.get("set-cookie");
  const first = await answer(h, await challengeOf(h, "user"), codeOf(h, secret));
  const cookie = first.headers.getSetCookie().find((one) => one.startsWith("quarterdeck.device="))!
    .split(";")[0]!;
  assert.equal(device, null, "no device is known before the second factor");
  h.clock.advance(30 * SECOND);
  let refused = 0;
  let challenge = "";
  for (let n = 0; n < 40; n++) {
    if (n % 5 === 0) challenge = await waiting(h, "user");
    const { status } = await answer(h, challenge, "000000", `198.51.${n}.1`);
    if (status === 429) refused++;
  }
  assert.equal(refused, 20);
  const body = { challenge: await challengeOf(h, "user"), code: codeOf(h, secret) };
  assert.equal((await h.ask("POST", "/api/auth/mfa", { body, from: "203.0.113.9" })).status, 429);
  assert.equal((await h.ask("POST", "/api/auth/mfa", { body, headers: { cookie } })).status, 200);
});

Deno.test("second factors: a sign-in that waits ends with time, another password and a suspension", async () => {
  await using h = await harness();
  const { secret } = await enrol(h, "user");
  const ended = async (challenge: string) => {
    const reply = await answer(h, challenge, codeOf(h, secret));
    assert.equal(reply.status, 401);
    assert.equal(reply.body.error.message, "The sign-in has ended: log in again");
  };
  const late = await challengeOf(h, "user");
  h.clock.advance(5 * MINUTE + SECOND);
  await ended(late);
  await ended("never one");

  const before = await challengeOf(h, "user");
  const path = `/api/users/${h.accounts.user.id}`;
  await h.ask("PUT", path, { as: "super", body: { password: "another quiet harbour" } });
  await ended(before);
  await h.ask("PUT", path, { as: "super", body: { password: PASSWORD + "!" } });
  const body = { email: "user@example.com", password: PASSWORD + "!" };
  const { body: { challenge } } = await h.ask("POST", "/api/auth/login", { body });
  await h.ask("PUT", path, { as: "super", body: { status: "suspended" } });
  await ended(challenge);
});

Deno.test("second factors: another account's code does not do", async () => {
  await using h = await harness();
  await enrol(h, "user");
  const { secret } = await enrol(h, "other");
  assert.equal((await answer(h, await challengeOf(h, "user"), codeOf(h, secret))).status, 401);
});

Deno.test("second factors: sign-ins that wait are few for each user, and are swept", async () => {
  await using h = await harness();
  await enrol(h, "user");
  const first = await challengeOf(h, "user");
  for (let n = 0; n < 25; n++) await waiting(h, "user");
  assert.equal(await h.store.from(signInChallenges).count({ userId: h.accounts.user.id }), 20);
  assert.equal(
    (await answer(h, first, "000000")).body.error.message,
    "The sign-in has ended: log in again",
  );
});

const BAD: readonly [name: string, method: string, path: string, body: unknown, status: number][] =
  [
    ["no challenge", "POST", "/api/auth/mfa", { code: "000000" }, 400],
    ["no code", "POST", "/api/auth/mfa", { challenge: "x" }, 400],
    ["a number", "POST", "/api/auth/mfa", { challenge: "x", code: 123456 }, 400],
    ["a long code", "POST", "/api/auth/mfa", { challenge: "x", code: "0".repeat(41) }, 400],
    ["a short code", "POST", "/api/auth/mfa/totp/confirm", { code: "12345" }, 400],
    ["nothing to confirm", "POST", "/api/auth/mfa/totp/confirm", { code: "123456" }, 409],
    ["no second factor to recover", "POST", "/api/auth/mfa/recovery-codes", undefined, 409],
    ["no authenticator to remove", "DELETE", "/api/auth/mfa/totp", undefined, 409],
    ["a proof of nothing", "POST", "/api/auth/step-up", {}, 400],
    ["a wrong password as a proof", "POST", "/api/auth/step-up", { currentPassword: "wrong" }, 400],
    ["a code where there is none", "POST", "/api/auth/step-up", { code: "123456" }, 400],
  ];

Deno.test("second factors: what cannot be done is refused, and changes nothing", async (t) => {
  await using h = await harness();
  for (const [name, method, path, body, status] of BAD) {
    await t.step(name, async () => {
      const as = path === "/api/auth/mfa" ? null : "user";
      const reply = await h.ask(method, path, { as, body });
      assert.equal(reply.status, status, reply.text);
      assert.equal(await h.store.from(secondFactors).count({}), 0);
    });
  }
});

Deno.test("second factors: a wrong code does not confirm an authenticator, and the one before goes on", async () => {
  await using h = await harness();
  const { secret } = await enrol(h, "user");
  const next = await h.ask("POST", "/api/auth/mfa/totp", { as: "user" });
  const wrong = await h.ask("POST", "/api/auth/mfa/totp/confirm", {
    as: "user",
    body: { code: "000000" },
  });
  assert.equal(wrong.status, 400);
  assert.equal(wrong.body.error.details[0].field, "code");
  assert.equal(
    (await answer(h, await challengeOf(h, "user"), codeOf(h, next.data.secret))).status,
    401,
  );
  assert.equal((await answer(h, await challengeOf(h, "user"), codeOf(h, secret))).status, 200);
});

Deno.test("step-up: ASVS 7.5.3: after ten minutes the password, or the code where there is one, is asked for again", async () => {
  await using h = await harness({ env: { JWT_ACCESS_EXPIRES: "1h" } });
  h.clock.advance(10 * MINUTE + SECOND);
  const setUp = () => h.ask("POST", "/api/auth/mfa/totp", { as: "user" });
  const refused = await setUp();
  assert.equal(refused.status, 403);
  assert.equal(refused.body.error.code, "STEP_UP_REQUIRED");
  const prove = (body: unknown) => h.ask("POST", "/api/auth/step-up", { as: "user", body });
  assert.equal((await prove({ currentPassword: PASSWORD })).status, 200);
  const { data: { secret } } = await setUp();
  const body = { code: codeOf(h, secret) };
  await h.ask("POST", "/api/auth/mfa/totp/confirm", { as: "user", body });

  h.clock.advance(10 * MINUTE + SECOND);
  const remove = () => h.ask("DELETE", "/api/auth/mfa/totp", { as: "user" });
  assert.equal((await remove()).body.error.code, "STEP_UP_REQUIRED");
  assert.equal(
    (await prove({ currentPassword: PASSWORD })).status,
    400,
    "the password is not enough",
  );
  assert.equal((await prove(body)).status, 400, "a code that is used up");
  assert.equal((await prove({ code: codeOf(h, secret) })).status, 200);
  assert.equal((await remove()).status, 200);
});

Deno.test("step-up: the audit log tells of each proof, and of none that failed", async () => {
  await using h = await harness();
  const proofs = async () => {
    const { rows } = await h.store.from(auditLog).list({ where: { action: "prove" } });
    return rows.map(({ actorId, target, targetId }) => [actorId, target, targetId]);
  };
  const { user } = h.accounts;
  const prove = (body: Record<string, string>) =>
    h.ask("POST", "/api/auth/step-up", { as: "user", body });
  assert.equal((await prove({ currentPassword: "not the one" })).status, 400);
  assert.deepEqual(await proofs(), []);
  assert.equal((await prove({ currentPassword: PASSWORD })).status, 200);
  assert.deepEqual(await proofs(), [[user.id, "users", user.id]]);
  const { secret } = await enrol(h, "user");
  assert.equal((await prove({ code: "000000" })).status, 400);
  assert.equal((await prove({ code: codeOf(h, secret) })).status, 200);
  assert.equal((await proofs()).length, 2);
});

Deno.test("step-up: what is refused names its field in the message too", async () => {
  await using h = await harness();
  const messageFor = async (body: Record<string, string>) =>
    (await h.ask("POST", "/api/auth/step-up", { as: "user", body })).body.message;
  assert.equal(await messageFor({}), "Cannot accept the request: currentPassword: is required");
  await enrol(h, "user");
  assert.equal(
    await messageFor({ code: "000000" }),
    "Cannot accept the request: code: is wrong or was used: take the one that is shown now",
  );
});

Deno.test("step-up: STEP_UP_ROLES asks for it before rights are given", async (t) => {
  await using h = await harness({ variant: "full", env: { STEP_UP_ROLES: "true" } });
  const { id } = h.accounts.other;
  const role = { name: "clerk", label: "Clerk", permissions: [] };
  const tries: [string, string, unknown][] = [
    ["POST", "/api/roles", role],
    ["PUT", `/api/users/${id}`, { role: "admin" }],
    ["POST", "/api/users", {
      name: "Somebody",
      email: "somebody@example.com",
      role: "admin",
      password: PASSWORD,
    }],
  ];
  h.clock.advance(11 * MINUTE);
  for (const [method, path, body] of tries) {
    await t.step(`${method} ${path}`, async () => {
      const reply = await h.ask(method, path, { as: "super", body });
      assert.equal(reply.body.error?.code, "STEP_UP_REQUIRED", reply.text);
    });
  }
  const renamed = await h.ask("PUT", `/api/users/${id}`, {
    as: "super",
    body: { name: "Another Name" },
  });
  assert.equal(renamed.status, 200, "what gives no rights needs none");
  await h.ask("POST", "/api/auth/step-up", { as: "super", body: { currentPassword: PASSWORD } });
  for (const [method, path, body] of tries) {
    assert.ok((await h.ask(method, path, { as: "super", body })).status < 300);
  }
});

Deno.test("required: a role that asks for a second factor does nothing without it but set one up", async () => {
  await using h = await harness({ env: { MFA_REQUIRED_ROLES: "admin,super_admin" } });
  const refused = await h.ask("GET", "/api/users", { as: "admin" });
  assert.equal(refused.status, 403);
  assert.equal(refused.body.error.code, "MFA_REQUIRED");
  assert.equal(
    (await h.ask("POST", "/api/documents", { as: "admin", body: { title: "x" } })).status,
    403,
  );
  assert.equal(
    (await h.ask("GET", "/api/documents", { as: "user" })).status,
    200,
    "other roles go on",
  );
  assert.equal((await h.ask("GET", "/api/users/me", { as: "admin" })).status, 200);
  assert.equal((await h.ask("GET", "/api/auth/mfa", { as: "admin" })).data.required, true);

  const { secret } = await enrol(h, "admin");
  assert.equal((await h.ask("GET", "/api/users", { as: "admin" })).status, 200);
  assert.equal((await h.ask("DELETE", "/api/auth/mfa/totp", { as: "admin" })).status, 409);
  const done = await answer(h, await challengeOf(h, "admin"), codeOf(h, secret));
  assert.equal((await h.ask("GET", "/api/users", { token: done.body.accessToken })).status, 200);
});

Deno.test("required: a role that is given later holds for open sessions at once", async () => {
  await using h = await harness({ env: { MFA_REQUIRED_ROLES: "admin" } });
  assert.equal((await h.ask("GET", "/api/documents", { as: "user" })).status, 200);
  await h.ask("PUT", `/api/users/${h.accounts.user.id}`, { as: "super", body: { role: "admin" } });
  assert.equal(
    (await h.ask("GET", "/api/documents", { as: "user" })).body.error.code,
    "MFA_REQUIRED",
  );
});

Deno.test("required: a key that was made without the factor opens nothing once the role asks for it", async () => {
  await using h = await harness({ env: { MFA_REQUIRED_ROLES: "admin" } });
  const body = { name: "Nightly", scopes: ["documents:view"] };
  const { data: { id, key } } = await h.ask("POST", "/api/auth/keys", { as: "user", body });
  const read = async (token = key) => {
    const reply = await h.ask("GET", "/api/documents", { token });
    return reply.body.error?.code ?? reply.status;
  };
  assert.equal(await read(), 200);
  await h.ask("PUT", `/api/users/${h.accounts.user.id}`, { as: "super", body: { role: "admin" } });
  assert.equal(await read(), "MFA_REQUIRED");
  await enrol(h, "user");
  assert.equal(await read(), "MFA_REQUIRED", "whoever made it may have been another");
  const made = await h.ask("POST", "/api/auth/keys", { as: "user", body });
  assert.equal(await read(made.data.key), 200);
  const change = { as: "user", body: { name: "Still mine" } } as const;
  assert.equal((await h.ask("PUT", `/api/auth/keys/${id}`, change)).status, 200);
  assert.equal(await read(), 200, "kept by who has given the factor");
  // As it was kept before it was told who had made it.
  await h.store.transact({ userId: null }, async (tx) => {
    const record = existing(await tx.from(apiKeys).get(id), "API key");
    tx.update(apiKeys, record, { secondFactor: undefined });
  });
  assert.equal(await read(), 200, "where the role asked for the factor, it had been given");
});

Deno.test("reset: an administrator lets in who lost the authenticator; never someone who may do more", async () => {
  await using h = await harness();
  await enrol(h, "user");
  await enrol(h, "super");
  const path = (of: Account) => `/api/users/${h.accounts[of].id}/mfa`;
  assert.equal((await h.ask("DELETE", path("user"), { as: "other" })).status, 403);
  assert.equal((await h.ask("DELETE", path("super"), { as: "admin" })).status, 403);
  assert.equal((await h.ask("DELETE", path("guest"), { as: "admin" })).status, 409);
  assert.equal((await h.ask("DELETE", "/api/users/nobody/mfa", { as: "admin" })).status, 404);
  h.mails.length = 0;
  const challenge = await challengeOf(h, "user");
  assert.equal((await h.ask("DELETE", path("user"), { as: "admin" })).status, 200);
  assert.equal(h.mails[0]?.to, "user@example.com");
  assert.equal((await answer(h, challenge, "000000")).status, 401);
  assert.equal((await logIn(h, "user")).body.mfaRequired, undefined);
});

Deno.test("reset: nobody gets round a required second factor, neither by removing their own nor in a session that gave it", async () => {
  await using h = await harness({ env: { MFA_REQUIRED_ROLES: "admin" } });
  await enrol(h, "admin");
  const path = `/api/users/${h.accounts.admin.id}/mfa`;
  assert.equal((await h.ask("DELETE", path, { as: "admin" })).status, 409);
  assert.equal((await h.ask("GET", "/api/users", { as: "admin" })).status, 200);
  assert.equal((await h.ask("DELETE", path, { as: "super" })).status, 200);
  assert.equal((await h.ask("GET", "/api/users", { as: "admin" })).body.error.code, "MFA_REQUIRED");
});

Deno.test("required: a factor that was removed since counts for no role that is given later", async () => {
  await using h = await harness({ env: { MFA_REQUIRED_ROLES: "admin" } });
  await enrol(h, "user");
  assert.equal((await h.ask("DELETE", "/api/auth/mfa/totp", { as: "user" })).status, 200);
  await h.ask("PUT", `/api/users/${h.accounts.user.id}`, { as: "super", body: { role: "admin" } });
  assert.equal((await h.ask("GET", "/api/users", { as: "user" })).body.error?.code, "MFA_REQUIRED");
  await enrol(h, "user");
  assert.equal((await h.ask("GET", "/api/users", { as: "user" })).status, 200);
});

Deno.test("set up: other sessions, which have not given the factor, have to prove who they are again", async () => {
  await using h = await harness();
  const { body: { accessToken: token } } = await logIn(h, "user");
  await enrol(h, "user");
  const renew = () => h.ask("POST", "/api/auth/mfa/recovery-codes", { token });
  assert.equal((await renew()).body.error.code, "STEP_UP_REQUIRED");
  assert.equal((await h.ask("GET", "/api/users/me", { token })).status, 200, "it goes on");
  const own = await h.ask("POST", "/api/auth/mfa/recovery-codes", { as: "user" });
  assert.equal(own.status, 201, "whoever set it up has proven it");
});

Deno.test("reset: a deleted user leaves no second factor", async () => {
  await using h = await harness();
  await enrol(h, "user");
  await challengeOf(h, "user");
  assert.equal(
    (await h.ask("DELETE", `/api/users/${h.accounts.user.id}`, { as: "super" })).status,
    200,
  );
  assert.equal(await h.store.from(secondFactors).count({}), 0);
  assert.equal(await h.store.from(signInChallenges).count({}), 0);
});

Deno.test("sessions tell how they were opened", async () => {
  await using h = await harness();
  const { secret } = await enrol(h, "user");
  await answer(h, await challengeOf(h, "user"), codeOf(h, secret));
  const { rows } = await h.store.from(sessions).list({
    where: { userId: h.accounts.user.id },
    limit: 100,
  });
  assert.deepEqual(rows.map(({ method }) => method), ["password", "password"]);
  assert.ok(rows.every(({ secondFactor }) => secondFactor));
  const { data } = await h.ask("GET", "/api/auth/sessions", { as: "user" });
  assert.deepEqual(data.map(({ method }: { method: string }) => method), ["password", "password"]);
});

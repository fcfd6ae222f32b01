// Passkeys: registered, signed in with, a second factor and a proof; each answer taken once, from here alone. Names give
// the statement of OWASP ASVS 5.0 that a test holds.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createPrivateKey, sign } from "node:crypto";
import { MINUTE, SECOND } from "../../../core/units.ts";
import { auditLog } from "../../../models/audit.ts";
import { type Passkey, passkeys, usedChallenges } from "../../../models/passkeys.ts";
import { secondFactors, signInChallenges } from "../../../models/second_factors.ts";
import { sessions } from "../../../models/sessions.ts";
import { users } from "../../../models/users.ts";
import { rateLimits } from "../../../services/accounts/limits.ts";
import { sweep } from "../../../services/sweep.ts";
import { type Answering, Authenticator } from "../../authenticator.ts";
import {
  type Account,
  type Ask,
  type Harness,
  harness,
  PASSWORD,
  type Reply,
} from "../../harness.ts";

const PUBLIC_URL = "http://localhost:8000";

const options = (h: Harness, path: string, ask: Ask = {}) =>
  h.ask("POST", `/api/auth/${path}/options`, ask);

/** Registers what an authenticator makes. */
async function tryRegister(
  h: Harness,
  as: Account,
  authenticator: Authenticator,
  answering?: Answering,
): Promise<Reply> {
  const { status, data, text } = await options(h, "passkeys", { as });
  assert.equal(status, 200, text);
  const body = { name: "Laptop", credential: authenticator.make(data, answering) };
  return await h.ask("POST", "/api/auth/passkeys", { as, body });
}

async function register(h: Harness, as: Account): Promise<Authenticator> {
  const authenticator = new Authenticator();
  const reply = await tryRegister(h, as, authenticator);
  assert.equal(reply.status, 201, reply.text);
  return authenticator;
}

async function signIn(
  h: Harness,
  authenticator: Authenticator,
  answering?: Answering,
  ask?: Ask,
): Promise<Reply> {
  const { data } = await options(h, "passkeys/sign-in");
  const body = { credential: authenticator.use(data, answering) };
  return await h.ask("POST", "/api/auth/passkeys/sign-in", { body, ...ask });
}

const logIn = (h: Harness, as: Account): Promise<Reply> =>
  h.ask("POST", "/api/auth/login", { body: { email: `${as}@example.com`, password: PASSWORD } });

async function passkeyOf(h: Harness, as: Account): Promise<Passkey> {
  const { rows } = await h.store.from(passkeys).list({ where: { userId: h.accounts[as].id } });
  return rows[0]!;
}

/** Everything that passkeys, sign-ins and sessions leave, to see that nothing was left. */
async function traces(h: Harness): Promise<unknown> {
  const found = [passkeys, usedChallenges, secondFactors, sessions, auditLog].map(async (one) => {
    // deno-lint-ignore no-explicit-any -- collections of different records
    const { rows } = await h.store.from(one as any).list({ limit: 100 });
    return [one.name, rows];
  });
  return Object.fromEntries(await Promise.all(found));
}

const tokenOf = ({ body }: Reply): string => body.accessToken ?? body.token;

for (const variant of ["compact", "full", "web", "snippets"]) {
  Deno.test(`passkeys (${variant}): ASVS 6.3.7, 6.5.6: register, sign in, rename, remove; the owner is told`, async () => {
    await using h = await harness({ variant, env: { PUBLIC_URL } });
    const authenticator = new Authenticator();
    const made = await tryRegister(h, "user", authenticator);
    assert.equal(made.status, 201, made.text);
    assert.equal(made.data.name, "Laptop");
    assert.equal(made.data.recoveryCodes.length, 10, "the first second factor comes with codes");
    assert.match(h.mails.at(-1)!.text, /A passkey was added/);

    const done = await signIn(h, authenticator);
    assert.equal(done.status, 200, done.text);
    assert.equal(done.body.user.email, "user@example.com");
    const token = tokenOf(done);
    const open = await h.ask("GET", "/api/auth/sessions", { token });
    const current = open.data.find((one: { current: boolean }) => one.current);
    assert.equal(current.method, "passkey");

    const path = `/api/auth/passkeys/${made.data.id}`;
    const renamed = await h.ask("PUT", path, { token, body: { name: "Phone" } });
    assert.equal(renamed.data.name, "Phone");
    const listed = await h.ask("GET", "/api/auth/passkeys", { token });
    assert.deepEqual(listed.data.map(({ name }: { name: string }) => name), ["Phone"]);
    assert.equal(listed.data[0].lastUsedAt, h.clock.now().toISOString());
    assert.equal(listed.text.includes("publicKey"), false);

    assert.equal((await h.ask("DELETE", path, { token })).status, 200);
    assert.match(h.mails.at(-1)!.text, /One of your passkeys was removed/);
    assert.equal((await signIn(h, authenticator)).status, 401);
    assert.equal((await logIn(h, "user")).body.mfaRequired, undefined);
    const { rows } = await h.store.from(auditLog).list({
      where: { target: "passkeys" },
      sort: "createdAt",
    });
    assert.deepEqual(
      rows.map(({ action, actorId, targetName }) => [action, actorId, targetName]),
      [["insert", "Laptop"], ["update", "Phone"], ["remove", "Phone"]].map((
        [action, name],
      ) => [action, h.accounts.user.id, name]),
    );
  });
}

Deno.test("passkeys: ASVS 6.3.3: one is two factors in one: it opens what a role asks a second factor for", async () => {
  await using h = await harness({ env: { MFA_REQUIRED_ROLES: "admin", PUBLIC_URL } });
  assert.equal((await h.ask("GET", "/api/users", { as: "admin" })).body.error.code, "MFA_REQUIRED");
  const authenticator = await register(h, "admin");
  assert.equal((await h.ask("GET", "/api/users", { as: "admin" })).status, 200);
  const token = tokenOf(await signIn(h, authenticator));
  assert.equal((await h.ask("GET", "/api/users", { token })).status, 200);

  const { id } = await passkeyOf(h, "admin");
  const kept = await h.ask("DELETE", `/api/auth/passkeys/${id}`, { token });
  assert.equal(kept.status, 409, "the role needs it");
  assert.equal((await signIn(h, authenticator)).status, 200);
  const another = await register(h, "admin");
  assert.equal((await h.ask("DELETE", `/api/auth/passkeys/${id}`, { token })).status, 200);
  assert.equal((await signIn(h, another)).status, 200);
});

Deno.test("passkeys: ASVS 6.5.1, 6.7.2: a challenge is answered once, also at once from two places", async () => {
  await using h = await harness({ env: { PUBLIC_URL } });
  const authenticator = await register(h, "user");
  const { data } = await options(h, "passkeys/sign-in");
  const bodies = [1, 2].map(() => ({ credential: authenticator.use(data) }));
  const replies = await Promise.all(
    bodies.map((body) => h.ask("POST", "/api/auth/passkeys/sign-in", { body })),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401]);
  const before = await traces(h);
  for (const body of [...bodies, { credential: authenticator.use(data) }]) {
    const again = await h.ask("POST", "/api/auth/passkeys/sign-in", { body });
    assert.equal(again.status, 401, "replayed, or signed anew for the same challenge");
  }
  assert.deepEqual(await traces(h), before);
});

Deno.test("passkeys: ASVS 6.5.5: a challenge is good for five minutes", async () => {
  await using h = await harness({ env: { PUBLIC_URL, JWT_ACCESS_EXPIRES: "1h" } });
  const authenticator = await register(h, "user");
  const question = await options(h, "passkeys/sign-in");
  h.clock.advance(5 * MINUTE - SECOND);
  const inTime = { credential: authenticator.use(question.data) };
  assert.equal((await h.ask("POST", "/api/auth/passkeys/sign-in", { body: inTime })).status, 200);
  const { data } = await options(h, "passkeys/sign-in");
  const { data: creation } = await options(h, "passkeys", { as: "user" });
  h.clock.advance(5 * MINUTE);
  const late = { credential: authenticator.use(data) };
  assert.equal((await h.ask("POST", "/api/auth/passkeys/sign-in", { body: late })).status, 401);
  const body = { credential: new Authenticator().make(creation) };
  const made = await h.ask("POST", "/api/auth/passkeys", { as: "user", body });
  assert.equal(made.status, 400, made.text);
});

/** What is wrong with an answer, and the status of a sign-in and of a registration by it. */
const WRONG: readonly [name: string, answering: Answering, signIn: number, registration: number][] =
  [
    ["of another origin", { origin: "https://evil.example" }, 400, 400],
    ["of another port", { origin: "http://localhost:8001" }, 400, 400],
    ["of a frame of another place", { crossOrigin: true }, 400, 400],
    ["for another relying party", { rpId: "evil.example" }, 401, 400],
    ["of another type", { type: "payment.get" }, 401, 400],
    ["without the user's PIN or finger (ASVS 6.3.3)", { verified: false }, 401, 400],
    ["to a challenge of nobody", { challenge: "bm9ib2R5" }, 401, 400],
    ["to an empty challenge", { challenge: "" }, 401, 400],
  ];

Deno.test("passkeys: an answer that is not right is refused, and leaves nothing", async (t) => {
  await using h = await harness({ env: { PUBLIC_URL, RATE_LIMIT: "false" } });
  const authenticator = await register(h, "user");
  for (const [name, answering, signedIn, registered] of WRONG) {
    await t.step(name, async () => {
      const before = await traces(h);
      const reply = await signIn(h, authenticator, answering);
      assert.equal(reply.status, signedIn, reply.text);
      const made = await tryRegister(h, "user", new Authenticator(), answering);
      assert.equal(made.status, registered, made.text);
      assert.equal(made.body.error.details[0].field, "credential");
      assert.deepEqual(await traces(h), before);
    });
  }
  await t.step("for another user, or for none", async () => {
    for (const userHandle of ["bm9ib2R5", null]) {
      assert.equal((await signIn(h, authenticator, { userHandle })).status, 401);
    }
  });
  await t.step("by another key under the same name", async () => {
    const impostor = new Authenticator(authenticator.id);
    const { data } = await options(h, "passkeys", { as: "user" });
    impostor.make(data);
    assert.equal((await signIn(h, impostor)).status, 401);
    assert.equal((await tryRegister(h, "other", impostor)).status, 409);
  });
  await t.step("by a passkey that nobody has", async () => {
    assert.equal((await signIn(h, new Authenticator())).status, 401);
  });
});

Deno.test("passkeys: the front end is a place of theirs too, and what follows from it is told by name", async () => {
  const FRONTEND_URL = "http://localhost:5173";
  await using h = await harness({ env: { PUBLIC_URL, FRONTEND_URL } });
  const authenticator = await register(h, "user");
  assert.equal((await signIn(h, authenticator, { origin: FRONTEND_URL })).status, 200);
  const { body } = await signIn(h, authenticator, { origin: "http://localhost:5174" });
  assert.match(body.error.message, /http:\/\/localhost:8000 and http:\/\/localhost:5173/);
});

Deno.test("passkeys: PASSKEY_DOMAIN gives the relying party", async () => {
  const env = {
    PUBLIC_URL: "https://api.example.com",
    FRONTEND_URL: "https://app.example.com",
    PASSKEY_DOMAIN: "example.com",
  };
  await using h = await harness({ env });
  const { data } = await options(h, "passkeys", { as: "user" });
  assert.equal(data.rp.id, "example.com");
  assert.equal(data.authenticatorSelection.residentKey, "required");
  assert.equal(data.authenticatorSelection.userVerification, "required");
  const authenticator = new Authenticator();
  const credential = authenticator.make(data, { origin: env.FRONTEND_URL });
  const made = await h.ask("POST", "/api/auth/passkeys", { as: "user", body: { credential } });
  assert.equal(made.status, 201, made.text);
  assert.equal(made.data.name, "Passkey");
  assert.equal((await signIn(h, authenticator, { origin: env.FRONTEND_URL })).status, 200);
});

/** A key, and a certificate of it (2026 to 2126), as a maker of authenticators has them. */
const MAKER = {
  key:
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgq2XtuTDGN7aQJP8gtl5fmULLQ1cGP2VXAw5QUpjRULehRANCAARcPJM3+KpRvlw3" +
    "fdO8eixHLxmO0iIZfk4WnXRZz7HCg6f6j2uXi1ojoLL8CEiPC3LHHdanGgYeOuqS0swBXSk2",
  certificate:
    "MIIBoTCCAUegAwIBAgIUBrIg5bsgB7yikrUeCE4M/wA9pvcwCgYIKoZIzj0EAwIwEDEOMAwGA1UEAwwFbWFrZXIwIBcNMjYxMTIyMTEyNDQxWhgP" +
    "MjEyNjEwMjkxMTI0NDFaMBAxDjAMBgNVBAMMBW1ha2VyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEXDyTN/iqUb5cN33TvHosRy8ZjtIiGX5O" +
    "Fp10Wc+xwoOn+o9rl4taI6Cy/AhIjwtyxx3WpxoGHjrqktLMAV0pNqN9MHswHQYDVR0OBBYEFEciQAM6byijSud7sea3IDUim9fnMB8GA1UdIwQY" +
    "MBaAFEciQAM6byijSud7sea3IDUim9fnMA8GA1UdEwEB/wQFMAMBAf8wKAYDVR0fBCEwHzAdoBugGYYXaHR0cDovL2NybC5leGFtcGxlL2xpc3Qw" +
    "CgYIKoZIzj0EAwIDSAAwRQIgUridrRFXEoxGhJNgkaDsDdnlnWPYbaMINwXqEZl+++0CIQDzALj8kUiiQY1SNAqA+RfN7S0OC1gQ8+oDkzvmfmCf" +
    "XA==",
};

Deno.test("passkeys: what an authenticator attests of itself is taken, what its maker attests is not read", async () => {
  await using h = await harness({ env: { PUBLIC_URL } });
  const self: Answering["attestation"] = ({ authData, clientDataHash, sign }) => {
    const sig = sign(Buffer.concat([authData, clientDataHash]));
    return { fmt: "packed", attStmt: new Map<string, unknown>([["alg", -7], ["sig", sig]]) };
  };
  const taken = await tryRegister(h, "user", new Authenticator(), { attestation: self });
  assert.equal(taken.status, 201, taken.text);
  // Section 8.6: FIDO U2F, signed as it has to be.
  const key = createPrivateKey({
    key: Buffer.from(MAKER.key, "base64"),
    format: "der",
    type: "pkcs8",
  });
  const byMaker: Answering["attestation"] = ({ authData, clientDataHash, credentialId, point }) => {
    const rpIdHash = authData.subarray(0, 32);
    const parts = [Buffer.of(0), rpIdHash, clientDataHash, credentialId, point];
    const sig = new Uint8Array(sign("sha256", Buffer.concat(parts), key));
    const x5c = [new Uint8Array(Buffer.from(MAKER.certificate, "base64"))];
    return { fmt: "fido-u2f", attStmt: new Map<string, unknown>([["sig", sig], ["x5c", x5c]]) };
  };
  const refused = await tryRegister(h, "user", new Authenticator(), { attestation: byMaker });
  assert.equal(refused.status, 400, refused.text);
  assert.equal(await h.store.from(passkeys).count(), 1);
});

Deno.test("passkeys: a key that would cost much to check is refused", async () => {
  await using h = await harness({ env: { PUBLIC_URL } });
  assert.equal((await tryRegister(h, "user", new Authenticator(undefined, 400))).status, 201);
  assert.equal((await tryRegister(h, "user", new Authenticator(undefined, 600))).status, 400);
});

Deno.test("passkeys: an attestation that makes no sense is refused", async () => {
  await using h = await harness({ env: { PUBLIC_URL } });
  const attStmt = new Map<string, unknown>([["alg", -7], ["sig", new Uint8Array(8)], ["x5c", [
    new Uint8Array(8),
  ]]]);
  for (const fmt of ["packed", "fido-u2f", "android-key", "tpm", "apple", "unheard-of"]) {
    const attestation = () => ({ fmt, attStmt });
    const reply = await tryRegister(h, "user", new Authenticator(), { attestation });
    assert.equal(reply.status, 400, reply.text);
  }
  assert.equal(await h.store.from(passkeys).count(), 0);
});

Deno.test("passkeys: a copy, whose count is behind, is refused, and the owner told", async () => {
  await using h = await harness({ env: { PUBLIC_URL } });
  const authenticator = await register(h, "user");
  assert.equal((await signIn(h, authenticator, { signCount: 10 })).status, 200);
  h.mails.length = 0;
  for (const signCount of [10, 9, 0]) {
    assert.equal((await signIn(h, authenticator, { signCount })).status, 401, `${signCount}`);
  }
  assert.deepEqual(h.mails.map(({ to }) => to), Array(3).fill("user@example.com"));
  assert.match(h.mails[0]!.subject, /copy of your passkey/);
  for (let n = 0; n < 5; n++) await signIn(h, authenticator, { signCount: 10 });
  assert.ok(h.mails.length <= rateLimits.deviceMail.perAccount, "an hour's mails are few");
  assert.equal((await passkeyOf(h, "user")).signCount, 10);
  assert.equal((await signIn(h, authenticator, { signCount: 11 })).status, 200);
});

Deno.test("passkeys: an address that nobody proved is not told of a copy", async () => {
  await using h = await harness({ env: { PUBLIC_URL } });
  const authenticator = await register(h, "user");
  await h.store.transact({ userId: null }, async (tx) => {
    const user = await tx.from(users).get(h.accounts.user.id);
    tx.update(users, user!, { unverifiedSince: tx.now });
  });
  assert.equal((await signIn(h, authenticator, { signCount: 10 })).status, 200);
  h.mails.length = 0;
  assert.equal((await signIn(h, authenticator, { signCount: 9 })).status, 401);
  assert.deepEqual(h.mails, []);
});

Deno.test("passkeys: of two that have signed as often at once, one is taken", async () => {
  await using h = await harness({ env: { PUBLIC_URL } });
  const authenticator = await register(h, "user");
  const replies = await Promise.all(
    [1, 2].map(() => signIn(h, authenticator, { signCount: 10 })),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401]);
});

Deno.test("passkeys: one that does not count is taken each time", async () => {
  await using h = await harness({ env: { PUBLIC_URL } });
  const authenticator = new Authenticator();
  await tryRegister(h, "user", authenticator, { signCount: 0 });
  for (let n = 0; n < 2; n++) {
    assert.equal((await signIn(h, authenticator, { signCount: 0 })).status, 200);
  }
});

Deno.test("passkeys: a suspended user's signs nobody in", async () => {
  await using h = await harness({ env: { PUBLIC_URL } });
  const authenticator = await register(h, "user");
  const path = `/api/users/${h.accounts.user.id}`;
  await h.ask("PUT", path, { as: "super", body: { status: "suspended" } });
  assert.equal((await signIn(h, authenticator)).status, 401);
  await h.ask("PUT", path, { as: "super", body: { status: "active" } });
  assert.equal((await signIn(h, authenticator)).status, 200);
});

Deno.test("passkeys: a deleted user leaves none, and used challenges are swept", async () => {
  await using h = await harness({ env: { PUBLIC_URL } });
  const authenticator = await register(h, "user");
  await signIn(h, authenticator);
  await h.ask("DELETE", `/api/users/${h.accounts.user.id}`, { as: "super" });
  assert.equal(await h.store.from(passkeys).count(), 0);
  assert.equal((await signIn(h, authenticator)).status, 401);
  assert.equal(await h.store.from(usedChallenges).count(), 2);
  h.clock.advance(5 * MINUTE + SECOND);
  await sweep(h.app.services, h.clock.now());
  assert.equal(await h.store.from(usedChallenges).count(), 0);
});

Deno.test("passkeys: nobody has more than twenty, also when they come at once", async () => {
  await using h = await harness({ env: { PUBLIC_URL } });
  for (let n = 0; n < 18; n++) await register(h, "user");
  const replies = await Promise.all(
    [1, 2, 3, 4].map(() => tryRegister(h, "user", new Authenticator())),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 201, 409, 409]);
  assert.equal(await h.store.from(passkeys).count({ userId: h.accounts.user.id }), 20);
  const { data } = await options(h, "passkeys", { as: "user" });
  assert.equal(data.excludeCredentials.length, 20);
  assert.equal((await h.ask("GET", "/api/auth/mfa", { as: "user" })).data.passkeys, 20);
});

Deno.test("passkeys: a registration is answered once, by the session that asked", async () => {
  await using h = await harness({ env: { PUBLIC_URL } });
  const { data } = await options(h, "passkeys", { as: "user" });
  const post = (as: Account) =>
    h.ask("POST", "/api/auth/passkeys", {
      as,
      body: { credential: new Authenticator().make(data) },
    });
  assert.equal((await post("other")).status, 400);
  assert.equal((await post("user")).status, 201);
  assert.equal((await post("user")).status, 400, "the challenge was answered");
  const question = await options(h, "passkeys/sign-in");
  const credential = new Authenticator().make({ ...data, challenge: question.data.challenge });
  const mixed = await h.ask("POST", "/api/auth/passkeys", { as: "user", body: { credential } });
  assert.equal(mixed.status, 400, "a challenge of another purpose");
});

Deno.test("passkeys: another user's is neither renamed nor removed", async () => {
  await using h = await harness({ env: { PUBLIC_URL } });
  await register(h, "user");
  const path = `/api/auth/passkeys/${(await passkeyOf(h, "user")).id}`;
  for (const as of ["other", "super"] as const) {
    assert.equal((await h.ask("PUT", path, { as, body: { name: "Mine" } })).status, 404);
    assert.equal((await h.ask("DELETE", path, { as })).status, 404);
    assert.deepEqual((await h.ask("GET", "/api/auth/passkeys", { as })).data, []);
  }
  assert.equal((await passkeyOf(h, "user")).name, "Laptop");
});

Deno.test("passkeys: ASVS 7.5.1: registering and removing take a proof of a short while ago; a passkey is one", async () => {
  await using h = await harness({ env: { PUBLIC_URL, JWT_ACCESS_EXPIRES: "1h" } });
  const authenticator = await register(h, "user");
  h.clock.advance(10 * MINUTE + SECOND);
  const path = `/api/auth/passkeys/${(await passkeyOf(h, "user")).id}`;
  const body = {
    credential: new Authenticator().make((await options(h, "passkeys/sign-in")).data),
  };
  const refused = [
    await options(h, "passkeys", { as: "user" }),
    await h.ask("POST", "/api/auth/passkeys", { as: "user", body }),
    await h.ask("DELETE", path, { as: "user" }),
  ];
  for (const reply of refused) assert.equal(reply.body.error.code, "STEP_UP_REQUIRED");
  const weak = { currentPassword: PASSWORD };
  assert.equal((await h.ask("POST", "/api/auth/step-up", { as: "user", body: weak })).status, 400);

  const { data } = await options(h, "step-up/passkey", { as: "user" });
  assert.deepEqual(data.allowCredentials.map(({ id }: { id: string }) => id), [authenticator.id]);
  const proof = { credential: authenticator.use(data) };
  const prove = (as: Account, body: unknown) =>
    h.ask("POST", "/api/auth/step-up/passkey", { as, body });
  assert.equal((await prove("other", proof)).status, 400, "the challenge of another session");
  assert.equal((await prove("user", proof)).status, 200);
  assert.equal((await prove("user", proof)).status, 400, "replayed");
  const registration = await options(h, "passkeys", { as: "user" });
  for (const { data } of [await options(h, "passkeys/sign-in"), registration]) {
    const mixed = { credential: authenticator.use({ ...data, rpId: "localhost" }) };
    assert.equal((await prove("user", mixed)).status, 400, "a challenge of another purpose");
  }
  assert.equal((await h.ask("DELETE", path, { as: "user" })).status, 200);
  assert.equal((await options(h, "step-up/passkey", { as: "user" })).status, 409);
});

Deno.test("second factor: after a password a passkey of the account does, or a recovery code", async () => {
  await using h = await harness({ env: { PUBLIC_URL } });
  const authenticator = new Authenticator();
  const { data: { recoveryCodes } } = await tryRegister(h, "user", authenticator);
  const strange = await register(h, "other");
  const begin = async () => {
    const { body } = await logIn(h, "user");
    assert.equal(body.mfaRequired, true);
    assert.deepEqual(body.methods, ["passkey", "recoveryCode"]);
    assert.equal(body.accessToken, undefined);
    const question = await options(h, "mfa/passkey", { body: { challenge: body.challenge } });
    assert.equal(question.data.allowCredentials[0].id, authenticator.id);
    return { challenge: body.challenge as string, question: question.data };
  };
  const answer = (challenge: string, credential: unknown) =>
    h.ask("POST", "/api/auth/mfa/passkey", { body: { challenge, credential } });

  const first = await begin();
  const second = await begin();
  assert.equal((await answer(first.challenge, strange.use(first.question))).status, 401);
  const nameless = strange.use(first.question, { userHandle: null });
  assert.equal(
    (await answer(first.challenge, nameless)).status,
    401,
    "another's, which names nobody",
  );
  const swapped = authenticator.use(second.question);
  assert.equal((await answer(first.challenge, swapped)).status, 401, "of another sign-in");
  const right = authenticator.use(first.question);
  const done = await answer(first.challenge, right);
  assert.equal(done.status, 200, done.text);
  const session = (await h.store.from(sessions).list({ sort: "-createdAt", limit: 1 })).rows[0]!;
  assert.deepEqual([session.method, session.secondFactor], ["password", true]);
  assert.equal((await answer(first.challenge, right)).status, 401, "the sign-in has ended");
  const ended = await options(h, "mfa/passkey", { body: { challenge: first.challenge } });
  assert.equal(ended.status, 401);

  const { body: { challenge } } = await logIn(h, "user");
  const byCode = { challenge, code: recoveryCodes[0] };
  assert.equal((await h.ask("POST", "/api/auth/mfa", { body: byCode })).status, 200);
});

Deno.test("second factor: five wrong passkeys end a sign-in that waits", async () => {
  await using h = await harness({ env: { PUBLIC_URL } });
  const authenticator = await register(h, "user");
  const strange = await register(h, "other");
  const { body: { challenge } } = await logIn(h, "user");
  const { data } = await options(h, "mfa/passkey", { body: { challenge } });
  for (let n = 0; n < 5; n++) {
    const body = { challenge, credential: strange.use(data) };
    assert.equal((await h.ask("POST", "/api/auth/mfa/passkey", { body })).status, 401);
  }
  const body = { challenge, credential: authenticator.use(data) };
  assert.equal((await h.ask("POST", "/api/auth/mfa/passkey", { body })).status, 401);
  assert.equal(await h.store.from(signInChallenges).count(), 0);
});

Deno.test("second factor: an administrator's reset takes passkeys too", async () => {
  await using h = await harness({ env: { PUBLIC_URL } });
  const authenticator = await register(h, "user");
  const path = `/api/users/${h.accounts.user.id}/mfa`;
  assert.equal((await h.ask("DELETE", path, { as: "admin" })).status, 200);
  assert.equal((await signIn(h, authenticator)).status, 401);
  assert.equal((await logIn(h, "user")).body.mfaRequired, undefined);
  assert.equal(await h.store.from(passkeys).count(), 0);
});

Deno.test("limits: failed answers of a network are few, and passkeys that have not failed still sign in from it", async () => {
  await using h = await harness({ env: { PUBLIC_URL } });
  const authenticator = await register(h, "user");
  const { data } = await options(h, "passkeys/sign-in");
  const statuses = new Set<number>();
  for (let n = 0; n < 52; n++) {
    const body = { credential: new Authenticator().use(data) };
    statuses.add((await h.ask("POST", "/api/auth/passkeys/sign-in", { body })).status);
  }
  assert.deepEqual([...statuses], [401, 429]);
  assert.equal((await signIn(h, authenticator)).status, 200);
});

Deno.test("a link that takes over a registration ends the passkeys, keys and second factor that a stranger left", async () => {
  await using h = await harness({ env: { PUBLIC_URL } });
  const form = { name: "Stranger", email: "me@example.com", password: "a stranger's password" };
  const token = tokenOf(await h.ask("POST", "/api/auth/register", { body: form }));
  const verification = h.mailedToken(form.email);
  const { data } = await options(h, "passkeys", { token });
  const authenticator = new Authenticator();
  const body = { credential: authenticator.make(data) };
  assert.equal((await h.ask("POST", "/api/auth/passkeys", { token, body })).status, 201);
  const key = await h.ask("POST", "/api/auth/keys", {
    token,
    body: { name: "Key", scopes: ["documents:view"] },
  });
  assert.equal(key.status, 201, key.text);
  const own = { token: verification, newPassword: "a quiet harbour" };
  assert.equal((await h.ask("POST", "/api/auth/verify-email", { body: own })).status, 200);
  assert.equal((await signIn(h, authenticator)).status, 401);
  assert.equal((await h.ask("GET", "/api/documents", { token: key.data.key })).status, 401);
  const mine = { email: form.email, password: own.newPassword };
  const reply = await h.ask("POST", "/api/auth/login", { body: mine });
  assert.equal(typeof tokenOf(reply), "string", reply.text);
  const user = await h.store.from(users).findBy("email", form.email);
  assert.equal(user?.unverifiedSince, undefined);
});

const credential = () => new Authenticator().use({ challenge: "x" });

const BAD: readonly [name: string, path: string, body: unknown][] = [
  ["nothing", "passkeys", {}],
  ["a number", "passkeys", { credential: 1 }],
  ["null", "passkeys/sign-in", { credential: null }],
  ["no response", "passkeys/sign-in", { credential: { ...credential(), response: {} } }],
  ["another kind", "passkeys/sign-in", { credential: { ...credential(), type: "password" } }],
  ["no base64url", "passkeys/sign-in", { credential: { ...credential(), id: "ä" } }],
  ["two ids", "passkeys/sign-in", { credential: { ...credential(), rawId: "abcd" } }],
  ["a long id", "passkeys/sign-in", { credential: { ...credential(), id: "a".repeat(1365) } }],
  ["no challenge", "mfa/passkey", { credential: credential() }],
  ["no credential", "mfa/passkey", { challenge: "x" }],
  ["an array", "step-up/passkey", { credential: [] }],
  ["a long name", "passkeys", {
    name: "n".repeat(201),
    credential: new Authenticator().make({ challenge: "x" }),
  }],
  ["an attestation that is none", "passkeys", {
    credential: {
      ...credential(),
      response: {
        clientDataJSON: credential().response.clientDataJSON,
        attestationObject: "n4CfgJ-A",
      },
    },
  }],
];

Deno.test("passkeys: what cannot be understood is refused, and leaves nothing", async (t) => {
  await using h = await harness({ env: { PUBLIC_URL } });
  const before = await traces(h);
  for (const [name, path, body] of BAD) {
    await t.step(`${path}: ${name}`, async () => {
      const as = path === "passkeys" || path.startsWith("step-up") ? "user" : null;
      const reply = await h.ask("POST", `/api/auth/${path}`, { as, body });
      const wanted = name === "two ids" ? 401 : 400;
      assert.equal(reply.status, wanted, reply.text);
      assert.deepEqual(await traces(h), before);
    });
  }
});

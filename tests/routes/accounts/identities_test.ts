// Whom a provider signs in, and the identities of users: linked by their owners, or by an address proven on both sides.
// Names give the statement of OWASP ASVS 5.0 that a test holds.
import assert from "node:assert/strict";
import { auditLog } from "../../../models/audit.ts";
import { identities } from "../../../models/identities.ts";
import { passkeys, usedChallenges } from "../../../models/passkeys.ts";
import { secondFactors } from "../../../models/second_factors.ts";
import { sessions } from "../../../models/sessions.ts";
import { type User, users } from "../../../models/users.ts";
import { rateLimits } from "../../../services/accounts/limits.ts";
import { MINUTE } from "../../../core/units.ts";
import type { Harness } from "../../harness.ts";
import { Browser } from "../../providers/browser.ts";
import { codeOf, type Scene, signIn, withLiar } from "../../providers/scene.ts";

const OWN = { email: "user@example.com" };

async function patchUser(h: Harness, id: string, patch: Partial<User>): Promise<void> {
  await h.store.transact({ userId: null }, async (tx) => {
    tx.update(users, (await tx.from(users).get(id))!, patch);
  });
}

const tokenOf = ({ body }: { body: { accessToken?: string; token: string } }) =>
  body.accessToken ?? body.token;

const seconds = (h: Harness) => Math.floor(h.clock.now().getTime() / 1000);

Deno.test("identities: who is told by an address proven on both sides is linked, and told by mail", async () => {
  await withLiar({ settings: { signUp: false } }, async (scene) => {
    const { h } = scene;
    const reply = await signIn(scene, OWN);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.user.id, h.accounts.user.id);
    const [identity, ...more] = (await h.store.from(identities).list({})).rows;
    assert.equal(more.length, 0);
    assert.equal(identity!.userId, h.accounts.user.id);
    const mail = h.mails.at(-1)!;
    assert.equal(mail.to, "user@example.com");
    assert.match(mail.text, /You sign in to your account by The company from now on/);
    const { rows } = await h.store.from(auditLog).list({ where: { target: "identities" } });
    assert.deepEqual(rows.map(({ action, targetId }) => [action, targetId]), [
      ["insert", identity!.id],
    ]);
    const session = (await h.store.from(sessions).list({ where: { userId: h.accounts.user.id } }))
      .rows.find(({ method }) => method === "provider");
    assert.equal(session!.secondFactor, false);
    // From now on the subject counts, whatever its address (ASVS 5.0, 10.5.2).
    const moved = await signIn(scene, { email: "admin@example.com" });
    assert.equal(moved.body.user.id, h.accounts.user.id);
    assert.equal(h.mails.length, 1);
    assert.equal(
      (await h.store.from(identities).get(identity!.id))!.email,
      "admin@example.com",
    );
  });
});

/** First sign-ins that lead nowhere: by the settings of the provider, its claims, and what the store holds. */
const REFUSED: Readonly<
  Record<string, {
    settings?: Record<string, unknown>;
    env?: Record<string, string>;
    claims?: Record<string, unknown>;
    user?: Partial<User>;
    status: number;
    message: RegExp;
  }>
> = {
  "an address that the provider has not confirmed": {
    claims: { email_verified: false },
    status: 403,
    message: /confirmed there/,
  },
  "an address of which it says nothing": {
    claims: { ...OWN, email_verified: undefined },
    status: 403,
    message: /confirmed there/,
  },
  "an address confirmed in words": {
    claims: { ...OWN, email_verified: "true" },
    status: 403,
    message: /confirmed there/,
  },
  "no address": { claims: { email: undefined }, status: 403, message: /confirmed there/ },
  "an address that is none": { claims: { email: "nobody" }, status: 403, message: /confirmed/ },
  "an address of another type": { claims: { email: ["a"] }, status: 403, message: /confirmed/ },
  "an address of another domain": {
    settings: { allowedDomains: ["example.org"] },
    status: 403,
    message: /Only people of example\.org/,
  },
  "an address that only ends like the domain": {
    settings: { allowedDomains: ["example.com"] },
    claims: { email: "person@evilexample.com" },
    status: 403,
    message: /Only people of/,
  },
  "an address of the domain that is not confirmed": {
    settings: { allowedDomains: ["example.com"] },
    claims: { email_verified: false },
    status: 403,
    message: /Only people of/,
  },
  "no account, and none is made": {
    settings: { signUp: false },
    status: 403,
    message: /There is no account for you/,
  },
  "a role that is none": {
    settings: { defaultRole: "sailor" },
    status: 503,
    message: /No accounts can be made/,
  },
  "an account that nobody has confirmed here": {
    claims: OWN,
    user: { unverifiedSince: "2026-11-01T00:00:00.000Z" },
    status: 409,
    message: /nobody has confirmed/,
  },
  "an account, where addresses are not confirmed": {
    claims: OWN,
    env: { EMAIL_VERIFICATION: "off" },
    status: 409,
    message: /nobody has confirmed/,
  },
  "an account that is suspended": {
    claims: OWN,
    user: { status: "suspended" },
    status: 401,
    message: /disabled/,
  },
};

for (const [name, { settings, env, claims, user, status, message }] of Object.entries(REFUSED)) {
  Deno.test(`identities: refused: ${name}`, async () => {
    await withLiar({ settings, env }, async (scene) => {
      const { h } = scene;
      if (user) await patchUser(h, h.accounts.user.id, user);
      const before = await h.store.from(sessions).count({});
      const reply = await signIn(scene, claims);
      assert.equal(reply.status, status, reply.text);
      assert.match(reply.body.error.message, message);
      assert.equal(await h.store.from(users).count({}), 5);
      assert.equal(await h.store.from(identities).count({}), 0);
      assert.equal(await h.store.from(usedChallenges).count({}), 0);
      assert.equal(await h.store.from(sessions).count({}), before);
    });
  });
}

Deno.test("identities: the settings of a provider give role, domains, and trust in its addresses", async () => {
  const settings = { defaultRole: "guest", allowedDomains: ["example.com"], trustEmail: true };
  await withLiar({ settings }, async (scene) => {
    const { body } = await signIn(scene, { email_verified: undefined, name: "x" });
    assert.equal(body.user.role, "guest");
    assert.equal(body.user.emailVerified, true);
    // One letter is no name here.
    assert.equal(body.user.name, "person@example.com");
  });
});

Deno.test("identities: ASVS 10.5.2: an address that passed on to another person opens nothing", async () => {
  await withLiar({}, async (scene) => {
    assert.equal((await signIn(scene, OWN)).status, 200);
    const reply = await signIn(scene, { ...OWN, sub: "person-2" });
    assert.equal(reply.status, 409);
    assert.match(reply.body.error.message, /Another account of The company/);
    assert.equal(await scene.h.store.from(identities).count({}), 1);
  });
});

Deno.test("identities: first sign-ins at once make one account", async () => {
  await withLiar({}, async (scene) => {
    const browsers = [1, 2, 3].map(() => new Browser(scene.h));
    const codes: string[] = [];
    for (const browser of browsers) codes.push(await codeOf({ ...scene, browser }));
    const replies = await Promise.all(browsers.map((one, n) => one.exchange(codes[n]!)));
    assert.deepEqual(replies.map(({ status }) => status), [200, 200, 200]);
    assert.equal(new Set(replies.map(({ body }) => body.user.id)).size, 1);
    assert.equal(await scene.h.store.from(users).count({}), 6);
  });
});

Deno.test("identities: a first sign-in gets in, though another one makes the account between its look-ups", async () => {
  await withLiar({}, async (scene) => {
    const [slow, quick] = [new Browser(scene.h), new Browser(scene.h)];
    const codes = [
      await codeOf({ ...scene, browser: slow }),
      await codeOf({ ...scene, browser: quick }),
    ];
    const reader = scene.h.store.from(identities);
    const { findBy } = reader;
    let asked = 0;
    Object.assign(reader, {
      findBy: async (...key: Parameters<typeof findBy>) => {
        const found = await findBy.apply(reader, key);
        // The second look-up is that of the plan.
        if (++asked === 2) assert.equal((await quick.exchange(codes[1]!)).status, 200);
        return found;
      },
    });
    assert.equal((await slow.exchange(codes[0]!)).status, 200);
    assert.ok(asked > 2);
    assert.equal(await scene.h.store.from(users).count({}), 6);
  });
});

Deno.test("identities: accounts that first sign-ins make are limited, for a network", async () => {
  await withLiar({}, async (scene) => {
    const { limiter } = scene.h.app.services;
    for (let n = 1; n < rateLimits.providerSignUp.perNetwork; n++) {
      limiter.hit("providerSignUp", { address: "127.0.0.1" });
    }
    assert.equal((await signIn(scene)).status, 200);
    const other = { sub: "person-2", email: "second@example.com" };
    assert.equal((await signIn(scene, other)).status, 429);
    assert.equal((await signIn(scene)).status, 200, "who has an account gets in");
    assert.equal(await scene.h.store.from(users).count({}), 6);
  });
});

for (
  const { amr, asked } of [{ amr: ["pwd"], asked: true }, { amr: ["pwd", "mfa"], asked: false }]
) {
  Deno.test(`identities: a second factor is ${asked ? "" : "not "}asked for after ${amr}`, async () => {
    await withLiar({}, async (scene) => {
      const { h } = scene;
      const { id: userId } = h.accounts.user;
      await h.store.transact({ userId: null }, (tx) => {
        tx.insert(secondFactors, { userId, totp: "sealed", recoveryCodes: [] });
      });
      const reply = await signIn(scene, { ...OWN, amr });
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.body.mfaRequired, asked || undefined);
      assert.equal(tokenOf(reply) === undefined, asked);
      const { rows } = await h.store.from(sessions).list({ where: { userId } });
      assert.equal(rows.some(({ secondFactor }) => secondFactor), !asked);
    });
  });
}

Deno.test("identities: a proof of long ago is none for what takes a fresh one, unless the provider asks anew", async () => {
  await withLiar({}, async (scene) => {
    const { h, browser, provider } = scene;
    const setUp = (token: string) => h.ask("POST", "/api/auth/mfa/totp", { token });
    const old = await signIn(scene, { ...OWN, auth_time: seconds(h) - 3600 });
    assert.equal((await setUp(tokenOf(old))).body.error.code, "STEP_UP_REQUIRED");
    const fresh = await signIn(scene, { ...OWN, auth_time: seconds(h) - 60 });
    assert.equal((await setUp(tokenOf(fresh))).status, 201);
    const ahead = await signIn(scene, { ...OWN, auth_time: seconds(h) + 86_400 });
    assert.equal((await setUp(tokenOf(ahead))).status, 201);
    h.clock.advance(11 * MINUTE);
    assert.equal((await setUp(tokenOf(ahead))).body.error.code, "STEP_UP_REQUIRED");
    // Asked to prove it anew, the provider has to say that the person did (OpenID Connect Core, section 3.1.2.1).
    const authorization = await browser.begin("company", "?fresh=true");
    assert.equal(authorization.searchParams.get("max_age"), "0");
    for (const auth_time of [undefined, Math.floor(Date.now() / 1000) - 600]) {
      provider.lies = { claims: { auth_time } };
      const place = await browser.comeBack(provider.signIn(authorization));
      assert.equal(place.get("error"), "failed");
    }
  });
});

Deno.test("identities: owners link and unlink; others' are theirs; each is told by mail and audited", async () => {
  await withLiar({}, async (scene) => {
    const { h, browser } = scene;
    const link = async (as: "user" | "other", claims = {}) => {
      const code = await codeOf(scene, { claims });
      return await browser.ask("POST", "/api/auth/oidc/link", { as, body: { code } });
    };
    const linked = await link("user", { email: "private@example.net", email_verified: false });
    assert.equal(linked.status, 201, linked.text);
    const { id } = linked.data;
    assert.equal(linked.data.email, "private@example.net");
    assert.match(h.mails.at(-1)!.text, /by The company from now on/);
    assert.equal((await link("user")).data.id, id, "once more is the same");
    assert.equal(h.mails.length, 1);
    const taken = await link("other");
    assert.equal(taken.status, 409);
    assert.match(taken.body.error.message, /linked with another user/);

    assert.equal((await signIn(scene)).body.user.id, h.accounts.user.id);
    const listOf = async (as: "user" | "other") =>
      (await h.ask("GET", "/api/auth/identities", { as })).data.map((one: { id: string }) =>
        one.id
      );
    assert.deepEqual([await listOf("user"), await listOf("other")], [[id], []]);
    const unlink = (as: "user" | "other") => h.ask("DELETE", `/api/auth/identities/${id}`, { as });
    assert.equal((await unlink("other")).status, 404);
    assert.equal((await unlink("user")).status, 200);
    assert.equal((await unlink("user")).status, 404);
    assert.match(h.mails.at(-1)!.text, /by The company no more/);
    const { rows } = await h.store.from(auditLog).list({
      where: { target: "identities" },
      sort: "createdAt",
    });
    assert.deepEqual(rows.map(({ action, actorId }) => [action, actorId]), [
      ["insert", h.accounts.user.id],
      ["update", h.accounts.user.id],
      ["remove", h.accounts.user.id],
    ]);
  });
});

Deno.test("identities: linking takes the code of one's own browser, a fresh proof, and the provider's domains", async () => {
  await withLiar({ settings: { allowedDomains: ["example.com"] } }, async (scene) => {
    const { h, browser } = scene;
    const send = (code: string, by = browser) =>
      by.ask("POST", "/api/auth/oidc/link", { as: "user", body: { code } });
    const code = await codeOf(scene);
    assert.equal((await send(code, new Browser(h))).status, 400);
    const foreign = await codeOf(scene, { claims: { email: "person@example.org" } });
    assert.equal((await send(foreign)).status, 403);
    const good = await codeOf(scene);
    assert.equal((await send(good)).status, 201);
    assert.equal((await send(good)).status, 400, "the code was used");
    h.clock.advance(11 * MINUTE);
    const late = await send(await codeOf(scene));
    assert.equal(late.body.error.code, "STEP_UP_REQUIRED");
    const { id } = (await h.store.from(identities).list({})).rows[0]!;
    const unlinked = await h.ask("DELETE", `/api/auth/identities/${id}`, { as: "user" });
    assert.equal(unlinked.body.error.code, "STEP_UP_REQUIRED");
  });
});

/** An account without a password, made by its first sign-in. */
async function passwordless(scene: Scene): Promise<{ token: string; userId: string }> {
  const reply = await signIn(scene);
  return { token: tokenOf(reply), userId: reply.body.user.id };
}

Deno.test("identities: the last way to sign in stays, also when two go at once", async () => {
  await withLiar({}, async (scene) => {
    const { h, browser } = scene;
    const { token, userId } = await passwordless(scene);
    const remove = (id: string) => h.ask("DELETE", `/api/auth/identities/${id}`, { token });
    const first = (await h.store.from(identities).list({})).rows[0]!;
    const alone = await remove(first.id);
    assert.equal(alone.status, 409);
    assert.match(alone.body.error.message, /set a password first/);
    // One at a provider that is configured no more is no way in.
    await h.store.transact({ userId: null }, (tx) => {
      tx.insert(identities, { userId, issuer: "https://gone.example", subject: "s" });
    });
    assert.equal((await remove(first.id)).status, 409);

    const code = await codeOf(scene, { claims: { sub: "person-2" } });
    const linked = await browser.ask("POST", "/api/auth/oidc/link", { token, body: { code } });
    assert.equal(linked.status, 201, linked.text);
    const replies = await Promise.all([first.id, linked.data.id].map(remove));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409]);
    const { passwordHash } = h.accounts.user;
    await patchUser(h, userId, { passwordHash });
    const [left] = (await h.store.from(identities).list({ where: { userId } })).rows
      .filter(({ issuer }) => issuer !== "https://gone.example");
    assert.equal((await remove(left!.id)).status, 200);
  });
});

Deno.test("identities: a passkey is a way to sign in, and the last one stays too", async () => {
  await withLiar({}, async (scene) => {
    const { h } = scene;
    const { token, userId } = await passwordless(scene);
    const passkey = await h.store.transact({ userId: null }, (tx) =>
      tx.insert(passkeys, {
        userId,
        name: "Laptop",
        credentialId: "credential",
        publicKey: "key",
        signCount: 0,
        transports: [],
        synced: false,
      }));
    const remove = (path: string) => h.ask("DELETE", `/api/auth/${path}`, { token });
    const { id } = (await h.store.from(identities).list({})).rows[0]!;
    const replies = await Promise.all([
      remove(`identities/${id}`),
      remove(`passkeys/${passkey.id}`),
    ]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409]);
  });
});

Deno.test("identities: what a stranger linked with someone's address ends when its owner proves it", async () => {
  await withLiar({}, async (scene) => {
    const { h, browser } = scene;
    const form = { name: "Stranger", email: "victim@example.com", password: "a quiet harbour" };
    const { accessToken: token } = (await h.ask("POST", "/api/auth/register", { body: form })).body;
    const code = await codeOf(scene, { claims: { email: "stranger@example.net" } });
    const linked = await browser.ask("POST", "/api/auth/oidc/link", { token, body: { code } });
    assert.equal(linked.status, 201, linked.text);
    const body = {
      token: h.mailedToken("victim@example.com"),
      newPassword: "another quiet harbour",
    };
    assert.equal((await h.ask("POST", "/api/auth/verify-email", { body })).status, 200);
    assert.equal(await h.store.from(identities).count({}), 0);
  });
});

Deno.test("identities: a user has so many and no more", async () => {
  await withLiar({}, async (scene) => {
    const { h, browser } = scene;
    await h.store.transact({ userId: null }, (tx) => {
      for (let n = 0; n < 19; n++) {
        const issuer = `https://id${n}.example`;
        tx.insert(identities, { userId: h.accounts.user.id, issuer, subject: "s" });
      }
    });
    for (const [sub, status] of [["a", 201], ["b", 409]] as const) {
      const code = await codeOf(scene, { claims: { sub } });
      const reply = await browser.ask("POST", "/api/auth/oidc/link", {
        as: "user",
        body: { code },
      });
      assert.equal(reply.status, status, reply.text);
    }
  });
});

Deno.test("identities: they go with their user", async () => {
  await withLiar({}, async (scene) => {
    const { userId } = await passwordless(scene);
    const reply = await scene.h.ask("DELETE", `/api/users/${userId}`, { as: "super" });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(await scene.h.store.from(identities).count({}), 0);
  });
});

Deno.test("identities: requests that cannot be right are named", async () => {
  await withLiar({}, async ({ h }) => {
    const rows = [
      ["GET", "/api/auth/oidc/unknown", undefined, 404],
      ["GET", "/api/auth/oidc/unknown/callback", undefined, 404],
      ["GET", "/api/auth/oidc/company?codeChallenge=short", undefined, 400],
      ["GET", "/api/auth/oidc/company?fresh=maybe", undefined, 400],
      ["GET", "/api/auth/oidc/company?surprise=1", undefined, 400],
      ["POST", "/api/auth/oidc/exchange", {}, 400],
      ["POST", "/api/auth/oidc/exchange", { code: 7 }, 400],
      ["POST", "/api/auth/oidc/exchange", { code: "" }, 400],
      ["POST", "/api/auth/oidc/exchange", { code: "x".repeat(6145) }, 400],
      ["POST", "/api/auth/oidc/exchange", { code: "guessed", codeVerifier: "short" }, 400],
      ["POST", "/api/auth/oidc/exchange", { code: "guessed" }, 400],
      ["POST", "/api/auth/oidc/exchange", { code: "é%00" }, 400],
      ["POST", "/api/auth/oidc/exchange", { code: "x".repeat(17_000) }, 413],
      ["POST", "/api/auth/oidc/link", { code: "guessed" }, 401],
      ["GET", "/api/auth/identities", undefined, 401],
      ["DELETE", "/api/auth/identities/none", undefined, 401],
    ] as const;
    for (const [method, path, body, status] of rows) {
      const reply = await h.ask(method, path, { body });
      assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`);
    }
    const garbage = { cookie: "quarterdeck.provider=garbage%ff" };
    const reply = await h.ask("GET", "/api/auth/oidc/company/callback?code=a&state=b", {
      headers: garbage,
    });
    assert.match(reply.headers.get("location")!, /error=failed$/);
  });
});

Deno.test("identities: the public list names providers, and nothing that is secret", async () => {
  await withLiar({}, async ({ h }) => {
    const { status, data, text } = await h.ask("GET", "/api/auth/providers");
    assert.equal(status, 200);
    assert.deepEqual(data, [
      { name: "company", label: "The company" },
      { name: "other", label: "The company" },
    ]);
    assert.ok(!/secret|issuer|client/i.test(text));
  });
});

Deno.test("identities (web): the sign-in ends with a cookie, and tells the way back to where one came from", async () => {
  await withLiar({ variant: "web" }, async ({ h, browser, provider }) => {
    const begin = (redirect: string) =>
      browser.begin("company", `?${new URLSearchParams({ redirect })}`);
    const place = await browser.comeBack(provider.signIn(await begin("/users?page=2")));
    assert.equal(place.get("redirect"), "/users?page=2");
    const code = place.get("code")!;
    // Nobody else gets in by it, whatever cookies they have.
    const stranger = new Browser(h);
    await stranger.begin();
    assert.equal((await stranger.exchange(code)).status, 400);
    const entered = await browser.exchange(code);
    assert.equal(entered.status, 200);
    const cookies = entered.headers.getSetCookie().join("\n");
    assert.match(cookies, /quarterdeck\.provider=;.*Max-Age=0/);
    assert.match(cookies, /^token=[^;]+; Max-Age=900; Path=\/; HttpOnly/m);
    assert.equal((await browser.ask("GET", "/api/users/me")).body.data.email, "person@example.com");
    const again = await browser.exchange(code);
    assert.equal(again.status, 400, "the code was used");
    for (const away of [`${provider.issuer}/login`, "//evil.example", "/\\evil.example"]) {
      const home = await browser.comeBack(provider.signIn(await begin(away)));
      assert.equal(home.get("redirect"), null, away);
    }
  });
});

Deno.test("identities: cookies are for the server alone, and codes come back to the application", async () => {
  const env = { FRONTEND_URL: "https://app.example.com", PUBLIC_URL: "https://api.example.com" };
  await withLiar({ env }, async ({ h, browser, provider }) => {
    const reply = await h.ask("GET", "/api/auth/oidc/company");
    assert.match(
      reply.headers.get("set-cookie")!,
      /^quarterdeck\.provider=[^;]+; Max-Age=600; Path=\/api\/auth\/oidc; HttpOnly; Secure; SameSite=Lax$/,
    );
    const location = new URL(reply.headers.get("location")!);
    const query = Object.fromEntries(location.searchParams);
    assert.equal(query.redirect_uri, "https://api.example.com/api/auth/oidc/company/callback");
    assert.equal(query.scope, "openid email profile");
    assert.equal(query.response_type, "code");
    assert.equal(query.code_challenge_method, "S256");
    assert.equal(query.state!.length, 43);
    assert.equal(query.nonce!.length, 43);
    const callback = provider.signIn(await browser.begin());
    const back = await browser.ask("GET", callback.pathname + callback.search);
    assert.match(
      back.headers.get("location")!,
      /^https:\/\/app\.example\.com\/oidc\?provider=company&code=[^&]+$/,
    );
    assert.equal(back.headers.get("referrer-policy"), "no-referrer");
    assert.equal(back.headers.get("cache-control"), "no-store");
  });
});

// Providers that lie, are down or slow, and people who are not whom they seem: nobody is signed in who should not be.
// Names give the statement of OWASP ASVS 5.0 that a test holds.
import assert from "node:assert/strict";
import { generateKeyPair } from "jose";
import { identities } from "../../../models/identities.ts";
import { usedChallenges } from "../../../models/passkeys.ts";
import { sessions } from "../../../models/sessions.ts";
import { users } from "../../../models/users.ts";
import { rateLimits } from "../../../services/accounts/limits.ts";
import { Providers } from "../../../services/accounts/providers.ts";
import { sweep } from "../../../services/sweep.ts";
import { HOUR, MINUTE, SECOND } from "../../../core/units.ts";
import { Browser } from "../../providers/browser.ts";
import type { Lies, LyingProvider } from "../../providers/lying.ts";
import { CLIENT } from "../../providers/real.ts";
import { type Back, codeOf, comeBack, signIn, withLiar } from "../../providers/scene.ts";

const base64url = (value: unknown) =>
  new TextEncoder().encode(JSON.stringify(value)).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });

const now = () => Math.floor(Date.now() / 1000);

/** Answers of a provider that are not taken. */
const LIES: Readonly<Record<string, () => { lies?: Lies; back?: Back }>> = {
  "ASVS 10.5.1: another nonce": () => ({ lies: { claims: { nonce: "of another sign-in" } } }),
  "ASVS 10.5.1: no nonce": () => ({ lies: { claims: { nonce: undefined } } }),
  "ASVS 10.5.2: no subject": () => ({ lies: { claims: { sub: undefined } } }),
  "ASVS 10.5.2: a subject too long": () => ({ lies: { claims: { sub: "s".repeat(256) } } }),
  "ASVS 10.5.3: another issuer in the token": () => ({
    lies: { claims: { iss: "https://evil.example" } },
  }),
  "ASVS 10.5.4: another audience": () => ({ lies: { claims: { aud: "another client" } } }),
  "ASVS 10.5.4: several audiences, made for another": () => ({
    lies: { claims: { aud: [CLIENT.id, "another client"], azp: "another client" } },
  }),
  "ASVS 10.1.2: another state": () => ({ back: { state: "of-another-browser" } }),
  "ASVS 10.1.2: no state": () => ({ back: { state: undefined } }),
  "ASVS 10.2.2: the answer of another provider": () => ({ back: { iss: "https://evil.example" } }),
  "ASVS 10.2.2: an answer that names no provider": () => ({ back: { iss: undefined } }),
  "an expired token": () => ({ lies: { claims: { iat: now() - 600, exp: now() - 300 } } }),
  "a token from the future": () => ({ lies: { claims: { nbf: now() + 600 } } }),
  "a code that was not given": () => ({ back: { code: "guessed" } }),
  "a token that is none": () => ({ lies: { sign: () => "none.at.all" } }),
  "the algorithm none": () => ({
    lies: { sign: (claims) => `${base64url({ alg: "none" })}.${base64url(claims)}.` },
  }),
  "a signature of another key": () => ({
    lies: {
      async sign(claims) {
        const { privateKey } = await generateKeyPair("RS256");
        return await liar().sign(claims, { key: privateKey });
      },
    },
  }),
  "a key that is not published": () => ({
    lies: { sign: (claims) => liar().sign(claims, { kid: "unheard of" }) },
  }),
  "HMAC with the client's secret": () => ({
    lies: {
      async sign(claims) {
        const signed = `${base64url({ alg: "HS256" })}.${base64url(claims)}`;
        const secret = new TextEncoder().encode(CLIENT.secret);
        const hmac = { name: "HMAC", hash: "SHA-256" };
        const key = await crypto.subtle.importKey("raw", secret, hmac, false, ["sign"]);
        const mac = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(signed));
        const options = { alphabet: "base64url", omitPadding: true } as const;
        return `${signed}.${new Uint8Array(mac).toBase64(options)}`;
      },
    },
  }),
};

let current: LyingProvider;
const liar = () => current;

Deno.test("lying providers: what is not to be trusted is not taken, and leaves nothing", async (t) => {
  await withLiar({ env: { RATE_LIMIT: "false" } }, async (scene) => {
    const { h, provider } = scene;
    current = provider;
    const before = await h.store.from(sessions).count({});
    for (const [name, tell] of Object.entries(LIES)) {
      await t.step(name, async () => {
        const { lies, back } = tell();
        const place = await comeBack(scene, lies, back);
        assert.equal(place.get("error"), "failed");
        assert.equal(place.get("code"), null);
      });
    }
    assert.equal(await h.store.from(users).count({}), 5);
    assert.equal(await h.store.from(identities).count({}), 0);
    assert.equal(await h.store.from(sessions).count({}), before);
    assert.equal((await signIn(scene)).status, 200, "the truth is taken");
  });
});

Deno.test("lying providers: ASVS 10.5.3: metadata of another issuer are refused, also one that only looks alike", async () => {
  for (const issuer of ["https://evil.example", (own: string) => `${own}/`]) {
    await withLiar({}, async ({ h, provider }) => {
      const metadata = { issuer: typeof issuer === "string" ? issuer : issuer(provider.issuer) };
      provider.lies = { metadata };
      const reply = await h.ask("GET", "/api/auth/oidc/company");
      assert.equal(reply.status, 503, reply.text);
    });
  }
});

Deno.test("lying providers: a new key counts at once, and one that was taken back no more", async () => {
  await withLiar({}, async (scene) => {
    const { provider } = scene;
    assert.equal((await signIn(scene)).status, 200);
    await provider.rotateKey();
    assert.equal((await signIn(scene)).status, 200);
    const stale = (claims: Record<string, unknown>) => provider.sign(claims, { kid: "first" });
    const place = await comeBack(scene, { sign: stale });
    assert.equal(place.get("error"), "failed");
  });
});

Deno.test("lying providers: a state is good once, in the browser that began, for ten minutes", async () => {
  await withLiar({}, async (scene) => {
    const { h, provider, browser } = scene;
    // Another browser, and none.
    const elsewhere = provider.signIn(await browser.begin());
    const stranger = new Browser(h);
    assert.equal((await stranger.comeBack(elsewhere)).get("error"), "failed");
    await stranger.begin();
    assert.equal((await stranger.comeBack(elsewhere)).get("error"), "failed");
    // The answer for another provider of ours.
    const other = new URL(elsewhere.href.replace("/company/", "/other/"));
    assert.equal((await browser.comeBack(other)).get("error"), "failed");
    // Too late.
    const late = provider.signIn(await browser.begin());
    h.clock.advance(10 * MINUTE + SECOND);
    assert.equal((await browser.comeBack(late)).get("error"), "failed");
    // Twice: the provider takes its code once, and were it to take it again, the state is used.
    const authorization = await browser.begin();
    const codes: string[] = [];
    for (let n = 0; n < 2; n++) {
      codes.push((await browser.comeBack(provider.signIn(authorization))).get("code")!);
    }
    const replies = await Promise.all(codes.map((code) => browser.exchange(code)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400]);
    assert.equal(await h.store.from(usedChallenges).count({}), 1);
    h.clock.advance(HOUR);
    await sweep(h.app.services, h.clock.now());
    assert.equal(await h.store.from(usedChallenges).count({}), 0);
  });
});

Deno.test("lying providers: a code is good once, for a minute, and for whoever began alone", async () => {
  await withLiar({}, async (scene) => {
    const { h, provider, browser } = scene;
    const exchange = (code: string, codeVerifier?: string, by = browser) =>
      by.exchange(code, codeVerifier);
    const code = await codeOf(scene);
    assert.equal((await exchange(code, undefined, new Browser(h))).status, 400, "no cookie");
    const other = new Browser(h);
    await other.begin();
    assert.equal((await exchange(code, undefined, other)).status, 400, "another's cookie");
    assert.equal((await exchange(`${code.slice(0, -4)}AAAA`)).status, 400, "changed");
    assert.equal((await exchange(code)).status, 200);
    assert.equal((await exchange(code)).status, 400, "used");
    const late = await codeOf(scene);
    h.clock.advance(MINUTE + SECOND);
    assert.equal((await exchange(late)).status, 400, "late");

    const verifier = "a".repeat(43);
    const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    const options = { alphabet: "base64url", omitPadding: true } as const;
    const challenge = new Uint8Array(hash).toBase64(options);
    const authorization = await browser.begin("company", `?codeChallenge=${challenge}`);
    const bound = (await browser.comeBack(provider.signIn(authorization))).get("code")!;
    assert.equal((await exchange(bound)).status, 400, "no verifier");
    assert.equal((await exchange(bound, "b".repeat(43))).status, 400, "another verifier");
    // What the application keeps is enough, without any cookie.
    assert.equal((await exchange(bound, verifier, new Browser(h))).status, 200);
  });
});

Deno.test("lying providers: a person who says no is told apart from one who cannot be trusted", async () => {
  await withLiar({}, async (scene) => {
    const refused = { code: undefined, error: "access_denied" };
    assert.equal((await comeBack(scene, {}, refused)).get("error"), "denied");
    const broken = { ...refused, error: "server_error" };
    assert.equal((await comeBack(scene, {}, broken)).get("error"), "failed");
    const forged = { ...refused, state: "of-another-browser" };
    assert.equal((await comeBack(scene, {}, forged)).get("error"), "failed");
  });
});

/** How a provider fails, and what it is asked for then. */
const DOWN: Readonly<Record<string, () => Response>> = {
  "an error": () => new Response("down", { status: 500 }),
  "too many requests": () => new Response("later", { status: 429 }),
  "an endless answer": () => new Response(new Uint8Array(600 * 1024)),
};

for (const [name, answer] of Object.entries(DOWN)) {
  Deno.test(`lying providers: down (${name}): a clear error, and passwords go on`, async () => {
    await withLiar({}, async (scene) => {
      const { h, provider, browser } = scene;
      const DISCOVERY = "/.well-known/openid-configuration";
      provider.lies = { answers: { [DISCOVERY]: answer } };
      const reply = await h.ask("GET", "/api/auth/oidc/company");
      assert.equal(reply.status, 503);
      assert.equal(reply.headers.get("retry-after"), "10");
      assert.match(reply.body.error.message, /^The company cannot be reached/);
      // Nobody waits for it a second time, and a person is led back to the application.
      const headers = { accept: "text/html,*/*" };
      const person = await h.ask("GET", "/api/auth/oidc/company", { headers });
      assert.equal(person.status, 303);
      assert.match(person.headers.get("location")!, /\/oidc\?provider=company&error=unavailable$/);
      assert.equal(provider.requests.length, 1);
      const body = { email: "user@example.com", password: "correct horse battery" };
      assert.equal((await h.ask("POST", "/api/auth/login", { body })).status, 200);
      // It is back, and goes again between the two steps; what it said of itself is kept.
      h.clock.advance(11 * SECOND);
      provider.lies = {};
      const authorization = await browser.begin();
      for (const path of ["/token", "/keys"]) {
        provider.lies = { answers: { [path]: answer } };
        const place = await browser.comeBack(provider.signIn(authorization));
        assert.equal(place.get("error"), "unavailable", path);
      }
      h.clock.advance(2 * HOUR);
      provider.lies = { answers: { [DISCOVERY]: answer } };
      await browser.begin();
      provider.lies = {};
      assert.equal((await signIn(scene)).status, 200);
    });
  });
}

Deno.test("lying providers: a slow one is given up on, and asked once for all who wait", async () => {
  await withLiar({}, async ({ h, provider }) => {
    const hanging = Promise.withResolvers<Response>();
    provider.lies = {
      answers: { "/.well-known/openid-configuration": () => hanging.promise },
    };
    const { settings } = h;
    const providers = new Providers({ settings, elapsed: h.clock.elapsed, deadline: 500 });
    const secrets = { state: "s", nonce: "n", verifier: "v".repeat(43) };
    const waiting = [1, 2, 3].map(() => providers.named("company").begin(secrets));
    for (
      const { status, reason } of await Promise.allSettled(waiting).then((all) =>
        all as PromiseRejectedResult[]
      )
    ) {
      assert.equal(status, "rejected");
      assert.equal(reason.code, "UNAVAILABLE");
    }
    assert.equal(provider.requests.length, 1);
    hanging.resolve(new Response());
  });
});

Deno.test("lying providers: answers that are not taken are limited, for a network alone", async () => {
  await withLiar({}, async (scene) => {
    const { h, provider, browser } = scene;
    const { perNetwork } = rateLimits.providerAnswer;
    for (let n = 0; n < perNetwork; n++) {
      await comeBack(scene, {}, { code: "guessed" });
    }
    const asked = provider.requests.length;
    const callback = provider.signIn(await browser.begin());
    const reply = await browser.ask("GET", callback.pathname + callback.search);
    assert.equal(reply.status, 429);
    assert.equal(provider.requests.length, asked);
    const elsewhere = new Browser(h, "203.0.113.9");
    const place = await elsewhere.comeBack(provider.signIn(await elsewhere.begin()));
    assert.ok(place.get("code"));
  });
});

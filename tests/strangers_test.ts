// What someone without an account can make the store keep, by every route that takes anyone, with the limits as they are.
import assert from "node:assert/strict";
import { allCollections } from "../models/all.ts";
import { rateLimits } from "../services/accounts/limits.ts";
import { MAX_SESSIONS } from "../services/accounts/sessions.ts";
import type { Store } from "../storage/port.ts";
import { Authenticator } from "./authenticator.ts";
import { type Harness, harness, PASSWORD } from "./harness.ts";

/** What a stranger sends to a route that takes anyone, and the records that stay of it, of how many tries. */
interface Stranger {
  body(n: number): unknown;
  readonly headers?: (h: Harness) => Promise<Record<string, string>>;
  readonly tries?: number;
  /** By collection, the most that one network leaves within these tries. */
  readonly leaves: Readonly<Record<string, number>>;
}

const OWN = { email: "user@example.com", password: PASSWORD };
const CHOSEN = "a quiet harbour";
const guessedCredential = () => new Authenticator().use({ challenge: "guessed" });
const nothing = { tries: 5, leaves: {} };

const STRANGERS: Readonly<Record<string, Stranger>> = {
  "post /auth/login": {
    body: () => OWN,
    tries: MAX_SESSIONS + 5,
    leaves: { sessions: MAX_SESSIONS - 1 },
  },
  "post /auth/register": {
    tries: rateLimits.register.perNetwork + 3,
    body: (n) => ({
      name: "Nobody",
      email: `n${n}@example.com`,
      password: CHOSEN,
      confirmPassword: CHOSEN,
    }),
    leaves: {
      users: rateLimits.register.perNetwork,
      sessions: rateLimits.register.perNetwork,
      emailLinks: rateLimits.register.perNetwork,
    },
  },
  "post /auth/refresh": {
    body: () => ({ refreshToken: "guessed" }),
    ...nothing,
  },
  "post /auth/forgot-password": {
    body: () => ({ email: OWN.email }),
    tries: 10,
    leaves: { passwordResets: rateLimits.resetMail.perAccount },
  },
  "post /auth/reset-password": {
    body: () => ({ token: "guessed", password: CHOSEN }),
    ...nothing,
  },
  "post /auth/verify-email": {
    body: () => ({ token: "guessed", newPassword: CHOSEN }),
    ...nothing,
  },
  "post /auth/confirm-email": { body: () => ({ token: "guessed", password: CHOSEN }), ...nothing },
  "post /auth/mfa": { body: () => ({ challenge: "guessed", code: "123456" }), ...nothing },
  "post /auth/mfa/passkey": {
    body: () => ({ challenge: "guessed", credential: guessedCredential() }),
    ...nothing,
  },
  "post /auth/mfa/passkey/options": { body: () => ({ challenge: "guessed" }), ...nothing },
  "post /auth/passkeys/sign-in": {
    body: () => ({ credential: guessedCredential() }),
    tries: rateLimits.passkey.perNetwork + 5,
    leaves: {},
  },
  "post /auth/passkeys/sign-in/options": { body: () => undefined, tries: 100, leaves: {} },
  "post /auth/oidc/exchange": { body: () => ({ code: "guessed" }), ...nothing },
  "post /setup": {
    body: (n) => ({
      name: "Nobody",
      email: `n${n}@example.com`,
      password: CHOSEN,
      confirmPassword: CHOSEN,
    }),
    ...nothing,
  },
  "post /share": {
    body: (n) => ({ content: `${n}` }),
    tries: rateLimits.share.perNetwork + 5,
    leaves: { snippets: rateLimits.share.perNetwork },
  },
  "post /markdown": { body: () => ({ markdown: "# Title" }), ...nothing },
  "post /checkin": {
    body: () => undefined,
    async headers(h) {
      const reply = await h.ask("POST", "/api/auth/login", { body: OWN });
      const set = reply.headers.getSetCookie().find((one) => one.includes("session-token"));
      return { cookie: set!.split(";")[0]! };
    },
    tries: 5,
    leaves: { checkins: 1 },
  },
};

/** Records by collection, but for what any request may leave, which is bounded by day. */
async function recordsIn(store: Store): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const collection of allCollections) {
    if (/^(visit|audit)/.test(collection.name)) continue;
    counts.set(collection.name, await store.from(collection).count());
  }
  return counts;
}

/** Sends the requests of a row, and gives the records that are there after it and were not before, by collection. */
async function leftBy(variant: string, name: string): Promise<Record<string, number>> {
  await using h = await harness({ variant });
  const { body, headers, tries = 30 } = STRANGERS[name]!;
  const sent = await headers?.(h);
  const before = await recordsIn(h.store);
  const [method = "", path = ""] = name.split(" ");
  for (let n = 0; n < tries; n++) {
    const reply = await h.ask(method.toUpperCase(), `/api${path}`, {
      headers: sent,
      body: body(n),
    });
    assert.ok(reply.status < 500, reply.text);
  }
  const after = await recordsIn(h.store);
  const added = [...after].map(([name, count]) => [name, count - before.get(name)!] as const);
  return Object.fromEntries(added.filter(([, count]) => count > 0));
}

for (const [name, { leaves }] of Object.entries(STRANGERS)) {
  Deno.test(`strangers: one network leaves so much and no more by ${name}`, async () => {
    assert.deepEqual(await leftBy("compact", name), leaves);
  });
}

Deno.test("strangers: where registering signs nobody in, it leaves no session", async () => {
  const { sessions: _, ...leaves } = STRANGERS["post /auth/register"]!.leaves;
  assert.deepEqual(await leftBy("web", "post /auth/register"), leaves);
});

Deno.test("strangers: every route that takes anyone is asked", async () => {
  for (const variant of ["compact", "full", "web", "snippets"]) {
    await using h = await harness({ variant });
    const open = h.app.endpoints.filter(({ method, access }) =>
      method !== "get" && (access === "public" || access === "optional")
    );
    assert.deepEqual(
      open.map(({ method, path }) => `${method} ${path}`).sort(),
      Object.keys(STRANGERS).sort(),
      variant,
    );
  }
});

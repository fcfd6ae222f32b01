// Rate limits that hold whatever the body says: whoever is beyond them is answered before the body is read.
import assert from "node:assert/strict";
import { type RateLimit, type RateLimitName, rateLimits } from "../../services/accounts/limits.ts";
import type { Caller } from "../../services/accounts/rate_limits.ts";
import { harness, type Reply } from "../harness.ts";

const NETWORK = "192.0.2.7";

interface Case {
  readonly path: string;
  readonly limit: RateLimitName;
  /** Has an account. */
  readonly known?: boolean;
}

const CASES: readonly Case[] = [
  { path: "/api/auth/register", limit: "register" },
  { path: "/api/share", limit: "share" },
  { path: "/api/share", limit: "shareByDay" },
  { path: "/api/share", limit: "ownShare", known: true },
  { path: "/api/markdown", limit: "markdown" },
  { path: "/api/markdown", limit: "ownMarkdown", known: true },
];

for (const { path, limit, known = false } of CASES) {
  Deno.test(`limits: POST ${path} is refused by ${limit} before its body is read`, async () => {
    await using h = await harness();
    const { limiter } = h.app.services;
    const caller: Caller = known ? { account: h.accounts.user.id } : { address: NETWORK };

    /** @returns The status, and whether the body was asked for. */
    async function post() {
      let read = false;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          read = true;
          controller.enqueue(new TextEncoder().encode("{}"));
          controller.close();
        },
      }, { highWaterMark: 0 });
      const headers: Record<string, string> = { "content-type": "application/json" };
      if (known) headers["authorization"] = `Bearer ${h.tokens.user}`;
      const request = new Request(`http://localhost${path}`, { method: "POST", headers, body });
      const { status } = await h.app.fetch(request, { remoteAddr: { hostname: NETWORK } });
      return { status, read };
    }

    while (limiter.tryTake(limit, caller));
    assert.deepEqual(await post(), { status: 429, read: false });
    h.clock.advance(limiter.blocked(limit, caller) * 1000);
    assert.deepEqual(await post(), { status: 400, read: true });
  });
}

/** The fields of an answer that tell of limits. */
const fieldsOf = ({ headers }: Pick<Reply, "headers">) =>
  ["ratelimit-policy", "ratelimit", "retry-after"].map((name) => headers.get(name));

/** Those of a refusal by one limit. */
function refusal(limit: RateLimitName, seconds: number, quota?: number): string[] {
  const { perNetwork, perAccount, perPair, window }: RateLimit = rateLimits[limit];
  quota ??= perNetwork ?? perAccount ?? perPair;
  return [`"${limit}";q=${quota};w=${window}`, `"${limit}";r=0;t=${seconds}`, `${seconds}`];
}

for (const { path, limit, known = false } of CASES) {
  Deno.test(`limits: a refusal of POST ${path} by ${limit} tells the limit and when it ends`, async () => {
    await using h = await harness();
    const { limiter } = h.app.services;
    while (limiter.tryTake(limit, known ? { account: h.accounts.user.id } : { address: NETWORK }));
    h.clock.advance(2500);
    const { window } = rateLimits[limit];
    const refused = await h.ask("POST", path, { as: known ? "user" : null, from: NETWORK });
    assert.equal(refused.status, 429);
    assert.deepEqual(fieldsOf(refused), refusal(limit, window - 2));
  });
}

Deno.test("limits: log-in tells of its limit only when it refuses, whether or not there is the account", async () => {
  await using h = await harness();
  for (const email of ["user@example.com", "nobody@example.com"]) {
    const from = email.startsWith("user") ? "192.0.2.1" : "192.0.2.2";
    const logIn = () => h.ask("POST", "/api/auth/login", { body: { email, password: "?" }, from });
    for (let n = 0; n < rateLimits.login.perPair; n++) {
      const failed = await logIn();
      assert.equal(failed.status, 401);
      assert.deepEqual(fieldsOf(failed), [null, null, null]);
    }
    const refused = await logIn();
    assert.equal(refused.status, 429);
    const { perPair, window } = rateLimits.login;
    assert.deepEqual(fieldsOf(refused), refusal("login", window, perPair));
  }
});

Deno.test("limits: answers of limited routes tell what is left, of each limit", async () => {
  await using h = await harness();
  const share = (ask = {}) =>
    h.ask("POST", "/api/share", {
      body: { content: "x", language: "html" },
      from: NETWORK,
      ...ask,
    });
  const first = await share();
  assert.equal(first.status, 201, first.text);
  const policies = '"share";q=30;w=60, "shareByDay";q=200;w=86400';
  assert.deepEqual(fieldsOf(first), [
    policies,
    '"share";r=29;t=60, "shareByDay";r=199;t=86400',
    null,
  ]);
  h.clock.advance(10_000);
  const second = '"share";r=28;t=50, "shareByDay";r=198;t=86390';
  assert.deepEqual(fieldsOf(await share()), [policies, second, null]);
  const own = ['"ownShare";q=120;w=60', '"ownShare";r=119;t=60', null];
  assert.deepEqual(fieldsOf(await share({ as: "user" })), own);
  const invalid = await share({ body: {} });
  assert.equal(invalid.status, 400);
  assert.deepEqual(fieldsOf(invalid), [null, null, null]);
});

Deno.test("limits: nothing is told where they are off, or where there are none", async () => {
  await using off = await harness({ env: { RATE_LIMIT: "false" } });
  const shared = await off.ask("POST", "/api/share", { body: { content: "x", language: "html" } });
  assert.equal(shared.status, 201);
  assert.deepEqual(fieldsOf(shared), [null, null, null]);
  await using h = await harness();
  assert.deepEqual(fieldsOf(await h.ask("GET", "/api/users/me", { as: "user" })), [
    null,
    null,
    null,
  ]);
});

Deno.test("limits: pages of other origins may read the fields", async () => {
  await using h = await harness();
  const headers = { origin: "https://app.example.com" };
  const { headers: answered } = await h.ask("GET", "/api/health", { headers });
  const exposed = answered.get("access-control-expose-headers")!.split(", ");
  for (const name of ["RateLimit-Policy", "RateLimit", "Retry-After", "Content-Disposition"]) {
    assert.ok(exposed.includes(name), name);
  }
});

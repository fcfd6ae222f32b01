// What counts against whom: networks, accounts, devices; what is cleared, and what no flood clears.
import assert from "node:assert/strict";
import { type RateLimitName, rateLimits } from "../../../services/accounts/limits.ts";
import { OF_MANY, RateLimiter, SLOWED } from "../../../services/accounts/rate_limits.ts";
import { TestClock } from "../../harness.ts";

function limiterWithClock(isShared?: (address: string) => boolean) {
  const clock = new TestClock();
  return { clock, limiter: new RateLimiter({ elapsed: clock.elapsed, isShared }) };
}

const { perNetwork, perPair, slowAfter, window } = rateLimits.login;
const A = "a@example.com";
const B = "b@example.com";

function fail(limiter: RateLimiter, times: number, address: string, account = A) {
  for (let i = 0; i < times; i++) limiter.hit("login", { address, account });
}

function isFree(limiter: RateLimiter, address: string, account = A, device?: string): boolean {
  return limiter.blocked("login", { address, account, device }) === 0;
}

Deno.test("rate limits: a network is held off an account for the rest of the window, others are not", () => {
  const { clock, limiter } = limiterWithClock();
  fail(limiter, perPair - 1, "192.0.2.1");
  assert.ok(isFree(limiter, "192.0.2.1"));
  fail(limiter, 1, "192.0.2.1");
  clock.advance(60_000);
  assert.equal(limiter.blocked("login", { address: "192.0.2.1", account: A }), window - 60);
  assert.ok(isFree(limiter, "192.0.2.1", B), "another account");
  assert.ok(isFree(limiter, "192.0.2.2"), "another network");
  clock.advance((window - 60) * 1000);
  assert.ok(isFree(limiter, "192.0.2.1"));
});

Deno.test("rate limits: an account under attack is slowed for strangers, and never locked", () => {
  const { limiter } = limiterWithClock();
  for (let i = 0; i < slowAfter; i++) fail(limiter, 1, `192.0.2.${i}`);
  for (let i = 0; i < 1000; i++) fail(limiter, 1, `198.51.100.${i}`);
  assert.ok(isFree(limiter, "203.0.113.1"), "a fresh network has its tries");
  fail(limiter, SLOWED, "203.0.113.1");
  assert.equal(isFree(limiter, "203.0.113.1"), false, "and fewer than else");
  fail(limiter, SLOWED, "203.0.113.1", B);
  assert.ok(isFree(limiter, "203.0.113.1", B), "other accounts are not slowed");
});

Deno.test("rate limits: a network that is full goes on for accounts that have not failed from it, up to a bound", () => {
  const { limiter } = limiterWithClock();
  for (let i = 0; i < perNetwork; i++) fail(limiter, 1, "192.0.2.1", `${i}@example.com`);
  assert.equal(isFree(limiter, "192.0.2.1", "0@example.com"), false);
  assert.ok(isFree(limiter, "192.0.2.1", A));
  for (let i = perNetwork; i < perNetwork * OF_MANY; i++) {
    assert.ok(isFree(limiter, "192.0.2.1", `${i}@example.com`), `${i}`);
    fail(limiter, 1, "192.0.2.1", `${i}@example.com`);
  }
  assert.equal(isFree(limiter, "192.0.2.1", A), false);
  assert.ok(isFree(limiter, "192.0.2.2", A));
  assert.equal(limiter.blocked("register", { address: "192.0.2.1" }), 0, "limits are apart");
});

Deno.test("rate limits: a known device passes whatever strangers did, and has tries of its own", () => {
  const { limiter } = limiterWithClock();
  fail(limiter, perNetwork * OF_MANY, "192.0.2.1");
  assert.equal(isFree(limiter, "192.0.2.1"), false);
  for (let i = 0; i < perPair; i++) {
    assert.ok(isFree(limiter, "192.0.2.1", A, "mine"));
    limiter.hit("login", { address: "192.0.2.1", account: A, device: "mine" });
  }
  assert.equal(isFree(limiter, "192.0.2.1", A, "mine"), false, "it is a stranger from then on");
  assert.ok(isFree(limiter, "192.0.2.1", A, "another of mine"));
});

Deno.test("rate limits: any number of known devices has ten times what one has, and strangers are apart", () => {
  const { limiter } = limiterWithClock();
  for (let i = 0; i < 10; i++) {
    for (let n = 0; n < perPair; n++) {
      limiter.hit("login", { address: "192.0.2.1", account: A, device: `${i}` });
    }
  }
  fail(limiter, perPair, "192.0.2.1");
  assert.equal(isFree(limiter, "192.0.2.1", A, "one more"), false, "it is a stranger there");
  assert.ok(isFree(limiter, "192.0.2.2", A, "one more"));
  assert.ok(isFree(limiter, "192.0.2.2"));
});

Deno.test("rate limits: a success takes back what its own failures added, and nothing else", async () => {
  const { limiter } = limiterWithClock();
  const address = "2001:db8:1:2::3";
  const attempt = (account: string, result: string | null) =>
    limiter.attempt("login", { address, account }, () => Promise.resolve(result));
  for (let i = 0; i < perPair - 1; i++) await attempt(A, null);
  for (let i = 0; i < perPair; i++) await attempt(B, null);
  assert.equal(await attempt(A, "in"), "in");
  for (let i = 0; i < perPair - 1; i++) await attempt(A, null);
  assert.ok(isFree(limiter, address), "the failures before are forgotten");
  assert.equal(isFree(limiter, address, B), false, "those of others are not");

  // One's own account clears nothing of the network but its own part: 49 of others, then a success, then one more.
  const { limiter: network } = limiterWithClock();
  for (let i = 0; i < perNetwork - 1; i++) fail(network, 1, "192.0.2.1", `${i}@example.com`);
  await network.attempt("login", { address: "192.0.2.1", account: A }, () => Promise.resolve("in"));
  fail(network, 1, "192.0.2.1", "one@example.com");
  assert.equal(isFree(network, "192.0.2.1", "one@example.com"), false);
});

Deno.test("rate limits: whoever proves that an account is theirs has all of its failures cleared", () => {
  const { limiter } = limiterWithClock();
  for (let i = 0; i < slowAfter; i++) fail(limiter, perPair, `192.0.2.${i}`);
  fail(limiter, perPair, "2001:db8::1");
  fail(limiter, perPair, "192.0.2.1", B);
  for (let i = 0; i < perPair; i++) limiter.hit("login", { account: A, device: "mine" });
  limiter.clear("login", A);
  for (const address of ["192.0.2.1", "192.0.2.99", "2001:db8::1"]) {
    assert.ok(isFree(limiter, address), address);
    fail(limiter, perPair - 1, address);
    assert.ok(isFree(limiter, address), `${address}: not slowed`);
  }
  assert.ok(isFree(limiter, "192.0.2.1", A, "mine"));
  assert.equal(isFree(limiter, "192.0.2.1", B), false, "another account's are kept");
  fail(limiter, perPair, "198.51.100.1", `x${A}`);
  limiter.clear("login", A);
  assert.equal(isFree(limiter, "198.51.100.1", `x${A}`), false, "names are compared whole");
});

Deno.test("rate limits: of attempts only failures count, and guesses sent together gain nothing", async () => {
  for (const address of ["192.0.2.1", "2001:db8::1"]) {
    const { limiter } = limiterWithClock();
    const caller = { address, account: A };
    let tried = 0;
    const attempt = (result: string | null) => () =>
      new Promise<string | null>((resolve) => setTimeout(() => resolve(result), ++tried % 3));

    const good = Array.from({ length: 40 }, () => limiter.attempt("login", caller, attempt("in")));
    assert.deepEqual(new Set(await Promise.all(good)), new Set(["in"]));

    tried = 0;
    const guesses = Array.from(
      { length: 40 },
      () => limiter.attempt("login", caller, attempt(null)),
    );
    const outcomes = await Promise.allSettled(guesses);
    assert.equal(tried, perPair);
    assert.equal(outcomes.filter(({ status }) => status === "rejected").length, 40 - tried);
    assert.ok(limiter.blocked("login", caller) > 0);
  }
});

Deno.test("rate limits: guesses sent together at many accounts stay below the network's bound", async () => {
  const { limiter } = limiterWithClock();
  const most = perNetwork * OF_MANY;
  let tried = 0;
  const guesses = Array.from(
    { length: most + 50 },
    (_, i) =>
      limiter.attempt("login", { address: "192.0.2.1", account: `${i}@example.com` }, async () => {
        tried++;
        await new Promise((resolve) => setTimeout(resolve, i % 3));
        return null;
      }),
  );
  const outcomes = await Promise.allSettled(guesses);
  assert.equal(tried, most);
  assert.equal(outcomes.filter(({ status }) => status === "rejected").length, 50);
});

Deno.test("rate limits: an attempt that throws leaves no trace", async () => {
  const { limiter } = limiterWithClock();
  const broken = () => Promise.reject(new Error("the store is away"));
  for (let i = 0; i < perPair * 2; i++) {
    await assert.rejects(limiter.attempt("login", { address: "192.0.2.1", account: A }, broken));
  }
  assert.ok(isFree(limiter, "192.0.2.1"));
});

Deno.test("rate limits: disabled, nothing is blocked", () => {
  const off = new RateLimiter({ elapsed: new TestClock().elapsed, enabled: false });
  fail(off, 100, "192.0.2.1");
  assert.ok(isFree(off, "192.0.2.1"));
});

Deno.test("rate limits: a /48 has ten times what its /64 have", () => {
  const { limiter } = limiterWithClock();
  const most = rateLimits.register.perNetwork;
  const free = (address: string) => limiter.blocked("register", { address }) === 0;
  for (let i = 0; i < most * OF_MANY; i++) {
    const address = `2001:db8:1:${(i % 100).toString(16)}::1`;
    assert.ok(free(address), `${i}`);
    limiter.take("register", { address });
  }
  assert.equal(free("2001:db8:1:ffff::1"), false, "a /64 never seen, of the same site");
  assert.ok(free("2001:db8:2::1"), "another site");

  for (let i = 0; i < most; i++) limiter.take("register", { address: "2001:db8:2:7::1" });
  assert.equal(free("2001:DB8:2:7:ffff:1:2:3"), false);
  assert.ok(free("2001:db8:2:8::1"));
});

Deno.test("rate limits: 51,000 requests from one /48 evict nothing, and are refused", () => {
  for (const name of ["login", "register", "refresh"] as RateLimitName[]) {
    const { limiter } = limiterWithClock();
    const caught = { address: "192.0.2.1", account: A };
    while (limiter.blocked(name, caught) === 0) limiter.hit(name, caught);
    let passed = 0;
    for (let i = 0; i < 60_000; i++) {
      const caller = {
        address: `2001:db8:1:${i.toString(16)}::1`,
        account: `${i}@example.com`,
      };
      if (limiter.blocked(name, caller) > 0) continue;
      limiter.hit(name, caller);
      passed++;
    }
    assert.ok(limiter.blocked(name, caught) > 0, `${name}: still held`);
    const { perNetwork } = rateLimits[name] as { perNetwork: number };
    assert.equal(passed, perNetwork * OF_MANY, `${name}: of 60,000`);
  }
});

Deno.test("rate limits: behind a proxy that nobody named, more may fail than from one client", () => {
  const { limiter } = limiterWithClock((address) => address === "10.0.0.1");
  for (let i = 0; i < perNetwork + 5; i++) fail(limiter, 1, "10.0.0.1", A);
  assert.ok(isFree(limiter, "10.0.0.1", A), "55 failures lock nobody out");
  assert.ok(isFree(limiter, "10.0.0.1", B));
  fail(limiter, perPair * OF_MANY, "10.0.0.1", A);
  assert.equal(isFree(limiter, "10.0.0.1", A), false);
});

Deno.test("rate limits: a clock that steps back makes no window longer", () => {
  const { clock, limiter } = limiterWithClock();
  fail(limiter, perPair, "192.0.2.1");
  clock.stepBack(6 * 60 * 60 * 1000);
  assert.equal(limiter.blocked("login", { address: "192.0.2.1", account: A }), window);
  clock.advance(window * 1000);
  assert.ok(isFree(limiter, "192.0.2.1"));
});

// Fixed windows by address and account.
import assert from "node:assert/strict";
import { RateLimiter, rateLimits } from "../../services/rate_limits.ts";
import { TestClock } from "../harness.ts";

function limiterWithClock() {
  const clock = new TestClock();
  return { clock, limiter: new RateLimiter({ clock: clock.now }) };
}

Deno.test("rate limits: the account is blocked whatever the address, for the rest of the window", () => {
  const { clock, limiter } = limiterWithClock();
  const { perAccount, window } = rateLimits.login;
  for (let i = 0; i < perAccount; i++) {
    assert.equal(limiter.blocked("login", `10.0.0.${i}`, "a@example.com"), 0);
    limiter.hit("login", `10.0.0.${i}`, "a@example.com");
  }
  clock.advance(60_000);
  assert.equal(limiter.blocked("login", "10.9.9.9", "a@example.com"), window - 60);
  assert.equal(limiter.blocked("login", "10.9.9.9", "b@example.com"), 0);
  clock.advance((window - 60) * 1000);
  assert.equal(limiter.blocked("login", "10.9.9.9", "a@example.com"), 0);
});

Deno.test("rate limits: the address is blocked whatever the account", () => {
  const { limiter } = limiterWithClock();
  for (let i = 0; i < rateLimits.login.perAddress; i++) limiter.hit("login", "10.0.0.1", `${i}@x`);
  assert.ok(limiter.blocked("login", "10.0.0.1", "new@x") > 0);
  assert.equal(limiter.blocked("login", "10.0.0.2", "new@x"), 0);
  assert.equal(limiter.blocked("register", "10.0.0.1"), 0, "limits are apart");
});

Deno.test("rate limits: of attempts only failures count, and guesses sent together gain nothing", async () => {
  const { limiter } = limiterWithClock();
  const key = { address: "10.0.0.1", account: "a@x" };
  let tried = 0;
  const attempt = (result: string | null) => () =>
    new Promise<string | null>((resolve) => setTimeout(() => resolve(result), ++tried % 3));

  const good = Array.from({ length: 40 }, () => limiter.attempt("login", key, attempt("in")));
  assert.deepEqual(new Set(await Promise.all(good)), new Set(["in"]));

  tried = 0;
  const guesses = Array.from({ length: 40 }, () => limiter.attempt("login", key, attempt(null)));
  const outcomes = await Promise.allSettled(guesses);
  assert.equal(tried, rateLimits.login.perAccount);
  assert.equal(outcomes.filter(({ status }) => status === "rejected").length, 40 - tried);
  assert.ok(limiter.blocked("login", key.address, key.account) > 0);
});

Deno.test("rate limits: an attempt that throws leaves no trace", async () => {
  const { limiter } = limiterWithClock();
  const broken = () => Promise.reject(new Error("the store is away"));
  for (let i = 0; i < 20; i++) {
    await assert.rejects(limiter.attempt("login", { address: "10.0.0.1", account: "a@x" }, broken));
  }
  assert.equal(limiter.blocked("login", "10.0.0.1", "a@x"), 0);
});

Deno.test("rate limits: disabled, nothing is blocked", () => {
  const { clock } = limiterWithClock();
  const off = new RateLimiter({ clock: clock.now, enabled: false });
  for (let i = 0; i < 100; i++) off.hit("login", "10.0.0.1", "a@x");
  assert.equal(off.blocked("login", "10.0.0.1", "a@x"), 0);
});

Deno.test("rate limits: an IPv6 client is its first 64 bits, however they are written", () => {
  const { limiter } = limiterWithClock();
  const hosts = ["2001:db8:0:7::1", "2001:DB8:0:7:1:2:3:4", "2001:0db8::7:0:0:0:9"];
  for (let n = 0; n < rateLimits.register.perAddress; n++) {
    limiter.hit("register", hosts[n % hosts.length]!);
  }
  assert.ok(limiter.blocked("register", "2001:db8:0:7:ffff::") > 0);
  assert.equal(limiter.blocked("register", "2001:db8:0:8::1"), 0);
  assert.equal(limiter.blocked("register", "2001:db8::1"), 0);
  assert.equal(limiter.blocked("register", "::1"), 0);
});

Deno.test("rate limits: IPv4 addresses are apart, in the form of IPv6 too", () => {
  const { limiter } = limiterWithClock();
  for (let n = 0; n < rateLimits.register.perAddress; n++) {
    limiter.hit("register", "::ffff:10.0.0.1");
  }
  assert.ok(limiter.blocked("register", "10.0.0.1") > 0);
  assert.equal(limiter.blocked("register", "::ffff:10.0.0.2"), 0);
});

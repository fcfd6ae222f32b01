// Who gets in is forgiven at every process on a store, and nobody is locked out through another one.
import assert from "node:assert/strict";
import { SECOND } from "../../../core/units.ts";
import { rateLimits } from "../../../services/accounts/limits.ts";
import type { RateLimiter } from "../../../services/accounts/rate_limits.ts";
import { hit, MINE, Processes, succeed } from "./processes.ts";

const { perPair, perNetwork, slowAfter } = rateLimits.login;

Deno.test("shared counts: who gets in is forgiven at every process, and nobody else", async () => {
  const all = new Processes();
  const [a, b] = all.limiters as [RateLimiter, RateLimiter];
  hit(a, perPair - 1);
  hit(a, 3, { ...MINE, account: "b@example.com" });
  await all.pass(SECOND);
  await succeed(b);
  assert.equal(b.blocked("login", MINE), 0);
  hit(b, perPair - 1);
  assert.equal(b.blocked("login", MINE), 0, "at once where it was");
  await all.pass(SECOND, 2);
  assert.equal(a.blocked("login", MINE), 0);
  hit(a, 1);
  assert.ok(a.blocked("login", MINE) > 0, "what failed later counts");
  const other = { ...MINE, account: "b@example.com" };
  hit(b, perPair - 3, other);
  assert.ok(b.blocked("login", other) > 0, "others' failures are not forgiven");
});

Deno.test("shared counts: what was forgiven is taken back of the network too, and once", async () => {
  const all = new Processes();
  const [a, b] = all.limiters as [RateLimiter, RateLimiter];
  for (let i = 0; i < perNetwork - 6; i++) hit(a, 1, { ...MINE, account: `${i}@example.com` });
  hit(a, 5);
  await all.pass(SECOND, 2);
  await succeed(b);
  await all.pass(SECOND, 4);
  const another = { ...MINE, account: "0@example.com" };
  hit(b, 5, another);
  assert.equal(b.blocked("login", another), 0, "the five are taken back");
  hit(b, 1, another);
  assert.ok(b.blocked("login", another) > 0, "and no more than five");
  await all.pass(SECOND, 4);
  assert.deepEqual(all.limiters.map((limiter) => limiter.blocked("login", another) > 0), [
    true,
    true,
  ]);
});

Deno.test("shared counts: a way back by mail clears the account at every process", async () => {
  const all = new Processes();
  const [a, b] = all.limiters as [RateLimiter, RateLimiter];
  for (let i = 0; i < slowAfter; i++) hit(a, 1, { ...MINE, address: `198.51.100.${i}` });
  hit(a, perPair);
  await all.pass(SECOND, 2);
  const fresh = { ...MINE, address: "203.0.113.9" };
  hit(b, 2, fresh);
  assert.ok(b.blocked("login", fresh) > 0, "slowed");
  b.clear("login", MINE.account);
  await all.pass(SECOND, 3);
  for (const limiter of all.limiters) {
    assert.equal(limiter.blocked("login", MINE), 0);
    hit(limiter, 2, fresh);
    assert.equal(limiter.blocked("login", fresh), 0, "not slowed");
  }
});

Deno.test("shared counts: strangers lock nobody out through another process", async () => {
  const all = new Processes();
  const [a, b] = all.limiters as [RateLimiter, RateLimiter];
  for (let i = 0; i < 2 * slowAfter; i++) hit(a, 1, { ...MINE, address: `198.51.100.${i}` });
  hit(a, 5 * perNetwork, { ...MINE, account: "x@example.com" });
  await all.pass(SECOND, 2);
  assert.equal(b.blocked("login", { ...MINE, address: "203.0.113.1" }), 0, "a fresh address");
  const device = { ...MINE, address: "198.51.100.1", device: "mine" };
  assert.equal(b.blocked("login", device), 0, "a known device");
});

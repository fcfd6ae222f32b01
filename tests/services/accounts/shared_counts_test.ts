// Limits over several processes: what one has counted holds at the others, by notes that nobody else can read.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { createSealer } from "../../../core/sealing.ts";
import { MINUTE, SECOND } from "../../../core/units.ts";
import { seal, unseal } from "../../../services/accounts/count_notes.ts";
import { Counts } from "../../../services/accounts/counts.ts";
import { rateLimits } from "../../../services/accounts/limits.ts";
import type { RateLimiter } from "../../../services/accounts/rate_limits.ts";
import { SharedCounts } from "../../../services/accounts/shared_counts.ts";
import { StoreUnavailable } from "../../../storage/port.ts";
import { TestClock } from "../../harness.ts";
import { hit, MINE, Processes, sealer, SharedNotes, succeed } from "./processes.ts";

const { perPair, window } = rateLimits.login;
const WINDOW = window * SECOND;

Deno.test("shared counts: what failed at one process counts at the others", async () => {
  const all = new Processes(3);
  const [a, b, c] = all.limiters as [RateLimiter, RateLimiter, RateLimiter];
  hit(a, perPair - 3);
  hit(b, 2);
  assert.equal(c.blocked("login", MINE), 0);
  await all.pass(SECOND, 2);
  assert.equal(c.blocked("login", MINE), 0, "one is left");
  hit(c, 1);
  await all.pass(SECOND, 2);
  for (const limiter of all.limiters) {
    assert.ok(limiter.blocked("login", MINE) > 0);
    assert.equal(limiter.blocked("login", { ...MINE, account: "b@example.com" }), 0);
    assert.equal(limiter.blocked("login", { ...MINE, address: "192.0.2.2" }), 0);
    assert.equal(limiter.blocked("secondFactor", MINE), 0, "limits are apart");
  }
});

Deno.test("shared counts: where a limit is near, nobody waits for the second", async () => {
  const all = new Processes();
  const [a, b] = all.limiters as [RateLimiter, RateLimiter];
  await all.pass(SECOND);
  hit(a, 5);
  hit(b, 5);
  await all.pass(SECOND / 10, 2);
  assert.ok(a.blocked("login", MINE) > 0 && b.blocked("login", MINE) > 0);
});

Deno.test("shared counts: near is what is near for all processes together", async () => {
  const all = new Processes();
  const [a, b] = all.limiters as [RateLimiter, RateLimiter];
  hit(a, perPair / 2);
  await all.pass(SECOND, 4);
  assert.equal(all.notes.texts.size, 1);
  hit(b, 1);
  await all.pass(SECOND / 10);
  assert.equal(all.notes.texts.size, 2, "told at once");
});

Deno.test("shared counts: a wait ends when enough windows have ended, wherever they began", async () => {
  const all = new Processes();
  const [a, b] = all.limiters as [RateLimiter, RateLimiter];
  hit(a, 4);
  await all.pass(MINUTE);
  hit(b, perPair - 4);
  await all.pass(SECOND, 2);
  for (const limiter of all.limiters) {
    const wait = limiter.blocked("login", MINE) * SECOND;
    assert.ok(Math.abs(wait - (WINDOW - MINUTE)) <= 5 * SECOND, `${wait}`);
  }
  await all.pass(WINDOW - MINUTE);
  assert.deepEqual(all.limiters.map((limiter) => limiter.blocked("login", MINE)), [0, 0]);
  assert.equal(all.notes.texts.size, 1, "that of the first has ended, and is gone");
  await all.pass(MINUTE);
  assert.equal(all.notes.texts.size, 0);
});

Deno.test("shared counts: guesses spread over processes pass a limit by a tenth of it at most", async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(fc.nat(2), { minLength: 150, maxLength: 150 }),
    async (order) => {
      const all = new Processes(3);
      let passed = 0;
      for (const [n, at] of order.entries()) {
        // Five a second, each for another account.
        const caller = { address: MINE.address, account: `${n}@example.com` };
        const limiter = all.limiters[at]!;
        const bound = limiter.blocked("register", caller) === 0;
        if (bound) limiter.hit("register", caller);
        if (bound) passed++;
        await all.pass(SECOND / 10, 2);
      }
      const { perNetwork } = rateLimits.register;
      assert.ok(passed >= perNetwork, `${passed} of ${perNetwork}`);
      assert.ok(passed <= perNetwork * 1.1, `${passed} of ${perNetwork}`);
    },
  ));
});

const KEYS = ["0", "1", "2", "3"];

type Act = { at: number; act: "hit" | "take back" | "exchange"; key: string; after: number };

Deno.test("shared counts: after an exchange every process has the sum of what all have counted", async () => {
  const acts = fc.array(
    fc.record<Act>({
      at: fc.nat(2),
      act: fc.constantFrom("hit", "hit", "hit", "take back", "exchange"),
      key: fc.constantFrom(...KEYS),
      after: fc.nat(3 * MINUTE),
    }),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(acts, async (acts) => {
      const notes = new SharedNotes();
      const clock = new TestClock();
      const { now, elapsed } = clock;
      const all = [0, 1, 2].map(() =>
        new Counts({
          elapsed,
          others: new SharedCounts({ notes, sealer, clock: now, elapsed }),
          usualLimit: () => 10,
          forgive: () => {},
        })
      );
      for (const { at, act, key, after } of acts) {
        clock.advance(after);
        if (act === "hit") all[at]!.add("login", key);
        else if (act === "take back") all[at]!.subtract("login", key, 1);
        else await all[at]!.exchange();
      }
      const sums = () =>
        KEYS.map((key) => all.reduce((sum, one) => sum + one.own("login", key), 0));
      const before = sums();
      // Who reads regularly may hold a window for longer by the time between two readings: here all of those end.
      clock.advance(3 * SECOND);
      for (let round = 0; round < 2; round++) {
        clock.advance(SECOND);
        for (const one of all) await one.exchange();
      }
      const after = sums();
      for (const [n, key] of KEYS.entries()) {
        for (const one of all) {
          const count = one.count("login", key);
          assert.ok(after[n]! <= count && count <= before[n]!, `${after[n]} ${count} ${before[n]}`);
        }
      }
      clock.advance(WINDOW);
      for (const one of all) {
        assert.deepEqual(KEYS.map((key) => one.count("login", key)), [0, 0, 0, 0]);
      }
    }),
    { numRuns: 2000 },
  );
});

Deno.test("shared counts: without the store the limits of each process go on, with what was known", async () => {
  const all = new Processes();
  const [a, b] = all.limiters as [RateLimiter, RateLimiter];
  hit(a, 4);
  await all.pass(SECOND, 2);
  all.notes.away = true;
  for (const clock of all.clocks) clock.advance(SECOND);
  hit(b, 5);
  await assert.rejects(b.exchange(), StoreUnavailable);
  assert.equal(b.blocked("login", MINE), 0);
  hit(b, 1);
  assert.ok(b.blocked("login", MINE) > 0, "four there and six here");
  assert.equal(a.blocked("login", MINE), 0, "not told yet");
  for (const clock of all.clocks) clock.advance(SECOND);
  await assert.rejects(b.exchange(), StoreUnavailable);
  all.notes.away = false;
  await all.pass(SECOND, 2);
  assert.ok(a.blocked("login", MINE) > 0, "told when it is back");
});

Deno.test("shared counts: nothing is asked of the store by a request, and once a second without one", async () => {
  const all = new Processes(1);
  const [a] = all.limiters as [RateLimiter];
  hit(a, 1000);
  await succeed(a, { address: "192.0.2.2", account: "b@example.com" });
  a.blocked("login", MINE);
  assert.equal(all.notes.calls, 0);
  await all.pass(SECOND, 2);
  all.notes.calls = 0;
  await all.pass(SECOND / 10, 50);
  assert.equal(all.notes.calls, 5, "one reading a second");
  const visitor = { address: "198.51.100.7" };
  const visit = async (times: number) => {
    all.notes.calls = 0;
    for (let i = 0; i < times; i++) a.hit("snippetPage", visitor);
    await all.pass(SECOND);
    return all.notes.calls;
  };
  const { perNetwork } = rateLimits.snippetPage;
  assert.equal(await visit(Math.floor(perNetwork / 32)), 1, "far from its limit: only read");
  assert.equal(await visit(1), 2, "and written");
});

Deno.test("shared counts: steps of the clocks change nothing between processes that run", async () => {
  for (const step of [-1, 1].map((sign) => sign * 365 * 24 * 60 * MINUTE)) {
    const all = new Processes();
    const [a, b] = all.limiters as [RateLimiter, RateLimiter];
    await all.pass(SECOND);
    all.clocks[0]!.stepBack(step);
    hit(a, perPair);
    await all.pass(SECOND, 2);
    assert.ok(b.blocked("login", MINE) > 0);
    all.clocks[1]!.stepBack(-step);
    assert.ok(Math.abs(b.blocked("login", MINE) - window) <= 3);
    await all.pass(WINDOW);
    assert.equal(b.blocked("login", MINE), 0);
  }
});

Deno.test("shared counts: a process that starts counts what is left of what it finds", async () => {
  const all = new Processes(1);
  hit(all.limiters[0]!, perPair);
  await all.pass(SECOND);
  const clock = new TestClock();
  clock.advance(10 * MINUTE);
  const later = all.start(clock);
  await later.exchange();
  const wait = later.blocked("login", MINE) * SECOND;
  assert.ok(Math.abs(wait - (WINDOW - 10 * MINUTE)) <= 2 * SECOND, `${wait}`);
});

Deno.test("shared counts: what a process that is gone has left is removed when it has ended", async () => {
  const all = new Processes();
  hit(all.limiters[0]!, perPair);
  await all.pass(SECOND, 2);
  all.limiters.shift();
  all.clocks.shift();
  await all.pass(WINDOW);
  assert.equal(all.notes.texts.size, 1, "it might come back");
  assert.equal(all.limiters[0]!.blocked("login", MINE), 0);
  await all.pass(2 * MINUTE, 2);
  assert.equal(all.notes.texts.size, 0);
});

Deno.test("shared counts: a note tells nothing to whoever lacks the secret, and is short", async () => {
  const all = new Processes();
  const [a, b] = all.limiters as [RateLimiter, RateLimiter];
  for (let i = 0; i < 1900; i++) {
    hit(a, 1, {
      address: `198.51.${i >> 8}.${i & 255}`,
      account: `${"ü".repeat(40)}${i}@example.com`,
    });
  }
  hit(a, perPair);
  hit(a, 1, { address: "192.0.2.99", account: "x".repeat(10_000) });
  await all.pass(SECOND, 2);
  const [text] = [...all.notes.texts.values()] as [string];
  assert.ok(text.length <= 64_000, `${text.length}`);
  const bytes = Buffer.from(text, "base64").toString("latin1");
  for (const part of ["192.0.2", "198.51", "@example", "network"]) {
    assert.equal(text.includes(part) || bytes.includes(part), false, part);
  }
  assert.equal(unseal(text, createSealer("another secret of a stranger", "tests")), null);
  assert.equal(
    unseal(seal({ at: "now" } as never, sealer), sealer),
    null,
    "nothing else is taken for one",
  );
  assert.ok(b.blocked("login", MINE) > 0, "what is nearest to its limit is told first");
});

Deno.test("shared counts: notes that cannot be read change nothing", async () => {
  const all = new Processes();
  const [a, b] = all.limiters as [RateLimiter, RateLimiter];
  hit(a, perPair);
  all.notes.texts.set("limits/strange", "strange");
  await all.pass(SECOND, 2);
  assert.ok(b.blocked("login", MINE) > 0);
  await all.pass(2 * MINUTE, 2);
  assert.ok(
    all.notes.texts.has("limits/strange"),
    "it may be that of a process with a newer secret",
  );
});

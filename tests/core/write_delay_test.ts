// When writes go: at once, unless the event loop is busy and others are likely to go with them.
import assert from "node:assert/strict";
import fc from "fast-check";
import { ENOUGH, GAP, REST, WriteDelay } from "../../core/write_delay.ts";

/** A delay on a clock of its own, and a queue in front of it. */
class Site {
  now = 0;
  worked = 0;
  /** The share of the time that the thread works. */
  load = 1;
  waiting = 0;
  readonly sent: { at: number; together: number }[] = [];
  timer: { at: number; next: () => void } | null = null;
  readonly delay = new WriteDelay({
    now: () => this.now,
    worked: () => this.worked,
    later: (next, milliseconds) => {
      assert.equal(this.timer, null, "one rest at a time");
      const timer = this.timer = { at: this.now + milliseconds, next };
      return () => {
        if (this.timer === timer) this.timer = null;
      };
    },
  });

  write(): void {
    this.waiting++;
    this.#ask();
  }

  /** Lets milliseconds pass. */
  pass(milliseconds: number): void {
    const until = this.now + milliseconds;
    while (this.timer && this.timer.at <= until) {
      const { at, next } = this.timer;
      this.#work(at - this.now);
      this.timer = null;
      next();
    }
    this.#work(until - this.now);
  }

  #work(milliseconds: number): void {
    this.now += milliseconds;
    this.worked += milliseconds * this.load;
  }

  #ask(): void {
    if (this.waiting === 0 || this.delay.holds(this.waiting, () => this.#ask())) return;
    this.sent.push({ at: this.now, together: this.waiting });
    this.waiting = 0;
  }

  /** Writes that come in even steps. */
  stream(count: number, apart: number): void {
    for (let n = 0; n < count; n++) {
      this.write();
      this.pass(apart);
    }
  }
}

Deno.test("write delay: while the event loop has time to spare, each write goes at once", () => {
  const site = new Site();
  site.load = 0.4;
  site.stream(200, 5);
  assert.equal(site.sent.length, 200);
});

for (const load of [0.7, 1]) {
  Deno.test(`write delay: busy for ${load} of its time, those that come one after another go together`, () => {
    const site = new Site();
    site.load = load;
    site.stream(100, 5);
    const before = site.sent.length;
    site.stream(200, 5);
    const later = site.sent.slice(before);
    assert.ok(later.length <= 200 / 6, `${later.length} groups`);
    assert.ok(later.every(({ at }, n) => n === 0 || at - later[n - 1]!.at <= REST + 5));
    site.load = 0.4;
    site.pass(500);
    site.stream(10, 50);
    assert.deepEqual(site.sent.slice(-8).map(({ together }) => together), Array(8).fill(1));
  });
}

Deno.test("write delay: so many that no more are worth waiting for go at once", () => {
  const site = new Site();
  site.stream(100, 2);
  const before = site.sent.length;
  for (let n = 0; n < 2 * ENOUGH; n++) site.write();
  const [first, ...others] = site.sent.slice(before);
  assert.equal(first!.at, site.now);
  assert.ok(others.every(({ at }) => at === site.now) && site.waiting < ENOUGH);
  site.pass(REST);
  assert.equal(site.waiting, 0);
  assert.equal(site.timer, null, "nothing is left to fire");
});

/** Milliseconds until writers have each written so often, each again three after its last write went. */
function timeOf(writers: number, writes: number): number {
  const site = new Site(), dues = Array.from({ length: writers }, (_, n) => n % 3);
  const left = Array<number>(writers).fill(writes);
  const queue: number[] = [];
  let seen = 0;
  for (; left.some((count) => count > 0); site.pass(1)) {
    for (const [n, due] of dues.entries()) {
      if (due > site.now || left[n] === 0) continue;
      dues[n] = Infinity;
      queue.push(n);
      site.write();
    }
    for (; seen < site.sent.length; seen++) {
      for (const n of queue.splice(0, site.sent[seen]!.together)) {
        dues[n] = site.now + 3;
        left[n]!--;
      }
    }
  }
  return site.now;
}

for (const writers of [1, 2, 3, 5, 7]) {
  Deno.test(`write delay: ${writers} who write again when their last write is through are not held up`, () => {
    const took = timeOf(writers, 500);
    assert.ok(took < 1.5 * 500 * 4, `${took} ms for 500 writes of four`);
  });

  Deno.test(`write delay: ${writers} who wait for each other wait for the next no longer than a gap`, () => {
    const site = new Site();
    const startedAt = site.now, turns = 500;
    for (let turn = 0; turn < turns; turn++) {
      for (let n = 0; n < writers; n++) site.write();
      while (site.waiting > 0) site.pass(1);
      site.pass(1);
    }
    assert.ok(site.now - startedAt <= turns * (GAP + 1), `${site.now - startedAt} ms`);
  });
}

Deno.test("write delay: when fewer write than before, it does not go on waiting for those who have gone", () => {
  const site = new Site();
  site.stream(400, 5);
  const startedAt = site.now;
  for (let turn = 0; turn < 200; turn++) {
    for (let n = 0; n < 2; n++) site.write();
    while (site.waiting > 0) site.pass(1);
    site.pass(1);
  }
  assert.ok(site.now - startedAt < 200 + 16 * REST, `${site.now - startedAt} ms`);
});

Deno.test("write delay: whoever comes when, none waits longer than the rest, and none is forgotten", () => {
  const steps = fc.array(
    fc.record({ writes: fc.nat(20), pass: fc.nat(60), load: fc.constantFrom(0.2, 0.9, 1) }),
    { maxLength: 40 },
  );
  fc.assert(fc.property(steps, (list) => {
    const site = new Site();
    let made = 0, oldest = Infinity;
    for (const { writes, pass, load } of list) {
      site.load = load;
      for (let n = 0; n < writes; n++) {
        if (site.waiting === 0) oldest = site.now;
        site.write();
        made++;
      }
      site.pass(pass);
      if (site.waiting > 0) assert.ok(site.now - oldest < REST);
    }
    site.pass(REST);
    assert.equal(site.waiting, 0);
    assert.equal(site.sent.reduce((sum, { together }) => sum + together, 0), made);
    for (const { together } of site.sent) assert.ok(together <= ENOUGH);
  }));
});

// When commits go: at once, unless the event loop is busy and others are likely to share their operation.
import assert from "node:assert/strict";
import fc from "fast-check";
import { CommitDelay, ENOUGH, REST } from "../../storage/commit_delay.ts";

/** A delay on a clock of its own, and a queue as engines have it. */
class Site {
  now = 0;
  worked = 0;
  /** The share of the time that the thread works. */
  load = 1;
  waiting = 0;
  readonly sent: { at: number; together: number }[] = [];
  timer: { at: number; next: () => void } | null = null;
  readonly delay = new CommitDelay({
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

  commit(): void {
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

  /** Commits that come in even steps. */
  stream(count: number, apart: number): void {
    for (let n = 0; n < count; n++) {
      this.commit();
      this.pass(apart);
    }
  }
}

Deno.test("commit delay: while the event loop has time to spare, each commit goes at once", () => {
  const site = new Site();
  site.load = 0.7;
  site.stream(200, 5);
  assert.equal(site.sent.length, 200);
});

Deno.test("commit delay: where it has none, those that come within the rest go together", () => {
  const site = new Site();
  site.stream(40, 5);
  const before = site.sent.length;
  site.stream(200, 5);
  const later = site.sent.slice(before);
  assert.ok(later.length <= 1.1 * 200 * 5 / REST, `${later.length} operations`);
  assert.ok(later.every(({ at }, n) => n === 0 || at - later[n - 1]!.at <= REST + 5));
  site.load = 0.5;
  site.pass(500);
  site.stream(10, 50);
  assert.deepEqual(site.sent.slice(-8).map(({ together }) => together), Array(8).fill(1));
});

Deno.test("commit delay: so many that no more are worth waiting for go at once", () => {
  const site = new Site();
  site.stream(40, 5);
  site.pass(REST);
  site.commit();
  const before = site.sent.length;
  for (let n = 0; n < ENOUGH; n++) site.commit();
  assert.deepEqual(site.sent.slice(before), [{ at: site.now, together: ENOUGH }]);
  assert.equal(site.timer, null, "nothing is left to fire");
});

Deno.test("commit delay: one who commits again when the last commit is through is not held up", () => {
  const site = new Site();
  let commits = 0;
  const startedAt = site.now;
  for (; commits < 1000; commits++) {
    site.commit();
    while (site.waiting > 0) site.pass(1);
    site.pass(1);
  }
  // 1000 commits of a millisecond, and a rest now and then that nobody joined.
  assert.ok(site.now - startedAt < 1000 + 10 * REST, `${site.now - startedAt} ms`);
});

Deno.test("commit delay: whoever comes when, none waits longer than the rest, and none is forgotten", () => {
  const steps = fc.array(
    fc.record({ commits: fc.nat(20), pass: fc.nat(60), load: fc.constantFrom(0.2, 0.9, 1) }),
    { maxLength: 40 },
  );
  fc.assert(fc.property(steps, (list) => {
    const site = new Site();
    let made = 0, oldest = Infinity;
    for (const { commits, pass, load } of list) {
      site.load = load;
      for (let n = 0; n < commits; n++) {
        if (site.waiting === 0) oldest = site.now;
        site.commit();
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

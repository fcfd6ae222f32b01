// When commits go: at once, unless the event loop is busy and others are likely to share their operation.
import assert from "node:assert/strict";
import fc from "fast-check";
import process from "node:process";
import { delay } from "../../core/delay.ts";
import { sales } from "../../models/dashboard.ts";
import { CommitDelay, ENOUGH, GAP, REST } from "../../storage/commit_delay.ts";
import { openKvStore } from "../../kv/store.ts";
import { openSqlStore } from "../../sql/store.ts";
import type { Store } from "../../storage/port.ts";
import { server } from "./people.ts";

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
  site.load = 0.4;
  site.stream(200, 5);
  assert.equal(site.sent.length, 200);
});

for (const load of [0.7, 1]) {
  Deno.test(`commit delay: busy for ${load} of its time, those that come one after another go together`, () => {
    const site = new Site();
    site.load = load;
    site.stream(100, 5);
    const before = site.sent.length;
    site.stream(200, 5);
    const later = site.sent.slice(before);
    assert.ok(later.length <= 200 / 6, `${later.length} operations`);
    assert.ok(later.every(({ at }, n) => n === 0 || at - later[n - 1]!.at <= REST + 5));
    site.load = 0.4;
    site.pass(500);
    site.stream(10, 50);
    assert.deepEqual(site.sent.slice(-8).map(({ together }) => together), Array(8).fill(1));
  });
}

Deno.test("commit delay: so many that no more are worth waiting for go at once", () => {
  const site = new Site();
  site.stream(100, 2);
  const before = site.sent.length;
  for (let n = 0; n < 2 * ENOUGH; n++) site.commit();
  const [first, ...others] = site.sent.slice(before);
  assert.equal(first!.at, site.now);
  assert.ok(others.every(({ at }) => at === site.now) && site.waiting < ENOUGH);
  site.pass(REST);
  assert.equal(site.waiting, 0);
  assert.equal(site.timer, null, "nothing is left to fire");
});

/** Milliseconds until writers have each committed so often, each again three after its last commit was sent. */
function timeOf(writers: number, commits: number): number {
  const site = new Site(), dues = Array.from({ length: writers }, (_, n) => n % 3);
  const left = Array<number>(writers).fill(commits);
  const queue: number[] = [];
  let seen = 0;
  for (; left.some((count) => count > 0); site.pass(1)) {
    for (const [n, due] of dues.entries()) {
      if (due > site.now || left[n] === 0) continue;
      dues[n] = Infinity;
      queue.push(n);
      site.commit();
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
  Deno.test(`commit delay: ${writers} who commit again when their last commit is through are not held up`, () => {
    const took = timeOf(writers, 500);
    assert.ok(took < 1.5 * 500 * 4, `${took} ms for 500 commits of four`);
  });

  Deno.test(`commit delay: ${writers} who wait for each other wait for the next no longer than a gap`, () => {
    const site = new Site();
    const startedAt = site.now, turns = 500;
    for (let turn = 0; turn < turns; turn++) {
      for (let n = 0; n < writers; n++) site.commit();
      while (site.waiting > 0) site.pass(1);
      site.pass(1);
    }
    assert.ok(site.now - startedAt <= turns * (GAP + 1), `${site.now - startedAt} ms`);
  });
}

Deno.test("commit delay: when fewer write than before, it does not go on waiting for those who have gone", () => {
  const site = new Site();
  site.stream(400, 5);
  const startedAt = site.now;
  for (let turn = 0; turn < 200; turn++) {
    for (let n = 0; n < 2; n++) site.commit();
    while (site.waiting > 0) site.pass(1);
    site.pass(1);
  }
  assert.ok(site.now - startedAt < 200 + 16 * REST, `${site.now - startedAt} ms`);
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

const insert = (store: Store) =>
  store.transact(
    server,
    (tx) => tx.insert(sales, { date: "2026-01-01", amount: 1, orders: 1, cost: 0 }),
  );

/** Runs some work on a store that has just committed, in a process that seems to have no time to spare. */
async function whileBusy(open: () => Promise<Store>, work: (store: Store) => Promise<void>) {
  const told = process.threadCpuUsage;
  process.threadCpuUsage = () => ({ user: performance.now() * 1000, system: 0 });
  const store = await open();
  try {
    await insert(store);
    // Longer than what the share of its time is measured over.
    await delay(150);
    await insert(store);
    await work(store);
  } finally {
    process.threadCpuUsage = told;
    await store.close();
  }
}

/** A machine that does something else in between may make the rest pass before anybody waits for it. */
const TRIES = 5;

Deno.test("commit delay: on Deno KV those that wait are one operation", async () => {
  let together = false;
  for (let n = 0; n < TRIES && !together; n++) {
    await whileBusy(() => openKvStore({ path: ":memory:" }), async (store) => {
      const made = await Promise.all([insert(store), insert(store)]);
      const stored = await store.from(sales).getMany(made.map(({ id }) => id));
      together = new Set(stored.map((sale) => sale!.rev)).size === 1;
    });
  }
  assert.ok(together);
});

Deno.test("commit delay: on SQLite one that nobody joins goes after a gap", async () => {
  let longest = 0;
  for (let n = 0; n < TRIES && longest < GAP / 2; n++) {
    await whileBusy(() => openSqlStore({ url: "sqlite::memory:" }), async (store) => {
      const startedAt = performance.now();
      await insert(store);
      longest = Math.max(longest, performance.now() - startedAt);
    });
  }
  assert.ok(longest >= GAP / 2, `${longest} ms`);
});

Deno.test("commit delay: who waits when the store is closed is told what became of it", async () => {
  const opens = [
    () => openKvStore({ path: ":memory:" }),
    () => openSqlStore({ url: "sqlite::memory:" }),
  ];
  for (const open of opens) {
    let waiting: Promise<unknown> | undefined;
    await whileBusy(open, async (store) => {
      waiting = insert(store).catch((error: Error) => error);
      await delay(2);
    });
    const told = await waiting;
    assert.ok(told instanceof Error ? told.name === "StoreUnavailable" : told, `${told}`);
  }
});

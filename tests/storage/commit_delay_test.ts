// When commits go: at once, unless the event loop is busy and others are likely to share their operation.
import assert from "node:assert/strict";
import fc from "fast-check";
import process from "node:process";
import { delay } from "../../core/delay.ts";
import { sales } from "../../models/dashboard.ts";
import { CommitDelay, ENOUGH, REST } from "../../storage/commit_delay.ts";
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

Deno.test("commit delay: where others have a part of its core, those that come within the rest go together too", () => {
  const site = new Site();
  site.load = 0.7;
  site.stream(40, 5);
  const before = site.sent.length;
  site.stream(200, 5);
  assert.ok(site.sent.length - before <= 1.1 * 200 * 5 / REST);
});

Deno.test("commit delay: where it has none, those that come within the rest go together", () => {
  const site = new Site();
  site.stream(40, 5);
  const before = site.sent.length;
  site.stream(200, 5);
  const later = site.sent.slice(before);
  assert.ok(later.length <= 1.1 * 200 * 5 / REST, `${later.length} operations`);
  assert.ok(later.every(({ at }, n) => n === 0 || at - later[n - 1]!.at <= REST + 5));
  site.load = 0.4;
  site.pass(500);
  site.stream(10, 50);
  assert.deepEqual(site.sent.slice(-8).map(({ together }) => together), Array(8).fill(1));
});

Deno.test("commit delay: so many that no more are worth waiting for go at once", () => {
  const site = new Site();
  site.stream(40, 5);
  site.pass(2 * REST);
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
      const made = await Promise.all([insert(store), insert(store), insert(store)]);
      const stored = await store.from(sales).getMany(made.map(({ id }) => id));
      together = new Set(stored.map((sale) => sale!.rev)).size === 1;
    });
  }
  assert.ok(together);
});

Deno.test("commit delay: on SQLite one that nobody joins goes after the rest", async () => {
  let longest = 0;
  for (let n = 0; n < TRIES && longest < REST / 2; n++) {
    await whileBusy(() => openSqlStore({ url: "sqlite::memory:" }), async (store) => {
      const startedAt = performance.now();
      await insert(store);
      longest = Math.max(longest, performance.now() - startedAt);
    });
  }
  assert.ok(longest >= REST / 2, `${longest} ms`);
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

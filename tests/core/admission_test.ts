// Requests that write: let in at once, or together while the event loop is busy; commits wait for those let in with them.
import assert from "node:assert/strict";
import fc from "fast-check";
import { Admission, ASIDE, CROWD, HALVED_FROM } from "../../core/admission.ts";
import type { Awaitable } from "../../core/awaitable.ts";
import { GAP, REST } from "../../core/write_delay.ts";

/** An admission on a clock of its own. */
class Site {
  now = 0;
  /** The share of the time that the thread works. */
  load = 1;
  #worked = 0;
  #timers: { readonly at: number; readonly next: () => void }[] = [];
  readonly admission = new Admission({
    now: () => this.now,
    worked: () => this.#worked,
    later: (next, milliseconds) => {
      const timer = { at: this.now + milliseconds, next };
      this.#timers.push(timer);
      return () => void (this.#timers = this.#timers.filter((one) => one !== timer));
    },
  });

  get timers(): number {
    return this.#timers.length;
  }

  /** Lets milliseconds pass, and what was resolved meanwhile go on. */
  async pass(milliseconds: number): Promise<void> {
    const until = this.now + milliseconds;
    for (;;) {
      await settled();
      const [next] = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.#work(next.at - this.now);
      this.#timers = this.#timers.filter((one) => one !== next);
      next.next();
    }
    this.#work(until - this.now);
  }

  #work(milliseconds: number): void {
    this.now += milliseconds;
    this.#worked += milliseconds * this.load;
  }

  /** Requests that come in even steps, until it is known how busy the process is. */
  async stream(count: number, apart: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      void this.admission.admit(() => null);
      await this.pass(apart);
    }
  }
}

/** So many turns of the queue of microtasks take all that is resolved. */
async function settled(): Promise<void> {
  for (let n = 0; n < 20; n++) await Promise.resolve();
}

/**
 * A site in which `count` requests have been let in together, each of which ends when it is told to.
 *
 * @param others Requests that came meanwhile and were not held.
 */
async function together(
  count: number,
  others = 0,
): Promise<{ site: Site; ends: (() => void)[] }> {
  const site = new Site(), ends: (() => void)[] = [];
  await site.stream(200, 5);
  await site.pass(2 * REST);
  // Whoever comes after a rest is let in at once.
  assert.equal(site.admission.admit(() => "at once"), "at once");
  for (let n = 0; n < count; n++) {
    void site.admission.admit(() => new Promise<void>((resolve) => ends.push(resolve)));
  }
  assert.equal(ends.length, 0, "they wait for more");
  site.admission.others += others;
  await site.pass(GAP);
  assert.equal(ends.length, count);
  return { site, ends };
}

Deno.test("admission: while the event loop has time to spare, requests are served at once", async () => {
  const site = new Site();
  site.load = 0.4;
  await site.stream(50, 5);
  assert.equal(site.admission.admit(() => "answer"), "answer");
  assert.equal(site.admission.expectsMore(1, () => assert.fail("not held")), false);
  assert.equal(site.timers, 0);
});

Deno.test("admission: while it is busy they are served together, in the order in which they came", async () => {
  const site = new Site(), served: [n: number, at: number][] = [];
  await site.stream(200, 5);
  const answers: Awaitable<number>[] = [];
  for (let n = 0; n < 40; n++) {
    answers.push(site.admission.admit(() => served.push([n, site.now])));
    await site.pass(5);
  }
  await site.pass(REST);
  assert.deepEqual(served.map(([n]) => n), answers.map((_, n) => n));
  assert.ok(new Set(served.map(([, at]) => at)).size <= 40 / 5, JSON.stringify(served));
  assert.deepEqual(await Promise.all(answers), served.map((_, n) => n + 1));
});

Deno.test("admission: who was let in later is told of failures as who was let in at once", async () => {
  const site = new Site();
  await site.stream(200, 5);
  const fails: readonly (() => Awaitable<never>)[] = [
    () => {
      throw new TypeError("at once");
    },
    () => Promise.reject(new TypeError("later")),
  ];
  const answers = fails.map((fail) => Promise.resolve(site.admission.admit(fail)));
  const told = Promise.allSettled(answers);
  await site.pass(REST);
  assert.deepEqual((await told).map((one) => one.status), ["rejected", "rejected"]);
  assert.throws(() => new Site().admission.admit(fails[0]!), { message: "at once" });
});

Deno.test("admission: commits wait for those of the requests that were let in together", async () => {
  const { site } = await together(3);
  let asked = 0;
  const again = () => void asked++;
  assert.equal(site.admission.expectsMore(1, again), true);
  assert.equal(site.admission.expectsMore(2, again), true);
  assert.equal(site.admission.expectsMore(3, again), false);
  await site.pass(2 * GAP);
  assert.equal(asked, 0, "what has gone is not asked again");
});

Deno.test("admission: commits do not wait for requests that ended without one", async () => {
  const { site, ends } = await together(3);
  let held = true;
  const ask = () => void (held = site.admission.expectsMore(1, ask));
  ask();
  ends[0]!();
  await site.pass(0);
  assert.equal(held, true);
  ends[1]!();
  await site.pass(0);
  assert.equal(held, false);
});

Deno.test("admission: commits do not wait for requests that failed, at once or later", async () => {
  const site = new Site();
  await site.stream(200, 5);
  await site.pass(2 * REST);
  assert.equal(site.admission.admit(() => "at once"), "at once");
  let held = false;
  const ask = () => void (held = site.admission.expectsMore(1, ask));
  void site.admission.admit(() => new Promise<void>(() => ask()));
  const { promise: later, reject } = Promise.withResolvers<never>();
  const failed = Promise.allSettled([
    site.admission.admit(() => later),
    site.admission.admit(() => {
      throw new TypeError("at once");
    }),
  ]);
  await site.pass(GAP + 1);
  assert.equal(held, true, "one of the others may yet commit");
  reject(new TypeError("later"));
  await site.pass(0);
  assert.equal(held, false);
  assert.deepEqual((await failed).map(({ status }) => status), ["rejected", "rejected"]);
});

Deno.test("admission: commits wait for a slow request no longer than a gap", async () => {
  const { site } = await together(2);
  let held = true;
  const ask = () => void (held = site.admission.expectsMore(1, ask));
  ask();
  await site.pass(GAP - 1);
  assert.equal(held, true);
  await site.pass(1);
  assert.equal(held, false);
  assert.equal(site.admission.expectsMore(1, ask), false, "nor those that come later");
  assert.equal(site.timers, 0);
});

Deno.test("admission: commits that go on waiting a moment before the end of the gap are asked again after it", async () => {
  const { site, ends } = await together(3);
  let held = true, lingers = 0;
  const ask = () => {
    held = site.admission.expectsMore(1, ask);
    site.now += lingers;
  };
  ask();
  await site.pass(GAP - 1);
  // The machine does something else when that was answered.
  lingers = 2;
  ends[0]!();
  await settled();
  assert.equal(held, true);
  await site.pass(1);
  assert.equal(held, false);
});

Deno.test("admission: commits wait no longer where slow requests go on coming", async () => {
  const { site } = await together(3);
  let held = true;
  const ask = () => void (held = site.admission.expectsMore(1, ask));
  ask();
  assert.equal(held, true);
  for (let n = 0; n < 2 * GAP; n++) {
    for (let m = 0; m < 8; m++) void site.admission.admit(() => new Promise(() => {}));
    await site.pass(1);
    if (n >= GAP) assert.equal(held, false);
  }
});

Deno.test("admission: commits that go together step aside for a crowd", async () => {
  assert.equal((await together(3, 3 * CROWD - 1)).site.admission.stepAside(3), undefined);
  const { site } = await together(3, 3 * CROWD);
  assert.equal(site.admission.stepAside(1), undefined, "it goes alone");
  let through = false;
  void Promise.resolve(site.admission.stepAside(3)).then(() => through = true);
  await site.pass(ASIDE - 1);
  assert.equal(through, false);
  await site.pass(1);
  await settled();
  assert.equal(through, true);
});

Deno.test("admission: a crowd goes before the second half of many that are let in together", async () => {
  for (const count of [HALVED_FROM - 1, HALVED_FROM, HALVED_FROM + 1]) {
    for (const others of [count * CROWD - 1, count * CROWD]) {
      const site = new Site(), served: [n: number, at: number][] = [];
      await site.stream(200, 5);
      await site.pass(2 * REST);
      void site.admission.admit(() => null);
      site.admission.others += others;
      for (let n = 0; n < count; n++) void site.admission.admit(() => served.push([n, site.now]));
      await site.pass(GAP + ASIDE);
      assert.deepEqual(served.map(([n]) => n), Array.from({ length: count }, (_, n) => n));
      const began = served[0]![1];
      const halved = count >= HALVED_FROM && others === count * CROWD;
      const first = halved ? Math.ceil(count / 2) : count;
      assert.deepEqual(
        served.map(([, at]) => at - began),
        served.map((_, n) => n < first ? 0 : ASIDE),
        `${count} beside ${others}`,
      );
    }
  }
});

Deno.test("admission: who comes between the halves is served, and commits of the first wait for the second", async () => {
  const site = new Site();
  await site.stream(200, 5);
  await site.pass(2 * REST);
  void site.admission.admit(() => null);
  let served = 0;
  const never = () => new Promise<void>(() => served++);
  site.admission.others += HALVED_FROM * CROWD;
  for (let n = 0; n < HALVED_FROM; n++) void site.admission.admit(never);
  while (served === 0) await site.pass(1);
  assert.equal(served, HALVED_FROM / 2);
  let held = false;
  const ask = () => held = site.admission.expectsMore(served, ask);
  ask();
  assert.equal(held, true);
  void site.admission.admit(never);
  await site.pass(REST + GAP);
  assert.equal(served, HALVED_FROM + 1);
  assert.equal(held, false);
});

Deno.test("admission: a crowd that was there when the last ones were let in is soon forgotten", async () => {
  const { site } = await together(3, 3 * CROWD);
  await site.pass(REST - 1);
  assert.notEqual(site.admission.stepAside(3), undefined);
  await site.pass(1);
  // While the process has time to spare nobody is let in with others, and yet commits may go together.
  assert.equal(site.admission.stepAside(3), undefined);
});

Deno.test("admission: whoever comes when, all are served, none waits longer than a rest, a step aside and a gap", async () => {
  const steps = fc.array(
    fc.record({
      requests: fc.nat(12),
      others: fc.nat(12 * CROWD),
      pass: fc.nat(60),
      load: fc.constantFrom(0.2, 0.9, 1),
      commits: fc.boolean(),
    }),
    { maxLength: 25 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const site = new Site(), came: number[] = [], done: number[] = [];
      const queue: (() => void)[] = [];
      const ask = () => {
        if (queue.length === 0 || site.admission.expectsMore(queue.length, ask)) return;
        for (const resolve of queue.splice(0)) resolve();
      };
      for (const { requests, others, pass, load, commits } of list) {
        site.load = load;
        site.admission.others += others;
        for (let n = 0; n < requests; n++) {
          const number = came.push(site.now) - 1;
          void site.admission.admit(async () => {
            if (commits) {
              await new Promise<void>((resolve) => {
                queue.push(resolve);
                ask();
              });
            }
            done.push(number);
            assert.ok(site.now - came[number]! <= REST + ASIDE + GAP);
          });
        }
        await site.pass(pass);
      }
      await site.pass(REST + ASIDE + GAP);
      assert.deepEqual(done.toSorted((a, b) => a - b), [...came.keys()]);
      assert.equal(site.timers, 0, "nothing is left to fire");
    }),
    { numRuns: 50 },
  );
});

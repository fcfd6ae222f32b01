// Long computations take turns with each other and with everything else.
import assert from "node:assert/strict";
import { Slices, waitFor, type Work } from "../../core/slices.ts";
import { Turns } from "../turns.ts";

/** Work of so many pieces; each is noted. */
function* pieces(name: string, count: number, log: string[]): Work<string> {
  for (let n = 1; n <= count; n++) {
    log.push(`${name}${n}`);
    if (n < count) yield;
  }
  return name;
}

Deno.test("short work is done at once", () => {
  const turns = new Turns();
  assert.equal(turns.slices.run(pieces("a", 1, [])), "a");
  assert.equal(turns.pending, 0);
});

Deno.test("long work is done in slices, and takes turns with other work", async () => {
  const turns = new Turns();
  const log: string[] = [];
  const a = turns.slices.run(pieces("a", 8, log));
  const b = turns.slices.run(pieces("b", 4, log));
  assert.ok(a instanceof Promise && b instanceof Promise);
  // One turn has 6 ms; each piece takes one, and work lets others go on after two.
  assert.deepEqual(log, ["a1", "a2", "a3", "b1", "b2", "b3"]);
  turns.next();
  assert.deepEqual(log.slice(6), ["a4", "a5", "b4", "a6", "a7"]);
  turns.next();
  assert.deepEqual(log.slice(11), ["a8"]);
  assert.deepEqual(await Promise.all([a, b]), ["a", "b"]);
  turns.run();
  assert.equal(turns.pending, 0, "nothing is left to be done");
});

Deno.test("what begins in a turn without time left waits for the next one, then is short again", async () => {
  const turns = new Turns();
  const log: string[] = [];
  for (const name of ["a", "b", "c"]) turns.slices.run(pieces(name, 3, log));
  const late = turns.slices.run(pieces("late", 1, log));
  assert.ok(late instanceof Promise);
  assert.ok(!log.includes("late1"));
  turns.run();
  assert.equal(await late, "late");
  assert.equal(turns.slices.run(pieces("early", 1, log)), "early");
});

Deno.test("work waits for a promise, and gets what it was rejected with", async () => {
  const turns = new Turns();
  function* waits(promise: Promise<number>): Work<string> {
    try {
      return `got ${yield* waitFor(promise)}`;
    } catch (error) {
      yield;
      return `failed: ${(error as Error).message}`;
    }
  }
  const good = turns.slices.run(waits(Promise.resolve(5)));
  const bad = turns.slices.run(waits(Promise.reject(new Error("no"))));
  await turns.settled(Promise.all([good, bad]));
  assert.deepEqual(await Promise.all([good, bad]), ["got 5", "failed: no"]);
});

Deno.test("what work throws reaches who runs it, at once or later", async () => {
  const turns = new Turns();
  function* fails(pieces: number): Work<void> {
    for (let n = 0; n < pieces; n++) yield;
    throw new RangeError("broken");
  }
  assert.throws(() => turns.slices.run(fails(0)), RangeError);
  const later = turns.slices.run(fails(9));
  const rejected = assert.rejects(Promise.resolve(later), RangeError);
  turns.run();
  await rejected;
});

Deno.test("in the process's own slices everything else goes on meanwhile", async () => {
  const slices = new Slices();
  let timers = 0;
  const timer = setInterval(() => timers++, 0);
  function* busy(): Work<void> {
    for (let n = 0; n < 40; n++) {
      const until = performance.now() + 1;
      while (performance.now() < until);
      yield;
    }
  }
  await slices.run(busy());
  clearInterval(timer);
  assert.ok(timers > 0);
});

// The end of the process: every part is tried, in one time for all.
import assert from "node:assert/strict";
import { stopAll } from "../../core/shutdown.ts";

Deno.test("shutdown: each part is tried, whether those before it fail, throw or hang", async () => {
  const tried: string[] = [];
  const problems: string[] = [];
  const part = (task: string, by: number, stop: () => unknown) => ({
    task,
    by,
    stop() {
      tried.push(task);
      return stop();
    },
  });
  const never = Promise.withResolvers<void>();
  await stopAll([
    part("hang", 50, () => never.promise),
    part("throw", 60, () => {
      throw new Error("at once");
    }),
    part("fail", 70, () => Promise.reject(new Error("refused"))),
    part("hang again", 80, () => never.promise),
    part("end well", 1000, () => Promise.resolve()),
  ], (task, reason) => problems.push(`${task}: ${reason.replace(/\d+/, "n")}`));
  assert.deepEqual(tried, ["hang", "throw", "fail", "hang again", "end well"]);
  assert.deepEqual(problems, [
    "hang: not done in n ms",
    "throw: at once",
    "fail: refused",
    "hang again: not done in n ms",
  ]);
});

Deno.test("shutdown: parts that hang for ever are waited for no longer than by the last one's time, together", async () => {
  const waits: number[] = [];
  await stopAll(
    [100, 160, 220, 280].map((by) => ({ task: "hang", by, stop: () => new Promise(() => {}) })),
    (_, reason) => waits.push(Number(/^not done in (\d+) ms$/.exec(reason)![1])),
  );
  assert.equal(waits.length, 4);
  // However late a busy machine runs the timers: what it is late by is taken from the parts that follow.
  const sum = waits.reduce((sum, wait) => sum + wait, 0);
  assert.ok(sum <= 280 + waits.length, waits.join());
});

Deno.test("shutdown: parts that are done at once leave their time to none", async () => {
  const began = performance.now();
  await stopAll(
    Array.from({ length: 5 }, (_, n) => ({ task: `${n}`, by: 60_000, stop: () => {} })),
    assert.fail,
  );
  assert.ok(performance.now() - began < 30_000);
});

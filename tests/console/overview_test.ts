// The overview without its looks: its ranges, the days of its charts, how often it reads again, and who is led.
import assert from "node:assert/strict";
import { mock } from "node:test";
import { isNew } from "../../console/pages/overview/first_steps.tsx";
import { noonOf, rangeOf } from "../../console/pages/overview/series.ts";
import { atMostEvery } from "../../console/state/throttle.ts";

Deno.test("the range is one of those that are offered, else a week", () => {
  assert.deepEqual(["30", "365", "31", "", "all"].map(rangeOf), [30, 365, 7, 7, 7]);
});

Deno.test("a day of a chart is that day from Honolulu to Noumea", () => {
  const noon = noonOf("2026-03-08");
  for (const timeZone of ["Pacific/Honolulu", "America/New_York", "UTC", "Pacific/Noumea"]) {
    assert.equal(new Intl.DateTimeFormat("en", { timeZone, day: "numeric" }).format(noon), "8");
  }
});

Deno.test("what is asked for often is done once in a while, and what was asked for last is done", () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  try {
    let times = 0;
    const throttle = atMostEvery(60, () => times++);
    for (let i = 0; i < 5; i++) throttle.ask();
    mock.timers.tick(59);
    assert.equal(times, 0, "it was fresh");
    mock.timers.tick(1);
    assert.equal(times, 1);
    throttle.ask();
    throttle.stop();
    mock.timers.tick(600);
    assert.equal(times, 1, "it was stopped");
  } finally {
    mock.timers.reset();
  }
});

Deno.test("first steps are shown as long as nobody else is there, or nothing was made", () => {
  const stats = (totalUsers: number, totalDocuments: number, totalFiles: number) => ({
    totalUsers,
    totalDocuments,
    totalFiles,
  });
  assert.equal(isNew(stats(1, 3, 3)), true);
  assert.equal(isNew(stats(5, 0, 0)), true);
  assert.equal(isNew(stats(5, 0, 1)), false);
});

// The overview without its looks: its ranges, the days of its charts, how often it reads again, and who is led.
import assert from "node:assert/strict";
import { mock } from "node:test";
import { isNew } from "../../console/pages/overview/first_steps.tsx";
import { rangeOf } from "../../console/pages/overview/range.tsx";
import { fromFirst } from "../../console/pages/overview/sales_history.tsx";
import { monthsFor, noonOf, salesChart } from "../../console/pages/overview/series.ts";
import { taskChart } from "../../console/pages/overview/task_figures.ts";
import { atMostEvery } from "../../console/state/throttle.ts";

Deno.test("the range is one of those that are offered, else thirty days", () => {
  assert.deepEqual(["7", "365", "31", "", "all"].map(rangeOf), [7, 365, 30, 30, 30]);
});

Deno.test("sales are told for the months that the days are in, and the one before", () => {
  const cases: readonly [now: string, days: number, months: number][] = [
    ["2026-11-23T12:00:00Z", 7, 2],
    ["2026-11-07T23:59:00Z", 7, 2],
    ["2026-11-06T00:00:00Z", 7, 3],
    ["2026-11-30T00:00:00Z", 30, 2],
    ["2026-11-29T00:00:00Z", 30, 3],
    ["2027-01-03T00:00:00Z", 90, 5],
    ["2026-11-23T00:00:00Z", 365, 14],
  ];
  for (const [now, days, months] of cases) {
    assert.equal(monthsFor(days, Date.parse(now)), months, `${days} days up to ${now}`);
  }
});

Deno.test("months of more than a year are told with their year", () => {
  const sales = Array.from({ length: 13 }, (_, index) => {
    const month = new Date(Date.UTC(2025, 10 + index)).toISOString().slice(0, 7);
    return { month, sales: 1, orders: 1, profit: 1 };
  });
  assert.equal(new Set(salesChart(sales).labels).size, 13);
  assert.equal(new Set(salesChart(sales.slice(1)).labels).size, 12);
});

Deno.test("tasks are told apart by their state, those that are overdue beside the others", () => {
  const { labels, series } = taskChart([
    { status: "pending", total: 5, overdue: 2 },
    // One has become overdue between the two counts.
    { status: "in_progress", total: 1, overdue: 2 },
    { status: "done", total: 3, overdue: 0 },
  ]);
  assert.deepEqual(labels, ["To do", "In progress", "Done"]);
  assert.deepEqual(series.map(({ values }) => values), [[3, 0, 3], [2, 2, 0]]);
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

Deno.test("sales as a list begin with the first month that has any, and have this one in any case", () => {
  const of = (...amounts: number[]) =>
    amounts.map((sales, n) => ({ month: `2026-0${n + 1}`, sales, orders: 0, profit: 0 }));
  assert.deepEqual(fromFirst(of(0, 0, 5, 0, 7)).map(({ month }) => month), [
    "2026-03",
    "2026-04",
    "2026-05",
  ]);
  assert.deepEqual(fromFirst(of(0, 0)).map(({ month }) => month), ["2026-02"]);
});

// Activity as its chart shows it: what is read, in which steps it is counted, and what the chart says it covers.
import assert from "node:assert/strict";
import type { Activity } from "../../client/mod.ts";
import {
  activityCharts,
  countActs,
  coverage,
  gather,
  type ReadPage,
  type Recent,
  startOf,
  startsOf,
  stepOf,
} from "../../console/pages/overview/activity.ts";

const NOW = Date.parse("2026-11-23T12:30:00Z");
const DAY = 86_400_000;

const act = (id: number, time = NOW - id * 1000, action = "created"): Activity => ({
  id: String(id),
  user: { id: "ada", name: "Ada" },
  action,
  target: "a document",
  time: new Date(time).toISOString(),
});

/** Newest first: the first has the highest number. */
const acts = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => act(from - index));

/** A server with so many acts, in pages of a hundred. */
function server(all: readonly Activity[]): { read: ReadPage; asked: () => number } {
  let asked = 0;
  return {
    asked: () => asked,
    read: (cursor) => {
      asked++;
      const start = Number(cursor ?? 0);
      const next = start + 100 < all.length ? String(start + 100) : null;
      const pagination = { total: all.length, nextCursor: next };
      return Promise.resolve({ data: all.slice(start, start + 100), pagination });
    },
  };
}

const ids = (found: readonly Activity[]) => found.map(({ id }) => id);

Deno.test("few acts take one request, and many no more than five", async () => {
  const few = server(acts(30, 30));
  assert.deepEqual(await gather(few.read, []), { acts: acts(30, 30), total: 30 });
  assert.equal(few.asked(), 1);
  const many = server(acts(2000, 2000));
  const { acts: newest, total } = await gather(many.read, []);
  assert.deepEqual([newest.length, total, many.asked()], [500, 2000, 5]);
});

Deno.test("what was read before is not read again", async () => {
  const known = acts(450, 450);
  const more = server(acts(460, 460));
  const gathered = await gather(more.read, known);
  assert.equal(more.asked(), 1);
  assert.deepEqual(ids(gathered.acts), ids(acts(460, 460)));
  // So much was done since that nothing known is met: there is no gap in what is shown.
  const after = server(acts(2000, 2000));
  assert.deepEqual(ids((await gather(after.read, known)).acts), ids(acts(2000, 500)));
});

Deno.test("a range begins at midnight of the zone, also where clocks are set", () => {
  const starts = (zone: string) => new Date(startOf(30, NOW, zone)).toISOString();
  assert.equal(starts("UTC"), "2026-10-25T00:00:00.000Z");
  assert.equal(starts("Asia/Kolkata"), "2026-10-24T18:30:00.000Z");
  assert.equal(starts("Europe/Berlin"), "2026-10-24T22:00:00.000Z", "it was summer time still");
});

Deno.test("bars are hours, days or weeks, by the time that they cover", () => {
  const steps = [1, 2, 7, 30, 90, 365].map((days) => stepOf(NOW - days * DAY, NOW));
  assert.deepEqual(steps, ["hour", "hour", "day", "day", "week", "week"]);
});

Deno.test("days of bars are those of the zone, 23 or 25 hours where clocks are set", () => {
  const from = startOf(30, NOW, "Europe/Berlin");
  const days = startsOf("day", from, NOW, "Europe/Berlin");
  assert.equal(days.length, 30);
  assert.equal(days[0], from);
  assert.deepEqual([days[1]! - days[0]!, days[2]! - days[1]!], [25 * 3_600_000, DAY]);
});

Deno.test("weeks end today; the first has what is left of the range", () => {
  const weeks = startsOf("week", startOf(90, NOW, "UTC"), NOW, "UTC")
    .map((start) => new Date(start).toISOString().slice(0, 10));
  assert.deepEqual(
    [weeks.length, weeks[0], weeks[1], weeks.at(-1)],
    [13, "2026-08-26", "2026-09-01", "2026-11-17"],
  );
});

Deno.test("hours are those that the clock shows", () => {
  const hours = startsOf("hour", NOW - 3 * 3_600_000, NOW, "Asia/Kolkata")
    .map((start) => new Date(start).toISOString().slice(11, 16));
  assert.deepEqual(hours, ["09:30", "10:30", "11:30", "12:30"]);
});

Deno.test("acts are counted by kind, each where it belongs", () => {
  const starts = [0, 10, 20].map((minute) => NOW + minute * 60_000);
  const at = (minute: number, action: string) => act(1, NOW + minute * 60_000, action);
  const counts = countActs([
    at(-1, "created"),
    at(0, "created"),
    at(10, "updated"),
    at(19, "purge"),
    at(25, "deleted"),
    at(25, "login"),
    at(25, "toString"),
  ], starts);
  assert.deepEqual(counts, {
    created: [1, 0, 0],
    changed: [0, 1, 0],
    deleted: [0, 1, 1],
    other: [0, 0, 2],
  });
});

Deno.test("the chart says what it covers", () => {
  const whole: Recent = {
    days: 30,
    acts: acts(2, 2),
    total: 2,
    from: startOf(30, NOW, "UTC"),
    now: NOW,
  };
  assert.equal(coverage(whole), "2 acts in 30 days, by day");
  assert.equal(coverage({ ...whole, acts: acts(1, 1), total: 1 }), "1 act in 30 days, by day");
  const part = { ...whole, acts: acts(500, 500), total: 2000, from: NOW - 500_000 };
  assert.match(coverage(part), /^The newest 500 of 2,?000 acts, from .*2026.* on$/);
});

Deno.test("the file has days as programs read them, and the chart is empty where nothing was done", () => {
  const recent: Recent = { days: 7, acts: [], total: 0, from: startOf(7, NOW, "UTC"), now: NOW };
  const { chart, table } = activityCharts(recent, "UTC");
  assert.deepEqual(chart.labels, []);
  assert.deepEqual([table.labels.length, table.labels[0]], [7, "2026-11-17"]);
  const some = activityCharts({ ...recent, acts: acts(3, 3), total: 3 }, "UTC");
  assert.equal(some.chart.labels.length, 7);
  assert.deepEqual(some.table.series.map(({ values }) => values[6]), [3, 0, 0, 0]);
});

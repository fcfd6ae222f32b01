// The days of a calendar, over months, zones and clocks that change.
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  addDays,
  addMonths,
  byDay,
  dayIn,
  daysFrom,
  firstWeekday,
  monthDays,
  placed,
  spanOf,
  weekdayOf,
  windowOf,
} from "../../console/state/calendar_days.ts";

const event = (start: string, end: string, allDay = false) => ({ start, end, allDay });

Deno.test("calendar days: months end where they end", () => {
  assert.equal(addMonths("2026-01-31", 1), "2026-02-28");
  assert.equal(addMonths("2024-01-31", 1), "2024-02-29");
  assert.equal(addMonths("2026-03-31", -1), "2026-02-28");
  assert.equal(addMonths("2026-12-15", 1), "2027-01-15");
});

Deno.test("calendar days: weeks begin as the locale has it", () => {
  assert.equal(firstWeekday("en-US"), 7);
  assert.equal(firstWeekday("de"), 1);
  assert.equal(monthDays("2026-11-22", 1)[0], "2026-10-26");
  assert.equal(monthDays("2026-11-22", 7)[0], "2026-11-01");
});

Deno.test("calendar days: a month's page has all its days, and begins with the first day of a week", () => {
  fc.assert(fc.property(
    fc.integer({ min: 0, max: 60_000 }),
    fc.integer({ min: 1, max: 7 }),
    (offset, first) => {
      const day = addDays("1970-01-01", offset);
      const days = monthDays(day, first);
      assert.equal(days.length, 42);
      assert.equal(weekdayOf(days[0]!), first);
      const start = `${day.slice(0, 7)}-01`;
      assert.ok(days.includes(start) && days.includes(addDays(addMonths(start, 1), -1)));
    },
  ));
});

Deno.test("calendar days: an event is on the days of the zone; whole days are the same everywhere", () => {
  const late = event("2026-11-22T23:30:00Z", "2026-11-23T00:30:00Z");
  assert.deepEqual(spanOf(late, "UTC"), ["2026-11-22", "2026-11-23"]);
  assert.deepEqual(spanOf(late, "Asia/Shanghai"), ["2026-11-23", "2026-11-23"]);
  assert.deepEqual(spanOf(late, "America/New_York"), ["2026-11-22", "2026-11-22"]);
  const whole = event("2026-11-22T00:00:00Z", "2026-11-24T00:00:00Z", true);
  for (const zone of ["UTC", "Asia/Shanghai", "America/New_York"]) {
    assert.deepEqual(spanOf(whole, zone), ["2026-11-22", "2026-11-23"]);
  }
  const midnight = event("2026-11-22T10:00:00Z", "2026-11-23T00:00:00Z");
  assert.deepEqual(spanOf(midnight, "UTC"), ["2026-11-22", "2026-11-22"]);
  const moment = event("2026-11-22T00:00:00Z", "2026-11-22T00:00:00Z");
  assert.deepEqual(spanOf(moment, "UTC"), ["2026-11-22", "2026-11-22"]);
  assert.equal(dayIn("Pacific/Kiritimati", Date.parse("2026-11-22T12:00:00Z")), "2026-11-23");
});

Deno.test("calendar days: whole days stand first, then by the start", () => {
  const days = daysFrom("2026-11-22", 2);
  const late = event("2026-11-22T15:00:00Z", "2026-11-22T16:00:00Z");
  const early = event("2026-11-22T09:00:00Z", "2026-11-22T10:00:00Z");
  const whole = event("2026-11-22T00:00:00Z", "2026-11-24T00:00:00Z", true);
  const found = byDay([late, early, whole], days, "UTC");
  assert.deepEqual(found.get("2026-11-22"), [whole, early, late]);
  assert.deepEqual(found.get("2026-11-23"), [whole]);
});

Deno.test("calendar days: what is at the same time stands side by side, and nothing covers anything", () => {
  const minute = fc.integer({ min: 0, max: 1439 });
  fc.assert(fc.property(fc.array(fc.tuple(minute, minute), { maxLength: 25 }), (spans) => {
    const at = (minutes: number) =>
      new Date(Date.parse("2026-11-22T00:00:00Z") + minutes * 60_000).toISOString();
    const events = spans.map(([a, b]) => event(at(Math.min(a, b)), at(Math.max(a, b))));
    const all = placed(events, "2026-11-22", "UTC");
    assert.equal(all.length, events.length);
    for (const [n, one] of all.entries()) {
      assert.ok(one.span > 0 && one.column + one.span <= one.columns);
      assert.ok(one.from < one.to && one.to <= 1440);
      for (const other of all.slice(n + 1)) {
        const together = one.from < other.to && other.from < one.to;
        if (!together) continue;
        const [left, right] = [one, other].sort((a, b) => a.column - b.column) as [
          typeof one,
          typeof one,
        ];
        assert.ok(left.column + left.span <= right.column && one.columns === other.columns);
      }
    }
  }));
});

Deno.test("calendar days: a column that is free beside an event is the event's", () => {
  const at = (from: number, to: number) =>
    event(`2026-11-22T${from}:00:00Z`, `2026-11-22T${to}:00:00Z`);
  const found = placed([at(10, 20), at(11, 12), at(11, 12), at(15, 16)], "2026-11-22", "UTC");
  assert.deepEqual(found.map(({ column, span }) => [column, span]), [[0, 1], [1, 1], [2, 1], [
    1,
    2,
  ]]);
});

Deno.test("calendar days: an event stands where the clock says, also where clocks are set", () => {
  const placeOf = (start: string, end: string, day: string) => {
    const [{ from, to } = assert.fail()] = placed([event(start, end)], day, "Europe/Berlin");
    return [from / 60, to / 60];
  };
  const spring = placeOf("2026-03-29T13:00:00Z", "2026-03-29T14:30:00Z", "2026-03-29");
  assert.deepEqual(spring, [15, 16.5]);
  const autumn = placeOf("2026-10-25T14:00:00Z", "2026-10-25T15:00:00Z", "2026-10-25");
  assert.deepEqual(autumn, [15, 16]);
  assert.deepEqual(placeOf("2026-10-24T10:00:00Z", "2026-10-26T10:00:00Z", "2026-10-25"), [0, 24]);
});

Deno.test("calendar days: a window is as long as its days are where clocks change", () => {
  const { from, to } = windowOf(["2026-03-29"], "Europe/Berlin");
  assert.equal(Date.parse(to) - Date.parse(from), 23 * 3_600_000);
});

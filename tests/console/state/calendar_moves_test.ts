// Where events stand after they were moved, over clocks that change; and where keys lead in a month.
import assert from "node:assert/strict";
import {
  dayByKey,
  daysBetween,
  type Shift,
  shifted,
  shiftOf,
} from "../../../console/state/calendar_moves.ts";

const BERLIN = "Europe/Berlin";
const YORK = "America/New_York";

const MOVES: [what: string, start: string, allDay: boolean, by: Shift, zone: string, to: string][] =
  [
    ["a day", "2026-11-22T10:00:30.000Z", false, { days: 1 }, "UTC", "2026-11-23T10:00:30.000Z"],
    [
      "an hour",
      "2026-11-22T23:30:00.000Z",
      false,
      { minutes: 60 },
      "UTC",
      "2026-11-23T00:30:00.000Z",
    ],
    // Clocks go back on 25 October: nine o'clock stays nine o'clock.
    [
      "a day of 25 hours",
      "2026-10-24T07:00:00.000Z",
      false,
      { days: 1 },
      BERLIN,
      "2026-10-25T08:00:00.000Z",
    ],
    [
      "a day and hours",
      "2026-10-24T07:00:00.000Z",
      false,
      { days: 1, minutes: 30 },
      BERLIN,
      "2026-10-25T08:30:00.000Z",
    ],
    // A whole day is the same date everywhere, and has no minutes.
    ["whole days", "2026-11-22T00:00:00.000Z", true, { days: 2 }, YORK, "2026-11-24T00:00:00.000Z"],
    [
      "whole days by minutes",
      "2026-11-22T00:00:00.000Z",
      true,
      { minutes: 60 },
      YORK,
      "2026-11-22T00:00:00.000Z",
    ],
  ];

for (const [what, start, allDay, by, zone, to] of MOVES) {
  Deno.test(`calendar moves: ${what}`, () => {
    assert.equal(shifted({ start, allDay }, by, zone), to);
  });
}

Deno.test("calendar moves: days between days", () => {
  assert.equal(daysBetween("2026-10-24", "2026-10-26"), 2);
  assert.equal(daysBetween("2027-01-01", "2026-12-31"), -1);
});

Deno.test("calendar moves: arrows lead where they point, whichever way days are read", () => {
  assert.deepEqual(shiftOf("ArrowRight", false, false), { days: 1 });
  assert.deepEqual(shiftOf("ArrowRight", false, true), { days: -1 });
  assert.deepEqual(shiftOf("ArrowLeft", true, false), { days: -1 });
  assert.deepEqual(shiftOf("ArrowUp", false, false), { minutes: -60 });
  assert.deepEqual(shiftOf("ArrowDown", true, false), { days: 7 });
  assert.equal(shiftOf("Enter", false, false), null);
});

Deno.test("calendar moves: keys lead through a month", () => {
  const day = "2026-01-31";
  const to = (key: string, rtl = false) => dayByKey(key, day, 1, rtl);
  assert.equal(to("ArrowRight"), "2026-02-01");
  assert.equal(to("ArrowRight", true), "2026-01-30");
  assert.equal(to("ArrowUp"), "2026-01-24");
  assert.equal(to("Home"), "2026-01-26");
  assert.equal(to("End"), "2026-02-01");
  assert.equal(to("PageDown"), "2026-02-28");
  assert.equal(to("x"), null);
});

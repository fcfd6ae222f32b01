// Calendar days in time zones: also when the clocks change.
import assert from "node:assert/strict";
import fc from "fast-check";
import { dayOf } from "../../../services/calendar/schedule.ts";

const HOUR = 60 * 60 * 1000;

function hours(at: string, zone: string): [date: string, start: string, hours: number] {
  const { date, start, end } = dayOf(new Date(at), zone);
  return [date, start, (Date.parse(end) - Date.parse(start)) / HOUR];
}

Deno.test("a day is 23 or 25 hours long when the clocks change", () => {
  assert.deepEqual(hours("2026-03-29T12:00:00Z", "Europe/Berlin"), [
    "2026-03-29",
    "2026-03-28T23:00:00.000Z",
    23,
  ]);
  assert.deepEqual(hours("2026-10-25T12:00:00Z", "Europe/Berlin"), [
    "2026-10-25",
    "2026-10-24T22:00:00.000Z",
    25,
  ]);
  assert.deepEqual(hours("2026-11-21T12:00:00Z", "Europe/Berlin"), [
    "2026-11-21",
    "2026-11-20T23:00:00.000Z",
    24,
  ]);
  // Lord Howe Island moves its clocks by half an hour.
  assert.deepEqual(hours("2026-10-03T20:00:00Z", "Australia/Lord_Howe"), [
    "2026-10-04",
    "2026-10-03T13:30:00.000Z",
    23.5,
  ]);
});

Deno.test("a day whose midnight does not exist begins with its first moment", () => {
  assert.deepEqual(hours("2026-04-24T12:00:00Z", "Africa/Cairo"), [
    "2026-04-24",
    "2026-04-23T22:00:00.000Z",
    23,
  ]);
});

Deno.test("zones at the ends of the world are a day apart", () => {
  const at = "2026-11-21T10:30:00Z";
  assert.equal(hours(at, "Pacific/Kiritimati")[0], "2026-11-22");
  assert.equal(hours(at, "Pacific/Pago_Pago")[0], "2026-11-20");
  assert.equal(hours(at, "Asia/Kathmandu")[1], "2026-11-20T18:15:00.000Z");
});

Deno.test("every moment is within its day, and days follow each other without a gap", () => {
  const zones = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/Havana",
    "Asia/Kathmandu",
    "Pacific/Apia",
  ];
  const date = fc.date({
    min: new Date("2015-01-01"),
    max: new Date("2035-01-01"),
    noInvalidDate: true,
  });
  fc.assert(fc.property(date, fc.constantFrom(...zones), (at, zone) => {
    const day = dayOf(at, zone);
    assert.ok(day.start <= at.toISOString() && at.toISOString() < day.end);
    assert.equal(dayOf(new Date(day.end), zone).start, day.end);
    assert.equal(dayOf(new Date(day.start), zone).date, day.date);
  }));
});

// Moments and the clock on the wall.
import assert from "node:assert/strict";
import { moment, wallTime } from "../../../console/parts/zoned.ts";

Deno.test("zoned: there and back, in zones of all kinds", () => {
  const cases: readonly [iso: string, zone: string, wall: string][] = [
    ["2026-11-22T09:30:00.000Z", "UTC", "2026-11-22T09:30"],
    ["2026-11-22T09:30:00.000Z", "Europe/Berlin", "2026-11-22T10:30"],
    ["2026-07-22T09:30:00.000Z", "Europe/Berlin", "2026-07-22T11:30"],
    ["2026-01-01T04:30:00.000Z", "America/New_York", "2025-12-31T23:30"],
    ["2026-11-22T09:30:00.000Z", "Asia/Kathmandu", "2026-11-22T15:15"],
    ["2026-11-22T23:30:00.000Z", "Pacific/Kiritimati", "2026-11-23T13:30"],
    ["1969-12-31T23:00:00.000Z", "Asia/Shanghai", "1970-01-01T07:00"],
  ];
  for (const [iso, zone, wall] of cases) {
    assert.equal(wallTime(iso, zone), wall, zone);
    assert.equal(moment(wall, zone), iso, zone);
  }
});

Deno.test("zoned: a time that clocks show twice is the first one", () => {
  // On 25 October 2026 at 3:00 the clocks of Berlin are set back by an hour.
  assert.equal(moment("2026-10-25T02:30", "Europe/Berlin"), "2026-10-25T00:30:00.000Z");
  assert.equal(moment("2026-10-25T03:30", "Europe/Berlin"), "2026-10-25T02:30:00.000Z");
});

Deno.test("zoned: a time that clocks leave out is as much later", () => {
  // On 29 March 2026 at 2:00 they are set forward.
  const at = moment("2026-03-29T02:30", "Europe/Berlin");
  assert.equal(at, "2026-03-29T01:30:00.000Z");
  assert.equal(wallTime(at, "Europe/Berlin"), "2026-03-29T03:30");
});

Deno.test("zoned: what is no time is empty", () => {
  assert.equal(wallTime("", "UTC"), "");
  assert.equal(moment("", "UTC"), "");
  assert.equal(moment("2026-11-22T", "UTC"), "");
});

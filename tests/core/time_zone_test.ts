// Times of day in zones, where clocks change and at the ends of the calendar.
import assert from "node:assert/strict";
import { clockIn, momentIn } from "../../core/time_zone.ts";

Deno.test("a time of day is the moment when clocks of the zone show it", () => {
  const cases = [
    ["2026-11-21T09:00:00", "UTC", "2026-11-21T09:00:00.000Z"],
    ["2026-11-21T09:00:00", "Asia/Kolkata", "2026-11-21T03:30:00.000Z"],
    ["2026-07-01T00:00:00", "Europe/Berlin", "2026-06-30T22:00:00.000Z"],
    ["2026-11-21T09:00:00.000Z", "Europe/Berlin", "2026-11-21T09:00:00.000Z"],
    // Left out when clocks go forward; twice when they go back.
    ["2026-03-29T02:30:00", "Europe/Berlin", "2026-03-29T01:30:00.000Z"],
    ["2026-10-25T02:30:00", "Europe/Berlin", "2026-10-25T00:30:00.000Z"],
    ["0001-01-01T00:00:00", "Asia/Tokyo", "0001-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999", "America/Los_Angeles", "9999-12-31T23:59:59.999Z"],
  ] as const;
  for (const [text, zone, moment] of cases) assert.equal(momentIn(text, zone), moment, text + zone);
});

Deno.test("what clocks show at a moment", () => {
  assert.equal(clockIn("2026-11-21T03:30:00.000Z", "Asia/Kolkata"), "2026-11-21T09:00:00.000Z");
  assert.equal(clockIn("2026-06-30T22:00:00.000Z", "Europe/Berlin"), "2026-07-01T00:00:00.000Z");
  assert.equal(clockIn("0001-01-01T00:00:00.000Z", "America/Lima"), "0001-01-01T00:00:00.000Z");
  assert.equal(clockIn("9999-12-31T23:59:59.999Z", "Asia/Tokyo"), "9999-12-31T23:59:59.999Z");
});

// Numbers, sizes and times as people read them.
import assert from "node:assert/strict";
import {
  ago,
  date,
  dayRange,
  duration,
  fileSize,
  number,
  percent,
  timeRange,
} from "../../console/state/format.ts";
import { preferences } from "../../console/state/preferences.ts";

const at = Date.parse("2026-11-22T12:00:00Z");
const before = (seconds: number) => ago(at - seconds * 1000, at);

Deno.test("format: how long ago", () => {
  preferences.value = { language: "en", timeZone: "UTC" };
  assert.equal(before(3), "now");
  assert.equal(before(30), "30 seconds ago");
  assert.equal(before(61), "1 minute ago");
  assert.equal(before(3 * 3600), "3 hours ago");
  assert.equal(before(86_400), "yesterday");
  assert.equal(before(-3600), "in 1 hour");
  assert.equal(before(400 * 86_400), "1 year ago");
  assert.equal(ago("nonsense"), "");
});

Deno.test("format: yesterday and tomorrow are days of the calendar in one's zone", () => {
  preferences.value = { language: "en", timeZone: "UTC" };
  assert.equal(before(36 * 3600), "yesterday");
  assert.equal(before(47 * 3600), "2 days ago");
  assert.equal(before(-47 * 3600), "in 2 days");
  assert.equal(before(9 * 86_400), "1 week ago");
  assert.equal(before(-40 * 86_400), "in 1 month");
  preferences.value = { language: "en", timeZone: "Pacific/Kiritimati" };
  assert.equal(before(36 * 3600), "2 days ago");
});

Deno.test("format: from when to when", () => {
  preferences.value = { language: "en", timeZone: "UTC" };
  assert.equal(dayRange("2026-11-29", "2026-12-28"), "Nov 29 – Dec 28, 2026");
  assert.equal(dayRange("2026-12-28", "2027-01-03"), "Dec 28, 2026 – Jan 3, 2027");
  assert.equal(timeRange("2026-11-29T22:00:00Z", "2026-11-29T23:30:00Z"), "10:00 PM – 11:30 PM");
  assert.equal(
    timeRange("2026-11-29T22:00:00Z", "2026-11-30T06:30:00Z"),
    "Nov 29, 10:00 PM – Nov 30, 6:30 AM",
  );
  preferences.value = { language: "zh", timeZone: "UTC" };
  assert.equal(dayRange("2026-11-29", "2026-12-28"), "2026/11/29 – 2026/12/28");
});

Deno.test("format: sizes and durations", () => {
  preferences.value = { language: "en" };
  assert.equal(fileSize(0), "0 bytes");
  assert.equal(fileSize(999), "999 bytes");
  assert.equal(fileSize(1500), "1.5 kB");
  assert.equal(fileSize(20_000_000), "20 MB");
  assert.equal(fileSize(3e12), "3 TB");
  assert.equal(duration(850), "850 ms");
  assert.equal(duration(1200), "1.2 sec");
  assert.equal(duration(7_200_000), "2 hr");
  assert.equal(percent(0.256), "25.6%");
});

Deno.test("format: a date without a time is that date in every zone", () => {
  for (const timeZone of ["Pacific/Kiritimati", "America/Los_Angeles"]) {
    preferences.value = { language: "en", timeZone };
    assert.equal(date("2026-11-22"), "Nov 22, 2026");
  }
  assert.equal(date("2026-11-22T02:00:00Z"), "Nov 21, 2026");
  assert.equal(date("nonsense"), "");
});

Deno.test("format: in Chinese", () => {
  preferences.value = { language: "zh" };
  assert.equal(before(3 * 3600), "3小时前");
  assert.equal(date("2026-11-22"), "2026年11月22日");
  assert.equal(number(12_345), "12,345");
});

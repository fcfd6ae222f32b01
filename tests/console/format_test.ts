// Numbers, sizes and times as people read them.
import assert from "node:assert/strict";
import { ago, date, duration, fileSize, number, percent } from "../../console/state/format.ts";
import { preferences } from "../../console/state/preferences.ts";

const at = Date.parse("2026-11-22T12:00:00Z");
const before = (seconds: number) => ago(at - seconds * 1000, at);

Deno.test("format: how long ago", () => {
  preferences.value = { language: "en" };
  assert.equal(before(3), "now");
  assert.equal(before(30), "30 seconds ago");
  assert.equal(before(61), "1 minute ago");
  assert.equal(before(3 * 3600), "3 hours ago");
  assert.equal(before(86_400), "yesterday");
  assert.equal(before(-3600), "in 1 hour");
  assert.equal(before(400 * 86_400), "last year");
  assert.equal(ago("nonsense"), "");
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

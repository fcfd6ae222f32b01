// Daily check-ins: days in time zones, streaks, points.
import assert from "node:assert/strict";
import fc from "fast-check";
import { checkIn, type CheckinState, drawPoints } from "../../../services/snippets/streaks.ts";

const at = (iso: string) => new Date(iso);

/** Checks in at each moment; the streak after it, or null where the day has one already. */
function streaks(zone: string, moments: readonly string[]): (number | null)[] {
  let state: CheckinState | null = null;
  return moments.map((iso) => {
    const after = checkIn(state, { now: at(iso), zone, points: 20 });
    if (after) state = after;
    return after?.streak ?? null;
  });
}

const table: readonly [
  name: string,
  zone: string,
  moments: string[],
  expected: (number | null)[],
][] = [
  ["three days", "UTC", ["2026-11-20T23:59:59Z", "2026-11-21T00:00:00Z", "2026-11-22T12:00:00Z"], [
    1,
    2,
    3,
  ]],
  ["the same day", "UTC", ["2026-11-20T00:00:00Z", "2026-11-20T23:59:59.999Z"], [1, null]],
  ["a missed day", "UTC", ["2026-11-20T10:00:00Z", "2026-11-22T00:00:00Z"], [1, 1]],
  ["the year's end", "UTC", ["2026-12-31T10:00:00Z", "2027-01-01T10:00:00Z"], [1, 2]],
  ["a leap day", "UTC", ["2028-02-28T10:00:00Z", "2028-02-29T10:00:00Z", "2028-03-01T10:00:00Z"], [
    1,
    2,
    3,
  ]],
  ["days are local", "Asia/Tokyo", ["2026-11-20T14:59:00Z", "2026-11-20T15:00:00Z"], [1, 2]],
  // Berlin: 29 March 2026 has 23 hours, 25 October has 25.
  ["clocks go forward", "Europe/Berlin", [
    "2026-03-28T22:59:00Z",
    "2026-03-28T23:00:00Z",
    "2026-03-29T21:59:00Z",
    "2026-03-29T22:00:00Z",
  ], [1, 2, null, 3]],
  ["clocks go back", "Europe/Berlin", [
    "2026-10-24T22:00:00Z",
    "2026-10-25T22:59:00Z",
    "2026-10-25T23:00:00Z",
  ], [1, null, 2]],
  // Midnight itself is skipped in Cairo on 24 April 2026.
  ["a day without midnight", "Africa/Cairo", ["2026-04-23T21:30:00Z", "2026-04-23T22:00:00Z"], [
    1,
    2,
  ]],
  // Samoa went from 29 to 31 December 2011.
  ["a date that a zone leaves out", "Pacific/Apia", [
    "2011-12-30T09:00:00Z",
    "2011-12-30T10:00:00Z",
  ], [1, 2]],
];
for (const [name, zone, moments, expected] of table) {
  Deno.test(`streaks: ${name}`, () => assert.deepEqual(streaks(zone, moments), expected));
}

Deno.test("streaks: another zone gives no second award", () => {
  const first = checkIn(null, { now: at("2026-11-21T14:30:00Z"), zone: "Asia/Tokyo", points: 20 });
  const soon = (zone: string, iso: string) => checkIn(first, { now: at(iso), zone, points: 20 });
  // It is 22 November in Kiritimati already, but the day in Tokyo goes on.
  assert.equal(soon("Pacific/Kiritimati", "2026-11-21T14:45:00Z"), null);
  // The day in Tokyo is over, but it is the same date in Los Angeles still.
  assert.equal(soon("America/Los_Angeles", "2026-11-21T15:30:00Z"), null);
  assert.equal(soon("America/Los_Angeles", "2026-11-22T08:00:00Z")?.streak, 2);
});

const zones = ["UTC", "Asia/Tokyo", "America/Los_Angeles", "Europe/Berlin", "Pacific/Kiritimati"];
const moments = fc.array(
  fc.record({ gap: fc.integer({ min: 0, max: 50 * 3600 }), zone: fc.constantFrom(...zones) }),
  { minLength: 1, maxLength: 60 },
);
const start = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2030, 0, 1) });

Deno.test("streaks: in whatever zones, dates rise, days are whole, and there is at most one award a day and two more", () => {
  fc.assert(fc.property(start, moments, (first, steps) => {
    let now = first;
    let state: CheckinState | null = null;
    let awards = 0;
    for (const { gap, zone } of steps) {
      now += gap * 1000;
      const after: CheckinState | null = checkIn(state, { now: new Date(now), zone, points: 30 });
      if (!after) continue;
      awards++;
      assert.ok(state === null || after.lastDay > state.lastDay);
      assert.ok(Date.parse(after.lastDayEndsAt) > now);
      assert.ok(after.streak === 1 || after.streak === state!.streak + 1);
      assert.equal(after.totalPoints, awards * 30);
      state = after;
    }
    assert.ok(awards <= Math.ceil((now - first) / 86_400_000) + 2);
  }));
});

Deno.test("streaks: in one zone the streak is the number of local dates in a row", () => {
  fc.assert(fc.property(start, fc.constantFrom(...zones), moments, (first, zone, steps) => {
    let now = first;
    let state: CheckinState | null = null;
    const dates = new Set<string>();
    for (const { gap } of steps) {
      now += gap * 1000;
      const after: CheckinState | null = checkIn(state, { now: new Date(now), zone, points: 30 });
      const date = new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(now);
      assert.equal(after === null, dates.has(date));
      dates.add(date);
      if (after) state = after;
    }
    let row = 0;
    for (let day = Date.parse(state!.lastDay); dates.has(iso(day)); day -= 86_400_000) row++;
    assert.equal(state!.streak, row);
  }));
});

function iso(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

Deno.test("points: every byte gives 20 to 50, each as often; the rest is drawn again", () => {
  const counts = new Map<number, number>();
  for (let byte = 0; byte < 248; byte++) {
    const points = drawPoints(() => byte);
    counts.set(points, (counts.get(points) ?? 0) + 1);
  }
  assert.deepEqual(
    [...counts.keys()].sort((a, b) => a - b),
    Array.from({ length: 31 }, (_, i) => 20 + i),
  );
  assert.deepEqual(new Set(counts.values()), new Set([8]));
  const bytes = [255, 248, 7];
  assert.equal(drawPoints(() => bytes.shift()!), 27);
});

Deno.test("points: the system's generator stays in the range", () => {
  for (let i = 0; i < 2000; i++) {
    const points = drawPoints();
    assert.ok(Number.isInteger(points) && points >= 20 && points <= 50);
  }
});

// When events are, and which ranges they overlap.
import assert from "node:assert/strict";
import fc from "fast-check";
import { type Event, events } from "../../../models/calendar.ts";
import { users } from "../../../models/users.ts";
import { later, overlapping, spanOf } from "../../../services/calendar/calendar.ts";
import { seedRoles } from "../../../services/accounts/first_start.ts";
import { variants } from "../../../config/variants.ts";
import { openTestStore } from "../../storage/open.ts";

const origin = Date.parse("2026-11-21T00:00:00.000Z");
const at = (hour: number) => new Date(origin + hour * 3_600_000).toISOString();
const hour = fc.integer({ min: 0, max: 12 });
const span = fc.tuple(hour, hour).map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }));
const range = fc.record({ from: fc.option(hour), to: fc.option(hour) });

/** There is a moment from `from`, before `to`, in which the event takes place: counted in half hours. */
function takesPlace(
  { start, end }: { start: number; end: number },
  { from, to }: { from: number | null; to: number | null },
): boolean {
  for (let moment = -1; moment <= 13; moment += 0.5) {
    const during = moment === start || (moment >= start && moment < end);
    if (during && moment >= (from ?? -Infinity) && moment < (to ?? Infinity)) return true;
  }
  return false;
}

Deno.test("overlapping lists exactly the events that take place in a range", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(span, { maxLength: 12 }), range, async (spans, { from, to }) => {
      fc.pre(from === null || to === null || from < to);
      const store = await openTestStore();
      try {
        await seedRoles(store, variants.compact!);
        await store.transact({ userId: null }, (tx) => {
          for (const id of ["me", "someone"]) {
            const name = { name: id, email: `${id}@example.com`, role: "user" };
            tx.insert(users, { id, ...name, permissions: [], status: "active" });
          }
          spans.forEach(({ start, end }, index) =>
            tx.insert(events, {
              title: `${index}`,
              start: at(start),
              end: at(end),
              type: index % 3 === 0 ? "task" : "meeting",
              allDay: false,
              ownerId: index % 2 === 0 ? "me" : "someone",
            })
          );
        });
        const seen = { any: [{ ownerId: "me" }, { type: "task" }] };
        const where = overlapping({
          from: from === null ? undefined : at(from),
          to: to === null ? undefined : at(to),
        }, seen);
        const { rows } = await store.from(events).list({ where, limit: 100 });
        const expected = spans.flatMap((span, index) =>
          (index % 2 === 0 || index % 3 === 0) && takesPlace(span, { from, to }) ? [`${index}`] : []
        );
        assert.deepEqual(rows.map((event) => event.title).sort(), expected.sort());
      } finally {
        await store.close();
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test("spanOf never ends before it starts, and keeps what is given", () => {
  const time = fc.option(hour.map(at), { nil: undefined });
  fc.assert(fc.property(hour.map(at), time, fc.boolean(), (start, end, allDay) => {
    if (end !== undefined && end < start) {
      assert.throws(() => spanOf({ start, end, allDay }), /cannot end/);
      return;
    }
    const span = spanOf({ start, end, allDay });
    assert.equal(span.start, start);
    assert.ok(span.end >= span.start);
    if (end !== undefined && end > start) assert.equal(span.end, end);
  }));
});

Deno.test("spanOf of an update keeps what is stored", () => {
  const before = { start: at(1), end: at(2), allDay: false } as Event;
  assert.deepEqual(spanOf({}, before), { start: at(1), end: at(2), allDay: false });
  assert.deepEqual(spanOf({ endAt: at(5) }, before).end, at(5));
  assert.throws(() => spanOf({ startAt: at(3) }, before), /cannot end/);
});

Deno.test("spanOf an event that becomes one of the whole day, or is none any more, is on the same day where one is", () => {
  const night = { start: "2026-11-21T23:30:00.000Z", end: "2026-11-22T00:30:00.000Z" };
  const day = { start: "2026-11-22T00:00:00.000Z", end: "2026-11-22T23:59:59.999Z" };
  const turned = (before: typeof night, allDay: boolean, zone?: string) => {
    const { start, end } = spanOf({ allDay }, { ...before, allDay: !allDay }, zone);
    return [start, end];
  };
  const berlin = "Europe/Berlin";
  assert.deepEqual(turned(night, true, berlin), [
    "2026-11-22T00:30:00.000Z",
    "2026-11-22T01:30:00.000Z",
  ]);
  assert.deepEqual(turned(day, false, berlin), [
    "2026-11-21T23:00:00.000Z",
    "2026-11-22T22:59:59.999Z",
  ]);
  assert.deepEqual(turned(day, false), [day.start, day.end]);
  const moved = { start: "2026-11-25T09:00", allDay: false };
  const { start } = spanOf(
    moved,
    { ...day, end: "2026-11-26T23:59:59.999Z", allDay: true },
    berlin,
  );
  assert.equal(start, "2026-11-25T08:00:00.000Z");
});

Deno.test("later stays within the years 0001 to 9999", () => {
  assert.equal(later("9999-12-31T23:30:00.000Z", 3_600_000), "9999-12-31T23:59:59.999Z");
  assert.equal(later("0001-01-01T00:30:00.000Z", -3_600_000), "0001-01-01T00:00:00.000Z");
});

// Sorting in slices, and lists that stay sorted.
import assert from "node:assert/strict";
import fc from "fast-check";
import { createColumn } from "../../../storage/memory/columns.ts";
import { Changes } from "../../../storage/memory/changes.ts";
import { ALL_FIELDS, Order } from "../../../storage/memory/order.ts";
import { comparison, type SortColumn, sortSlots } from "../../../storage/memory/sorting.ts";
import { Texts } from "../../../storage/memory/texts.ts";
import { compareScalars } from "../../../storage/memory/column.ts";
import type { Scalar } from "../../../storage/port.ts";
import { users } from "../../../models/users.ts";
import { files } from "../../../models/files.ts";

function rowsOf(order: Order): Uint32Array {
  const rows = new Uint32Array(order.length);
  order.copyTo(rows);
  return rows;
}

const names = fc.constantFrom(
  "",
  "Ann",
  "Ann Lee",
  "annabel",
  "Zoë",
  "😀",
  "\uffee",
  "Annabel Leighton Smith",
);
const values: Record<string, fc.Arbitrary<Scalar>> = {
  name: names,
  status: fc.constantFrom("active", "inactive", "suspended"),
  lastLoginAt: fc.constantFrom(
    null,
    "2026-01-01T00:00:00.000Z",
    "2026-01-02T00:00:00.000Z",
    "2026-01-01T00:00:00Z",
  ),
  size: fc.constantFrom(null, 0, -5, 1.5, 3e9),
  isFavorite: fc.constantFrom(null, true, false),
};

const rows = fc.record(values).map((row) => row as Record<string, Scalar>);
const sorts = fc.array(fc.tuple(fc.constantFrom(...Object.keys(values)), fc.boolean()), {
  minLength: 1,
  maxLength: 3,
});

function columnsOf(list: readonly Record<string, Scalar>[]) {
  const texts = new Texts();
  return Object.fromEntries(
    Object.keys(values).map((field) => {
      const column = createColumn(
        ["size", "isFavorite"].includes(field) ? files : users,
        field,
        texts,
      );
      list.forEach((row, slot) => column.set(slot, row[field]!));
      return [field, column];
    }),
  );
}

/** What decides at last. */
const bySlot: SortColumn = {
  column: {
    compare: (a, b) => a - b,
    sortKeys: () => ({ windowed: false, key: (slot) => slot }),
  },
  descending: false,
};

Deno.test("rows are sorted as by comparing their values", () => {
  fc.assert(fc.property(fc.array(rows, { maxLength: 120 }), sorts, (list, sort) => {
    const columns = columnsOf(list);
    const by = [
      ...sort.map(([field, descending]) => ({ column: columns[field]!, descending })),
      bySlot,
    ];
    const slots = Uint32Array.from(list.keys()).reverse();
    for (const work = sortSlots(slots, by); !work.next().done;);
    const expected = [...list.keys()].sort((a, b) => {
      for (const [field, descending] of sort) {
        const compared = compareScalars(list[a]![field]!, list[b]![field]!);
        if (compared !== 0) return descending ? -compared : compared;
      }
      return a - b;
    });
    assert.deepEqual([...slots], expected);
  }));
});

Deno.test("texts that differ in any one of their bytes are sorted by it", () => {
  const LENGTH = 13, column = createColumn(users, "name", new Texts());
  const textOf = (n: number) =>
    n.toString(2).padStart(LENGTH, "0").replaceAll("0", "a").replaceAll("1", "b");
  const ROWS = 1 << LENGTH;
  // An odd factor visits each number once.
  for (let slot = 0; slot < ROWS; slot++) column.set(slot, textOf(slot * 2897 % ROWS));
  const slots = Uint32Array.from({ length: ROWS }, (_, slot) => slot);
  for (const work = sortSlots(slots, [{ column, descending: true }, bySlot]); !work.next().done;);
  assert.deepEqual(
    Array.from(slots, (slot) => column.get(slot)),
    Array.from(slots, (_, n) => textOf(ROWS - 1 - n)),
  );
});

Deno.test("sorting compares few rows where they lie, and is interrupted all the time", () => {
  const ROWS = 50_000;
  const column = createColumn(users, "name", new Texts());
  for (let slot = 0; slot < ROWS; slot++) {
    column.set(slot, `The same beginning of ${slot * 7919 % ROWS}`);
  }
  let compared = 0;
  const counting = {
    sortKeys: () => column.sortKeys(),
    compare: (a: number, b: number) => (compared++, column.compare(a, b)),
  };
  const slots = Uint32Array.from({ length: ROWS }, (_, slot) => slot);
  let pieces = 0;
  for (
    const work = sortSlots(slots, [{ column: counting, descending: false }, bySlot]);
    !work.next().done;
  ) pieces++;
  const sorted = comparison([{ column, descending: false }]);
  assert.ok(slots.every((slot, n) => n === 0 || sorted(slots[n - 1]!, slot) < 0));
  assert.ok(compared < 3 * ROWS, `${compared} comparisons`);
  assert.ok(pieces > 100, `${pieces} pieces`);
});

Deno.test("a list stays sorted through any changes, and moves few rows for each", () => {
  const steps = fc.array(fc.tuple(fc.boolean(), fc.nat(5000)), { maxLength: 400 });
  fc.assert(
    fc.property(fc.nat(4000), steps, fc.nat(4000), (size, list, at) => {
      const compare = (a: number, b: number) => a - b;
      const initial = Uint32Array.from({ length: size }, (_, n) => 2 * n);
      const order = new Order(initial.slice(), compare, (slot) => slot % 3 !== 1, 1, 1, null);
      const model = new Set<number>(initial);
      for (const [enters, slot] of list) {
        if (slot % 3 === 1) {
          order.enter(slot, ALL_FIELDS);
          order.leave(slot, ALL_FIELDS);
        } else if (enters && !model.has(slot)) {
          order.enter(slot, ALL_FIELDS);
          model.add(slot);
        } else if (!enters && model.has(slot)) {
          order.leave(slot, ALL_FIELDS);
          model.delete(slot);
        }
        if (slot % 31 !== 0) continue;
        const now = [...model].sort(compare);
        assert.deepEqual(order.slice(at, at + 3), now.slice(at, at + 3));
        assert.equal(order.rank((row) => row < at), now.filter((row) => row < at).length);
      }
      const expected = [...model].sort(compare);
      assert.equal(order.length, expected.length);
      assert.deepEqual([...rowsOf(order)], expected);
      assert.deepEqual(order.slice(at, at + 30), expected.slice(at, at + 30));
      assert.equal(order.rank((slot) => slot < at), expected.filter((slot) => slot < at).length);
    }),
    { numRuns: 50 },
  );
});

Deno.test("a list may lose all of its rows, and many at one place", () => {
  const order = new Order(
    Uint32Array.from({ length: 3000 }, (_, n) => n),
    (a, b) => a - b,
    null,
    1,
    1,
    null,
  );
  for (let slot = 10_000; slot < 15_000; slot++) order.enter(slot, ALL_FIELDS);
  for (let slot = 9_999; slot >= 3_000; slot--) order.enter(slot, ALL_FIELDS);
  assert.deepEqual(order.slice(9_998, 10_002), [9_998, 9_999, 10_000, 10_001]);
  for (let slot = 0; slot < 15_000; slot++) order.leave(slot, ALL_FIELDS);
  assert.equal(order.length, 0);
  assert.deepEqual(order.slice(0, 10), []);
  order.enter(5, ALL_FIELDS);
  assert.deepEqual([...rowsOf(order)], [5]);
});

Deno.test("a row that changes in nothing that a list is sorted by keeps its place, or comes and goes", () => {
  const SORTED = 1, TESTED = 2;
  const belongs = new Set([3, 5]);
  let compared = 0;
  const compare = (a: number, b: number) => (compared++, a - b);
  const test = (slot: number) => belongs.has(slot);
  const order = new Order(Uint32Array.of(3, 5), compare, test, SORTED | TESTED, SORTED, null);
  const change = (slot: number, how: () => void) => {
    order.leave(slot, TESTED);
    how();
    order.enter(slot, TESTED);
    return [...rowsOf(order)];
  };
  assert.deepEqual(change(3, () => {}), [3, 5]);
  assert.equal(compared, 0, "nothing is looked for");
  assert.deepEqual(change(4, () => belongs.add(4)), [3, 4, 5]);
  assert.deepEqual(change(3, () => belongs.delete(3)), [4, 5]);
  assert.deepEqual(change(9, () => {}), [4, 5]);
});

Deno.test("a list that nobody asks for misses changes, and has all of them when it is asked", () => {
  const steps = fc.array(fc.tuple(fc.nat(900), fc.option(fc.nat(5000))), {
    minLength: 300,
    maxLength: 1200,
  });
  fc.assert(
    fc.property(steps, fc.integer({ min: 100, max: 1000 }), (list, pause) => {
      const values = new Map(Array.from({ length: 800 }, (_, slot) => [slot, slot]));
      const compare = (a: number, b: number) => values.get(a)! - values.get(b)! || a - b;
      const test = (slot: number) => values.get(slot)! % 3 !== 1;
      const expected = () => [...values.keys()].filter(test).sort(compare);
      const changes = new Changes((slot) => values.has(slot));
      const order = new Order(Uint32Array.from(expected()), compare, test, 1, 1, changes);
      for (const [n, [slot, value]] of list.entries()) {
        const listens = order.listens();
        changes.add(slot, ALL_FIELDS, !values.has(slot));
        if (listens && values.has(slot)) order.leave(slot, ALL_FIELDS);
        if (value === null) values.delete(slot);
        else values.set(slot, value);
        if (listens && value !== null) order.enter(slot, ALL_FIELDS);
        if (order.isLate) order.catchUp();
        if (changes.size > 600) changes.forget(changes.end - order.missed);
        if (n % pause === 0) assert.deepEqual(order.slice(5, 15), expected().slice(5, 15));
      }
      assert.equal(order.length, expected().length);
      assert.deepEqual([...rowsOf(order)], expected());
      assert.equal(order.rank(() => true), order.length);
    }),
    { numRuns: 40 },
  );
});

Deno.test("what a list misses is not compared, and is caught up with before it becomes much", () => {
  let compared = 0;
  const changes = new Changes(() => true);
  const slots = Uint32Array.from({ length: 5000 }, (_, slot) => slot);
  const order = new Order(slots, (a, b) => (compared++, a - b), null, 1, 1, changes);
  const add = (slot: number) => {
    const listens = order.listens();
    changes.add(slot, ALL_FIELDS, true);
    if (listens) order.enter(slot, ALL_FIELDS);
  };
  for (let slot = 5000; slot < 5064; slot++) add(slot);
  assert.ok(compared > 0);
  compared = 0;
  for (let slot = 6000; slot < 6511; slot++) add(slot);
  assert.equal(compared, 0);
  assert.equal(order.isLate, false);
  add(6511);
  assert.equal(order.isLate, true);
  order.catchUp();
  assert.equal(order.isLate, false);
  assert.equal(order.length, 5576);
  assert.deepEqual(order.slice(5062, 5066), [5062, 5063, 6000, 6001]);
  add(5064);
  assert.deepEqual(
    order.slice(5063, 5066),
    [5063, 5064, 6000],
    "it listens again once it is asked",
  );
  assert.equal(order.missed, 0);
});

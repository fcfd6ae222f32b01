// What a projection makes in slices equals what all records give, whatever changes while it is made.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { type User, users } from "../../../models/users.ts";
import type { PageOfIds } from "../../../storage/memory/pages.ts";
import { BULK, Projection } from "../../../storage/memory/projection.ts";
import { type AggregateQuery, type ListQuery } from "../../../storage/port.ts";
import { parseQuery, parseWhere } from "../../../storage/query.ts";
import { Turns } from "../../turns.ts";
import { expectedGroups, expectedRows } from "../model.ts";

/** Enough for every list to be made in several pieces. */
const ROWS = 2200;
const GIVEN = ["Ann", "Bob", "Cyd", "Dora", "Annabel"];

/** Its ids are read at once: later its slots may hold other records. */
const same = (page: PageOfIds) => ({ ...page, ids: page.ids() });
const idOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;

function userOf(n: number, salt = 0): User {
  const mixed = (n * 7919 + salt * 104_729) % ROWS;
  return {
    id: idOf(n),
    createdAt: new Date(Date.UTC(2026, 0, 1) + n * 3_600_000).toISOString(),
    updatedAt: new Date(Date.UTC(2026, 0, 1) + mixed * 60_000).toISOString(),
    rev: String(salt),
    name: `${GIVEN[mixed % 5]} ${mixed % 100}`,
    email: `sailor${mixed}@crew${mixed % 300}x.example.com`,
    role: mixed % 50 === 0 ? "admin" : "user",
    permissions: [],
    status: mixed % 10 === 0 ? "inactive" : "active",
    ...(mixed % 3 === 0 ? { department: `D${mixed % 900}` } : {}),
    ...(mixed % 4 === 0 ? { lastLoginAt: "2026-01-01T00:00:00.000Z" } : {}),
  };
}

interface Step {
  readonly row: number;
  readonly salt: number | null;
  readonly turns: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ row: fc.nat(ROWS + 50), salt: fc.option(fc.nat(50)), turns: fc.nat(6) }),
  { maxLength: 40 },
);

const lists: fc.Arbitrary<ListQuery<User>> = fc.record({
  sort: fc.constantFrom("name", "-email", "status,-name", "-lastLoginAt,email", "updatedAt", "-id"),
  search: fc.constantFrom("", "", "ann", "7", "sailor12", "crew7x"),
  where: fc.constantFrom<ListQuery<User>["where"]>(
    {},
    { status: "inactive" },
    { department: ["D3", "D6"] },
    { role: { ne: "user" } },
    { createdAt: { gte: "2026-02-01" }, status: "active" },
    { any: [{ role: "admin" }, { name: { gte: "Cyd", lt: "D" } }] },
  ),
  limit: fc.constant(40),
  page: fc.integer({ min: 1, max: 5 }),
}, { requiredKeys: ["limit"] });

const aggregates: fc.Arbitrary<AggregateQuery<User>> = fc.record({
  by: fc.constantFrom("month", "role", "department", "status"),
  where: fc.constantFrom<AggregateQuery<User>["where"]>({}, { status: "inactive" }, {
    name: { gte: "B" },
  }),
}, { requiredKeys: [] });

function open(rows = ROWS) {
  const turns = new Turns(10);
  const projection = new Projection<User>(users, undefined, turns.slices);
  const model = new Map<string, User>();
  for (let n = 0; n < rows; n++) model.set(idOf(n), userOf(n));
  // So many at a time are taken at once.
  for (let n = 0; n < rows; n += BULK) {
    projection.apply(
      [...model].slice(n, n + BULK).map(([id, record]) => ({ id, record })),
    );
  }
  const change = ({ row, salt }: Step) => {
    const id = idOf(row), record = salt === null ? null : userOf(row, salt);
    projection.apply([{ id, record }]);
    if (record) model.set(id, record);
    else model.delete(id);
  };
  return { turns, projection, model, change };
}

Deno.test("lists, counts and figures that are made while rows change miss none of it, then and later", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(lists, { minLength: 1, maxLength: 3 }),
      aggregates,
      steps,
      steps,
      async (
        queries,
        figures,
        meanwhile,
        later,
      ) => {
        const { turns, projection, model, change } = open();
        const ask = () => {
          const filter = parseWhere(users, figures.where);
          return {
            lists: queries.map((query) => projection.list(parseQuery(users, query), same)),
            count: projection.count(filter),
            groups: projection.aggregate(figures, filter),
          };
        };
        const check = async (asked: ReturnType<typeof ask>) => {
          const records = [...model.values()];
          for (const [n, query] of queries.entries()) {
            const rows = expectedRows(users, records, query);
            const start = ((query.page ?? 1) - 1) * query.limit!;
            const { ids, total } = await asked.lists[n]!;
            assert.deepEqual(ids, rows.slice(start, start + query.limit!).map(({ id }) => id));
            assert.equal(total, rows.length);
          }
          const all = expectedGroups(records, { where: figures.where });
          assert.equal(await asked.count, all[0]?.count ?? 0);
          assert.deepEqual(await asked.groups, expectedGroups(records, figures));
        };
        // Asked anew after the last change: what was asked first shows the moment at which it was made.
        const asked = ask();
        for (const step of meanwhile) {
          for (let n = 0; n < step.turns; n++) turns.next();
          await Promise.resolve();
          change(step);
        }
        const again = ask();
        await turns.settled(
          Promise.all([...again.lists, again.count, again.groups, ...asked.lists]),
        );
        await check(again);
        later.forEach(change);
        const last = ask();
        await turns.settled(Promise.all([...last.lists, last.count, last.groups]));
        await check(last);
      },
    ),
    { numRuns: 15 },
  );
});

Deno.test("a list is made in slices once, for all who wait; then it is there", async () => {
  const { turns, projection } = open(6000);
  const query = parseQuery(users, { sort: "name,-email" });
  const first = projection.list(query, same), second = projection.list(query, same);
  assert.ok(first instanceof Promise && second instanceof Promise);
  let slices = 0;
  await turns.settled(Promise.all([first, second]), () => slices++);
  assert.ok(slices > 3, `${slices} slices`);
  assert.deepEqual(await first, await second);
  assert.ok(!(projection.list(query, same) instanceof Promise));
});

Deno.test("lists that are picked at the same time from one that is there do not mix", async () => {
  const { turns, projection, model } = open(6000);
  const wheres: ListQuery<User>["where"][] = [
    { status: "active" },
    { name: { gte: "Cyd" } },
    { role: { ne: "admin" } },
    { name: { lt: "Cyd" } },
  ];
  const listOf = (where: ListQuery<User>["where"]) =>
    projection.list(parseQuery(users, { where, limit: 6000 }), same);
  await turns.settled(Promise.all([projection.list(parseQuery(users, { page: 2 }), same)]));
  // Twice: by then what the first ones were picked in is used again.
  for (const some of [wheres.slice(0, 2), wheres.slice(2)]) {
    const asked = some.map(listOf);
    await turns.settled(Promise.all(asked));
    for (const [n, where] of some.entries()) {
      const expected = expectedRows(users, [...model.values()], { where }).map(({ id }) => id);
      assert.deepEqual((await asked[n]!).ids, expected);
    }
  }
});

Deno.test("a change costs a list that is there a few comparisons, and none where it is not concerned", async () => {
  const { turns, projection, change } = open();
  const query = parseQuery(users, { sort: "name" });
  await turns.settled(Promise.resolve(projection.list(query, same)));
  for (let row = 0; row < 600; row++) change({ row, salt: 7, turns: 0 });
  assert.ok(!(projection.list(query, same) instanceof Promise), "changes one by one drop nothing");
  const many = Array.from({ length: 600 }, (_, n) => ({ id: idOf(n), record: userOf(n, 3) }));
  projection.apply(many);
  const anew = projection.list(query, same);
  assert.ok(anew instanceof Promise, "many at once make it be made anew");
  await turns.settled(anew);
});

Deno.test("a filtered list that nobody asks for is made anew for who asks next; those of all rows stay", async () => {
  const { turns, projection, model, change } = open(6000);
  const queries: ListQuery<User>[] = [
    { sort: "name" },
    { sort: "status,name" },
    { sort: "name", where: { status: "inactive" } },
    { sort: "email", where: { status: "active" } },
  ];
  const ask = (query: ListQuery<User>) => projection.list(parseQuery(users, query), same);
  const isThere = () => queries.map((query) => !(ask(query) instanceof Promise));
  await turns.settled(Promise.all(queries.map(ask)));
  assert.deepEqual(isThere(), [true, true, true, true]);
  for (let n = 0; n < 1400; n++) {
    change({ row: n * 4 % 6000, salt: n, turns: 0 });
    if (n % 100 === 0) ask(queries[3]!);
  }
  assert.deepEqual(isThere(), [true, true, false, true], "what somebody asks for stays");
  const again = queries.map(ask);
  await turns.settled(Promise.all(again));
  for (const [n, query] of queries.entries()) {
    const expected = expectedRows(users, [...model.values()], query).map(({ id }) => id);
    const { ids, total } = await again[n]!;
    assert.deepEqual([ids, total], [expected.slice(0, ids.length), expected.length]);
  }
});

/** Changes of so many rows at once: some are new, some change, some go. */
function manyChanges(count: number, salt: number) {
  return Array.from({ length: count }, (_, n) => {
    const row = (n * 7) % (2 * ROWS);
    return { row, record: (n + salt) % 5 === 0 ? null : userOf(row, salt) };
  });
}

Deno.test("of many changes at once a list, a count, a figure and a look for a row show all or none", async () => {
  await fc.assert(
    fc.asyncProperty(
      lists,
      aggregates,
      steps,
      fc.array(fc.nat(40), { minLength: 5, maxLength: 12 }),
      async (query, figures, meanwhile, waits) => {
        const { turns, projection, model, change } = open();
        const parsed = parseQuery(users, query);
        const filter = parseWhere(users, figures.where);
        /** What there was at each moment. */
        const moments: User[][] = [[...model.values()]];
        const passed = () => moments.push([...model.values()]);
        const start = ((query.page ?? 1) - 1) * query.limit!;
        const isOfOneMoment = <R>(shown: R, expected: (records: User[]) => R, what: string) =>
          assert.ok(
            moments.some((records) => isDeepStrictEqual(shown, expected(records))),
            `${what} is of one moment`,
          );
        const ask = () =>
          Promise.all([
            projection.list(parsed, same),
            projection.count(filter),
            projection.aggregate(figures, filter),
          ]);
        const asked = [ask()];
        const many = manyChanges(1500, 3);
        projection.apply(many.map(({ row, record }) => ({ id: idOf(row), record })));
        for (const { row, record } of many) {
          if (record) model.set(idOf(row), record);
          else model.delete(idOf(row));
          assert.ok(record === null || !projection.lacks(idOf(row)));
        }
        passed();
        for (const [n, wait] of waits.entries()) {
          for (let turn = 0; turn < wait; turn++) turns.next();
          const step = meanwhile[n];
          if (step) {
            change(step);
            passed();
          }
          asked.push(ask());
        }
        await turns.settled(Promise.all(asked));
        for (const { row } of many) {
          assert.equal(projection.lacks(idOf(row)), !model.has(idOf(row)));
        }
        for (const [page, count, groups] of await Promise.all(asked)) {
          isOfOneMoment(
            page.ids,
            (records) =>
              expectedRows(users, records, query).slice(start, start + query.limit!)
                .map(({ id }) => id),
            "a list",
          );
          isOfOneMoment(
            count,
            (records) => expectedGroups(records, { where: figures.where })[0]?.count ?? 0,
            "a count",
          );
          isOfOneMoment(groups, (records) => expectedGroups(records, figures), "a figure");
        }
        assert.equal(await projection.count(parseWhere(users, undefined)), model.size);
      },
    ),
    { numRuns: 15 },
  );
});

Deno.test("a list that nobody has asked for meanwhile has each row once, though new rows take the places of old ones", async () => {
  const query = { sort: "name", limit: ROWS };
  for (const ahead of [0, 1]) {
    const { turns, projection, model, change } = open();
    const ask = () => Promise.resolve(projection.list(parseQuery(users, query), same));
    await turns.settled(ask());
    for (let n = 0; n < ahead; n++) change({ row: n, salt: 7, turns: 0 });
    for (let row = 100; row < 1000; row++) {
      change({ row, salt: null, turns: 0 });
      change({ row: ROWS + row, salt: 1, turns: 0 });
    }
    const { ids, total } = await ask();
    assert.equal(total, ROWS);
    const expected = expectedRows(users, [...model.values()], query);
    assert.deepEqual(ids, expected.map(({ id }) => id));
  }
});

Deno.test("many changes at once take more turns, not longer ones", async () => {
  const turnsFor = async (count: number) => {
    const { turns, projection } = open(0);
    projection.apply(
      Array.from({ length: count }, (_, n) => ({ id: idOf(n), record: userOf(n) })),
    );
    let taken = 0;
    const counted = projection.count(parseWhere(users, undefined));
    await turns.settled(Promise.resolve(counted), () => taken++);
    assert.equal(await counted, count);
    return taken;
  };
  const [few, many] = [await turnsFor(1000), await turnsFor(8000)];
  assert.ok(few > 10 && many > 6 * few, `${few} turns for 1,000 rows, ${many} for 8,000`);
});

Deno.test("a cursor finds its place wherever its row has gone", async () => {
  const { turns, projection, model, change } = open();
  const walk = async (sort: string) => {
    const seen: string[] = [];
    let cursor: string | undefined;
    for (;;) {
      const asked = projection.list(parseQuery(users, { sort, limit: 97, cursor }), same);
      await turns.settled(Promise.resolve(asked));
      const { ids, nextCursor } = await asked;
      seen.push(...ids);
      if (nextCursor === null) return seen;
      // The row of the cursor goes, and so do others ahead of it.
      const gone = Number(ids.at(-1)!.slice(-12));
      if (seen.length < 500) change({ row: gone, salt: null, turns: 0 });
      cursor = nextCursor;
    }
  };
  for (const sort of ["-email", "status,-name", "-lastLoginAt"]) {
    const before = new Set(model.keys());
    const seen = await walk(sort);
    assert.equal(new Set(seen).size, seen.length);
    assert.deepEqual(new Set(seen), before);
  }
});

// The port: whatever writers do at the same time, every read equals one worked out from all records.
import assert from "node:assert/strict";
import fc from "fast-check";
import { type User, userRow, users } from "../../models/users.ts";
import {
  type ListQuery,
  type Store,
  UniqueConflict,
  VersionConflict,
  type Where,
} from "../../storage/port.ts";
import { expectedGroups, expectedRows } from "./model.ts";
import { person, server } from "./people.ts";
import type { StorageTest } from "./storage_test_case.ts";

const names = fc.constantFrom("Ann", "ann lee", "Bob", "bobby", "Cyd", "Annabel");
const letters = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
const times = fc.constantFrom("2026-01-01T00:00:00.000Z", "2026-02-03T04:05:06.007Z");

const patches = fc.record({
  name: names,
  email: letters.map((letter) => `${letter}@example.com`),
  username: fc.option(letters, { nil: undefined }),
  role: fc.constantFrom("user", "admin"),
  status: fc.constantFrom("active", "inactive"),
  department: fc.option(fc.constantFrom("Ops", "R&D"), { nil: undefined }),
  lastLoginAt: fc.option(times, { nil: undefined }),
}, { requiredKeys: [] });

type Patch = Partial<User>;

/** What one writer does; `at` chooses among the records there are. */
type Act =
  | { readonly act: "insert"; readonly patch: Patch; readonly at: number }
  | { readonly act: "update"; readonly patch: Patch; readonly at: number }
  /** With what was read earlier: it may be stale. */
  | { readonly act: "commit"; readonly patch: Patch; readonly at: number }
  | { readonly act: "remove"; readonly patch: Patch; readonly at: number };

const acts: fc.Arbitrary<Act> = fc.record({
  act: fc.constantFrom("insert", "insert", "update", "update", "commit", "remove"),
  patch: patches,
  at: fc.nat(30),
});

const wheres: fc.Arbitrary<Where<User>> = fc.oneof(
  fc.constant({}),
  fc.record({
    role: fc.constantFrom("user", "admin", "none"),
    status: fc.constantFrom("active", "inactive"),
    department: fc.constantFrom("Ops", null, ["Ops", "R&D"], { ne: "Ops" }, { ne: [null, "R&D"] }),
    lastLoginAt: fc.constantFrom({ gte: "2026-01-15T00:00:00.000Z" }, { lt: "2026-02-01" }),
    any: fc.constantFrom([{ role: "admin" }, { email: "a@example.com" }], [{ department: "Ops" }]),
    all: fc.constantFrom([{ role: { ne: "none" } }, {
      any: [{ status: "active" }, { name: "Bob" }],
    }]),
  }, { requiredKeys: [] }),
);

const queries: fc.Arbitrary<ListQuery<User>> = fc.record({
  where: wheres,
  search: fc.constantFrom("", "an", "ann", "b", "bob", "@example", "c@"),
  sort: fc.array(
    fc.constantFrom(
      ...["id", "createdAt", "updatedAt", "name", "email", "status", "lastLoginAt"]
        .flatMap((field) => [field, `-${field}`]),
    ),
    { minLength: 1, maxLength: 3 },
  ).map((fields) => fields.join(",")),
  limit: fc.integer({ min: 1, max: 5 }),
}, { requiredKeys: ["limit"] });

async function perform(store: Store, known: readonly User[], { act, patch, at }: Act) {
  const target = known[at % Math.max(1, known.length)];
  if (act === "insert" || !target) {
    const { email = `${at}@example.com` } = patch;
    await store.transact(server, (tx) => tx.insert(users, person("New", { ...patch, email })));
  } else if (act === "commit") {
    const after = { ...target, ...patch, rev: "" };
    const changes = [{ kind: "update", collection: "users", before: target, after }] as const;
    await store.commit(changes, { actor: server });
  } else {
    await store.transact(server, async (tx) => {
      const current = await tx.from(users).get(target.id);
      if (!current) return;
      if (act === "remove") tx.remove(users, current);
      else tx.update(users, current, patch);
    });
  }
}

/** All at once; conflicts are allowed, other failures are not. */
async function performAll(store: Store, known: readonly User[], batch: readonly Act[]) {
  const settled = await Promise.allSettled(batch.map((act) => perform(store, known, act)));
  for (const result of settled) {
    if (result.status === "fulfilled") continue;
    const { reason } = result;
    assert.ok(reason instanceof VersionConflict || reason instanceof UniqueConflict, reason);
  }
}

async function readMeanwhile(
  store: Store,
  known: readonly User[],
  asked: readonly ListQuery<User>[],
) {
  const reader = store.from(users);
  await Promise.all([
    ...known.map(({ id }) => reader.get(id)),
    ...asked.map((query) => reader.list(query)),
    reader.rowsOf(known.map(({ id }) => id)),
    ...asked.map((query) => reader.listRows(query)),
    ...asked.map(({ where }) => reader.count(where)),
  ]);
}

async function walkByCursor(store: Store, query: ListQuery<User>): Promise<User[]> {
  const rows: User[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.from(users).list({ ...query, cursor });
    rows.push(...page.rows);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return rows;
}

async function walkByPage(store: Store, query: ListQuery<User>): Promise<User[]> {
  const rows: User[] = [];
  for (let page = 1;; page++) {
    const { rows: more, total } = await store.from(users).list({ ...query, page });
    rows.push(...more);
    if (more.length === 0) {
      assert.equal(rows.length, total);
      return rows;
    }
  }
}

async function checkAgainstScan(store: Store, asked: readonly ListQuery<User>[]) {
  const reader = store.from(users);
  const all = await Array.fromAsync(reader.scan());
  assert.deepEqual(all.map(({ id }) => id), all.map(({ id }) => id).sort());
  assert.equal(await reader.count(), all.length);
  for (const unique of ["email", "username"] as const) {
    const held = all.flatMap((record) => record[unique] ?? []);
    assert.equal(new Set(held).size, held.length, `two records have the same ${unique}`);
    for (const letter of "abcdefgh") {
      const value = unique === "email" ? `${letter}@example.com` : letter;
      const expected = all.find((record) => record[unique] === value) ?? null;
      assert.deepEqual(await reader.findBy(unique, value), expected);
    }
  }
  for (const record of all) assert.deepEqual(await reader.get(record.id), record);
  const ids = [...all.map(({ id }) => id), "nobody"];
  assert.deepEqual(await reader.rowsOf(ids), [...all.map(userRow), null]);
  for (const query of asked) {
    const expected = expectedRows(users, all, query);
    const about = JSON.stringify(query);
    assert.deepEqual(await walkByCursor(store, query), expected, about);
    assert.deepEqual(await walkByPage(store, query), expected, about);
    const page = await reader.listRows(query);
    const shown = expected.slice(0, query.limit);
    assert.deepEqual(page.rows, shown.map(userRow), about);
    assert.equal(page.total, expected.length, about);
    const { where } = query;
    assert.equal(await reader.count(where), expectedRows(users, all, { where }).length, about);
    for (const by of ["role", "department", "month"] as const) {
      assert.deepEqual(await reader.aggregate({ by, where }), expectedGroups(all, { by, where }));
    }
  }
}

async function empty(store: Store) {
  const all = await Array.fromAsync(store.from(users).scan());
  await store.transact(server, (tx) => all.forEach((record) => tx.remove(users, record)));
}

/** @param numRuns How many interleavings are tried. */
export const propertyTests = (numRuns: number): readonly StorageTest[] => [
  {
    name: "after any interleaving of writers, every read equals one over all records",
    run: async (store) => {
      const batches = fc.array(fc.array(acts, { minLength: 1, maxLength: 8 }), { maxLength: 5 });
      const asked = fc.array(queries, { minLength: 2, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(batches, asked, fc.boolean(), async (batches, asked, early) => {
          if (early) void store.warmUp();
          for (const batch of batches) {
            const known = await Array.fromAsync(store.from(users).scan());
            // What is read meanwhile must not stay in memory as it was.
            await Promise.all([
              performAll(store, known, batch),
              readMeanwhile(store, known, asked),
            ]);
            await checkAgainstScan(store, asked);
          }
          await empty(store);
        }),
        { numRuns, endOnFailure: true },
      );
    },
  },
];

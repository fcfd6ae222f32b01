// On Postgres: totals and the order of long lists are kept by commits, whatever is written while they are read.
import assert from "node:assert/strict";
import { visits } from "../../../models/dashboard.ts";
import { type User, users } from "../../../models/users.ts";

import type { Engine } from "../../../sql/engine.ts";
import { FollowedValues, Total } from "../../../sql/followed.ts";
import { openSqlStore } from "../../../sql/store.ts";
import { CacheBudget } from "../../../storage/memory/cache.ts";
import {
  type AggregateQuery,
  type ListQuery,
  type Store,
  UniqueConflict,
  VersionConflict,
} from "../../../storage/port.ts";
import { expectedGroups, expectedRows } from "../../storage/model.ts";
import { addPerson, server, steppingClock, storedPerson } from "../../storage/people.ts";
import { persistently, until } from "../../until.ts";
import { addRoles, postgresDatabase } from "../../sql/databases.ts";
import { noted } from "../../sql/noted.ts";

const ROWS = 600;
/** Texts whose order in UTF-16 is not that of their bytes, in upper and lower case, and one twice. */
const NAMES = ["Ann", "ann", "Bob", "Bob", "Ätna", "\u{1f600} Cyd", "\uff21da", "Zoë"];
const QUERIES: readonly ListQuery<User>[] = [
  {},
  { sort: "name" },
  { sort: "-name", where: { status: "inactive" } },
  { sort: "lastLoginAt" },
  { sort: "-lastLoginAt", where: { role: { ne: "admin" } } },
  { sort: "status,-name" },
  { sort: "email", search: "ann" },
  { sort: "name", where: { any: [{ status: "active" }, { lastLoginAt: null }] } },
  { where: { createdAt: { gte: "2026-01-01T00:01:00.000Z" } } },
  { sort: "name", where: { createdAt: { gte: "2026-01-01" }, name: { gt: "B" } } },
];

const FIGURES: readonly AggregateQuery<User>[] = [
  { by: "status" },
  { by: "month" },
  { by: "day", on: "lastLoginAt", where: { role: "user" } },
  { where: { status: "inactive" } },
];

let random = 7;
/** A whole number below `below`, the same in each run. */
function draw(below: number): number {
  random = (random * 48_271) % 2_147_483_647;
  return random % below;
}

function fields(): Partial<User> {
  return {
    name: `${NAMES[draw(NAMES.length)]} ${draw(40)}`,
    status: draw(3) === 0 ? "inactive" : "active",
    role: draw(4) === 0 ? "admin" : "user",
    lastLoginAt: draw(3) === 0 ? undefined : new Date(Date.UTC(2026, 1, draw(20))).toISOString(),
  };
}

async function open(url: string): Promise<Store> {
  return await openSqlStore({ url, clock: steppingClock() });
}

/** Ids of which memory keeps the texts, and such that it packs. */
const PLAIN = (n: number) => String(n).padStart(4, "0");
const UUID = (n: number) => `0198c000-0000-7000-8000-${String(n).padStart(12, "0")}`;

async function seeded(url: string, idOf = UUID): Promise<Store> {
  const store = await open(url);
  await addRoles(store);
  await store.load(
    users,
    Array.from({ length: ROWS }, (_, n) => {
      const at = new Date(Date.UTC(2026, 0, 1, 0, 0, draw(ROWS))).toISOString();
      const email = `${String(n).padStart(4, "0")}@example.com`;
      return storedPerson(idOf(n), at, { ...fields(), email });
    }),
  );
  return store;
}

const memoryOf = (store: Store) => (store as unknown as { own: Engine }).own.memory.of("users");

/** Asks for a page far down in each list, and waits until its order is known. */
async function learn(store: Store): Promise<void> {
  for (const query of QUERIES) await store.from(users).list({ ...query, page: 11 });
  for (const query of FIGURES) await store.from(users).aggregate(query);
  const { followed, lists } = memoryOf(store);
  await until(() => followed.reading + lists.reading === 0);
}

async function everyPageIsRight(store: Store): Promise<void> {
  const records = await Array.fromAsync(store.from(users).scan());
  for (const query of FIGURES) {
    const groups = await store.from(users).aggregate(query);
    assert.deepEqual(groups, expectedGroups(records, query), JSON.stringify(query));
  }
  for (const query of QUERIES) {
    // The database's own order, from the first row on.
    const { rows } = await store.from(users).list({ ...query, limit: 2 * ROWS });
    assert.equal(rows.length, expectedRows(users, records, query).length, JSON.stringify(query));
    for (let page = 1; (page - 1) * 10 < rows.length + 20; page += 2 + draw(8)) {
      const { rows: found, total } = await store.from(users).list({ ...query, page });
      const wanted = rows.slice((page - 1) * 10, page * 10).map(({ id }) => id);
      assert.equal(total, rows.length, JSON.stringify(query));
      assert.deepEqual(found.map(({ id }) => id), wanted, JSON.stringify({ ...query, page }));
      await pageOfRowsIsRight(store, { ...query, page }, rows);
    }
  }
}

/** A page of rows as text, and what comes after its cursor, and whether there is one. */
async function pageOfRowsIsRight(store: Store, query: ListQuery<User>, all: readonly User[]) {
  const first = query.page! * 10 - 10, what = JSON.stringify(query);
  const { rows, nextCursor } = await store.from(users).listRows(query);
  assert.deepEqual(rows, all.slice(first, first + 10).map(users.row!), what);
  assert.equal(nextCursor !== null, first + 10 < all.length, what);
  if (nextCursor === null) return;
  const { page: _, ...rest } = query;
  const next = await store.from(users).listRows({ ...rest, cursor: nextCursor });
  assert.deepEqual(next.rows, all.slice(first + 10, first + 20).map(users.row!), `after ${what}`);
  assert.equal(next.nextCursor !== null, first + 20 < all.length, `after ${what}`);
}

let inserted = 0;

/** One write, by what memory knows or does not know of the record. */
async function write(store: Store): Promise<void> {
  const act = draw(4);
  if (act === 0) {
    await addPerson(store, "New", { ...fields(), email: `new${inserted++}@example.com` });
    return;
  }
  await store.transact(server, async (tx) => {
    const n = draw(ROWS);
    const user = await tx.from(users).get(UUID(n)) ?? await tx.from(users).get(PLAIN(n));
    if (!user) return;
    if (act === 1) tx.remove(users, user);
    else tx.update(users, user, fields());
  });
}

for (const [kind, idOf] of [["UUIDs", UUID], ["other ids", PLAIN]] as const) {
  Deno.test(`totals and pages of long lists are those of all records after any writes, with ${kind}`, async () => {
    const database = await postgresDatabase();
    try {
      const store = await seeded(database.url, idOf);
      await learn(store);
      for (let round = 0; round < 3; round++) {
        for (let n = 0; n < 40; n++) await write(store);
        await everyPageIsRight(store);
      }
      await store.close();
    } finally {
      await database.drop();
    }
  });
}

Deno.test("totals and pages of lists that are read while commits come are those of all records", async () => {
  const database = await postgresDatabase();
  try {
    const store = await seeded(database.url);
    const writing = Array.from({ length: 60 }, () => write(store).catch(isConflict));
    await learn(store);
    await Promise.all(writing);
    await everyPageIsRight(store);
    await store.close();
  } finally {
    await database.drop();
  }
});

Deno.test("a total is counted once, and not again after a write", async () => {
  const database = await postgresDatabase();
  try {
    const store = await seeded(database.url);
    const statements = noted(store);
    const query: ListQuery<User> = { sort: "-name", where: { status: "inactive" } };
    await store.from(users).list(query);
    assert.equal(statements.filter((text) => text.includes("count(*)")).length, 1);
    await learn(store);
    for (let n = 0; n < 5; n++) {
      await write(store);
      statements.length = 0;
      const page = await store.from(users).list({ ...query, page: 11 + n });
      // What has come between rows whose order is known is read with its neighbours.
      const others = statements.filter((text) => !/"id" = any|string_agg\(id/.test(text));
      assert.deepEqual(others, []);
      assert.equal(page.total, await counted(store, "inactive"));
    }
    await store.close();
  } finally {
    await database.drop();
  }
});

Deno.test("a page with a row that is newer than what memory has heard of is read from a position", async () => {
  const database = await postgresDatabase();
  try {
    const store = await seeded(database.url);
    await learn(store);
    const { memory } = (store as unknown as { own: Engine }).own;
    memory.knows = () => false;
    const statements = noted(store);
    const query: ListQuery<User> = { sort: "-name", where: { status: "inactive" } };
    await store.from(users).list({ ...query, page: 12 });
    assert.match(statements.at(-1)!, /\("name", id\) <=? [^]+ limit [^]+ offset/);
    await everyPageIsRight(store);
    await store.close();
  } finally {
    await database.drop();
  }
});

Deno.test("the first pages far down wait for nothing, the others for the order of their list, which is asked for once", async () => {
  const database = await postgresDatabase();
  try {
    const writer = await seeded(database.url);
    const people = await Array.fromAsync(writer.from(users).scan());
    await writer.load(
      users,
      Array.from({ length: 1000 }, (_, n) => {
        const at = new Date(Date.UTC(2026, 1, 1, 0, 0, n)).toISOString();
        return storedPerson(`later${String(n).padStart(4, "0")}`, at, { email: `l${n}@b.example` });
      }),
    );
    await writer.close();
    const store = await open(database.url);
    const statements = noted(store);
    const total = people.length + 1000;
    const asked = Array.from({ length: 20 }, (_, n) => 105 + n);
    const pages = await Promise.all(
      asked.map((page) => store.from(users).list({ sort: "email", page })),
    );
    const { rows } = await store.from(users).list({ sort: "email", limit: total });
    for (const [n, page] of asked.entries()) {
      assert.deepEqual(pages[n]!.rows, rows.slice(10 * page - 10, 10 * page));
      assert.equal(pages[n]!.total, total);
    }
    assert.equal(statements.filter((text) => text.includes("row_number()")).length, 1);
    assert.equal(statements.filter((text) => text.includes("where id in (")).length, 8);
    await until(() => memoryOf(store).lists.reading === 0);
    statements.length = 0;
    const beyond = await store.from(users).list({ sort: "email", page: 99_999 });
    assert.deepEqual(beyond, { rows: [], total, nextCursor: null });
    assert.deepEqual(statements, []);
    await store.close();
  } finally {
    await database.drop();
  }
});

Deno.test("a commit that fails leaves totals, figures and lists known", async () => {
  const database = await postgresDatabase();
  try {
    const store = await seeded(database.url);
    await learn(store);
    const taken = (await store.from(users).get(UUID(1)))!;
    const statements = noted(store);
    await assert.rejects(addPerson(store, "Ann", { email: taken.email }), UniqueConflict);
    const stale = { ...taken, rev: "1" };
    const change = { kind: "update", collection: "users", before: stale, after: taken } as const;
    await assert.rejects(store.commit([change], { actor: server }), VersionConflict);
    await everyPageIsRight(store);
    // One of the lists asks for what only the database can compare: its total is counted after each change.
    const again = statements.filter((text) => /count\(\*\)/.test(text));
    assert.deepEqual(again.filter((text) => !text.includes('"name" >')), []);
    await store.close();
  } finally {
    await database.drop();
  }
});

Deno.test("figures are counted once, and not again after writes", async () => {
  const database = await postgresDatabase();
  try {
    const store = await seeded(database.url);
    await store.load(visits, [{ ...visited("2026-01-01"), visits: 3 }]);
    const statements = noted(store);
    const counted = () =>
      statements.filter((text) => /select count\(\*\)|group by/.test(text)).length;
    const sums = { by: "month", on: "date", sum: ["visits"] } as const;
    for (const query of FIGURES) await store.from(users).aggregate(query);
    await store.from(visits).aggregate(sums);
    assert.equal(counted(), FIGURES.length + 1);
    for (let n = 0; n < 5; n++) await write(store);
    await store.transact(server, (tx) => void tx.insert(visits, { ...visited("2026-02-01") }));
    const records = await Array.fromAsync(store.from(users).scan());
    for (const query of FIGURES) {
      assert.deepEqual(await store.from(users).aggregate(query), expectedGroups(records, query));
    }
    assert.deepEqual(await store.from(visits).aggregate(sums), [
      { key: "2026-01", count: 1, sums: { visits: 3 } },
      { key: "2026-02", count: 1, sums: { visits: 1 } },
    ]);
    assert.equal(counted(), FIGURES.length + 1);
    await store.close();
  } finally {
    await database.drop();
  }
});

function visited(date: string) {
  const at = `${date}T00:00:00.000Z`;
  return {
    id: date,
    createdAt: at,
    updatedAt: at,
    date,
    visits: 1,
    uniqueVisitors: 1,
    pageViews: 1,
  };
}

Deno.test("what another process writes is in totals and pages soon", async () => {
  const database = await postgresDatabase();
  try {
    const store = await seeded(database.url);
    const other = await open(database.url);
    await learn(store);
    for (let n = 0; n < 20; n++) await write(n % 2 === 0 ? store : other).catch(isConflict);
    await persistently(() => everyPageIsRight(store));
    await persistently(() => everyPageIsRight(other));
    await Promise.all([store.close(), other.close()]);
  } finally {
    await database.drop();
  }
});

function isConflict(error: unknown): void {
  assert.ok(error instanceof VersionConflict, String(error));
}

async function counted(store: Store, status: User["status"]): Promise<number> {
  const records = await Array.fromAsync(store.from(users).scan());
  return records.filter((user) => user.status === status).length;
}

Deno.test("a commit is added once to what was read before it, and not to what was read with it", async () => {
  const ann = { ...storedPerson("ann", "2026-01-01T00:00:00.000Z"), rev: "1" } as User;
  const values = new FollowedValues(new CacheBudget(10_000), 10);
  const answer = Promise.withResolvers<{ value: Total; asOf: number }>();
  const reading = values.read("key", () => answer.promise);
  values.follow(null, ann, 4);
  values.follow(null, ann, 5);
  values.follow(null, ann, 6);
  answer.resolve({ value: new Total(() => true, 10), asOf: 5 });
  assert.equal((await reading).total, 11);
  values.follow(null, ann, 5);
  assert.equal(values.get<Total>("key")!.total, 11);
  values.follow(ann, null, 7);
  assert.equal(values.get<Total>("key")!.total, 10);
  values.lose(5);
  assert.equal(values.get<Total>("key")!.total, 10);
  values.lose(8);
  assert.equal(values.get("key"), undefined);
});

Deno.test("what another process commits while a value is read is not taken for known", async () => {
  const values = new FollowedValues(new CacheBudget(10_000), 10);
  for (const [version, kept] of [[5, true], [6, false]] as const) {
    const key = `key ${version}`;
    const answer = Promise.withResolvers<{ value: Total; asOf: number }>();
    const reading = values.read(key, () => answer.promise);
    values.lose(version);
    answer.resolve({ value: new Total(() => true, 10), asOf: 5 });
    await reading;
    assert.equal(values.get(key) !== undefined, kept);
  }
});

Deno.test("a list that another process writes to while it is read serves the page that waited for it", async () => {
  const database = await postgresDatabase();
  try {
    const store = await seeded(database.url);
    await store.load(
      users,
      Array.from({ length: 1000 }, (_, n) => {
        const email = `${String(ROWS + n).padStart(4, "0")}@example.com`;
        return storedPerson(UUID(ROWS + n), "2026-02-01T00:00:00.000Z", { email });
      }),
    );
    const memory = memoryOf(store);
    const { lists } = memory;
    const read = lists.read.bind(lists);
    lists.read = (key, ask) => {
      const reading = read(key, ask);
      memory.forget(UUID(0), Infinity);
      return reading;
    };
    const statements = noted(store);
    // So many do not wait.
    const pages = await Promise.all(
      Array.from(
        { length: 8 + 1 },
        (_, n) => store.from(users).list({ sort: "email", page: 142 + n }),
      ),
    );
    assert.deepEqual(
      pages.at(-1)!.rows.map(({ email }) => email),
      Array.from({ length: 10 }, (_, n) => `${1490 + n}@example.com`),
    );
    assert.equal(statements.filter((text) => text.includes("string_agg")).length, 1);
    const walked = statements.filter((text) => /^select \*[^]+\("email", id\) >/.test(text));
    assert.equal(walked.length, 1, "from a position, not from the first row");
    assert.equal(lists.size, 0);
    await store.close();
  } finally {
    await database.drop();
  }
});

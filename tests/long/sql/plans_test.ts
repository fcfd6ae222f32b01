// No list may have a plan that grows faster than its collection: every filter with every search and every order.
import assert from "node:assert/strict";
import { CompiledQuery } from "kysely";
import { NotingEngine, sqlitePlan } from "../../../bench/statements.ts";
import { newId } from "../../../core/ids.ts";
import { allCollections } from "../../../models/all.ts";
import { postgresDialect, sqliteDialect } from "../../../sql/dialect.ts";
import { Memory } from "../../../sql/memory.ts";
import { openPostgres } from "../../../sql/postgres.ts";
import { SqlReader } from "../../../sql/reader.ts";
import { openSqlite } from "../../../sql/sqlite.ts";
import { openSqlStore } from "../../../sql/store.ts";
import { type Table, tableOf } from "../../../sql/tables.ts";
import type { Entity, ListQuery, Store, Where } from "../../../storage/port.ts";
import { type User, users } from "../../../models/users.ts";
import { addRoles, postgresDatabase, sqliteFile } from "../../sql/databases.ts";
import { storedPerson } from "../../storage/people.ts";

type Query = ListQuery<Entity>;

/** Ids in a list that is passed as one value. */
const LONG_LIST = Array.from({ length: 300 }, () => newId(Date.UTC(2026, 0, 1)));

const tables = allCollections.map((declaration) => tableOf<Entity>(declaration));

/** A value of the field's type; which one does not matter to a plan. */
function valueOf(table: Table, field: string): string | number | boolean {
  const { kind, values } = table.byField.get(field)!;
  if (values) return values[0]!;
  if (kind === "timestamp") return "2026-01-01T00:00:00.000Z";
  if (kind === "date") return "2026-01-01";
  return kind === "boolean" ? true : kind === "text" ? "a value" : 1;
}

function filtersOf(table: Table, ids: readonly string[]): Where<Entity>[] {
  const fields = table.declaration.filter.map((field: string) => ({
    [field]: valueOf(table, field),
  })) as Where<Entity>[];
  const pairs = fields.slice(1).map((filter, n) => ({ ...fields[n], ...filter }));
  const among = fields.map((filter) => ({ ...filter, id: ids }));
  const visible = fields.slice(0, 1).flatMap((own) => [
    { any: [own, { id: ids }] },
    { id: ids, any: [own, { id: ids.slice(0, 20) }] },
  ]);
  const since = { createdAt: { gte: "2026-01-01T00:00:00.000Z" } };
  return [
    {},
    { id: ids },
    { id: ids.slice(0, 20) },
    since,
    ...fields,
    ...pairs,
    ...among,
    ...visible,
  ];
}

function searchesOf(table: Table, terms: readonly string[]): (string | undefined)[] {
  return table.declaration.search.length === 0 ? [undefined] : [undefined, ...terms];
}

function sortsOf(table: Table): string[] {
  const { sort, search } = table.declaration;
  // What is neither sorted nor searched is listed to nobody, and has no index for it.
  const listed = sort.length + search.length > 0 ? ["updatedAt"] : [];
  const fields = ["createdAt", "id", ...listed, ...sort];
  return fields.flatMap((field) => [`-${field}`, field]);
}

/** One question of so many, so that each two of filter, search and order meet; or every one. */
function* questions(table: Table, ids: readonly string[], terms: readonly string[], of = 1) {
  for (const [f, where] of filtersOf(table, ids).entries()) {
    for (const [s, search] of searchesOf(table, terms).entries()) {
      for (const [o, sort] of sortsOf(table).entries()) {
        const query: Query = { where, search, sort };
        if ((f + s + o) % of === 0) yield query;
      }
    }
  }
}

function assertBounded(plan: string, what: string) {
  // Two lists in one lookup: each of the one with each of the other.
  assert.doesNotMatch(plan, /AND rowid=\?/, what);
  // An index that is made for one query, or a subquery that runs for each row.
  assert.doesNotMatch(plan, /AUTOMATIC|CORRELATED/, what);
}

function assertOrdered(plan: string, what: string) {
  assert.doesNotMatch(plan, /USE TEMP B-TREE/, what);
}

for (const analyzed of [false, true]) {
  Deno.test(
    `SQLite plans no list that grows faster than its table, ${
      analyzed ? "with" : "without"
    } statistics`,
    async () => {
      const database = await sqliteFile();
      const store = await openSqlStore({ url: database.url });
      await addRoles(store);
      // Loads of a thousand and more bring the statistics up to date.
      const everyone = [...people(1800)];
      if (analyzed) await store.load(users, everyone);
      else for (const half of [0, 900]) await store.load(users, everyone.slice(half, half + 900));
      await store.close();
      const { db } = openSqlite(database.url.slice("sqlite:".length));
      const engine = new NotingEngine(
        db,
        sqliteDialect,
        new Memory(0),
        () => new Date(),
        new Map(),
      );
      try {
        for (const table of tables) {
          const reader = new SqlReader<Entity>(engine, table);
          for (const query of questions(table, LONG_LIST, ["needle", "some hay", "ne"])) {
            engine.statements.length = 0;
            await reader.list(query);
            const what = `${table.name} ${JSON.stringify(query).slice(0, 300)}`;
            for (const statement of engine.statements) {
              const plan = await sqlitePlan(db, statement);
              assertBounded(plan, `${what}\n${plan}`);
              const plain = Object.keys(query.where!).length === 0 && query.search === undefined;
              if (plain) assertOrdered(plan, `${what}\n${plan}`);
            }
          }
        }
      } finally {
        await db.destroy();
        await database.drop();
      }
    },
  );
}

function* people(count: number): Generator<Omit<User, "rev">> {
  for (let n = 0; n < count; n++) {
    const at = Date.UTC(2026, 0, 1) + n * 1000;
    const status = n % 3 === 0 ? "inactive" : "active";
    const name = n % 100 === 0 ? `A needle ${n}` : `Some hay ${n}`;
    yield storedPerson(newId(at), new Date(at).toISOString(), {
      name,
      email: `u${n}@example.com`,
      status,
      ...(n % 2 === 0 ? { lastLoginAt: new Date(at).toISOString() } : {}),
    });
  }
}

interface PlanNode {
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Join Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Rows that all steps of a plan looked at. */
function rowsOf(node: PlanNode): number {
  const each = node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) +
    (node["Rows Removed by Join Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
  return each * node["Actual Loops"] + (node.Plans ?? []).reduce((sum, of) => sum + rowsOf(of), 0);
}

/** Rows on Postgres of each collection that is asked for. */
const ROWS = 2000;
/** Rows of those that they only refer to. */
const FEW = 20;

/** A record with a value in every field: different ones in most, `needle` in the texts of one of a hundred. */
function anyRecord(table: Table, n: number, idsOf: ReadonlyMap<string, readonly string[]>): Entity {
  const at = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
  const record: Record<string, unknown> = { id: newId(Date.parse(at)), rev: "" };
  for (const { field, kind, values, optional } of table.columns) {
    const other = table.declaration.references[field];
    if (field === "id" || other === table.declaration.name || optional && n % 3 === 0) continue;
    const others = other && idsOf.get(other);
    const text = field === "role" ? "user" : n % 100 === 0 ? `A needle ${n}` : `Some hay ${n}`;
    record[field] = values?.[n % values.length] ?? others?.[n % others.length] ?? {
      text,
      timestamp: at,
      date: at.slice(0, 10),
      boolean: n % 2 === 0,
      integer: n,
      double: n,
      list: [],
    }[kind];
  }
  return record as unknown as Entity;
}

/** The collection, and all that its records refer to, these first. */
function withReferred(name: string, found = new Set<string>()): Set<string> {
  const { references } = allCollections.find((one) => one.name === name)!;
  for (const other of Object.values(references)) {
    if (other !== undefined && other !== name && !found.has(other)) withReferred(other, found);
  }
  return found.add(name);
}

/** @returns The ids of the collection's records. */
async function fill(store: Store, collection: string): Promise<readonly string[]> {
  const idsOf = new Map<string, readonly string[]>();
  await addRoles(store);
  for (const name of withReferred(collection)) {
    const declaration = allCollections.find((one) => one.name === name)!;
    const count = name === collection ? ROWS : FEW;
    const records = Array.from(
      { length: count },
      (_, n) => anyRecord(tableOf<Entity>(declaration), n, idsOf),
    );
    await store.load(declaration, records);
    idsOf.set(name, records.map(({ id }) => id));
  }
  return idsOf.get(collection)!;
}

interface Asked {
  readonly ids: readonly string[];
  readonly reader: SqlReader<Entity>;
  /** The rows that the statements of a list look at, each. */
  lookedAt(query: Query): Promise<number[]>;
}

/** @param load Fills the store, and gives the ids of what it put into the collection. */
async function onPostgres(
  run: (asked: Asked) => Promise<void>,
  collection: string = users.name,
  load: (store: Store) => Promise<readonly string[]> = fillUsers,
): Promise<void> {
  const database = await postgresDatabase();
  const store = await openSqlStore({ url: database.url });
  const ids = await load(store);
  await store.close();
  const { db, pipelined } = openPostgres(database.url);
  const engine = new NotingEngine(db, postgresDialect, new Memory(0), () => new Date(), new Map());
  const declaration = allCollections.find(({ name }) => name === collection)!;
  const reader = new SqlReader<Entity>(engine, tableOf<Entity>(declaration));
  const lookedAt = async (query: Query) => {
    engine.statements.length = 0;
    await reader.list(query);
    const looked = [];
    for (const { sql, parameters } of engine.statements) {
      const explain = `explain (analyze, format json) ${sql}`;
      const { rows } = await db.executeQuery<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
        CompiledQuery.raw(explain, [...parameters]),
      );
      looked.push(rowsOf(rows[0]!["QUERY PLAN"][0].Plan));
    }
    return looked;
  };
  try {
    await run({ ids, reader, lookedAt });
  } finally {
    await pipelined.end();
    await db.destroy();
    await database.drop();
  }
}

async function fillUsers(store: Store): Promise<readonly string[]> {
  await addRoles(store);
  const everyone = [...people(ROWS)];
  await store.load(users, everyone);
  return everyone.map(({ id }) => id);
}

/** Of users one question of three, of the others one of eleven. */
for (const name of ["users", "documents", "files", "events", "messages", "auditLog", "teams"]) {
  Deno.test(`Postgres looks at no more rows of ${name} than there are, a few times over`, () =>
    onPostgres(
      async ({ ids, lookedAt }) => {
        const table = tables.find(({ declaration }) => declaration.name === name)!;
        const of = name === "users" ? 3 : 11;
        for (const query of questions(table, ids.slice(0, ROWS / 2), ["needle", "ne"], of)) {
          for (const looked of await lookedAt(query)) {
            assert.ok(looked <= 6 * ROWS, `${looked} rows: ${JSON.stringify(query).slice(0, 200)}`);
          }
        }
        // The beginning of a list in an order of its own is a walk of an index.
        for (const sort of sortsOf(table)) {
          const [looked] = await lookedAt({ sort });
          assert.ok(looked! <= 60, `${looked} rows: ${sort}`);
        }
      },
      name,
      name === "users" ? fillUsers : (store) => fill(store, name),
    ));
}

Deno.test("Postgres begins at a cursor, in every order, and looks at hardly more than the page", () =>
  onPostgres(async ({ reader, lookedAt }) => {
    for (const sort of sortsOf(tableOf(users))) {
      // The last of these is among the absent values of an optional field where its first are not, and the reverse.
      for (const page of [20, 99, 101, 180]) {
        const { nextCursor } = await reader.list({ sort, page });
        const looked = await lookedAt({ sort, cursor: nextCursor! });
        // Each step of a plan counts its rows: two parts, their merging, the limit; and a group of equal values.
        assert.ok(Math.max(...looked) <= 120, `${looked} rows: ${sort} after page ${page}`);
      }
    }
  }));

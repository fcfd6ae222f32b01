// No list may have a plan that grows faster than its collection, on Postgres every filter with every search and every order.
import assert from "node:assert/strict";
import { CompiledQuery } from "kysely";
import { sqlitePlan } from "../../../bench/statements.ts";
import { newId } from "../../../core/ids.ts";
import { allCollections } from "../../../models/all.ts";
import { sqliteDialect } from "../../../sql/dialect.ts";
import { Engine } from "../../../sql/engine.ts";
import { IndexSource } from "../../../sql/index_source.ts";
import { Memory } from "../../../sql/memory.ts";
import { openSqlite } from "../../../sql/sqlite.ts";
import { openSqlStore } from "../../../sql/store.ts";
import { type Table, tableOf } from "../../../sql/tables.ts";
import type { Entity, ListQuery, Store, Where } from "../../../storage/port.ts";
import { type User, users } from "../../../models/users.ts";
import { MIB } from "../../../core/units.ts";
import { parseQuery } from "../../../storage/query.ts";
import { overlapping } from "../../../services/calendar/calendar.ts";
import { until } from "../../until.ts";
import { addRoles, sqliteFile } from "../../sql/databases.ts";
import { fill, onPostgres, ROWS } from "../../sql/looked_at.ts";
import { neededReferences } from "../../sql/schema.ts";
import { storedPerson } from "../../storage/people.ts";

type Query = ListQuery<Entity>;

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

/** One question of so many, so that each two of filter, search and order meet. */
function* questions(table: Table, ids: readonly string[], terms: readonly string[], of: number) {
  for (const [f, where] of filtersOf(table, ids).entries()) {
    for (const [s, search] of searchesOf(table, terms).entries()) {
      for (const [o, sort] of sortsOf(table).entries()) {
        const query: Query = { where, search, sort };
        if ((f + s + o) % of === 0) yield query;
      }
    }
  }
}

Deno.test("SQLite reads the newest rows in the order of an index, and what refers to a record by one", async () => {
  const database = await sqliteFile();
  const store = await openSqlStore({ url: database.url });
  await addRoles(store);
  await store.load(users, people(1800));
  await store.close();
  const { db } = openSqlite(database.url.slice("sqlite:".length));
  const engine = new Engine(db, sqliteDialect, new Memory(0), () => new Date(), new Map());
  const plans: string[] = [];
  const read = async <R>(query: CompiledQuery) => {
    plans.push(await sqlitePlan(db, query));
    return (await db.executeQuery<R>(query)).rows;
  };
  try {
    for (const table of tables) {
      const source = new IndexSource<Entity>(engine, table, read);
      for (const sort of ["-createdAt", "createdAt"]) {
        plans.length = 0;
        await source.firstPage(parseQuery(table.declaration, { sort, limit: 20, page: 3 }));
        const [plan, ...others] = plans;
        assert.match(plan!, /SCAN \w+ USING INDEX \w+_created_at_id_idx/, plan);
        assert.doesNotMatch(plan!, /USE TEMP B-TREE/, plan);
        assert.deepEqual(others, []);
      }
      for (const column of Object.keys(neededReferences(table))) {
        const statement = CompiledQuery.raw(`select 1 from ${table.name} where ${column} = ?`, [
          "a",
        ]);
        assert.match(await sqlitePlan(db, statement), /SEARCH/, `${table.name}.${column}`);
      }
    }
  } finally {
    await db.destroy();
    await database.drop();
  }
});

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
  onPostgres(
    async ({ reader, lookedAt }) => {
      for (const sort of sortsOf(tableOf(users))) {
        // The last of these is among the absent values of an optional field where its first are not, and the reverse.
        for (const page of [20, 99, 101, 180]) {
          const { nextCursor } = await reader.list({ sort, page });
          const looked = await lookedAt({ sort, cursor: nextCursor! });
          // Each step of a plan counts its rows: two parts, their merging, the limit; and a group of equal values.
          assert.ok(Math.max(...looked) <= 120, `${looked} rows: ${sort} after page ${page}`);
        }
      }
    },
    users.name,
    fillUsers,
  ));

Deno.test("Postgres reads a page from the end that is nearer, while the order of its list is not known", () => {
  const memory = new Memory(64 * MIB);
  memory.confirm(Infinity);
  return onPostgres(
    async ({ reader, lookedAt }) => {
      // A list and its reverse are one order.
      for (const sort of sortsOf(tableOf(users)).filter((sort) => sort.startsWith("-"))) {
        // Tells how many there are.
        const { total } = await reader.list({ sort });
        assert.equal(total, ROWS);
        const [least] = (await lookedAt({ sort, page: ROWS / 10 - 1 })).sort((a, b) => a - b);
        assert.ok(least! <= 120, `${least} rows: ${sort}`);
        await until(() => memory.of(users.name).lists.reading === 0);
      }
    },
    users.name,
    fillUsers,
    memory,
  );
});

Deno.test("Postgres looks at the events of a time, and at few of those before and after it", () =>
  onPostgres(
    async ({ reader, lookedAt }) => {
      for (const minute of [1, 16, 31]) {
        const [from, to] = [minute, minute + 1].map((n) =>
          new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString()
        );
        const query = { where: overlapping({ from, to }) as Where<Entity>, limit: 1000 };
        for (const sort of ["start", "-end", "title"]) {
          const { total } = await reader.list({ ...query, sort });
          const looked = await lookedAt({ ...query, sort });
          assert.ok(total >= 60 && total <= 62, `${total} events`);
          assert.ok(Math.max(...looked) <= 8 * total, `${looked} rows: ${sort}, minute ${minute}`);
        }
      }
    },
    "events",
    (store) => fill(store, "events"),
  ));

Deno.test("Postgres plans searches, totals and pages far down by their values, however often they come", () =>
  onPostgres(
    async ({ plannedForAny }) => {
      const where: Where<Entity>[] = [{}, { status: "inactive" } as Where<Entity>];
      for (const filter of where) {
        for (const query of [{ search: "hay" }, { search: "ha", page: 20 }, { page: 60 }]) {
          for (const sort of ["name", "-createdAt"]) {
            const sorted = { ...query, where: filter, sort };
            assert.deepEqual(await plannedForAny(sorted), [], JSON.stringify(sorted));
          }
        }
      }
    },
    users.name,
    fillUsers,
  ));

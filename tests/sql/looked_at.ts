// Postgres with records of a collection, and how many rows of it a list looks at.
import { CompiledQuery } from "kysely";
import { anyRecord } from "../../bench/records.ts";
import { NotingEngine } from "../../bench/statements.ts";
import { allCollections } from "../../models/all.ts";
import { postgresDialect } from "../../sql/dialect.ts";
import { Memory } from "../../sql/memory.ts";
import { openPostgres } from "../../sql/postgres.ts";
import { SqlReader } from "../../sql/reader.ts";
import { openSqlStore } from "../../sql/store.ts";
import { tableOf } from "../../sql/tables.ts";
import type { Entity, ListQuery, Store } from "../../storage/port.ts";
import { addRoles, postgresDatabase } from "./databases.ts";

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
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

/** How the plan reads tables: each kind of step with its table. */
function readsOf(node: PlanNode): string[] {
  const { "Node Type": kind, "Relation Name": table } = node;
  return [...table ? [`${kind} of ${table}`] : [], ...(node.Plans ?? []).flatMap(readsOf)];
}

/** Rows on Postgres of each collection that is asked for. */
export const ROWS = 2000;
/** Rows of those that they only refer to. */
const FEW = 20;

/** The collection, and all that its records refer to, these first. */
function withReferred(name: string, found = new Set<string>()): Set<string> {
  const { references } = allCollections.find((one) => one.name === name)!;
  for (const other of Object.values(references)) {
    if (other !== undefined && other !== name && !found.has(other)) withReferred(other, found);
  }
  return found.add(name);
}

/** @returns The ids of the collection's records. */
export async function fill(store: Store, collection: string): Promise<readonly string[]> {
  const idsOf = new Map<string, readonly string[]>();
  await addRoles(store);
  for (const name of withReferred(collection)) {
    const declaration = allCollections.find((one) => one.name === name)!;
    const count = name === collection ? ROWS : FEW;
    const records = Array.from(
      { length: count },
      (_, n) =>
        anyRecord(
          tableOf<Entity>(declaration),
          n,
          idsOf,
          n % 100 === 0 ? `A needle ${n}` : `Some hay ${n}`,
        ),
    );
    await store.load(declaration, records);
    idsOf.set(name, records.map(({ id }) => id));
  }
  return idsOf.get(collection)!;
}

export interface Asked {
  readonly ids: readonly string[];
  readonly reader: SqlReader<Entity>;
  /** The rows that the statements of a list look at, each. */
  lookedAt(query: ListQuery<Entity>): Promise<number[]>;
  /** How the statements of a list read tables. */
  reads(query: ListQuery<Entity>): Promise<string[]>;
  /** Of the statements of a list, those that are run by a plan for any values once they have come often. */
  plannedForAny(query: ListQuery<Entity>): Promise<string[]>;
}

/**
 * @param load Fills the store, and gives the ids of what it put into the collection.
 * @param memory What is kept beside the database. @default nothing
 */
export async function onPostgres(
  run: (asked: Asked) => Promise<void>,
  collection: string,
  load: (store: Store) => Promise<readonly string[]>,
  memory = new Memory(0),
): Promise<void> {
  const database = await postgresDatabase();
  const store = await openSqlStore({ url: database.url });
  const ids = await load(store);
  await store.close();
  const { db, pipelined } = openPostgres(database.url);
  const engine = new NotingEngine(db, postgresDialect, memory, () => new Date(), new Map());
  const declaration = allCollections.find(({ name }) => name === collection)!;
  const reader = new SqlReader<Entity>(engine, tableOf<Entity>(declaration));
  const plansOf = async (query: ListQuery<Entity>) => {
    engine.noted.length = 0;
    await reader.list(query);
    const plans = [];
    for (const { sql, parameters } of engine.noted) {
      const explain = `explain (analyze, format json) ${sql}`;
      const { rows } = await db.executeQuery<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
        CompiledQuery.raw(explain, [...parameters]),
      );
      plans.push(rows[0]!["QUERY PLAN"][0].Plan);
    }
    return plans;
  };
  const lookedAt = async (query: ListQuery<Entity>) => (await plansOf(query)).map(rowsOf);
  const reads = async (query: ListQuery<Entity>) => (await plansOf(query)).flatMap(readsOf);
  const plannedForAny = async (query: ListQuery<Entity>) => {
    engine.noted.length = 0;
    await reader.list(query);
    for (const { sql, parameters } of engine.noted) {
      for (let time = 0; time < 8; time++) await pipelined.ask(sql, parameters);
    }
    const prepared = await pipelined.ask(
      "select statement from pg_prepared_statements where generic_plans > 0 and statement like $1",
      [`%from "${collection}"%`],
    ) as { statement: string }[];
    return prepared.map(({ statement }) => statement);
  };
  try {
    await run({ ids, reader, lookedAt, reads, plannedForAny });
  } finally {
    await pipelined.end();
    await db.destroy();
    await database.drop();
  }
}

// Plain SQL beside the engine, for tests.
import { CompiledQuery, type Kysely } from "kysely";
import type { Database } from "../../sql/dialect.ts";
import { openPostgres } from "../../sql/postgres.ts";
import { openSqlite } from "../../sql/sqlite.ts";

export type Query = <R>(statement: string) => Promise<R[]>;

/** A second connection to a database of the engine. */
export function openDatabase(
  url: string,
): { db: Kysely<Database>; query: Query; close(): Promise<void> } {
  const { db } = url.startsWith("sqlite:")
    ? openSqlite(url.slice("sqlite:".length))
    : openPostgres(url, { max: 1 });
  return {
    db,
    query: async <R>(statement: string) =>
      (await db.executeQuery(CompiledQuery.raw(statement))).rows as R[],
    close: () => db.destroy(),
  };
}

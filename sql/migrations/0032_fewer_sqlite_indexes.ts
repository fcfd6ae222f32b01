// On SQLite, where memory answers lists and searches: no index that only a list needs, and no search index.
import { sql } from "kysely";
import type { Connection, Dialect } from "../dialect.ts";
import { isKeptOnSqlite, run } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  if (dialect.name !== "sqlite") return;
  const { rows } = await sql<{ table: string }>`select collection_table as "table" from counts`
    .execute(db);
  for (const { table } of rows) {
    await dropSearch(db, table);
    await dropIndexes(db, table);
  }
}

async function dropSearch(db: Connection, table: string): Promise<void> {
  for (const on of ["insert", "delete", "update"]) {
    await run(db, `drop trigger if exists "${table}_search_${on}"`);
  }
  await run(db, `drop table if exists "${table}_search"`);
}

/** In the order in which they were made: of a reference the first is kept, which a filter needed on other engines. */
async function dropIndexes(db: Connection, table: string): Promise<void> {
  const references = await sql<{ column: string }>`
    select "from" as "column" from pragma_foreign_key_list(${table})`.execute(db);
  const indexes = await sql<{ name: string; columns: string }>`
    select name, (select group_concat(name) from pragma_index_info(i.name)) as columns
    from pragma_index_list(${table}) as i where origin = 'c' order by seq desc`.execute(db);
  const isKept = isKeptOnSqlite(references.rows.map(({ column }) => column));
  for (const { name, columns } of indexes.rows) {
    if (!isKept(columns.split(","))) await run(db, `drop index "${name}"`);
  }
}

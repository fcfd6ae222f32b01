// What the erasure of a person's data needs: how far it is, and where others are told of them.
import type { Connection, Dialect } from "../dialect.ts";
import { addColumn, boolean, indexName, optional, run, text } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  await addColumn(db, dialect, "deletions", "erase", optional(boolean));
  await addColumn(db, dialect, "deletions", "cleared_to", optional(text));
  await addColumn(db, dialect, "notifications", "about_id", optional(text));
  await addIndex(db, dialect, "notifications", "about_id");
  await addIndex(db, dialect, "audit_log", "impersonator_id");
}

async function addIndex(
  db: Connection,
  dialect: Dialect,
  table: string,
  column: string,
): Promise<void> {
  const name = indexName(table, [column, "created_at", "id"]);
  await run(
    db,
    `create index "${name}" on "${table}" (
      "${column}" ${dialect.nullsFirst.ascending}, "created_at", "id")`,
  );
}

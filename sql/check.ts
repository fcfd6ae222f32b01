// What is damaged in a file of SQLite: its pages and indexes, and its foreign keys.
import { type Kysely, sql } from "kysely";

/** The rows that are told of each table, at most. */
const MAX_TOLD = 100;

/** A sentence for each finding. */
export async function checkFile(
  db: Kysely<Record<string, Record<string, unknown>>>,
): Promise<readonly string[]> {
  const findings: string[] = [];
  const pages = await sql<{ found: string }>`
    select integrity_check as found from pragma_integrity_check`.execute(db);
  for (const { found } of pages.rows) if (found !== "ok") findings.push(`the file: ${found}`);
  const keys = await sql<{ table: string; rowid: number; parent: string }>`
    select "table", "rowid", "parent" from pragma_foreign_key_check limit ${sql.lit(MAX_TOLD)}`
    .execute(db);
  for (const { table, rowid, parent } of keys.rows) {
    findings.push(`${table}, row ${rowid}: refers to one of ${parent} that does not exist`);
  }
  return findings;
}

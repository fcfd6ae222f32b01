// On Postgres, the index by age holds what is searched and filtered too: matches are counted in it, without the table.
import type { Connection, Dialect } from "../dialect.ts";
import { indexName, run } from "./ddl.ts";

/** What each row has in the index. Only of texts that are limited to a fraction of a page, as an entry has to be. */
const COVERED = {
  users: ["search_text", "status", "role"],
  documents: ["search_text", "type"],
  files: ["search_text", "type"],
};

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  // On SQLite lists and searches are answered from memory.
  if (dialect.name !== "postgres") return;
  const statements = Object.entries(COVERED).flatMap(([table, columns]) => {
    const keys = ["created_at", "id"], name = indexName(table, keys);
    return [
      `drop index "${name}"`,
      `create index "${name}" on "${table}" (${keys.join(", ")}) include (${columns.join(", ")})`,
    ];
  });
  await run(db, statements.join(";\n"));
}

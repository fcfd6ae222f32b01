// On Postgres, searches beside writes and users of one status or role by name: neither reads more than it shows.
import type { Connection, Dialect } from "../dialect.ts";
import { indexName, run } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  // On SQLite lists and searches are answered from memory.
  if (dialect.name !== "postgres") return;
  // Each search reads all that waits to be put into its index, by default up to four megabytes: see `searchIndex`.
  const search = `do $$ declare name text; begin
      for name in select indexname from pg_indexes
        where schemaname = current_schema() and indexdef like '%gin_trgm_ops%' loop
        execute format('alter index %I set (gin_pending_list_limit = 64)', name);
      end loop;
    end $$`;
  const indexes = ["status", "role"].map((field) => [field, "name", "id"]).map((columns) =>
    `create index "${indexName("users", columns)}" on "users" (${columns.join(", ")})`
  );
  await run(db, [search, ...indexes].join(";\n"));
}

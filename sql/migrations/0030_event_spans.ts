// On Postgres, the events of a month among those of many years: by the start or the end alone half of them are read.
import type { Connection, Dialect } from "../dialect.ts";
import { run } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  // On SQLite lists are answered from memory.
  if (dialect.name !== "postgres") return;
  const span = `tstzrange(least("start", "end"), "end", '[]')`;
  await run(db, `create index "events_span_idx" on "events" using gist (${span})`);
}

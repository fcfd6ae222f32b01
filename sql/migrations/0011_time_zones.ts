// The time zone of a user; without one, times of day are those of UTC.
import type { Connection, Dialect } from "../dialect.ts";
import { run } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  await run(db, `alter table "users" add column "time_zone" ${dialect.columnType("text")}`);
}

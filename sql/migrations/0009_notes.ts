// What the store says of itself, such as that a copy into it is not finished.
import type { Connection, Dialect } from "../dialect.ts";
import { run } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  const text = dialect.columnType("text");
  await run(
    db,
    `create table "notes" ("name" ${text} not null primary key, "value" ${text} not null)`,
  );
}

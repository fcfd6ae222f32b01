// Snippets know their size, for their owner's quota, and whether their owner is named.
import type { Connection, Dialect } from "../dialect.ts";
import { run } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  const integer = dialect.columnType("integer");
  const boolean = dialect.columnType("boolean");
  await run(db, `alter table "snippets" add column "unnamed" ${boolean}`);
  await run(db, `alter table "snippets" add column "size" ${integer}`);
  await run(db, 'update "snippets" set "size" = octet_length("content")');
}

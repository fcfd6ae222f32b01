// Messages, events and kept answers know their bytes, and whose the answers are: all count for a user's quota.
import type { Connection, Dialect } from "../dialect.ts";
import { addColumn, integer, optional, run } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  for (const table of ["messages", "events", "idempotent_answers"]) {
    await addColumn(db, dialect, table, "size", optional(integer));
  }
  await run(db, 'update "messages" set "size" = octet_length("content")');
  const texts = ["title", "description", "location", "color"];
  const bytes = texts.map((column) => `octet_length(coalesce("${column}", ''))`).join(" + ");
  await run(db, `update "events" set "size" = ${bytes}`);
  const reference = 'references "users" ("id") deferrable initially deferred';
  await run(
    db,
    `alter table "idempotent_answers" add column "user_id" ${dialect.columnType("text")}
      constraint "idempotent_answers_user_id_fkey" ${reference}`,
  );
  await run(
    db,
    `create index "idempotent_answers_user_id_created_at_id_idx" on "idempotent_answers" (
      "user_id" ${dialect.nullsFirst.ascending}, "created_at", "id")`,
  );
}

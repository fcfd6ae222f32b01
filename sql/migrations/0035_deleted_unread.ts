// Whether a message was deleted unread; of those before, it counts as read.
import type { Connection, Dialect } from "../dialect.ts";
import { addColumn, boolean, optional, run } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  // Postgres alters no table of which rows are still to be checked: an earlier migration may have filled it just now.
  if (dialect.name === "postgres") await run(db, "set constraints all immediate");
  await addColumn(db, dialect, "hidden_messages", "unread", optional(boolean));
}

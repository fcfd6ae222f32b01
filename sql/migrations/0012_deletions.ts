// Deletions that are under way.
import type { Connection, Dialect } from "../dialect.ts";
import { createTable, oneOf, optional, text } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  await createTable(db, dialect, "deletions", {
    columns: {
      kind: oneOf("user", "team", "folder"),
      actor_id: text,
      documents: optional(text),
      files: optional(text),
      calendar: optional(text),
      teams: optional(text),
      rest: optional(text),
    },
    indexes: [["created_at", "id"]],
  });
}

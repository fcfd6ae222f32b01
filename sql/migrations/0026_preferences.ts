// What users have set of user interfaces.
import type { Connection, Dialect } from "../dialect.ts";
import { createTable, text } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  await createTable(db, dialect, "preferences", {
    columns: { user_id: text, json: text },
    references: { user_id: "users" },
    indexes: [["created_at", "id"], ["user_id", "created_at", "id"]],
  });
}

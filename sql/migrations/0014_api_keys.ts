// API keys, and who acts as whom.
import type { Connection, Dialect } from "../dialect.ts";
import { addColumn, createTable, list, optional, text, timestamp } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  await addColumn(db, dialect, "sessions", "impersonator_id", optional(text));
  await addColumn(db, dialect, "sessions", "impersonator_session_id", optional(text));
  await addColumn(db, dialect, "audit_log", "impersonator_id", optional(text));
  await addColumn(db, dialect, "audit_log", "api_key_id", optional(text));
  await createTable(db, dialect, "api_keys", {
    columns: {
      user_id: text,
      name: text,
      key_hash: text,
      start: text,
      scopes: list,
      addresses: list,
      expires_at: optional(timestamp),
      last_used_at: optional(timestamp),
      last_used_ip: optional(text),
    },
    unique: { key: ["key_hash"] },
    references: { user_id: "users" },
    indexes: [["created_at", "id"], ["updated_at", "id"], ["user_id", "created_at", "id"], [
      "name",
      "id",
    ]],
  });
}

// Passkeys, and the challenges that were answered by one.
import type { Connection, Dialect } from "../dialect.ts";
import {
  addColumn,
  boolean,
  createTable,
  integer,
  list,
  optional,
  text,
  timestamp,
} from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  await addColumn(db, dialect, "second_factors", "passkeys", optional(integer));
  await createTable(db, dialect, "passkeys", {
    columns: {
      user_id: text,
      name: text,
      credential_id: text,
      public_key: text,
      sign_count: integer,
      transports: list,
      synced: boolean,
      last_used_at: optional(timestamp),
    },
    unique: { credential: ["credential_id"] },
    references: { user_id: "users" },
    indexes: [["created_at", "id"], ["updated_at", "id"], ["user_id", "created_at", "id"], [
      "name",
      "id",
    ]],
  });
  await createTable(db, dialect, "used_challenges", {
    columns: { expires_at: timestamp },
    indexes: [["created_at", "id"], ["expires_at", "created_at", "id"]],
  });
}

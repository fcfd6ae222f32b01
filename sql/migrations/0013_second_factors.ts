// Second factors, sign-ins that wait for one, and how a session was opened.
import type { Connection, Dialect } from "../dialect.ts";
import {
  addColumn,
  boolean,
  createTable,
  integer,
  list,
  oneOf,
  optional,
  text,
  timestamp,
} from "./ddl.ts";

const method = oneOf("password", "passkey", "provider");

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  await addColumn(db, dialect, "sessions", "method", optional(method));
  await addColumn(db, dialect, "sessions", "proven_at", optional(timestamp));
  await addColumn(db, dialect, "sessions", "second_factor", optional(boolean));
  await createTable(db, dialect, "second_factors", {
    columns: {
      user_id: text,
      totp: optional(text),
      totp_since: optional(timestamp),
      totp_step: optional(integer),
      pending_totp: optional(text),
      recovery_codes: list,
    },
    unique: { user: ["user_id"] },
    references: { user_id: "users" },
    indexes: [["created_at", "id"], ["user_id", "created_at", "id"]],
  });
  await createTable(db, dialect, "sign_in_challenges", {
    columns: {
      user_id: text,
      token_hash: text,
      method,
      password_version: text,
      failures: integer,
      expires_at: timestamp,
    },
    unique: { token: ["token_hash"] },
    references: { user_id: "users" },
    indexes: [["created_at", "id"], ["user_id", "created_at", "id"], [
      "expires_at",
      "created_at",
      "id",
    ]],
  });
}

// Proven addresses: which accounts wait for it, and the links that prove one. Accounts made before count as proven.
import type { Connection, Dialect } from "../dialect.ts";
import { addColumn, createTable, oneOf, optional, text, timestamp } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  await addColumn(db, dialect, "users", "unverified_since", optional(timestamp));
  await createTable(db, dialect, "email_links", {
    columns: {
      user_id: text,
      email: text,
      purpose: oneOf("verify", "change"),
      token_hash: text,
      expires_at: timestamp,
    },
    unique: {
      token: ["token_hash"],
    },
    references: {
      user_id: "users",
    },
    indexes: [["created_at", "id"], ["user_id", "created_at", "id"], [
      "expires_at",
      "created_at",
      "id",
    ]],
  });
}

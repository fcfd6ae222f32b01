// Identities at providers of OpenID Connect.
import type { Connection, Dialect } from "../dialect.ts";
import { createTable, optional, text } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  await createTable(db, dialect, "identities", {
    columns: { user_id: text, issuer: text, subject: text, email: optional(text) },
    unique: { identity: ["issuer", "subject"] },
    references: { user_id: "users" },
    indexes: [["created_at", "id"], ["user_id", "created_at", "id"]],
  });
}

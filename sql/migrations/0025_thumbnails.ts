// The thumbnails of contents, and the pictures of users.
import type { Connection, Dialect } from "../dialect.ts";
import { addColumn, createTable, integer, list, optional, text } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  await addColumn(db, dialect, "contents", "thumbnails", optional(list));
  await createTable(db, dialect, "avatars", {
    columns: { user_id: text, key: text, sha256: text, size: integer, mime_type: text },
    unique: { key: ["key"] },
    references: { user_id: "users", sha256: "contents" },
    indexes: [["created_at", "id"], ["user_id", "created_at", "id"], ["sha256"]],
  });
}

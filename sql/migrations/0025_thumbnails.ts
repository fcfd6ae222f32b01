// The thumbnails of contents.
import type { Connection, Dialect } from "../dialect.ts";
import { addColumn, list, optional } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  await addColumn(db, dialect, "contents", "thumbnails", optional(list));
}

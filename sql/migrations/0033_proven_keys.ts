// Whether an API key was made by who had given a second factor.
import type { Connection, Dialect } from "../dialect.ts";
import { addColumn, boolean, optional } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  await addColumn(db, dialect, "api_keys", "second_factor", optional(boolean));
}

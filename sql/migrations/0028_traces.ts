// The traces that commits, and what webhooks are told of them, are a part of.
import type { Connection, Dialect } from "../dialect.ts";
import { addColumn, optional, text } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  await addColumn(db, dialect, "journal", "traceparent", optional(text));
  await addColumn(db, dialect, "webhook_deliveries", "traceparent", optional(text));
}

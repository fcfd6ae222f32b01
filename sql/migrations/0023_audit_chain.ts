// What the audit log tells of changed values, what seals them, and the chain that proves the log.
import type { Connection, Dialect } from "../dialect.ts";
import {
  addColumn,
  createTable,
  indexName,
  integer,
  list,
  oneOf,
  optional,
  run,
  type TableDefinition,
  text,
  timestamp,
} from "./ddl.ts";

const tables: Readonly<Record<string, TableDefinition>> = {
  audit_links: {
    columns: {
      seq: integer,
      previous: text,
      entries: list,
      note: optional(oneOf("late", "break")),
      hash: text,
    },
    unique: { seq: ["seq"] },
    indexes: [["created_at", "id"], ["updated_at", "id"], ["seq", "id"]],
  },
  audit_checkpoints: {
    columns: {
      kind: oneOf("head", "kept", "cut"),
      seq: integer,
      hash: text,
      at: timestamp,
      before: optional(timestamp),
      signature: text,
    },
    indexes: [
      ["created_at", "id"],
      ["updated_at", "id"],
      ["kind", "created_at", "id"],
      ["seq", "id"],
    ],
  },
  audit_positions: {
    columns: { position: text, holder: optional(text), held_until: optional(timestamp) },
    indexes: [["created_at", "id"]],
  },
};

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  await addColumn(db, dialect, "audit_log", "changes", optional(text));
  await addColumn(db, dialect, "audit_log", "seals", optional(list));
  const name = indexName("audit_log", ["ip", "created_at", "id"]);
  await run(
    db,
    `create index "${name}" on "audit_log" ("ip" ${dialect.nullsFirst.ascending}, "created_at", "id")`,
  );
  for (const [name, table] of Object.entries(tables)) await createTable(db, dialect, name, table);
}

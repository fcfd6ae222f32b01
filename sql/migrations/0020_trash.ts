// The trash, and the revisions of documents.
import type { Connection, Dialect } from "../dialect.ts";
import {
  addColumn,
  createTable,
  integer,
  list,
  oneOf,
  optional,
  type TableDefinition,
  text,
  timestamp,
} from "./ddl.ts";

const listed = (...columns: string[]) => columns.map((column) => [column, "created_at", "id"]);

const tables: Readonly<Record<string, TableDefinition>> = {
  document_revisions: {
    columns: {
      document_id: text,
      revision: integer,
      owner_id: text,
      title: text,
      content: text,
      type: oneOf("document", "pdf", "image", "spreadsheet", "presentation", "code", "other"),
      size: integer,
      changed_by: optional(text),
      changed: list,
    },
    unique: { revision: ["document_id", "revision"] },
    references: { owner_id: "users", changed_by: "users" },
    indexes: [
      ["created_at", "id"],
      ["updated_at", "id"],
      ...listed("document_id", "owner_id", "changed_by"),
      ["revision", "id"],
      ["size", "id"],
    ],
  },
  trash: {
    columns: {
      kind: oneOf("document", "file", "folder"),
      name: text,
      owner_id: text,
      deleted_by: optional(text),
      path: text,
      parent_id: optional(text),
      state: oneOf("kept", "filling", "restoring", "purging"),
      bundles: integer,
      levels: integer,
      records: integer,
      size: integer,
      written: integer,
      expires_at: timestamp,
    },
    references: { owner_id: "users", deleted_by: "users" },
    indexes: [
      ["created_at", "id"],
      ["updated_at", "id"],
      ...listed("kind", "owner_id", "deleted_by", "state", "expires_at"),
      ["name", "id"],
      ["size", "id"],
      ["expires_at", "id"],
    ],
    search: true,
  },
  trash_parts: {
    columns: { entry_id: text, bundle: integer, part: integer, text, people: optional(text) },
    unique: { place: ["entry_id", "bundle", "part"] },
    references: { entry_id: "trash" },
    indexes: [
      ["created_at", "id"],
      ["updated_at", "id"],
      ...listed("entry_id", "bundle"),
      ["part", "id"],
    ],
    search: true,
  },
};

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  for (const [name, table] of Object.entries(tables)) await createTable(db, dialect, name, table);
  await addColumn(db, dialect, "documents", "revision", optional(integer));
}

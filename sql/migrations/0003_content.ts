// Documents, files, and who sees them.
import type { Connection, Dialect } from "../dialect.ts";
import {
  boolean,
  createTable,
  integer,
  oneOf,
  optional,
  type TableDefinition,
  text,
  timestamp,
} from "./ddl.ts";

const tables: Readonly<Record<string, TableDefinition>> = {
  documents: {
    columns: {
      title: text,
      content: text,
      type: oneOf("document", "pdf", "image", "spreadsheet", "presentation", "code", "other"),
      size: integer,
      folder: optional(text),
      owner_id: text,
      team_id: optional(text),
    },
    references: {
      owner_id: "users",
      team_id: "teams",
    },
    indexes: [
      ["created_at", "id"],
      ["updated_at", "id"],
      ["owner_id", "created_at", "id"],
      ["type", "created_at", "id"],
      ["folder", "created_at", "id"],
      ["team_id", "created_at", "id"],
      ["title", "id"],
      ["type", "id"],
      ["size", "id"],
    ],
    search: true,
  },
  document_views: {
    columns: {
      views: integer,
    },
    indexes: [["created_at", "id"]],
  },
  tags: {
    columns: {
      name: text,
    },
    unique: {
      name: ["name"],
    },
    indexes: [["created_at", "id"], ["updated_at", "id"], ["name", "id"]],
    search: true,
  },
  document_tags: {
    columns: {
      document_id: text,
      tag_id: text,
    },
    unique: {
      tag: ["document_id", "tag_id"],
    },
    references: {
      document_id: "documents",
      tag_id: "tags",
    },
    indexes: [["created_at", "id"], ["document_id", "created_at", "id"], [
      "tag_id",
      "created_at",
      "id",
    ]],
  },
  folders: {
    columns: {
      name: text,
      parent_id: optional(text),
      owner_id: text,
      slot: text,
    },
    unique: {
      name: ["owner_id", "slot"],
    },
    references: {
      parent_id: "folders",
      owner_id: "users",
    },
    indexes: [["created_at", "id"], ["updated_at", "id"], ["owner_id", "created_at", "id"], [
      "parent_id",
      "created_at",
      "id",
    ], ["name", "id"]],
    search: true,
  },
  contents: {
    columns: {
      blob_id: text,
      size: integer,
      references: integer,
    },
    unique: {
      blob: ["blob_id"],
    },
    indexes: [["created_at", "id"]],
  },
  files: {
    columns: {
      name: text,
      type: oneOf("image", "video", "audio", "archive", "document", "other"),
      mime_type: text,
      size: integer,
      folder_id: optional(text),
      owner_id: text,
      is_favorite: boolean,
      version: integer,
      sha256: text,
      total_size: integer,
    },
    references: {
      folder_id: "folders",
      owner_id: "users",
      sha256: "contents",
    },
    indexes: [
      ["created_at", "id"],
      ["updated_at", "id"],
      ["owner_id", "created_at", "id"],
      ["folder_id", "created_at", "id"],
      ["type", "created_at", "id"],
      ["mime_type", "created_at", "id"],
      ["is_favorite", "created_at", "id"],
      ["name", "id"],
      ["type", "id"],
      ["size", "id"],
      ["sha256"],
    ],
    search: true,
  },
  file_versions: {
    columns: {
      file_id: text,
      version: integer,
      size: integer,
      mime_type: text,
      sha256: text,
      created_by: text,
    },
    unique: {
      version: ["file_id", "version"],
    },
    references: {
      file_id: "files",
      sha256: "contents",
      created_by: "users",
    },
    indexes: [
      ["created_at", "id"],
      ["updated_at", "id"],
      ["file_id", "created_at", "id"],
      ["created_by", "created_at", "id"],
      ["version", "id"],
      ["sha256"],
    ],
  },
  storage_usage: {
    columns: {
      used: integer,
    },
    indexes: [["created_at", "id"]],
  },
  shares: {
    columns: {
      document_id: optional(text),
      file_id: optional(text),
      user_id: optional(text),
      team_id: optional(text),
      permission: oneOf("read", "comment", "edit"),
      expires_at: optional(timestamp),
      created_by: text,
    },
    unique: {
      documentUser: ["document_id", "user_id"],
      documentTeam: ["document_id", "team_id"],
      fileUser: ["file_id", "user_id"],
      fileTeam: ["file_id", "team_id"],
    },
    references: {
      document_id: "documents",
      file_id: "files",
      user_id: "users",
      team_id: "teams",
      created_by: "users",
    },
    indexes: [
      ["created_at", "id"],
      ["updated_at", "id"],
      ["document_id", "created_at", "id"],
      ["file_id", "created_at", "id"],
      ["user_id", "created_at", "id"],
      ["team_id", "created_at", "id"],
      ["created_by", "created_at", "id"],
      ["permission", "created_at", "id"],
      ["expires_at", "created_at", "id"],
      ["expires_at", "id"],
    ],
  },
};

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  for (const [name, table] of Object.entries(tables)) await createTable(db, dialect, name, table);
}

// Who may do what: roles, users, their sessions, teams.
import type { Connection, Dialect } from "../dialect.ts";
import {
  boolean,
  createTable,
  integer,
  list,
  oneOf,
  optional,
  type TableDefinition,
  text,
  timestamp,
} from "./ddl.ts";

const tables: Readonly<Record<string, TableDefinition>> = {
  roles: {
    columns: {
      name: text,
      label: text,
      description: optional(text),
      permissions: list,
      built_in: boolean,
      customised: boolean,
    },
    unique: {
      name: ["name"],
    },
    indexes: [["created_at", "id"], ["updated_at", "id"], ["built_in", "created_at", "id"], [
      "name",
      "id",
    ], ["label", "id"]],
    search: true,
  },
  permissions: {
    columns: {
      name: text,
      resource: text,
      action: text,
      description: optional(text),
      built_in: boolean,
    },
    unique: {
      name: ["name"],
    },
    indexes: [
      ["created_at", "id"],
      ["updated_at", "id"],
      ["resource", "created_at", "id"],
      ["action", "created_at", "id"],
      ["built_in", "created_at", "id"],
      ["name", "id"],
      ["resource", "id"],
      ["action", "id"],
    ],
    search: true,
  },
  users: {
    columns: {
      name: text,
      email: text,
      username: optional(text),
      phone: optional(text),
      avatar: optional(text),
      department: optional(text),
      position: optional(text),
      bio: optional(text),
      role: text,
      permissions: list,
      status: oneOf("active", "inactive", "suspended"),
      password_hash: optional(text),
      last_login_at: optional(timestamp),
    },
    unique: {
      email: ["email"],
      username: ["username"],
    },
    references: {
      role: ["roles", "name"],
    },
    indexes: [
      ["created_at", "id"],
      ["updated_at", "id"],
      ["role", "created_at", "id"],
      ["status", "created_at", "id"],
      ["department", "created_at", "id"],
      ["name", "id"],
      ["email", "id"],
      ["role", "id"],
      ["status", "id"],
      ["last_login_at", "id"],
    ],
    search: true,
  },
  sessions: {
    columns: {
      user_id: text,
      refresh_jti: text,
      refresh_issued_at: integer,
      previous_jti: optional(text),
      rotated_at: optional(timestamp),
      cookie_hash: text,
      last_used_at: timestamp,
      expires_at: timestamp,
      ip: optional(text),
      user_agent: optional(text),
    },
    unique: {
      cookie: ["cookie_hash"],
    },
    references: {
      user_id: "users",
    },
    indexes: [
      ["created_at", "id"],
      ["updated_at", "id"],
      ["user_id", "created_at", "id"],
      ["expires_at", "created_at", "id"],
      ["last_used_at", "id"],
      ["expires_at", "id"],
    ],
  },
  password_resets: {
    columns: {
      user_id: text,
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
  },
  teams: {
    columns: {
      name: text,
      description: optional(text),
      avatar: optional(text),
      owner_id: text,
    },
    references: {
      owner_id: "users",
    },
    indexes: [["created_at", "id"], ["updated_at", "id"], ["owner_id", "created_at", "id"], [
      "name",
      "id",
    ]],
    search: true,
  },
  team_members: {
    columns: {
      team_id: text,
      user_id: text,
      role: oneOf("owner", "admin", "member"),
    },
    unique: {
      member: ["team_id", "user_id"],
    },
    references: {
      team_id: "teams",
      user_id: "users",
    },
    indexes: [["created_at", "id"], ["team_id", "created_at", "id"], [
      "user_id",
      "created_at",
      "id",
    ], ["role", "created_at", "id"]],
  },
};

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  for (const [name, table] of Object.entries(tables)) await createTable(db, dialect, name, table);
}

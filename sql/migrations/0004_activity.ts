// What people do: messages, the calendar, the dashboard, the audit log.
import type { Connection, Dialect } from "../dialect.ts";
import {
  boolean,
  createTable,
  date,
  double,
  integer,
  list,
  oneOf,
  optional,
  type TableDefinition,
  text,
  timestamp,
} from "./ddl.ts";

const tables: Readonly<Record<string, TableDefinition>> = {
  conversations: {
    columns: {
      type: oneOf("private", "group"),
      name: optional(text),
      avatar: optional(text),
      pair_key: optional(text),
      created_by: text,
      last_message_id: optional(text),
      last_message_at: timestamp,
    },
    unique: {
      pair: ["pair_key"],
    },
    references: {
      created_by: "users",
    },
    indexes: [["created_at", "id"], ["updated_at", "id"], ["type", "created_at", "id"], [
      "created_by",
      "created_at",
      "id",
    ], ["last_message_at", "id"]],
    search: true,
  },
  participants: {
    columns: {
      conversation_id: text,
      user_id: text,
    },
    unique: {
      participant: ["conversation_id", "user_id"],
    },
    references: {
      conversation_id: "conversations",
      user_id: "users",
    },
    indexes: [["created_at", "id"], ["conversation_id", "created_at", "id"], [
      "user_id",
      "created_at",
      "id",
    ]],
  },
  messages: {
    columns: {
      conversation_id: text,
      sender_id: optional(text),
      recipient_id: optional(text),
      type: oneOf("text", "image", "file", "system"),
      content: text,
    },
    references: {
      conversation_id: "conversations",
      sender_id: "users",
      recipient_id: "users",
    },
    indexes: [
      ["created_at", "id"],
      ["updated_at", "id"],
      ["conversation_id", "created_at", "id"],
      ["sender_id", "created_at", "id"],
      ["recipient_id", "created_at", "id"],
      ["type", "created_at", "id"],
    ],
    search: true,
  },
  receipts: {
    columns: {
      message_id: text,
      conversation_id: text,
      user_id: text,
      sent: boolean,
      type: oneOf("text", "image", "file", "system"),
      read_at: optional(timestamp),
    },
    unique: {
      receipt: ["message_id", "user_id"],
    },
    references: {
      message_id: "messages",
      conversation_id: "conversations",
      user_id: "users",
    },
    indexes: [
      ["created_at", "id"],
      ["message_id", "created_at", "id"],
      ["conversation_id", "created_at", "id"],
      ["user_id", "created_at", "id"],
      ["sent", "created_at", "id"],
      ["type", "created_at", "id"],
      ["read_at", "created_at", "id"],
    ],
  },
  notifications: {
    columns: {
      user_id: text,
      type: oneOf("system", "user", "message", "task", "alert"),
      title: text,
      content: text,
      link: optional(text),
      read: boolean,
      read_at: optional(timestamp),
      subject_id: optional(text),
    },
    references: {
      user_id: "users",
    },
    indexes: [
      ["created_at", "id"],
      ["updated_at", "id"],
      ["user_id", "created_at", "id"],
      ["type", "created_at", "id"],
      ["read", "created_at", "id"],
      ["subject_id", "created_at", "id"],
    ],
    search: true,
  },
  events: {
    columns: {
      title: text,
      description: optional(text),
      start: timestamp,
      end: timestamp,
      type: oneOf("meeting", "task", "reminder", "holiday"),
      color: optional(text),
      all_day: boolean,
      location: optional(text),
      owner_id: text,
    },
    references: {
      owner_id: "users",
    },
    indexes: [
      ["created_at", "id"],
      ["updated_at", "id"],
      ["owner_id", "created_at", "id"],
      ["type", "created_at", "id"],
      ["start", "created_at", "id"],
      ["end", "created_at", "id"],
      ["all_day", "created_at", "id"],
      ["start", "id"],
      ["end", "id"],
      ["title", "id"],
    ],
    search: true,
  },
  attendees: {
    columns: {
      event_id: text,
      user_id: text,
      status: oneOf("pending", "accepted", "declined", "tentative"),
    },
    unique: {
      attendee: ["event_id", "user_id"],
    },
    references: {
      event_id: "events",
      user_id: "users",
    },
    indexes: [["created_at", "id"], ["event_id", "created_at", "id"], [
      "user_id",
      "created_at",
      "id",
    ], ["status", "created_at", "id"]],
  },
  reminders: {
    columns: {
      event_id: text,
      user_id: text,
      remind_at: timestamp,
      minutes_before: optional(integer),
      method: oneOf("notification", "email"),
      fired_at: optional(timestamp),
    },
    unique: {
      reminder: ["event_id", "user_id", "method"],
    },
    references: {
      event_id: "events",
      user_id: "users",
    },
    indexes: [
      ["created_at", "id"],
      ["updated_at", "id"],
      ["event_id", "created_at", "id"],
      ["user_id", "created_at", "id"],
      ["remind_at", "created_at", "id"],
      ["fired_at", "created_at", "id"],
      ["remind_at", "id"],
    ],
  },
  audit_log: {
    columns: {
      actor_id: optional(text),
      action: text,
      target: text,
      target_id: text,
      target_name: text,
      fields: list,
      ip: optional(text),
      request_id: optional(text),
    },
    indexes: [
      ["created_at", "id"],
      ["actor_id", "created_at", "id"],
      ["action", "created_at", "id"],
      ["target", "created_at", "id"],
      ["target_id", "created_at", "id"],
    ],
  },
  sales: {
    columns: {
      date: date,
      amount: double,
      orders: integer,
      cost: double,
    },
    indexes: [["created_at", "id"], ["updated_at", "id"], ["date", "created_at", "id"], [
      "date",
      "id",
    ], ["amount", "id"]],
  },
  tasks: {
    columns: {
      title: text,
      status: oneOf("pending", "in_progress", "done"),
      priority: oneOf("low", "medium", "high", "urgent"),
      due_date: optional(timestamp),
      assignee_id: optional(text),
      created_by: text,
    },
    references: {
      assignee_id: "users",
      created_by: "users",
    },
    indexes: [
      ["created_at", "id"],
      ["updated_at", "id"],
      ["status", "created_at", "id"],
      ["priority", "created_at", "id"],
      ["assignee_id", "created_at", "id"],
      ["created_by", "created_at", "id"],
      ["due_date", "created_at", "id"],
      ["due_date", "id"],
      ["priority", "id"],
      ["status", "id"],
      ["title", "id"],
    ],
    search: true,
  },
  visits: {
    columns: {
      date: date,
      visits: integer,
      unique_visitors: integer,
      page_views: integer,
    },
    indexes: [["created_at", "id"], ["updated_at", "id"], ["date", "created_at", "id"], [
      "date",
      "id",
    ]],
  },
  visitors: {
    columns: {
      date: date,
      user_id: text,
    },
    indexes: [["created_at", "id"], ["date", "created_at", "id"], ["user_id", "created_at", "id"]],
  },
  snippets: {
    columns: {
      content: text,
      language: oneOf("html", "markdown"),
      user_id: optional(text),
    },
    references: {
      user_id: "users",
    },
    indexes: [["created_at", "id"], ["user_id", "created_at", "id"], [
      "language",
      "created_at",
      "id",
    ]],
  },
  checkins: {
    columns: {
      total_points: integer,
      streak: integer,
      last_day: date,
      last_day_ends_at: timestamp,
      time_zone: text,
      points: integer,
    },
    indexes: [["created_at", "id"]],
  },
  idempotent_answers: {
    columns: {
      request_hash: text,
      status: optional(integer),
      body: optional(text),
      etag: optional(text),
      location: optional(text),
      expires_at: timestamp,
    },
    indexes: [["created_at", "id"], ["expires_at", "created_at", "id"]],
  },
};

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  for (const [name, table] of Object.entries(tables)) await createTable(db, dialect, name, table);
}

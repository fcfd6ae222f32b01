// Webhooks, what they are told, and how far the journal is told.
import type { Connection, Dialect } from "../dialect.ts";
import { boolean, createTable, integer, list, oneOf, optional, text, timestamp } from "./ddl.ts";

export async function up(db: Connection, dialect: Dialect): Promise<void> {
  await createTable(db, dialect, "webhooks", {
    columns: {
      owner_id: text,
      url: text,
      events: list,
      active: boolean,
      records: boolean,
      description: optional(text),
      secret: text,
      previous_secret: optional(text),
      previous_until: optional(timestamp),
      failing_since: optional(timestamp),
      disabled_at: optional(timestamp),
      disabled_reason: optional(oneOf("gone", "failing", "backlog", "owner", "secret")),
    },
    references: { owner_id: "users" },
    indexes: [["created_at", "id"], ["owner_id", "created_at", "id"], [
      "active",
      "created_at",
      "id",
    ]],
  });
  await createTable(db, dialect, "webhook_deliveries", {
    columns: {
      webhook_id: text,
      type: text,
      target: optional(text),
      target_id: optional(text),
      op: optional(text),
      rev: optional(text),
      at: timestamp,
      actor_id: optional(text),
      position: optional(text),
      status: oneOf("pending", "delivered", "failed"),
      attempts: integer,
      due_at: optional(timestamp),
      delivered_at: optional(timestamp),
      history: list,
      response: optional(text),
    },
    indexes: [
      ["created_at", "id"],
      ["updated_at", "id"],
      ["webhook_id", "created_at", "id"],
      ["status", "created_at", "id"],
      ["target_id", "created_at", "id"],
      ["actor_id", "created_at", "id"],
      ["due_at", "id"],
    ],
  });
  await createTable(db, dialect, "webhook_positions", {
    columns: {
      position: text,
      told: optional(text),
      holder: optional(text),
      held_until: optional(timestamp),
    },
    indexes: [["created_at", "id"]],
  });
}

// Webhooks: addresses that are told of what happens, and each telling with what became of it.
import { z } from "zod";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { enumFilter, listQuery } from "./list_query.ts";
import { eitherCase, removable } from "./requests.ts";

/**
 * Why the server has stopped a webhook: the address says that it is gone for good (410), it has failed for days, too much
 * waits for it, its owner may not have webhooks any more, or its secret cannot be read since the server's own has changed.
 */
export const disabledReason = z.enum(["gone", "failing", "backlog", "owner", "secret"]);

export type DisabledReason = z.infer<typeof disabledReason>;

export const webhooks = collection("webhooks", {
  /** It tells what this user may see at the time. */
  ownerId: z.string(),
  url: z.string(),
  /** Types of events: `documents.created`, `documents.*`, `*`. */
  events: z.array(z.string()),
  active: z.boolean(),
  /** Whether the record is told too, as it is when it is sent. */
  records: z.boolean(),
  description: z.string().optional(),
  /** Sealed. */
  secret: z.string(),
  /** Sealed: the one before, by which deliveries are signed as well until then. */
  previousSecret: z.string().optional(),
  previousUntil: timestamp.optional(),
  /** When the first of the deliveries failed that have failed since the last one that arrived. */
  failingSince: timestamp.optional(),
  disabledAt: timestamp.optional(),
  disabledReason: disabledReason.optional(),
}, {
  filter: ["ownerId", "active"],
  references: { ownerId: "users" },
  audit: ({ url }) => hostOf(url),
  audited: ["events", "active", "records", "disabledReason"],
});

export type Webhook = RecordOf<typeof webhooks>;

/** The part of an address that is no secret: paths often hold one. */
export function hostOf(url: string): string {
  return new URL(url).host;
}

/** What lists show of a webhook: `paused` by whoever made it, `failing` but tried on, `disabled` by the server. */
export const webhookState = z.enum(["active", "paused", "failing", "disabled"]);

export type WebhookState = z.infer<typeof webhookState>;

export const deliveryStatus = z.enum(["pending", "delivered", "failed"]);

/** One event for one webhook. Its id is the `webhook-id`, the same in every attempt. */
export const webhookDeliveries = collection("webhookDeliveries", {
  webhookId: z.string(),
  /** Of the event: `documents.created`. */
  type: z.string(),
  /** The record that the event is of: its collection and id. A test has none. */
  target: z.string().optional(),
  targetId: z.string().optional(),
  op: z.string().optional(),
  /** The version of the record, and when it became that. */
  rev: z.string().optional(),
  at: timestamp,
  actorId: z.string().optional(),
  /** In the journal. */
  position: z.string().optional(),
  /** Of the commit, where it was traced. */
  traceparent: z.string().optional(),
  status: deliveryStatus,
  /** Since it was made, or sent again by hand. */
  attempts: z.int(),
  /** Of a pending one: when it is due, and while it is being sent, when another process may take it over. */
  dueAt: timestamp.optional(),
  deliveredAt: timestamp.optional(),
  /** The last attempts, oldest first, each as JSON. */
  history: z.array(z.string()),
  /** The beginning of the last answer. */
  response: z.string().optional(),
}, {
  filter: ["webhookId", "status", "targetId", "actorId"],
  sort: ["dueAt"],
});

export type WebhookDelivery = RecordOf<typeof webhookDeliveries>;

/**
 * Up to where in the journal deliveries are made: of all webhooks under `JOURNAL`, and under the id of a webhook from
 * where on it is told. Positions mean something in their own store alone, so that these records are not copied.
 */
export const webhookPositions = collection("webhookPositions", {
  /** Of the last entry that is done; empty before the first one. */
  position: z.string(),
  /** Of the last event that is done, where it is one of a later entry that is done in part. */
  told: z.string().optional(),
  /** The process that makes deliveries, where several may, and until when it alone does. */
  holder: z.string().optional(),
  heldUntil: timestamp.optional(),
}, {});

export type WebhookPosition = RecordOf<typeof webhookPositions>;

/** The id of the position of all webhooks together. */
export const JOURNAL = "journal";

/** One try to deliver. */
export const webhookAttempt = z.object({
  at: timestamp,
  /** Of the answer; absent where there was none. */
  status: z.int().optional(),
  /** Why it failed, where no status tells. */
  error: z.string().optional(),
  /** Milliseconds. */
  duration: z.int(),
}).meta({ id: "WebhookAttempt" });

export type WebhookAttempt = z.infer<typeof webhookAttempt>;

const url = z.string().trim().max(2000);

const pattern = z.string().regex(
  /^(\*|[A-Za-z]{1,50}\.(\*|created|updated|removed))$/,
  "must be a type of events such as documents.created, documents.* or *",
);
const events = z.array(pattern).min(1, "name at least one type of events").max(100);
const description = z.string().trim().max(500);

export const webhookCreation = z.object({
  url,
  events,
  active: z.boolean().default(true),
  records: z.boolean().default(true),
  description: description.optional(),
});

export const webhookUpdate = z.object({
  url: url.optional(),
  events: events.optional(),
  active: z.boolean().optional(),
  records: z.boolean().optional(),
  description: removable(description),
});

export const publicWebhook = z.object({
  id: z.string(),
  /** To others than its owner, without its path. */
  url: z.string(),
  events: z.array(z.string()),
  active: z.boolean(),
  records: z.boolean(),
  description: z.string().optional(),
  ownerId: z.string(),
  state: webhookState,
  failingSince: timestamp.optional(),
  disabledAt: timestamp.optional(),
  disabledReason: disabledReason.optional(),
  /** Until when deliveries are signed by the secret before as well. */
  previousUntil: timestamp.optional(),
  createdAt: timestamp,
  updatedAt: timestamp,
}).meta({ id: "Webhook" });

/** The answers that make a secret alone hold it. */
export const webhookWithSecret = publicWebhook.extend({ secret: z.string() })
  .meta({ id: "WebhookWithSecret" });

export const publicDelivery = z.object({
  id: z.string(),
  webhookId: z.string(),
  type: z.string(),
  targetId: z.string().optional(),
  rev: z.string().optional(),
  at: timestamp,
  actorId: z.string().optional(),
  status: deliveryStatus,
  attempts: z.int(),
  /** When it is sent next. */
  dueAt: timestamp.optional(),
  deliveredAt: timestamp.optional(),
  last: webhookAttempt.optional(),
  createdAt: timestamp,
}).meta({ id: "WebhookDelivery" });

export const deliveryDetails = publicDelivery.extend({
  history: z.array(webhookAttempt),
  /** The first 4 KiB of the last answer; for the owner of the webhook. */
  response: z.string().optional(),
}).meta({ id: "WebhookDeliveryDetails" });

export const webhookListQuery = listQuery(webhooks, {
  search: true,
  own: { state: enumFilter(webhookState) },
});

export const deliveryListQuery = listQuery(webhookDeliveries, { hidden: ["webhookId"] });

export const replayRequest = z.object({
  /** Those made from then on. */
  from: timestamp,
  /** And before then. @default no end */
  to: timestamp.optional(),
  /** @default failed ones alone */
  status: eitherCase(z.enum(["failed", "delivered", "all"])).default("failed"),
  /** Of the answer before, where not all were sent again. */
  cursor: z.string().max(2000).optional(),
});

export const replayAnswer = z.object({
  /** How many were sent again. */
  count: z.int(),
  /** For the next request, where there are more. */
  nextCursor: z.string().nullable(),
}).meta({ id: "WebhookReplay" });

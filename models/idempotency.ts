// Remembered answers to POST requests that carried an Idempotency-Key.
import { z } from "zod";
import { collection, type RecordOf, timestamp } from "./collection.ts";

/** The id is the SHA-256, hex, of caller, path and key. */
export const idempotentAnswers = collection("idempotentAnswers", {
  /** Who sent the request. Absent in records of the first release, which expire within a day. */
  userId: z.string().optional(),
  /** Bytes that it takes: they count for the user. */
  size: z.number().int().optional(),
  /** SHA-256, hex, of the request's query and body. */
  requestHash: z.string(),
  /**
   * The result of the request's plan, encrypted: it stands in for the answer from the commit of the request until the
   * answer itself is kept, or until it expires where the answer is too long to keep.
   */
  outcome: z.string().optional(),
  /** This field and the next three hold the answer, which replaces `outcome`. */
  status: z.number().int().optional(),
  body: z.string().optional(),
  etag: z.string().optional(),
  location: z.string().optional(),
  expiresAt: timestamp,
}, {
  filter: ["expiresAt", "userId"],
  sum: ["size"],
  references: { userId: "users" },
});

export type IdempotentAnswer = RecordOf<typeof idempotentAnswers>;

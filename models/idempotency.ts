// Remembered answers to POST requests that carried an Idempotency-Key.
import { z } from "zod";
import { collection, type RecordOf, timestamp } from "./collection.ts";

/** The id is the SHA-256, hex, of caller, path and key. */
export const idempotentAnswers = collection("idempotentAnswers", {
  /** SHA-256, hex, of the request body. */
  requestHash: z.string(),
  /** Absent while the first request runs. */
  status: z.number().int().optional(),
  body: z.string().optional(),
  etag: z.string().optional(),
  location: z.string().optional(),
  expiresAt: timestamp,
}, { filter: ["expiresAt"] });

export type IdempotentAnswer = RecordOf<typeof idempotentAnswers>;

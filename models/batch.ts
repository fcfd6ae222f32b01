// Batches: several requests in one. Imports zod only.
import { z } from "zod";

/** Operations of one batch, at most. */
export const MAX_OPERATIONS = 100;

/** Headers that an operation may carry, in lower case. */
export const OPERATION_HEADERS = ["if-match", "if-none-match", "idempotency-key", "prefer"];

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** What RFC 9110, section 5.5, lets stand in a field, without what is not ASCII. */
const headerValue = z.string().max(1000).regex(/^[\t\x20-\x7e]*$/, "must be printable ASCII");

const operation = z.object({
  method: z.enum(METHODS),
  path: z.string().max(2000).regex(/^\/[^\s#\\]*$/, "must be a path that begins with /").meta({
    description: "With the base path and the query, as a request of its own would have it",
    example: "/api/documents/0190b7a0-0000-7000-8000-000000000000",
  }),
  body: z.unknown().optional(),
  headers: z.record(z.string().max(40), headerValue).optional().meta({
    description: "If-Match, If-None-Match, Prefer; Idempotency-Key where the batch is not atomic",
  }),
  id: z.string().max(100).optional().meta({
    description:
      "A name of your own for the operation, repeated in its result. Later operations may refer to it",
  }),
});

export type Operation = z.output<typeof operation>;

/** An id that two operations had could mean either where another refers to it. */
function namedApart(operations: readonly Operation[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  operations.forEach(({ id }, n) => {
    if (id === undefined) return;
    if (seen.has(id)) {
      const message = "is that of an earlier operation";
      context.addIssue({ code: "custom", path: [n, "id"], message });
    }
    seen.add(id);
  });
}

export const batchRequest = z.object({
  operations: z.array(operation).min(1).max(MAX_OPERATIONS).superRefine(namedApart),
  atomic: z.boolean().default(true).meta({
    description:
      "true: all of it in one commit, or none; false: one by one, going on after failures",
  }),
});

/** What became of one operation. */
export const batchResult = z.object({
  id: z.string().optional(),
  status: z.number().int(),
  headers: z.record(z.string(), z.string()).meta({
    description: "Of ETag, Location, Retry-After and Idempotency-Replayed those that it has",
  }),
  body: z.unknown().optional().meta({
    description: "The answer, as a request of its own would have it",
  }),
});

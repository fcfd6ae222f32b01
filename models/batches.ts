// Requests for many records at once, and what became of each. Imports zod only.
import { z } from "zod";
import { MAX_LIMIT } from "./list_query.ts";

/** @param what The kind of record, in the plural: "files". */
export function batchIdsOf(what: string) {
  return z.object({
    ids: z.array(z.string().min(1).max(128)).min(1, `must name at least one of the ${what}`)
      .max(MAX_LIMIT, `must name at most ${MAX_LIMIT} ${what}`),
  });
}

/** Of what goes into the trash. @param what The kind of record, in the plural. */
export function batchDeletionOf(what: string) {
  return batchIdsOf(what).extend({
    permanent: z.boolean().default(false).meta({ description: "Whether they pass by the trash" }),
  });
}

export const batchOutcome = z.object({
  id: z.string(),
  status: z.enum(["deleted", "moved", "not_found", "forbidden", "conflict"]),
  message: z.string().optional().meta({ description: "Why not, where the status leaves it open" }),
}).meta({ id: "BatchOutcome" });

export type BatchOutcome = z.infer<typeof batchOutcome>;

/** What to tell of a batch. @param what The kind of record, in the plural. */
export function batchSummary(
  outcomes: readonly BatchOutcome[],
  what: string,
  done: "deleted" | "moved",
): string {
  const count = outcomes.filter((outcome) => outcome.status === done).length;
  return `${count} of ${outcomes.length} ${what} are ${done}`;
}

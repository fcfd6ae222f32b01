// Bringing back what was deleted, and ending it for good; each by itself, as the server takes it.
import { ApiError, purgeFromTrash, restoreFromTrash } from "../../client/mod.ts";
import type { Outcome, Refusal } from "./batch_outcome.ts";
import type { Bulk } from "./batches.ts";
import { serves } from "./place.ts";
import { refresh } from "./query.ts";

/** Whether what is deleted can be brought back. */
export function hasTrash(): boolean {
  return serves("trash");
}

/** Reads anew what restoring and purging change. */
function refreshAll(): void {
  refresh("trash", "documents", "files", "folders", "storage", "dashboard");
}

export const restoreMany: Bulk = eachAlone((id) => restoreFromTrash({ path: { id } }));

export const purgeMany: Bulk = eachAlone((id) => purgeFromTrash({ path: { id } }));

function eachAlone(act: (id: string) => Promise<unknown>): Bulk {
  return async (ids, onDone): Promise<Outcome> => {
    const done: string[] = [];
    const refused: Refusal[] = [];
    try {
      for (const [at, id] of ids.entries()) {
        try {
          await act(id);
          done.push(id);
        } catch (error) {
          // What fails for all is told of once.
          if (!(error instanceof ApiError) || ![403, 404, 409].includes(error.status)) throw error;
          refused.push({ id, ...(error.status === 404 ? {} : { message: error.message }) });
        }
        onDone?.(at + 1);
      }
    } finally {
      refreshAll();
    }
    return { done, refused };
  };
}

// Bringing back what was deleted, and ending it for good; each by itself, as the server takes it.
import { purgeFromTrash, restoreFromTrash } from "../../client/mod.ts";
import { alone, type Bulk } from "./batches.ts";
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

export const restoreMany: Bulk = refreshing(alone((id) => restoreFromTrash({ path: { id } })));

export const purgeMany: Bulk = refreshing(alone((id) => purgeFromTrash({ path: { id } })));

function refreshing(bulk: Bulk): Bulk {
  return (...args) => bulk(...args).finally(refreshAll);
}

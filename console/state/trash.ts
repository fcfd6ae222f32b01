// Bringing back what was deleted, and ending it for good.
import { type Bulk, each } from "./batches.ts";
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

export const restoreMany: Bulk = refreshing(
  each((id) => ({ method: "POST", path: `/trash/${id}/restore` })),
);

export const purgeMany: Bulk = refreshing(
  each((id) => ({ method: "DELETE", path: `/trash/${id}` })),
);

function refreshing(bulk: Bulk): Bulk {
  return (...args) => bulk(...args).finally(refreshAll);
}

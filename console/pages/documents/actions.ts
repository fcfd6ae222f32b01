// What is done with documents at once, from the list and from the page of each.
import { copyDocument, deleteDocuments } from "../../../client/mod.ts";
import { confirm } from "../../parts/dialog.tsx";
import { texts as common } from "../../parts/texts.ts";
import type { Outcome } from "../../state/batch_outcome.ts";
import { each, together } from "../../state/batches.ts";
import { refresh } from "../../state/query.ts";
import { can, user } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { hasTrash, restoreMany } from "../../state/trash.ts";
import { tried } from "../../state/use_busy.ts";
import { texts } from "./texts.ts";

const deleteMany = together("deleted", (ids) => deleteDocuments({ body: { ids } }));

export const moveMany = (folder: string | null) =>
  each((id) => ({ method: "POST", path: `/documents/${id}/move`, body: { folder } }));

export const tagMany = (tags: readonly string[]) =>
  each((id) => ({ method: "POST", path: `/documents/${id}/tags`, body: { tags } }));

/** Whether somebody may do with a document what only its owner may, and who manages all. */
export function owns({ ownerId }: { readonly ownerId: string }): boolean {
  return ownerId === user.value?.id || can("documents:*");
}

/**
 * Into the trash, from which they can be brought back at once; where there is none, for good, if people say so.
 *
 * @returns What became of them; null where they were not deleted.
 */
export async function removeDocuments(ids: readonly string[]): Promise<Outcome | null> {
  const said = texts();
  if (!hasTrash()) {
    const title = said.deleteTitle(ids.length);
    const question = { title, text: said.deleteText, action: said.delete, danger: true };
    if (!await confirm(question)) return null;
  }
  let outcome: Outcome | null = null;
  await tried(async () => {
    outcome = await deleteMany(ids);
    refresh("documents", "trash", "dashboard");
    const { done } = outcome;
    if (done.length === 0) return;
    const undo = { label: common().list.undo, run: () => restore(done) };
    if (hasTrash()) toast({ text: said.deleted(done.length), action: undo });
    else toast({ text: said.deletedForGood(done.length) });
  });
  return outcome;
}

async function restore(ids: readonly string[]): Promise<void> {
  await tried(async () => {
    const { done, refused } = await restoreMany(ids);
    if (done.length > 0) toast({ text: texts().restored(done.length) });
    const [first] = refused;
    if (first) toast({ kind: "error", text: first.message ?? texts().gone });
  });
}

/** @param open Opens the copy. */
export async function makeCopy(id: string, open: (id: string) => void): Promise<void> {
  await tried(async () => {
    const { data: copy } = await copyDocument({ path: { id }, body: {} });
    refresh("documents", "dashboard");
    toast({
      text: texts().copied(copy.title),
      action: { label: common().open, run: () => open(copy.id) },
    });
  });
}

// What can be done with a file, or with many: for menus. What needs a question opens a dialog.
import {
  deleteFile,
  deleteFiles,
  type File as FileShown,
  getDownloadUrl,
  updateFile,
} from "../../../client/mod.ts";
import type { Action } from "../../parts/menu.tsx";
import { together } from "../../state/batches.ts";
import { serves } from "../../state/place.ts";
import { refresh } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { restoreMany } from "../../state/trash.ts";
import { tried } from "../../state/use_busy.ts";
import { mayDelete, mayEdit, mayPlace, mayShare } from "./rights.ts";
import { texts } from "./texts.ts";

/** What is asked about a file, or about several. */
export type Asked =
  | { readonly kind: "rename"; readonly file: FileShown }
  | { readonly kind: "copy"; readonly file: FileShown }
  | { readonly kind: "link"; readonly file: FileShown }
  | { readonly kind: "share"; readonly file: FileShown }
  /** Of one file, the file itself is known too. */
  | { readonly kind: "move"; readonly ids: readonly string[]; readonly file?: FileShown };

interface Ways {
  readonly ask: (asked: Asked) => void;
  readonly route?: (path: string) => void;
  /** Called after the file is deleted. */
  readonly onDeleted?: () => void;
}

const deleteMany = together("deleted", (ids) => deleteFiles({ body: { ids } }));

const TOUCHED = ["files", "folders", "storage", "trash", "dashboard"];

export function fileActions(file: FileShown, { ask, onDeleted }: Ways): readonly Action[] {
  const said = texts().actions;
  const actions: Action[] = [
    { label: said.download, icon: "download", run: () => downloadOne(file.id) },
    { label: said.link, icon: "link", run: () => ask({ kind: "link", file }) },
  ];
  if (mayShare(file)) {
    actions.push({ label: said.share, icon: "share", run: () => ask({ kind: "share", file }) });
  }
  if (mayEdit()) {
    actions.push({
      label: said.rename,
      icon: "edit",
      parted: true,
      run: () => ask({ kind: "rename", file }),
    });
    actions.push({
      label: file.isFavorite ? said.unmark : said.mark,
      icon: "star",
      run: () => mark(file),
    });
  }
  if (serves("filePlacement")) {
    if (mayPlace(file)) {
      actions.push({
        label: said.move,
        icon: "folder",
        run: () => ask({ kind: "move", ids: [file.id], file }),
      });
    }
    if (can("files:create")) {
      actions.push({ label: said.copy, icon: "copy", run: () => ask({ kind: "copy", file }) });
    }
  }
  if (mayDelete(file)) {
    actions.push({
      label: said.delete,
      icon: "trash",
      danger: true,
      parted: true,
      run: () => remove(file, onDeleted),
    });
  }
  return actions;
}

export function bulkActions(
  ids: readonly string[],
  { ask, clear }: { readonly ask: (asked: Asked) => void; readonly clear: () => void },
): readonly Action[] {
  const said = texts().actions;
  const actions: Action[] = [{
    label: said.download,
    icon: "download",
    run: async () => {
      for (const id of ids) await downloadOne(id);
    },
  }];
  if (!serves("fileBatches")) return actions;
  if (can("files:update") && serves("folders")) {
    actions.push({
      label: said.move,
      icon: "folder",
      run: () => ask({ kind: "move", ids }),
    });
  }
  if (can("files:delete")) {
    actions.push({
      label: said.delete,
      icon: "trash",
      danger: true,
      run: () => removeMany(ids, clear),
    });
  }
  return actions;
}

/** By the browser, which shows how far it is and takes files of any size. */
export async function downloadOne(id: string): Promise<void> {
  await tried(async () => {
    const { data } = await getDownloadUrl({ path: { id } });
    const link = document.createElement("a");
    link.href = data.url;
    // The answer names it.
    link.download = "";
    link.click();
  });
}

async function mark({ id, isFavorite }: FileShown) {
  await tried(() => updateFile({ path: { id }, body: { isFavorite: !isFavorite } }));
  refresh("files");
}

/** What takes a deletion back, where the server has a trash. */
function undo(ids: readonly string[]) {
  if (!serves("trash")) return {};
  const run = () =>
    tried(async () => {
      const { done, refused } = await restoreMany(ids);
      const said = texts().done;
      if (done.length > 0) toast({ text: said.restored });
      if (refused.length > 0) toast({ kind: "error", text: said.refused(refused.length) });
    });
  return { action: { label: texts().done.undo, run } };
}

export function toastOfDeletion(text: string, ids: readonly string[]): void {
  refresh(...TOUCHED);
  toast({ text, ...undo(ids) });
}

async function remove({ id, name }: FileShown, onDeleted?: () => void) {
  await tried(async () => {
    await deleteFile({ path: { id } });
    onDeleted?.();
    // What showed it goes first: else that would be read again.
    await new Promise((resolve) => setTimeout(resolve));
    toastOfDeletion(texts().done.deleted(name), [id]);
  });
}

async function removeMany(ids: readonly string[], clear: () => void) {
  const said = texts().done;
  await tried(async () => {
    const { done, refused } = await deleteMany(ids);
    clear();
    if (done.length > 0) toastOfDeletion(said.deletedMany(done.length), done);
    if (refused.length > 0) toast({ kind: "error", text: said.refused(refused.length) });
  });
}

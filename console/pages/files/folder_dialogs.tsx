// Making, renaming, moving and deleting folders.
import { useState } from "preact/hooks";
import {
  createFolder,
  deleteFolder,
  type Folder,
  getFolder,
  moveFolder,
  updateFolder,
  versioned,
} from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import type { Versioned } from "../../parts/conflict.tsx";
import { confirm, Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import type { Action } from "../../parts/menu.tsx";
import { texts as common } from "../../parts/texts.ts";
import { refresh } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { tried } from "../../state/use_busy.ts";
import { toastOfDeletion } from "./file_actions.ts";
import { FolderField, useFolders } from "./folder_field.tsx";
import { RenameDialog } from "./rename.tsx";
import { texts } from "./texts.ts";

type Asked =
  | { readonly kind: "create"; readonly parentId: string | null }
  | { readonly kind: "rename" | "move"; readonly folder: Folder };

/** @param onDeleted Called with the folder that is gone. */
export function useFolderDialogs(onDeleted: (folder: Folder) => void) {
  const [asked, ask] = useState<Asked | null>(null);
  const close = () => ask(null);
  const dialog = asked === null
    ? null
    : asked.kind === "create"
    ? <CreateFolder parentId={asked.parentId} onClose={close} />
    : asked.kind === "rename"
    ? <RenameFolder folder={asked.folder} onClose={close} />
    : <MoveFolder folder={asked.folder} onClose={close} />;
  return {
    dialog,
    create: (parentId: string | null) => ask({ kind: "create", parentId }),
    actionsOf: (folder: Folder) => folderActions(folder, { ask, onDeleted }),
  };
}

function folderActions(
  folder: Folder,
  { ask, onDeleted }: { ask: (asked: Asked) => void; onDeleted: (folder: Folder) => void },
): readonly Action[] {
  const said = texts().folder;
  const actions: Action[] = [];
  if (can("files:create")) {
    actions.push({
      label: said.add,
      icon: "plus",
      run: () => ask({ kind: "create", parentId: folder.id }),
    });
  }
  if (can("files:update")) {
    actions.push(
      { label: said.rename, icon: "edit", run: () => ask({ kind: "rename", folder }) },
      { label: said.move, icon: "folder", run: () => ask({ kind: "move", folder }) },
    );
  }
  if (can("files:delete")) {
    actions.push({
      label: said.delete,
      icon: "trash",
      danger: true,
      parted: true,
      run: () => remove(folder, onDeleted),
    });
  }
  return actions;
}

async function remove(folder: Folder, onDeleted: (folder: Folder) => void) {
  const { deleteTitle, deleteText, delete: action, deleted } = texts().folder;
  const { id, name, fileCount, children } = folder;
  const full = fileCount > 0 || children.length > 0;
  const question = { title: deleteTitle(name), text: deleteText, action, danger: true };
  if (full && !await confirm(question)) return;
  await tried(async () => {
    await deleteFolder({ path: { id }, query: { recursive: true } });
    onDeleted(folder);
    toastOfDeletion(deleted(name), [id]);
  });
}

const FORM = "folder";

async function readFolder(id: string, signal?: AbortSignal): Promise<Versioned<Folder>> {
  const answer = getFolder({ path: { id }, responseStyle: "fields", signal });
  const { data, etag } = await versioned(answer);
  return { data: data as unknown as Folder, etag };
}

function CreateFolder({ parentId, onClose }: { parentId: string | null; onClose: () => void }) {
  const { folder: said, fields, required } = texts();
  const form = useForm({
    initial: { name: "" },
    check: ({ name }) => ({ name: name.trim() ? undefined : required }),
    async submit({ name }) {
      await createFolder({ body: { name, parentId } });
      refresh("folders");
      toast({ text: said.created(name) });
      onClose();
    },
  });
  return (
    <Dialog
      open
      size="s"
      title={said.add}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common().cancel}</Button>
          <Button type="submit" form={FORM} kind="primary" busy={form.busy.value}>
            {said.submit}
          </Button>
        </>
      }
    >
      <Form form={form} id={FORM} label={said.add}>
        <TextField
          label={fields.name}
          required
          autofocus
          autocomplete="off"
          {...form.field("name")}
        />
      </Form>
    </Dialog>
  );
}

function RenameFolder({ folder, onClose }: { folder: Folder; onClose: () => void }) {
  const { id, name } = folder;
  return (
    <RenameDialog
      subject={["folders", id]}
      name={name}
      read={(signal) => readFolder(id, signal)}
      save={async (name, etag) => {
        await updateFolder({ path: { id }, body: { name }, headers: { "If-Match": etag } });
        refresh("folders", "files");
      }}
      onClose={onClose}
    />
  );
}

function MoveFolder({ folder, onClose }: { folder: Folder; onClose: () => void }) {
  const { place, done } = texts();
  const folders = useFolders(folder.ownerId);
  const form = useForm({
    initial: { parentId: folder.parentId ?? "" },
    async submit({ parentId }) {
      await moveFolder({ path: { id: folder.id }, body: { parentId: parentId || null } });
      refresh("folders", "files");
      toast({ text: done.movedFolder(folder.name) });
      onClose();
    },
  });
  const title = place.moveTitle(folder.name);
  return (
    <Dialog
      open
      size="s"
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common().cancel}</Button>
          <Button type="submit" form={FORM} kind="primary" busy={form.busy.value}>
            {place.move}
          </Button>
        </>
      }
    >
      <Form form={form} id={FORM} label={title}>
        <FolderField
          label={place.target}
          folders={folders.data ?? []}
          without={folder.id}
          {...form.field("parentId")}
        />
      </Form>
    </Dialog>
  );
}

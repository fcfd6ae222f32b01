// What is asked about files: a new name, another place, for whom a link lasts.
import { useState } from "preact/hooks";
import {
  copyFile,
  type File as FileShown,
  getFile,
  updateFile,
  versioned,
} from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import type { Versioned } from "../../parts/conflict.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { texts as common } from "../../parts/texts.ts";
import { serves } from "../../state/place.ts";
import { refresh } from "../../state/query.ts";
import { user as self } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import type { Asked } from "./file_actions.ts";
import { FolderField, useFolders } from "./folder_field.tsx";
import { LinkDialog } from "./link.tsx";
import { MoveFiles } from "./move.tsx";
import { RenameDialog } from "./rename.tsx";
import { FileSharing } from "./sharing.tsx";
import { texts } from "./texts.ts";

const FORM = "file";

/** Without what other records say of it, for then it would have no version. */
async function readFile(id: string, signal?: AbortSignal): Promise<Versioned<FileShown>> {
  const answer = getFile({ path: { id }, responseStyle: "fields", signal });
  const { data, etag } = await versioned(answer);
  return { data: data as unknown as FileShown, etag };
}

/** What was asked last. @returns What asks, and the dialog. */
export function useFileDialogs(onDone?: () => void) {
  const [asked, ask] = useState<Asked | null>(null);
  const close = () => ask(null);
  const dialog = asked === null
    ? null
    : asked.kind === "rename"
    ? <RenameFile file={asked.file} onClose={close} />
    : asked.kind === "copy"
    ? <CopyDialog file={asked.file} onClose={close} />
    : asked.kind === "link"
    ? <LinkDialog file={asked.file} onClose={close} />
    : asked.kind === "share"
    ? <FileSharing file={asked.file} onClose={close} />
    : (
      <MoveFiles
        ids={asked.ids}
        file={asked.file}
        onClose={(done) => {
          close();
          if (done) onDone?.();
        }}
      />
    );
  return { ask, dialog };
}

function RenameFile({ file, onClose }: { file: FileShown; onClose: () => void }) {
  const { id, name } = file;
  return (
    <RenameDialog
      subject={["files", id]}
      name={name}
      read={(signal) => readFile(id, signal)}
      save={async (name, etag) => {
        await updateFile({ path: { id }, body: { name }, headers: { "If-Match": etag } });
        refresh("files");
      }}
      onClose={onClose}
    />
  );
}

function Buttons(
  { label, busy, onClose }: { label: string; busy: boolean; onClose: () => void },
) {
  return (
    <>
      <Button onClick={onClose}>{common().cancel}</Button>
      <Button type="submit" form={FORM} kind="primary" busy={busy}>{label}</Button>
    </>
  );
}

function CopyDialog({ file, onClose }: { file: FileShown; onClose: () => void }) {
  const said = texts();
  const own = file.ownerId === self.value?.id;
  const folders = useFolders();
  const form = useForm({
    initial: { name: "", folderId: own ? file.folderId ?? "" : "" },
    async submit({ name, folderId }) {
      const { data: copy } = await copyFile({
        path: { id: file.id },
        body: { folderId: folderId || null, ...(name.trim() ? { name: name.trim() } : {}) },
      });
      refresh("files", "folders", "storage");
      toast({ text: said.done.copied(copy.name) });
      onClose();
    },
  });
  const title = said.place.copyTitle(file.name);
  return (
    <Dialog
      open
      size="s"
      title={title}
      onClose={onClose}
      footer={<Buttons label={said.place.copy} busy={form.busy.value} onClose={onClose} />}
    >
      <Form form={form} id={FORM} label={title}>
        <TextField
          label={said.place.copyName}
          placeholder={file.name}
          autocomplete="off"
          autofocus
          {...form.field("name")}
        />
        {serves("folders") && (
          <FolderField
            label={said.place.target}
            folders={folders.data ?? []}
            {...form.field("folderId")}
          />
        )}
      </Form>
    </Dialog>
  );
}

// Moving files, one's own or others': into the folders of their owner.
import { type File as FileShown, listFiles, moveFile, moveFiles } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { Notice, Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { texts as common } from "../../parts/texts.ts";
import { together } from "../../state/batches.ts";
import { refresh, useQuery } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { FolderField, useFolders } from "./folder_field.tsx";
import { mayPlace } from "./rights.ts";
import { texts } from "./texts.ts";

const FORM = "move";

/** As many as the API lists at once. */
const MOST = 100;

async function readFiles(ids: readonly string[], signal: AbortSignal): Promise<FileShown[]> {
  const found: FileShown[] = [];
  for (let from = 0; from < ids.length; from += MOST) {
    const id = ids.slice(from, from + MOST);
    found.push(...(await listFiles({ query: { id, limit: MOST }, signal })).data);
  }
  return found;
}

interface MoveProps {
  readonly ids: readonly string[];
  /** Of one, the file itself. */
  readonly file?: FileShown;
  readonly onClose: (done: boolean) => void;
}

export function MoveFiles({ ids, file, onClose }: MoveProps) {
  const said = texts();
  const found = useQuery(
    ["files", "moving", ids],
    (signal) => readFiles(ids, signal),
    { enabled: file === undefined, keep: false },
  );
  const files = file ? [file] : found.data;
  const moving = files?.filter(mayPlace);
  const title = said.place.moveTitle(file?.name ?? said.place.files(ids.length));
  if (files && moving && moving.length > 0) {
    return <Moving title={title} file={file} files={files} moving={moving} onClose={onClose} />;
  }
  return (
    <Dialog open size="s" title={title} onClose={() => onClose(false)}>
      {found.error
        ? <Problem error={found.error} retry={found.refetch} compact />
        : files
        ? <p>{said.place.noneMovable}</p>
        : <Skeleton lines={2} />}
    </Dialog>
  );
}

function Moving({ title, file, files, moving, onClose }: Omit<MoveProps, "ids"> & {
  readonly title: string;
  readonly files: readonly FileShown[];
  readonly moving: readonly FileShown[];
}) {
  const { place, done: told } = texts();
  const owners = new Set(moving.map(({ ownerId }) => ownerId));
  const folders = useFolders(moving[0]!.ownerId);
  const staying = files.length - moving.length;
  const form = useForm({
    initial: { folderId: file?.folderId ?? "" },
    async submit({ folderId }) {
      const ids = moving.map(({ id }) => id);
      const moved = await moveInto(ids, file, folderId || null);
      refresh("files", "folders");
      if (moved > 0) toast({ text: told.moved(moved) });
      if (moved < ids.length) toast({ kind: "error", text: told.refused(ids.length - moved) });
      onClose(true);
    },
  });
  return (
    <Dialog
      open
      size="s"
      title={title}
      onClose={() => onClose(false)}
      footer={
        <>
          <Button onClick={() => onClose(false)}>{common().cancel}</Button>
          <Button type="submit" form={FORM} kind="primary" busy={form.busy.value}>
            {place.move}
          </Button>
        </>
      }
    >
      <Form form={form} id={FORM} label={title}>
        {owners.size > 1 && <Notice>{place.owners}</Notice>}
        {staying > 0 && <Notice>{place.staying(staying)}</Notice>}
        <FolderField
          label={place.target}
          folders={owners.size > 1 ? [] : folders.data ?? []}
          {...form.field("folderId")}
        />
      </Form>
    </Dialog>
  );
}

/** @returns How many were moved. */
async function moveInto(
  ids: readonly string[],
  file: FileShown | undefined,
  folderId: string | null,
): Promise<number> {
  if (file) {
    await moveFile({ path: { id: file.id }, body: { folderId } });
    return 1;
  }
  const { done } = await together("moved", (ids) => moveFiles({ body: { ids, folderId } }))(ids);
  return done.length;
}

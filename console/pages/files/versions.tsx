// The versions of a file: who made them when, going back to one, and making a new one.
import {
  deleteFileVersion,
  downloadFileVersion,
  type File as FileShown,
  type FileVersion,
  listFileVersions,
  type Person as PersonShown,
  restoreFileVersion,
} from "../../../client/mod.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { download } from "../../parts/csv.ts";
import { confirm } from "../../parts/dialog.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { fileSize, number } from "../../state/format.ts";
import { refresh, useQuery } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { useBusy } from "../../state/use_busy.ts";
import { mayDelete, mayEdit } from "./rights.ts";
import { fileTexts } from "./file_texts.ts";
import { texts } from "./texts.ts";
import { uploads } from "./upload_state.ts";
import { ChooseFiles } from "./upload_ways.tsx";

type Version = FileVersion & { readonly creator?: PersonShown };

/** As many are listed: the newest. */
const LISTED = 100;

export function Versions({ file }: { file: FileShown }) {
  const said = fileTexts().versions;
  const { id } = file;
  const found = useQuery<readonly Version[]>(["files", "versions", id], async (signal) => {
    const { data } = await listFileVersions({
      path: { id },
      query: { limit: LISTED, include: ["creator"] },
      signal,
    });
    return data;
  }, { keep: false });
  return (
    <Card
      title={said.title}
      actions={mayEdit() && (
        <ChooseFiles
          size="s"
          multiple={false}
          onChosen={(files) => uploads.add(files, { folderId: null, fileId: id })}
        >
          {texts().actions.newVersion}
        </ChooseFiles>
      )}
    >
      {found.data
        ? (
          <ul class="items">
            {found.data.map((version) => (
              <VersionItem key={version.version} file={file} version={version} />
            ))}
          </ul>
        )
        : found.error
        ? <Problem error={found.error} retry={() => found.refetch()} compact />
        : <Skeleton lines={3} />}
    </Card>
  );
}

function VersionItem({ file, version }: { file: FileShown; version: Version }) {
  const said = fileTexts().versions;
  const { busy, run } = useBusy();
  const path = { id: file.id, version: String(version.version) };
  const shown = number(version.version);
  const current = version.version === file.version;

  const save = () =>
    run(async () => {
      const content = await downloadFileVersion({ path, parseAs: "blob" });
      download(file.name, content as unknown as Blob);
    });
  const restore = () =>
    run(async () => {
      await restoreFileVersion({ path });
      refresh("files", "storage");
      toast({ text: said.restored(shown) });
    });
  const remove = () =>
    run(async () => {
      const { deleteText: text, delete: action } = said;
      const title = said.deleteTitle(shown);
      if (!await confirm({ title, text, action, danger: true })) return;
      await deleteFileVersion({ path });
      refresh("files", "storage");
      toast({ text: said.deleted(shown) });
    });

  return (
    <li class="item">
      <div class="item-words">
        <span class="row">
          <span class="strong">{said.version(shown)}</span>
          {current && <Badge tone="good">{said.current}</Badge>}
        </span>
        <span class="muted small">
          <Time at={version.createdAt} /> · {fileSize(version.size)}
          {version.creator && ` · ${said.by(version.creator.name)}`}
        </span>
      </div>
      {!current && mayEdit() && (
        <Button
          size="s"
          icon="restore"
          busy={busy}
          aria-label={said.restoreOf(shown)}
          onClick={() => void restore()}
        >
          {said.restore}
        </Button>
      )}
      <IconButton
        size="s"
        icon="download"
        label={said.downloadOf(shown)}
        onClick={() => void save()}
      />
      {!current && mayDelete(file) && (
        <IconButton
          size="s"
          icon="trash"
          label={said.deleteOf(shown)}
          onClick={() => void remove()}
        />
      )}
    </li>
  );
}

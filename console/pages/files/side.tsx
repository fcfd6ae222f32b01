// Beside the files: the places, the folders as a tree, and how much is stored.
import type { Folder, Storage } from "../../../client/mod.ts";
import { getStorageUsage } from "../../../client/mod.ts";
import { IconButton } from "../../parts/button.tsx";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { type Action, Menu } from "../../parts/menu.tsx";
import { Progress } from "../../parts/progress.tsx";
import { useKeptFocus } from "../../parts/use_kept_focus.ts";
import { fileSize } from "../../state/format.ts";
import { serves } from "../../state/place.ts";
import { useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { addressOf, type Place, PLACES, trailTo } from "./places.ts";
import { texts } from "./texts.ts";

interface SideProps {
  folders: readonly Folder[];
  /** Where one is: a place, or the id of a folder. */
  place: string;
  actionsOf: (folder: Folder) => readonly Action[];
  /** Makes a folder at the top; absent where one may not. */
  onCreate?: () => void;
}

const ICONS: Readonly<Record<Place, IconName>> = {
  all: "files",
  root: "user",
  shared: "share",
  favorites: "star",
};

export function placeNames(): Readonly<Record<Place, string>> {
  const { places } = texts();
  return {
    all: places.all,
    root: places.mine,
    // Who manages everyone's files sees those that nobody has shared, too.
    shared: can("files:*") ? places.others : places.shared,
    favorites: places.favorites,
  };
}

export function Side({ folders, place, actionsOf, onCreate }: SideProps) {
  const said = texts();
  const names = placeNames();
  const open = new Set(trailTo(folders, place).map(({ id }) => id));
  // The menu by which a folder is deleted goes with it.
  const kept = useKeptFocus<HTMLElement>();
  return (
    <nav class="file-side" aria-label={said.places.label} {...kept}>
      <ul class="file-places">
        {PLACES.map((one) => (
          <li key={one}>
            <a
              class="file-place"
              href={addressOf(one)}
              aria-current={one === place ? "page" : undefined}
            >
              <Icon name={ICONS[one]} />
              <span class="cut">{names[one]}</span>
            </a>
          </li>
        ))}
      </ul>
      {serves("folders") && (
        <>
          <div class="file-side-head">
            <h2>{said.places.folders}</h2>
            {onCreate && (
              <IconButton icon="plus" size="s" label={said.folder.add} onClick={onCreate} />
            )}
          </div>
          <Branch
            folders={folders}
            place={place}
            open={open}
            actionsOf={actionsOf}
          />
        </>
      )}
      {serves("storageUsage") && <StorageBar />}
    </nav>
  );
}

function Branch(
  { folders, place, open, actionsOf }: Pick<SideProps, "folders" | "place" | "actionsOf"> & {
    open: ReadonlySet<string>;
  },
) {
  const said = texts();
  if (folders.length === 0) return null;
  return (
    <ul class="file-places">
      {folders.map((folder) => (
        <li key={folder.id}>
          <span class="file-branch">
            <a
              class="file-place"
              href={addressOf(folder.id)}
              aria-current={folder.id === place ? "page" : undefined}
              title={said.places.count(folder.fileCount)}
            >
              <Icon name="folder" />
              <span class="cut">{folder.name}</span>
            </a>
            <FolderMenu folder={folder} actions={actionsOf(folder)} />
          </span>
          {open.has(folder.id) && (
            <Branch folders={folder.children} place={place} open={open} actionsOf={actionsOf} />
          )}
        </li>
      ))}
    </ul>
  );
}

export function FolderMenu({ folder, actions }: { folder: Folder; actions: readonly Action[] }) {
  if (actions.length === 0) return null;
  return (
    <Menu
      label={texts().folder.actions(folder.name)}
      icon="more"
      iconOnly
      align="end"
      button={{ size: "s" }}
      items={actions}
    />
  );
}

function StorageBar() {
  const said = texts().storage;
  const found = useQuery<Storage>(["storage"], async (signal) => {
    const { data } = await getStorageUsage({ signal });
    return data;
  });
  const { used = 0, total = 1, trash = 0 } = found.data ?? {};
  const part = used / total;
  return (
    <div class="file-storage">
      <Progress
        label={said.label}
        shown
        value={part}
        tone={part > 0.95 ? "bad" : part > 0.8 ? "warn" : "accent"}
      />
      <p class="muted small number">
        {found.data ? said.used(fileSize(used), fileSize(total)) : "…"}
      </p>
      {trash > 0 && <p class="muted small number">{said.trash(fileSize(trash))}</p>}
    </div>
  );
}

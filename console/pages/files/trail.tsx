// Where one is among the folders, and the folders in there.
import type { Folder } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { Action } from "../../parts/menu.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useKeptFocus } from "../../parts/use_kept_focus.ts";
import { addressOf, isPlace, PLACES, trailTo } from "./places.ts";
import { FolderMenu, placeNames } from "./side.tsx";
import { texts } from "./texts.ts";

interface TrailProps {
  /** Undefined as long as they were not read. */
  folders: readonly Folder[] | undefined;
  /** Where one is: a place, or the id of a folder. */
  place: string;
  actionsOf: (folder: Folder) => readonly Action[];
  /** Makes a folder here; absent where one may not. */
  onCreate?: () => void;
}

export function Trail({ folders: read, place, actionsOf, onCreate }: TrailProps) {
  const said = texts();
  const folders = read ?? [];
  const names = placeNames();
  const trail = trailTo(folders, place);
  const inside = place === "root" ? folders : trail.at(-1)?.children ?? [];
  const kept = useKeptFocus<HTMLDivElement>();
  return (
    <div class="file-above" {...kept}>
      <nav class="file-tabs" aria-label={said.places.label}>
        {PLACES.map((one) => (
          <a
            key={one}
            class="file-place"
            href={addressOf(one)}
            aria-current={one === place ? "page" : undefined}
          >
            {names[one]}
          </a>
        ))}
      </nav>
      {!read && place === "root" && <Skeleton block="5.5rem" />}
      {(place === "root" ? read : trail.length > 0) && (
        <div class="file-trail-line">
          <nav class="file-trail" aria-label={said.places.path}>
            <ol>
              <li>
                <a href={addressOf("root")} aria-current={place === "root" ? "page" : undefined}>
                  {names.root}
                </a>
              </li>
              {trail.map(({ id, name }) => (
                <li key={id}>
                  <Icon name="chevron-right" size={14} />
                  <a href={addressOf(id)} aria-current={id === place ? "page" : undefined}>
                    {name}
                  </a>
                </li>
              ))}
            </ol>
          </nav>
          {onCreate && (
            <Button size="s" kind="quiet" icon="plus" onClick={onCreate}>{said.folder.add}</Button>
          )}
        </div>
      )}
      {inside.length > 0 && !isOnlyPlace(place) && (
        <ul class="folder-tiles">
          {inside.map((folder) => (
            <li key={folder.id} class="folder-tile">
              <a class="folder-tile-link" href={addressOf(folder.id)}>
                <Icon name="folder" size={20} />
                <span class="folder-tile-words">
                  <span class="strong cut">{folder.name}</span>
                  <span class="muted small">{said.places.count(folder.fileCount)}</span>
                </span>
              </a>
              <FolderMenu folder={folder} actions={actionsOf(folder)} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Places in which folders do not matter. */
function isOnlyPlace(place: string): boolean {
  return isPlace(place) && place !== "root";
}

// Teams and folders whose deletion is under way, in pieces, and folders on their way into the trash or out of it: nobody
// sees them, nor what is in them.
import { chunks } from "../../core/chunks.ts";
import { andThen, type Awaitable } from "../../core/awaitable.ts";
import { MIB } from "../../core/units.ts";
import { type Deletion, deletions } from "../../models/deletions.ts";
import { folders } from "../../models/folders.ts";
import { trash } from "../../models/trash.ts";
import { everyMatch } from "../../storage/every_match.ts";
import { remembering } from "../../storage/memory/remembered.ts";
import type { Store } from "../../storage/port.ts";

type Source = Pick<Store, "from">;

/** Bytes that an id in a set takes, about. */
const ID_BYTES = 150;
const options = {
  maxBytes: MIB,
  bytesOf: (ids: ReadonlySet<string>) => ID_BYTES * ids.size,
};
const teamsOfStore = remembering<ReadonlySet<string>>([deletions], options);
const foldersOfStore = remembering<ReadonlySet<string>>([deletions, trash, folders], options);

/** Ids of the teams that are being deleted; mostly none. */
export function doomedTeams(source: Source): Awaitable<ReadonlySet<string>> {
  return teamsOfStore(source).through("", () => begun(source, "team"));
}

/** Ids of the folders that are being deleted, or moved into the trash or out of it, with those in them; mostly none. */
export function doomedFolders(source: Source): Awaitable<ReadonlySet<string>> {
  return foldersOfStore(source).through("", async () => {
    const doomed = new Set(await begun(source, "folder"));
    for (const { id } of await everyMatch(source, trash, { state: ["filling", "restoring"] })) {
      doomed.add(id);
    }
    for (let level: readonly string[] = [...doomed]; level.length > 0;) {
      const below: string[] = [];
      for (const parentId of chunks(level)) {
        for (const { id } of await everyMatch(source, folders, { parentId })) below.push(id);
      }
      for (const id of below) doomed.add(id);
      level = below;
    }
    return doomed;
  });
}

/** Whether a folder is being deleted, or is in one that is. */
export function isDoomedFolder(source: Source, id: string | undefined): Awaitable<boolean> {
  return andThen(doomedFolders(source), (doomed) => id !== undefined && doomed.has(id));
}

/** Which of the users and teams are being deleted. Read by id: a plan runs again where that begins meanwhile. */
export async function doomedAmong(
  source: Source,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await source.from(deletions).getMany(ids);
  return new Set(found.flatMap((deletion) => deletion?.id ?? []));
}

async function begun(source: Source, kind: Deletion["kind"]): Promise<ReadonlySet<string>> {
  const found = await everyMatch(source, deletions, {});
  return new Set(found.filter((deletion) => deletion.kind === kind).map(({ id }) => id));
}

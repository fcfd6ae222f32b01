// What shows again when a large folder is whole: it comes back from the trash in pieces, which nobody sees until then.
import { chunks } from "../../core/chunks.ts";
import { files } from "../../models/files.ts";
import { folders } from "../../models/folders.ts";
import { shares } from "../../models/shares.ts";
import { trash } from "../../models/trash.ts";
import { everyMatch } from "../../storage/every_match.ts";
import type { JournalChange, Store } from "../../storage/port.ts";
import { isOpen } from "../access/visibility.ts";
import type { Circle } from "./event.ts";
import { membersOf, usersIn } from "./sights.ts";

type Source = Pick<Store, "from">;

/** Files whose shares are read at a time: a folder may hold any number. */
const FILES_AT_A_TIME = 500;

/** Whether a change ends a restoration in pieces; one of a single commit is told record by record. */
export function endsRestoration({ collection, op, traits }: JournalChange): boolean {
  return collection === trash.name && op === "remove" && traits?.state === "restoring";
}

/**
 * Ids of the owner and of those to whom anything in the folder is shared.
 *
 * @param now ISO 8601: shares that have expired by then open nothing.
 */
export async function seersOfRestored(
  source: Source,
  { id, traits: { ownerId } = {} }: JournalChange,
  now: string,
): Promise<readonly string[]> {
  const users = new Set(ownerId === undefined ? [] : [ownerId]);
  const teams = new Set<string>();
  for await (const fileId of filesWithin(source, id)) {
    for (const share of await everyMatch(source, shares, { fileId })) {
      if (!isOpen(share, now)) continue;
      if (share.userId !== undefined) users.add(share.userId);
      if (share.teamId !== undefined) teams.add(share.teamId);
    }
  }
  const circle: Circle = { users, teams };
  return [...usersIn(circle, await membersOf(source, [...teams]))];
}

/** Ids of all files in a folder and in those within it, some at a time. */
async function* filesWithin(source: Source, folderId: string): AsyncGenerator<readonly string[]> {
  for (let level: readonly string[] = [folderId]; level.length > 0;) {
    const below: string[] = [];
    for (const some of chunks(level)) {
      yield* filesIn(source, some);
      for (const { id } of await everyMatch(source, folders, { parentId: some })) below.push(id);
    }
    level = below;
  }
}

async function* filesIn(
  source: Source,
  folderId: readonly string[],
): AsyncGenerator<readonly string[]> {
  const query = { where: { folderId }, limit: FILES_AT_A_TIME };
  let page = await source.from(files).list(query);
  for (;;) {
    if (page.rows.length > 0) yield page.rows.map(({ id }) => id);
    if (page.nextCursor === null) return;
    page = await source.from(files).list({ ...query, cursor: page.nextCursor });
  }
}

// Plans that change folders and what is in them, and keep them a tree.
import { chunks } from "../../core/chunks.ts";
import { conflict, forbidden, invalid } from "../../core/errors.ts";
import { type Destination, type File, files, fileVersions } from "../../models/files.ts";
import { type Folder, folders, slotOf } from "../../models/folders.ts";
import type { Transaction } from "../../storage/port.ts";
import type { Principal } from "../access/access.ts";
import { isDoomedFolder } from "../access/doomed.ts";
import { reachesFoldersOf } from "./folders.ts";
import { everyMatch } from "../../storage/every_match.ts";
import { PIECE, type Piece } from "../../storage/pieces.ts";

/** Folders within folders, at most. */
export const MAX_DEPTH = 32;

/**
 * The folder that something of `ownerId` goes into; null is the root. The folder is written without a change, so that
 * its deletion at the same time cannot pass as well.
 *
 * @param ownerId Null takes any folder the caller reaches; a path is then one in the caller's own tree.
 * @param field The name of the request's field that holds the id.
 * @throws {ApiError} VALIDATION_ERROR when there is none, FORBIDDEN when it is another owner's.
 */
export async function planDestination(
  tx: Transaction,
  principal: Principal,
  ownerId: string | null,
  { folderId, targetPath }: Destination,
  field = "folderId",
): Promise<Folder | null> {
  const folder = targetPath === undefined
    ? await folderById(tx, principal, folderId ?? null, field)
    : await folderByPath(tx, principal, ownerId ?? principal.user.id, targetPath);
  if (!folder) return null;
  if (ownerId !== null && folder.ownerId !== ownerId) {
    throw forbidden(`Cannot put this into '${folder.name}': the folder has another owner`);
  }
  tx.update(folders, folder, {});
  return folder;
}

async function folderById(
  tx: Transaction,
  principal: Principal,
  id: string | null,
  field: string,
): Promise<Folder | null> {
  if (id === null) return null;
  const folder = await tx.from(folders).get(id);
  const isGone = !folder || await isDoomedFolder(tx, folder.id);
  if (isGone || !reachesFoldersOf(principal, folder.ownerId)) {
    throw invalid(field, `there is no folder '${id}'`);
  }
  return folder;
}

async function folderByPath(
  tx: Transaction,
  principal: Principal,
  ownerId: string,
  path: string,
): Promise<Folder | null> {
  const reader = tx.from(folders);
  const isReached = reachesFoldersOf(principal, ownerId);
  let folder: Folder | null = null;
  for (const name of path.split("/").map((part) => part.trim()).filter(Boolean)) {
    const slot: string = slotOf(folder?.id, name);
    folder = isReached ? await reader.findBy("name", ownerId, slot) : null;
    if (!folder) throw invalid("targetPath", `there is no folder '${name}' in '${path}'`);
  }
  return folder;
}

/** The folder and those above it, from it upwards. Each is read by the plan, so that none moves meanwhile unnoticed. */
export async function lineage(tx: Transaction, folder: Folder | null): Promise<Folder[]> {
  const line: Folder[] = [];
  while (folder) {
    line.push(folder);
    folder = folder.parentId === undefined ? null : await tx.from(folders).get(folder.parentId);
  }
  return line;
}

/** All folders below, level by level from the top. */
export async function levelsBelow(tx: Transaction, folder: Folder): Promise<Folder[][]> {
  const levels: Folder[][] = [];
  for (let level: readonly Folder[] = [folder]; level.length > 0;) {
    const below: Folder[] = [];
    for (const parentId of chunks(level.map(({ id }) => id))) {
      below.push(...await everyMatch(tx, folders, { parentId }));
    }
    if (below.length > 0) levels.push(below);
    level = below;
  }
  return levels;
}

/** @throws {ApiError} VALIDATION_ERROR, FORBIDDEN, CONFLICT by way of the unique name. */
export async function planFolder(
  tx: Transaction,
  principal: Principal,
  { name, parentId }: { name: string; parentId?: string | null },
): Promise<Folder> {
  const ownerId = principal.user.id;
  const parent = await planDestination(tx, principal, ownerId, { folderId: parentId }, "parentId");
  assertDepth((await lineage(tx, parent)).length + 1);
  const slot = slotOf(parent?.id, name);
  return tx.insert(folders, { name, parentId: parent?.id, ownerId, slot });
}

/** Renames a folder, or moves it with all that is in it. */
export async function planFolderChange(
  tx: Transaction,
  principal: Principal,
  folder: Folder,
  { name = folder.name, to, field }: { name?: string; to?: Destination; field?: string },
): Promise<Folder> {
  if (!to) return tx.update(folders, folder, { name, slot: slotOf(folder.parentId, name) });
  const parent = await planDestination(tx, principal, folder.ownerId, to, field);
  const above = await lineage(tx, parent);
  if (above.some(({ id }) => id === folder.id)) {
    throw conflict(`Cannot move '${folder.name}' into itself`);
  }
  assertDepth(above.length + 1 + (await levelsBelow(tx, folder)).length);
  return tx.update(folders, folder, {
    name,
    parentId: parent?.id,
    slot: slotOf(parent?.id, name),
  });
}

function assertDepth(depth: number): void {
  if (depth > MAX_DEPTH) {
    throw invalid("parentId", `folders go at most ${MAX_DEPTH} deep, this would be ${depth}`);
  }
}

/**
 * Where a folder is that is deleted or restored in pieces, until it is gone or whole: in no other folder, whose deletion
 * meanwhile would meet the half of it, and under a name that nobody can give.
 */
export function apart(id: string): Pick<Folder, "parentId" | "slot"> {
  return { parentId: undefined, slot: slotOf(id, "") };
}

/** What becomes of what a folder holds when it goes. */
export interface Ending {
  /** Plans that files go. */
  files(tx: Transaction, going: readonly File[]): Promise<void>;
  /** Told of each folder that goes. */
  folder?(folder: Folder): void;
}

/**
 * Plans as much of the end of a folder as the piece has room for, from the deepest folders upwards.
 *
 * @returns Whether the folder itself is gone with it.
 */
export async function planFolderPiece(
  tx: Transaction,
  piece: Piece,
  folder: Folder,
  ending: Ending,
): Promise<boolean> {
  const where = { parentId: folder.id };
  const { rows, nextCursor } = await tx.from(folders).list({ where, limit: PIECE });
  for (const inner of rows) {
    if (piece.full || !await planFolderPiece(tx, piece, inner, ending)) return false;
  }
  if (nextCursor !== null) return false;
  const taken = await piece.take(tx, files, { folderId: folder.id });
  const doomed = await withFewVersions(tx, taken);
  await ending.files(tx, doomed);
  if (doomed.length < taken.length || !piece.whole || !piece.takeOne()) return false;
  tx.remove(folders, folder);
  ending.folder?.(folder);
  return true;
}

/** The first of the files, at least one, that have together no more versions than a piece has records. */
async function withFewVersions(tx: Transaction, found: readonly File[]): Promise<readonly File[]> {
  if (found.length === 0) return found;
  const where = { fileId: found.map(({ id }) => id) };
  const groups = await tx.from(fileVersions).aggregate({ by: "fileId", where });
  const counts = new Map(groups.map(({ key, count }) => [key, count]));
  let versions = 0;
  const end = found.findIndex(({ id }, n) => (versions += counts.get(id) ?? 0) > PIECE && n > 0);
  return end < 0 ? found : found.slice(0, end);
}

/**
 * Plans the end of a folder that holds nothing, and of nothing else: what another process has put into it a moment ago
 * lists may not show yet, and it must not go too. The commit fails then.
 *
 * @throws {ApiError} CONFLICT when the folder holds anything.
 */
export async function planEmptyFolderEnd(tx: Transaction, folder: Folder): Promise<void> {
  await assertEmpty(tx, folder);
  tx.remove(folders, folder);
}

async function assertEmpty(tx: Transaction, folder: Folder): Promise<void> {
  const below = (await levelsBelow(tx, folder)).flat();
  let contained = 0;
  for (const folderId of chunks([folder, ...below].map(({ id }) => id))) {
    contained += await tx.from(files).count({ folderId });
  }
  if (below.length + contained === 0) return;
  throw conflict(
    `Cannot delete '${folder.name}': it holds ${contained} files and ${below.length} folders; ` +
      "delete them too with ?recursive=true",
  );
}

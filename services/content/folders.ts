// Folders as they are shown: who sees them, their paths, and the tree of an owner.
import { notFound } from "../../core/errors.ts";
import { sha256 } from "../../core/hashing.ts";
import { files } from "../../models/files.ts";
import { type Folder, folders, type PublicFolder, publicFolder } from "../../models/folders.ts";
import type { Store } from "../../storage/port.ts";
import { manages, type Principal } from "../access/access.ts";
import { doomedFolders, isDoomedFolder } from "../access/doomed.ts";
import { everyMatch } from "../../storage/every_match.ts";

type Source = Pick<Store, "from">;

/** True when the caller sees and changes what is in the owner's folders. */
export function reachesFoldersOf(principal: Principal, ownerId: string): boolean {
  return ownerId === principal.user.id || manages(principal, "files");
}

/**
 * Paths of folders by id, without a slash at the end. Reads go up level by level, all folders of a level at once.
 */
export async function folderPaths(
  source: Source,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  /** The folders and all above them, by id. */
  const lineage = new Map<string, Folder>();
  for (let level = [...new Set(ids)]; level.length > 0;) {
    const found = (await source.from(folders).getMany(level)).filter((folder) => folder !== null);
    for (const folder of found) lineage.set(folder.id, folder);
    const parents = found.flatMap((folder) => folder.parentId ?? []);
    level = [...new Set(parents)].filter((id) => !lineage.has(id));
  }
  const paths = new Map<string, string>();
  const pathOf = (id: string | undefined): string => {
    const folder = lineage.get(id ?? "");
    if (!folder) return "";
    const path = paths.get(folder.id) ?? `${pathOf(folder.parentId)}/${folder.name}`;
    paths.set(folder.id, path);
    return path;
  };
  for (const id of ids) pathOf(id);
  return paths;
}

/** The owner's folders by id, each with those in it, by name; and the topmost ones. */
export async function folderTree(
  source: Source,
  ownerId: string,
): Promise<{ roots: PublicFolder[]; byId: ReadonlyMap<string, PublicFolder> }> {
  const [owned, counts, doomed] = await Promise.all([
    everyMatch(source, folders, { ownerId }),
    source.from(files).aggregate({ by: "folderId", where: { ownerId } }),
    doomedFolders(source),
  ]);
  const all = owned.filter(({ id }) => !doomed.has(id));
  const fileCount = new Map(counts.map((group) => [group.key, group.count]));
  const byId = new Map(all.map((folder) => [
    folder.id,
    { ...folder, path: "", fileCount: fileCount.get(folder.id) ?? 0, children: [] } as PublicFolder,
  ]));
  const roots: PublicFolder[] = [];
  for (const node of byId.values()) (byId.get(node.parentId ?? "")?.children ?? roots).push(node);
  const finish = (nodes: PublicFolder[], above: string) => {
    nodes.sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
    for (const node of nodes) {
      node.path = `${above}/${node.name}`;
      finish(node.children, node.path);
    }
  };
  finish(roots, "");
  return { roots, byId };
}

/** Fields of a folder that are shown. */
const SHOWN = Object.keys(publicFolder.shape);

/** A folder and the version of what is shown of it, which changes with its path and with what is below it too. */
export async function shownFolder(
  source: Source,
  { id, ownerId, rev }: Folder,
): Promise<{ data: PublicFolder | undefined; etag: string }> {
  const data = (await folderTree(source, ownerId)).byId.get(id);
  // By the list of fields their order is always the same, at every depth.
  return { data, etag: data ? `${rev}.${sha256(JSON.stringify(data, SHOWN)).slice(0, 12)}` : rev };
}

/**
 * The folder of a path parameter.
 *
 * @throws {ApiError} NOT_FOUND
 */
export async function folderFor(
  source: Source,
  principal: Principal,
  id: string,
): Promise<Folder> {
  const folder = await source.from(folders).get(id);
  const isGone = !folder || await isDoomedFolder(source, id);
  if (isGone || !reachesFoldersOf(principal, folder.ownerId)) throw notFound("folder");
  return folder;
}

// Where what comes back from the trash is to be: where it was, under a name that is free there.
import { type Folder, folders, slotOf } from "../../models/folders.ts";
import { numbered } from "../../models/names.ts";
import type { TrashEntry } from "../../models/trash.ts";
import type { Transaction } from "../../storage/port.ts";
import { isDoomedFolder } from "../access/doomed.ts";
import { apart, lineage, MAX_DEPTH } from "./folder_plans.ts";

export interface Place {
  readonly name: string;
  readonly parentId: string | undefined;
  /** What they make of the record. */
  readonly fields: Readonly<Record<string, unknown>>;
}

type Placed = Pick<TrashEntry, "kind" | "name" | "ownerId" | "parentId" | "levels">;

/**
 * Where an entry goes: to the root where the folder that it was in is gone, and a folder under a name with a number where
 * the name is taken. The folder that it is in is written, so that its deletion at the same time cannot pass as well.
 */
export async function planPlace(tx: Transaction, entry: Placed): Promise<Place> {
  const parent = await parentFor(tx, entry);
  if (parent) tx.update(folders, parent, {});
  const { kind, name, ownerId } = entry;
  const parentId = parent?.id;
  if (kind === "document") return { name, parentId, fields: {} };
  if (kind === "file") return { name, parentId, fields: { folderId: parentId } };
  for (let n = 1;; n++) {
    const free = n === 1 ? name : numbered(name, n);
    const slot = slotOf(parentId, free);
    if (await tx.from(folders).findBy("name", ownerId, slot)) continue;
    return { name: free, parentId, fields: { name: free, parentId, slot } };
  }
}

async function parentFor(
  tx: Transaction,
  { parentId, ownerId, levels }: Placed,
): Promise<Folder | null> {
  if (parentId === undefined) return null;
  const parent = await tx.from(folders).get(parentId);
  if (!parent || parent.ownerId !== ownerId || await isDoomedFolder(tx, parent.id)) return null;
  return (await lineage(tx, parent)).length + levels > MAX_DEPTH ? null : parent;
}

/** Plans that a folder which came back in pieces is where it is to be. */
export async function planPlacing(tx: Transaction, entry: TrashEntry): Promise<void> {
  const folder = await tx.from(folders).get(entry.id);
  // An earlier version put it there with the first piece.
  if (folder?.slot !== apart(entry.id).slot) return;
  const { fields } = await planPlace(tx, { ...entry, ownerId: folder.ownerId });
  tx.update(folders, folder, fields);
}

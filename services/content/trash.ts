// The trash: what is deleted leaves its collections and is kept as text, until it is restored, purged, or too old.
import type { Settings } from "../../config/settings.ts";
import { delay } from "../../core/delay.ts";
import { DAY, SECOND } from "../../core/units.ts";
import { auditLog } from "../../models/audit.ts";
import { documents } from "../../models/documents.ts";
import { type File, files, fileVersions } from "../../models/files.ts";
import { type Folder, folders } from "../../models/folders.ts";
import { documentRevisions } from "../../models/revisions.ts";
import { shares } from "../../models/shares.ts";
import { trash, type TrashEntry, trashParts } from "../../models/trash.ts";
import { auditEntry } from "../../storage/audit.ts";
import { everyMatch } from "../../storage/every_match.ts";
import { Piece } from "../../storage/pieces.ts";
import type { Actor, Store, Transaction, Where } from "../../storage/port.ts";
import type { Principal } from "../access/access.ts";
import { bundleOf, planBundle, planRestored, type Removed, removed } from "./bundles.ts";
import { Ledger, removeBlobs } from "./contents.ts";
import type { Begun } from "./deletions.ts";
import { planFilesRemoval, versionsIn } from "./file_plans.ts";
import { apart, levelsBelow, planEmptyFolderEnd, planFolderPiece } from "./folder_plans.ts";
import { folderPaths } from "./folders.ts";
import { type Place, planPlace, planPlacing } from "./restored_places.ts";

/** Who deletes, and for how many days that can be undone. */
export interface Disposal {
  readonly actorId: string;
  /** From 1. */
  readonly days: number;
}

/** @returns Null: what is deleted ends for good. */
export function disposalOf(
  { user }: Principal,
  { trashDays: days }: Pick<Settings, "trashDays">,
  permanent = false,
): Disposal | null {
  return permanent || days === 0 ? null : { actorId: user.id, days };
}

type NewEntry = Pick<TrashEntry, "id" | "kind" | "name" | "ownerId" | "path" | "parentId">;

/** Plans an entry whose first bundle holds these records. */
export async function planEntry(
  tx: Transaction,
  entry: NewEntry & Partial<Pick<TrashEntry, "state" | "levels">>,
  records: readonly Removed[],
  { actorId, days }: Disposal,
): Promise<void> {
  tx.insert(trash, {
    state: "kept",
    levels: 0,
    ...entry,
    ...weightOf(records, entry.ownerId),
    bundles: 1,
    deletedBy: actorId,
    expiresAt: new Date(Date.parse(tx.now) + days * DAY).toISOString(),
  });
  await planBundle(tx, { entryId: entry.id, bundle: 0 }, records, entry.ownerId);
}

/** The collections whose records count for a quota: see services/quotas. */
const COUNTED: ReadonlySet<string> = new Set(
  [documents, folders, fileVersions, shares].map(({ name }) => name),
);

/** What records count for their owner. */
function weightOf(all: readonly Removed[], ownerId: string) {
  const weight = { records: 0, size: 0, written: 0 };
  for (const { collection, record } of all) {
    // Absent in what is kept: the owner's.
    const holder = record.ownerId ?? record.createdBy ?? ownerId;
    if (COUNTED.has(collection) && holder === ownerId) weight.records++;
    if (collection === files.name) weight.size += record.totalSize as number;
    if (collection === documents.name) {
      weight.size += record.size as number;
      weight.written += record.size as number;
    }
  }
  return weight;
}

/** Plans that files go into the trash, each by itself. */
export async function planFilesTrash(
  tx: Transaction,
  going: readonly File[],
  disposal: Disposal,
): Promise<void> {
  const paths = await folderPaths(tx, going.flatMap(({ folderId }) => folderId ?? []));
  const records = Map.groupBy(
    await planFilesRemoval(tx, going),
    ({ collection, record }) => (collection === files.name ? record.id : record.fileId) as string,
  );
  for (const { id, name, ownerId, folderId: parentId } of going) {
    const path = `${paths.get(parentId ?? "") ?? ""}/${name}`;
    const entry = { id, kind: "file" as const, name, ownerId, path, parentId };
    await planEntry(tx, entry, records.get(id)!, disposal);
  }
}

/**
 * Plans that a folder goes into the trash with all that is in it. Where that is too much for one commit, nobody sees it
 * from then on, and `finishTrash` does the rest.
 *
 * @param recursive Otherwise it must be empty.
 * @throws {ApiError} CONFLICT when it is not.
 */
export async function planFolderTrash(
  tx: Transaction,
  folder: Folder,
  disposal: Disposal,
  recursive: boolean,
): Promise<Begun> {
  const { id, name, ownerId, parentId } = folder;
  const path = (await folderPaths(tx, [id])).get(id)!;
  const levels = 1 + (await levelsBelow(tx, folder)).length;
  if (!recursive) await planEmptyFolderEnd(tx, folder);
  const { records, whole } = recursive
    ? await takeFolderPiece(tx, folder)
    : { records: [removed(folders, folder)], whole: true };
  const state = whole ? "kept" : "filling";
  const entry = { id, kind: "folder" as const, name, ownerId, path, parentId, levels, state };
  await planEntry(tx, entry as NewEntry, records, disposal);
  // Its name is free at once.
  if (!whole) tx.update(folders, folder, apart(id));
  return { unfinished: !whole, unused: [] };
}

async function takeFolderPiece(tx: Transaction, folder: Folder) {
  const records: Removed[] = [];
  const whole = await planFolderPiece(tx, new Piece(), folder, {
    async files(tx, going) {
      records.push(...await planFilesRemoval(tx, going));
    },
    folder: (gone) => records.push(removed(folders, gone)),
  });
  return { records, whole };
}

/** Revisions removed in one commit: each may hold half a mebibyte. */
export const FEW_REVISIONS = 10;

/** Plans that the first revisions of a document end. @returns Whether none is left. */
export async function planRevisionsEnd(tx: Transaction, documentId: string): Promise<boolean> {
  const query = { where: { documentId }, limit: FEW_REVISIONS };
  const { rows, nextCursor } = await tx.from(documentRevisions).list(query);
  for (const revision of rows) tx.remove(documentRevisions, revision);
  return nextCursor === null;
}

/** Where an entry is again; unfinished, where it was. */
export type Restored = Begun & Omit<Place, "fields">;

/**
 * Plans that an entry goes back to where it was, see `planPlace`. What is too much for one commit `finishTrash` brings back,
 * and puts there at the end; nobody sees it until then.
 */
export async function planRestoration(tx: Transaction, entry: TrashEntry): Promise<Restored> {
  const whole = entry.bundles === 1;
  const { fields, ...place } = whole
    ? await planPlace(tx, entry)
    : { name: entry.name, parentId: entry.parentId, fields: apart(entry.id) };
  await planRestoredBundle(tx, entry, fields);
  return { unfinished: !whole, unused: [], ...place };
}

/** Plans that the last bundle of an entry goes back. @returns Whether it was the only one left. */
async function planRestoredBundle(
  tx: Transaction,
  entry: TrashEntry,
  place: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const { records, parts } = await bundleOf(tx, entry.id, entry.bundles - 1);
  await planRestored(tx, entry, records, place);
  for (const part of parts) tx.remove(trashParts, part);
  const bundles = entry.bundles - 1;
  if (bundles === 0) {
    tx.remove(trash, entry);
    return true;
  }
  const left = leftOf(entry, records);
  tx.update(trash, entry, { ...left, bundles, state: "restoring" });
  return false;
}

function leftOf(entry: TrashEntry, gone: readonly Removed[]) {
  const { records, size, written } = weightOf(gone, entry.ownerId);
  return {
    records: Math.max(0, entry.records - records),
    size: entry.size - size,
    written: entry.written - written,
  };
}

/**
 * Plans that an entry ends for good, or as much of that as one commit holds.
 *
 * @param ledger The caller writes it last.
 * @param actor For the audit log.
 * @returns Whether it is whole: else call `finishTrash`.
 */
export async function planPurge(
  tx: Transaction,
  ledger: Ledger,
  entry: TrashEntry,
  actor: Actor,
): Promise<boolean> {
  const act = { action: "purge", target: `${entry.kind}s`, targetId: entry.id };
  tx.insert(auditLog, auditEntry(actor, { ...act, targetName: entry.name }));
  return await planPurgePiece(tx, ledger, entry);
}

async function planPurgePiece(
  tx: Transaction,
  ledger: Ledger,
  entry: TrashEntry,
): Promise<boolean> {
  const bundles = Math.max(0, entry.bundles - 1);
  const { records, parts } = entry.bundles === 0
    ? { records: [], parts: [] }
    : await bundleOf(tx, entry.id, bundles);
  for (const version of versionsIn(records)) ledger.drop(entry.ownerId, version);
  for (const part of parts) tx.remove(trashParts, part);
  const isWhole = bundles === 0 &&
    (entry.kind !== "document" || await planRevisionsEnd(tx, entry.id));
  if (isWhole) tx.remove(trash, entry);
  else tx.update(trash, entry, { ...leftOf(entry, records), bundles, state: "purging" });
  return isWhole;
}

/** Plans the next piece of an entry that is on its way. */
async function planPiece(tx: Transaction, entry: TrashEntry): Promise<Begun> {
  if (entry.state === "purging") {
    const ledger = new Ledger();
    const unfinished = !await planPurgePiece(tx, ledger, entry);
    return { unfinished, unused: await ledger.write(tx, Infinity) };
  }
  if (entry.state === "restoring") {
    const whole = await planRestoredBundle(tx, entry, {});
    if (whole) await planPlacing(tx, entry);
    return { unfinished: !whole, unused: [] };
  }
  if (entry.state === "kept") return { unfinished: false, unused: [] };
  const folder = await tx.from(folders).get(entry.id);
  if (!folder) throw new Error(`Cannot fill the trash: folder ${entry.id} is gone`);
  const { records, whole } = await takeFolderPiece(tx, folder);
  const added = weightOf(records, entry.ownerId);
  tx.update(trash, entry, {
    state: whole ? "kept" : "filling",
    bundles: entry.bundles + 1,
    records: entry.records + added.records,
    size: entry.size + added.size,
  });
  await planBundle(tx, { entryId: entry.id, bundle: entry.bundles }, records, entry.ownerId);
  return { unfinished: !whole, unused: [] };
}

/** Does the pieces that are left of what happens to an entry. Others write in between. */
export async function finishTrash(store: Store, id: string, actorId: string | null): Promise<void> {
  for (let left = true; left;) {
    const unused = await store.transact({ userId: actorId }, async (tx) => {
      const entry = await tx.from(trash).get(id);
      const done = entry ? await planPiece(tx, entry) : null;
      left = done?.unfinished ?? false;
      return done?.unused ?? [];
    });
    await removeBlobs(store.blobs, unused);
    await delay();
  }
}

/** Milliseconds after its last piece until an entry counts as left on its way by a process that ended. */
const ABANDONED = 5 * SECOND;

/** Finishes what was left unfinished by processes that ended. */
export async function finishAbandonedTrash(store: Store, now: Date): Promise<void> {
  const updatedAt = { lt: new Date(now.getTime() - ABANDONED).toISOString() };
  const state = ["filling", "restoring", "purging"];
  for (const entry of await everyMatch(store, trash, { state, updatedAt })) {
    await finishTrash(store, entry.id, entry.deletedBy ?? null);
  }
}

/** Entries that one commit of many purges. */
const BATCH = 10;

/** What one commit has purged. */
interface Purged {
  readonly ids: readonly string[];
  /** Ids of the entries that `finishTrash` has to end. */
  readonly unfinished: readonly string[];
  /** Ids of the blobs that nothing refers to any more: remove them. */
  readonly unused: readonly string[];
}

/** Plans that the first entries that match are purged. */
export async function planPurges(
  tx: Transaction,
  where: Where<TrashEntry>,
  actor: Actor,
): Promise<Purged> {
  const query = { where: { ...where, state: "kept" }, sort: "createdAt", limit: BATCH };
  const { rows } = await tx.from(trash).list(query);
  const ids = rows.map(({ id }) => id);
  const unfinished: string[] = [];
  const ledger = new Ledger();
  for (const entry of await tx.from(trash).getMany(ids)) {
    if (entry?.state !== "kept") continue;
    if (!await planPurge(tx, ledger, entry, actor)) unfinished.push(entry.id);
  }
  return { ids, unfinished, unused: await ledger.write(tx, Infinity) };
}

/** Does what is left of a purge once it is committed. */
export async function finishPurge(
  store: Store,
  { unused, unfinished }: Pick<Purged, "unused" | "unfinished">,
  actorId: string | null,
): Promise<void> {
  await removeBlobs(store.blobs, unused);
  for (const id of unfinished) await finishTrash(store, id, actorId);
}

/** Purges what has been in the trash for its time. */
export async function sweepTrash(store: Store, now: Date): Promise<void> {
  const where = { expiresAt: { lte: now.toISOString() } };
  const actor = { userId: null };
  for (let found = BATCH; found === BATCH;) {
    const purged = await store.transact(actor, (tx) => planPurges(tx, where, actor));
    await finishPurge(store, purged, null);
    found = purged.ids.length;
  }
}

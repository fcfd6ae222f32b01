// How documents end: into the trash, or for good.
import { conflict } from "../../core/errors.ts";
import { MIB } from "../../core/units.ts";
import type { Document } from "../../models/documents.ts";
import { documentRevisions } from "../../models/revisions.ts";
import { trash } from "../../models/trash.ts";
import type { Transaction } from "../../storage/port.ts";
import { planDocumentsRemoval } from "./documents.ts";
import { type Disposal, FEW_REVISIONS, planEntry, planRevisionsEnd } from "./trash.ts";

/** Bytes of documents that end in one commit, at most; one alone always does. */
const MAX_TOGETHER = 4 * MIB;

/**
 * Plans that documents go into the trash, each by itself, or end for good.
 *
 * @param disposal Null: they end for good.
 * @returns Ids that `finishTrash` has to end once this is committed.
 * @throws {ApiError} CONFLICT when several are too large together.
 */
export async function planDocumentsEnd(
  tx: Transaction,
  going: readonly Document[],
  { actorId, disposal }: { readonly actorId: string; readonly disposal: Disposal | null },
): Promise<readonly string[]> {
  const bytes = going.reduce((sum, { size }) => sum + size, 0);
  if (going.length > 1 && bytes > MAX_TOGETHER) {
    const limit = `at most ${MAX_TOGETHER} are deleted together`;
    throw conflict(`These documents have ${bytes} bytes: ${limit}`);
  }
  if (!disposal) return await planDocumentsDeletion(tx, going, actorId);
  const records = Map.groupBy(
    await planDocumentsRemoval(tx, going),
    // A document has its own id, and so have its views.
    ({ record }) => (record.documentId ?? record.id) as string,
  );
  for (const { id, title: name, ownerId, folder = "" } of going) {
    const entry = { id, kind: "document" as const, name, ownerId, path: `${folder}/${name}` };
    await planEntry(tx, entry, records.get(id)!, disposal);
  }
  return [];
}

/** Plans that documents end for good. Revisions that are too many for one commit are left to `finishTrash`. */
async function planDocumentsDeletion(
  tx: Transaction,
  doomed: readonly Document[],
  actorId: string,
): Promise<readonly string[]> {
  await planDocumentsRemoval(tx, doomed);
  const where = { documentId: doomed.map(({ id }) => id) };
  const counts = await tx.from(documentRevisions).aggregate({ by: "documentId", where });
  const revisions = new Map(counts.map(({ key, count }) => [key, count]));
  const unfinished: string[] = [];
  let room = FEW_REVISIONS;
  for (const document of doomed) {
    const kept = revisions.get(document.id) ?? 0;
    if (kept === 0) continue;
    room -= kept;
    if (room >= 0 && await planRevisionsEnd(tx, document.id)) continue;
    room = 0;
    planPurgeBegin(tx, document, actorId);
    unfinished.push(document.id);
  }
  return unfinished;
}

function planPurgeBegin(
  tx: Transaction,
  { id, title: name, ownerId }: Document,
  actorId: string,
): void {
  tx.insert(trash, {
    id,
    kind: "document",
    name,
    ownerId,
    deletedBy: actorId,
    path: `/${name}`,
    state: "purging",
    bundles: 0,
    levels: 0,
    records: 0,
    size: 0,
    written: 0,
    expiresAt: tx.now,
  });
}

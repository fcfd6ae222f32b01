// Bulk inserts: batches that fill a commit, several on their way at a time.
import type { Change, CollectionDeclaration, Entity, Store } from "../storage/port.ts";
import { KIB } from "../core/units.ts";

/** Characters of JSON in a batch: less than half of a commit's 800 KiB, since a character may take two bytes. */
const BATCH_LENGTH = 300 * KIB;
const BATCHES_ON_THEIR_WAY = 4;

/**
 * How many records were loaded.
 *
 * @param maxChecks How many checks a commit of the store may have.
 */
export async function loadRecords<T extends Entity>(
  store: Pick<Store, "commit">,
  collection: CollectionDeclaration<T>,
  records: Iterable<Omit<T, "rev">> | AsyncIterable<Omit<T, "rev">>,
  maxChecks: number,
): Promise<number> {
  // Each record takes one check, and one more for each unique key; one check is left for the lease of a shared store.
  const checks = 1 + Object.keys(collection.unique).length;
  const maxRecords = Math.max(1, Math.floor((maxChecks - 1) / checks));
  const onTheirWay = new Set<Promise<unknown>>();
  let batch: Change[] = [];
  let length = 0;
  let loaded = 0;
  const failures: unknown[] = [];
  const send = async () => {
    while (onTheirWay.size >= BATCHES_ON_THEIR_WAY) await Promise.race(onTheirWay);
    const sent: Promise<unknown> = store.commit(batch, { actor: { userId: null } })
      .catch((error) => void failures.push(error))
      .finally(() => onTheirWay.delete(sent));
    onTheirWay.add(sent);
    batch = [];
    length = 0;
  };
  try {
    for await (const record of records) {
      const size = JSON.stringify(record).length;
      if (batch.length === maxRecords || (length > 0 && length + size > BATCH_LENGTH)) await send();
      if (failures.length > 0) break;
      batch.push({
        kind: "insert",
        collection: collection.name,
        after: { ...record, rev: "" } as unknown as Entity,
      });
      length += size;
      loaded++;
    }
    if (batch.length > 0) await send();
  } finally {
    await Promise.all(onTheirWay);
  }
  if (failures.length > 0) throw failures[0];
  return loaded;
}

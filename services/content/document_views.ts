// Counts how often documents are opened: kept in memory, written in batches.
import { BoundedMap } from "../../core/bounded_map.ts";
import { MINUTE } from "../../core/units.ts";
import { documents, documentViews } from "../../models/documents.ts";
import type { Store } from "../../storage/port.ts";

export interface DocumentViewCounter {
  /**
   * Somebody reads the document: a view.
   *
   * @param again Whether they ask only if it is still what they have: no view then, if they read it within half an hour.
   */
  open(documentId: string, readerId: string, again?: boolean): void;
  /** Whether any document was, since the last write. */
  areOpened(): boolean;
  /** How often since the last write. */
  pending(documentId: string): number;
  /** Writes what was counted; what cannot be written stays counted. */
  flush(): Promise<void>;
}

/** Documents written per commit: each costs two checks and a record, and a KV commit has room for 100 checks. */
const BATCH = 40;

/** Milliseconds without a reading after which each counts: until then pages read again whenever something changes. */
const PAUSE = 30 * MINUTE;
/** Readings that are remembered, by this process alone; of more, the oldest may count twice. */
const REMEMBERED = 20_000;

export function createDocumentViewCounter(store: Store, clock: () => Date): DocumentViewCounter {
  const counted = new Map<string, number>();
  const lastReadings = new BoundedMap<string, number>(REMEMBERED);
  let running: Promise<void> | null = null;

  function add(id: string, views: number): void {
    const sum = (counted.get(id) ?? 0) + views;
    if (sum > 0) counted.set(id, sum);
    else counted.delete(id);
  }

  async function write(): Promise<void> {
    while (counted.size > 0) {
      const batch = [...counted].slice(0, BATCH);
      await addViews(store, new Map(batch));
      for (const [id, views] of batch) add(id, -views);
    }
  }

  return {
    open(id, readerId, again = false) {
      const key = `${readerId} ${id}`;
      const now = clock().getTime();
      const before = lastReadings.get(key);
      lastReadings.set(key, now);
      if (!again || before === undefined || now - before >= PAUSE) add(id, 1);
    },
    areOpened: () => counted.size > 0,
    pending: (id) => counted.get(id) ?? 0,
    flush: () => running ??= write().finally(() => running = null),
  };
}

async function addViews(store: Store, batch: ReadonlyMap<string, number>): Promise<void> {
  const ids = [...batch.keys()];
  await store.transact({ userId: null }, async (tx) => {
    const opened = await tx.from(documents).getMany(ids);
    const known = await tx.from(documentViews).getMany(ids);
    ids.forEach((id, n) => {
      const views = batch.get(id)!;
      const before = known[n];
      if (!opened[n]) return;
      if (before) tx.update(documentViews, before, { views: before.views + views });
      else tx.insert(documentViews, { id, views });
    });
  });
}

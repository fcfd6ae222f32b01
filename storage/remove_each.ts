// Removes every record that matches, some at a time, so that others can write in between.
import type { CollectionDeclaration, Entity, Store, Where } from "./port.ts";

/** Records removed per commit. */
const BATCH = 50;

/** @param goes Whether a record that was listed is still to be removed. */
export async function removeEach<T extends Entity>(
  store: Store,
  collection: CollectionDeclaration<T>,
  where: Where<T>,
  goes: (record: T) => boolean,
): Promise<void> {
  for (;;) {
    const { rows } = await store.from(collection).list({ where, limit: BATCH });
    const removed = await store.transact({ userId: null }, async (tx) => {
      const found = await tx.from(collection).getMany(rows.map((row) => row.id));
      const going = found.filter((record) => record !== null && goes(record)) as T[];
      for (const record of going) tx.remove(collection, record);
      return going.length;
    });
    if (removed === 0 || rows.length < BATCH) return;
  }
}

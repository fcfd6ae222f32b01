// Removes what has expired: sessions, reset links, remembered answers, and bytes that no file owns.
import { contents } from "../models/files.ts";
import { idempotentAnswers } from "../models/idempotency.ts";
import { passwordResets, sessions } from "../models/sessions.ts";
import type { CollectionDeclaration, Entity, Store, Where } from "../store.ts";

/** Records removed per commit. */
const BATCH = 50;
/** Milliseconds that an upload may take before its bytes count as left behind. */
const ORPHAN_AGE = 24 * 60 * 60 * 1000;

/** One pass over everything that expires. */
export async function sweep(store: Store, now: Date): Promise<void> {
  await removeExpired(store, sessions, now);
  await removeExpired(store, passwordResets, now);
  await removeExpired(store, idempotentAnswers, now);
  await removeOrphans(store, now);
}

async function removeExpired<T extends Entity & { expiresAt: string }>(
  store: Store,
  collection: CollectionDeclaration<T>,
  now: Date,
): Promise<void> {
  const where = { expiresAt: { lt: now.toISOString() } } as Where<T>;
  for (;;) {
    const { rows } = await store.from(collection).list({ where, limit: BATCH });
    if (rows.length === 0) return;
    await store.transact({ userId: null }, async (tx) => {
      for (const record of await tx.from(collection).getMany(rows.map((row) => row.id))) {
        if (record) tx.remove(collection, record);
      }
    });
  }
}

async function removeOrphans(store: Store, now: Date): Promise<void> {
  for await (const { id, putAt } of store.blobs.list()) {
    if (now.getTime() - putAt < ORPHAN_AGE) continue;
    if (!await store.from(contents).findBy("blob", id)) await store.blobs.remove(id);
  }
}

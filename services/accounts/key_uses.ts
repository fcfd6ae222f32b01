// When API keys were last used: kept in memory, and written in batches, at most once a minute for each key.
import { MINUTE } from "../../core/units.ts";
import { type ApiKey, apiKeys } from "../../models/api_keys.ts";
import type { Store } from "../../storage/port.ts";

export interface KeyUses {
  /** A request came with the key. */
  use(key: ApiKey, ip: string): void;
  /** Writes what has not been written; what cannot be written stays. */
  flush(): Promise<void>;
}

/** Keys written per commit. */
const BATCH = 40;

interface Use {
  readonly at: string;
  readonly ip: string;
}

export function createKeyUses(store: Store, clock: () => Date): KeyUses {
  const unwritten = new Map<string, Use>();
  let running: Promise<void> | null = null;

  async function write(): Promise<void> {
    while (unwritten.size > 0) {
      const batch = [...unwritten].slice(0, BATCH);
      await store.transact({ userId: null }, async (tx) => {
        const records = await tx.from(apiKeys).getMany(batch.map(([id]) => id));
        for (const [n, record] of records.entries()) {
          const { at, ip } = batch[n]![1];
          if (record) tx.update(apiKeys, record, { lastUsedAt: at, lastUsedIp: ip });
        }
      });
      for (const [id, use] of batch) {
        if (unwritten.get(id) === use) unwritten.delete(id);
      }
    }
  }

  return {
    use({ id, lastUsedAt }, ip) {
      // The record tells when it was last written, to all processes; within a minute of that nothing is to do.
      const now = clock();
      if (unwritten.has(id)) return;
      if (lastUsedAt && now.getTime() - Date.parse(lastUsedAt) < MINUTE) return;
      unwritten.set(id, { at: now.toISOString(), ip });
    },
    flush: () => running ??= write().finally(() => running = null),
  };
}

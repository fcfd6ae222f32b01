// A store on a KV server that is backed up while others are on it, and what a backup of it has to be.
import assert from "node:assert/strict";
import { contents } from "../../../../models/files.ts";
import { verifyStore } from "../../../../services/backups/verify.ts";
import type { Store } from "../../../../storage/port.ts";
import { openConnected } from "../../../kv_connect/open.ts";
import { kvConnectDatabase } from "../../../shared_databases.ts";
import { everything, fill, scene } from "../../../services/backups/stores.ts";

export type SharedStore = Awaited<ReturnType<typeof sharedStore>>;

/** A server with a filled store, and two more that are open on it. */
export async function sharedStore() {
  const { url, server, drop } = kvConnectDatabase();
  const at = await scene(() => Promise.resolve({ url, drop }));
  const stores = [await openConnected(server), await openConnected(server)] as const;
  const ownerId = await fill(stores[0], 2_000_000);
  return {
    ...at,
    server,
    stores,
    ownerId,
    async [Symbol.asyncDispose]() {
      server.fault = () => undefined;
      for (const store of stores) await store.close();
      await at[Symbol.asyncDispose]();
    },
  };
}

/** The store holds this and nothing else, and all of it is as it has to be. */
export async function assertIs(store: Store, expected: Record<string, unknown[]>): Promise<void> {
  assert.deepEqual(await everything(store), expected);
  assert.deepEqual(await Array.fromAsync(verifyStore(store)), []);
  const blobs = new Set((await Array.fromAsync(store.blobs.list())).map(({ id }) => id));
  const owned = await Array.fromAsync(store.from(contents).scan(), ({ blobId }) => blobId);
  assert.deepEqual(blobs, new Set(owned));
}

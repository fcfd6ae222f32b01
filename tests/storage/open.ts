// Stores for tests.
import { openKvStore } from "../../kv/store.ts";
import type { CollectionDeclaration, Store } from "../../storage/port.ts";

export interface TestStoreOptions {
  /** @default the system's time */
  readonly clock?: () => Date;
  /** @default every collection of the product */
  // deno-lint-ignore no-explicit-any -- a list of collections of different records
  readonly collections?: readonly CollectionDeclaration<any>[];
  /** Bytes. @default 64 MiB */
  readonly cacheMaxBytes?: number;
}

/** An empty store in memory. Close it. */
export function openTestStore(options: TestStoreOptions = {}): Promise<Store> {
  return openKvStore({ ...options, path: ":memory:" });
}

export const openMemory = openTestStore;

/** An empty store in a file of its own directory, which goes when the store closes. */
export async function openFile(options: TestStoreOptions = {}): Promise<Store> {
  const directory = await Deno.makeTempDir({ prefix: "quarterdeck-kv-" });
  const store = await openKvStore({ ...options, path: `${directory}/data/store.kv` });
  return closing(store, () => Deno.remove(directory, { recursive: true }));
}

/** Two stores on one file, as two processes would have them. */
export async function openShared(options: TestStoreOptions = {}): Promise<[Store, Store]> {
  const directory = await Deno.makeTempDir({ prefix: "quarterdeck-kv-" });
  const path = `${directory}/store.kv`;
  const first = await openKvStore({ ...options, path, shared: true });
  const second = await openKvStore({ ...options, path, shared: true });
  return [closing(first, () => Deno.remove(directory, { recursive: true })), second];
}

/** The store, with something to do after it has closed. */
function closing(store: Store, after: () => Promise<void>): Store {
  const close = store.close.bind(store);
  store.close = async () => {
    await close();
    await after();
  };
  return store;
}

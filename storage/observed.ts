// A store that tells how long its operations take. Reads inside a transaction count as part of it.
import type { Blobs, CollectionDeclaration, Entity, Reader, Store } from "./port.ts";
import type { Awaitable } from "../core/awaitable.ts";
import { SECOND } from "../core/units.ts";

/**
 * @param collection Empty where the operation is not about one collection.
 * @param seconds How long it took, also when it failed.
 * @param failed Whether it threw.
 */
export type StoreObserver = (
  operation: string,
  collection: string,
  seconds: number,
  failed: boolean,
) => void;

/**
 * Wraps a store. Records that are read by id or key and come at once from memory are not observed: that would cost
 * more than the read.
 */
export function observeStore(store: Store, observe: StoreObserver): Store {
  const times = new Times(observe);
  const readers = new Map<string, unknown>();
  return {
    engine: store.engine,
    shared: store.shared,
    notes: store.notes,
    blobs: observedBlobs(store.blobs, times),
    from<T extends Entity>(collection: CollectionDeclaration<T>): Reader<T> {
      const { name } = collection;
      let known = readers.get(name) as Reader<T> | undefined;
      if (!known) readers.set(name, known = observedReader(store.from(collection), name, times));
      return known;
    },
    commit: async (changes, options) =>
      await times.all("commit", "", () => store.commit(changes, options)),
    transact: async (...asked) => await times.all("transact", "", () => store.transact(...asked)),
    load: (collection, records) => store.load(collection, records),
    changes: (options) => store.changes(options),
    tail: (collection, make) => store.tail(collection, make),
    entry: (position) => store.entry(position),
    position: () => store.position(),
    unreadable: () => store.unreadable(),
    facts: async () => await times.all("facts", "", () => store.facts()),
    check: () => store.check(),
    warmUp: () => store.warmUp(),
    ping: async () => await times.all("ping", "", () => store.ping()),
    close: () => store.close(),
  };
}

function observedReader<T extends Entity>(
  reader: Reader<T>,
  name: string,
  times: Times,
): Reader<T> {
  return {
    get: (id) => times.waited("get", name, () => reader.get(id)),
    getMany: (ids) => times.waited("getMany", name, () => reader.getMany(ids)),
    findBy: (key, ...values) => times.waited("findBy", name, () => reader.findBy(key, ...values)),
    list: (query) => times.all("list", name, () => reader.list(query)),
    listRows: (query, keys) => times.all("list", name, () => reader.listRows(query, keys)),
    rowsOf: (ids) => times.waited("getMany", name, () => reader.rowsOf(ids)),
    count: (where) => times.all("count", name, () => reader.count(where)),
    aggregate: (query) => times.all("aggregate", name, () => reader.aggregate(query)),
    generation: () => reader.generation(),
    scan: () => reader.scan(),
  };
}

function observedBlobs(blobs: Blobs, times: Times): Blobs {
  return {
    put: async (stream, options) =>
      await times.all("putBlob", "", () => blobs.put(stream, options)),
    get: async (id, range) => await times.all("getBlob", "", () => blobs.get(id, range)),
    remove: async (id, putBefore) =>
      await times.all("removeBlob", "", () => blobs.remove(id, putBefore)),
    list: () => blobs.list(),
  };
}

class Times {
  constructor(readonly observe: StoreObserver) {}

  /** Every run counts. */
  all<R>(operation: string, collection: string, run: () => Awaitable<R>): Awaitable<R> {
    const startedAt = performance.now();
    let result: Awaitable<R>;
    try {
      result = run();
    } catch (error) {
      this.#tell(operation, collection, startedAt, true);
      throw error;
    }
    if (result instanceof Promise) return this.#settled(operation, collection, startedAt, result);
    this.#tell(operation, collection, startedAt, false);
    return result;
  }

  /** Only a run that is waited for counts. */
  waited<R>(operation: string, collection: string, run: () => Awaitable<R>): Awaitable<R> {
    const startedAt = performance.now();
    const result = run();
    return result instanceof Promise
      ? this.#settled(operation, collection, startedAt, result)
      : result;
  }

  async #settled<R>(
    operation: string,
    collection: string,
    startedAt: number,
    result: Promise<R>,
  ): Promise<R> {
    let failed = true;
    try {
      const settled = await result;
      failed = false;
      return settled;
    } finally {
      this.#tell(operation, collection, startedAt, failed);
    }
  }

  #tell(operation: string, collection: string, startedAt: number, failed: boolean): void {
    this.observe(operation, collection, (performance.now() - startedAt) / SECOND, failed);
  }
}

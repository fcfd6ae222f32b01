// A store that tells how long its operations take. Reads inside a transaction count as part of it.
import type { CollectionDeclaration, Entity, Reader, Store } from "./port.ts";
import type { Awaitable } from "../core/awaitable.ts";

/**
 * @param collection Empty where the operation is not about one collection.
 * @param seconds How long it took, also when it failed.
 */
export type StoreObserver = (operation: string, collection: string, seconds: number) => void;

/**
 * Wraps a store. Records that are read by id or key and come at once from memory are not observed: that would cost
 * more than the read.
 */
export function observeStore(store: Store, observe: StoreObserver): Store {
  const readers = new Map<string, unknown>();

  function timed<R>(operation: string, collection: string, run: () => Awaitable<R>): Awaitable<R> {
    const startedAt = performance.now();
    const done = () => observe(operation, collection, (performance.now() - startedAt) / 1000);
    let result: Awaitable<R>;
    try {
      result = run();
    } catch (error) {
      done();
      throw error;
    }
    if (result instanceof Promise) return result.finally(done);
    done();
    return result;
  }

  function waited<R>(operation: string, collection: string, run: () => Awaitable<R>): Awaitable<R> {
    const startedAt = performance.now();
    const result = run();
    return result instanceof Promise
      ? result.finally(() => observe(operation, collection, (performance.now() - startedAt) / 1000))
      : result;
  }

  function reader<T extends Entity>(collection: CollectionDeclaration<T>): Reader<T> {
    const { name } = collection;
    const inner = store.from(collection);
    return {
      get: (id) => waited("get", name, () => inner.get(id)),
      getMany: (ids) => waited("getMany", name, () => inner.getMany(ids)),
      findBy: (unique, ...values) => waited("findBy", name, () => inner.findBy(unique, ...values)),
      list: (query) => timed("list", name, () => inner.list(query)),
      listRows: (query) => timed("list", name, () => inner.listRows(query)),
      rowsOf: (ids) => waited("getMany", name, () => inner.rowsOf(ids)),
      count: (where) => timed("count", name, () => inner.count(where)),
      aggregate: (query) => timed("aggregate", name, () => inner.aggregate(query)),
      generation: () => inner.generation(),
      scan: () => inner.scan(),
    };
  }

  return {
    engine: store.engine,
    notes: store.notes,
    blobs: {
      put: async (stream, options) =>
        await timed("putBlob", "", () => store.blobs.put(stream, options)),
      get: async (id, range) => await timed("getBlob", "", () => store.blobs.get(id, range)),
      remove: async (id, putBefore) =>
        await timed("removeBlob", "", () => store.blobs.remove(id, putBefore)),
      list: () => store.blobs.list(),
    },
    from<T extends Entity>(collection: CollectionDeclaration<T>): Reader<T> {
      let known = readers.get(collection.name) as Reader<T> | undefined;
      if (!known) readers.set(collection.name, known = reader(collection));
      return known;
    },
    commit: async (changes, options) =>
      await timed("commit", "", () => store.commit(changes, options)),
    transact: async (actor, plan) => await timed("transact", "", () => store.transact(actor, plan)),
    load: (collection, records) => store.load(collection, records),
    changes: (options) => store.changes(options),
    unreadable: () => store.unreadable(),
    warmUp: () => store.warmUp(),
    ping: async () => await timed("ping", "", () => store.ping()),
    close: () => store.close(),
  };
}

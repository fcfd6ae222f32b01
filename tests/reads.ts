// How many records lists have read, for tests that hold work to what is asked.
import type { CollectionDeclaration, Entity, Store } from "../storage/port.ts";

/** Runs, and counts the rows that lists of the collection give meanwhile. */
export async function rowsRead<T extends Entity>(
  store: Store,
  { name }: CollectionDeclaration<T>,
  run: () => Promise<unknown>,
): Promise<number> {
  const { from } = store;
  const real = from.bind(store);
  let read = 0;
  store.from = (collection) => {
    const reader = real(collection);
    if (collection.name !== name) return reader;
    const list: typeof reader.list = async (query) => {
      const page = await reader.list(query);
      read += page.rows.length;
      return page;
    };
    return new Proxy(reader, {
      get: (of, field) => field === "list" ? list : Reflect.get(of, field).bind(of),
    });
  };
  try {
    await run();
  } finally {
    store.from = from;
  }
  return read;
}

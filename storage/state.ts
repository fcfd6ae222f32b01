// Whether a store is whole. A copy or a restore marks its target until it is done, so that nobody serves half of one.
import type { Store } from "./port.ts";

const UNFINISHED = "unfinished";

/** The store holds only a part of what was to be copied into it; the message is for whoever starts the program. */
export class StoreUnfinished extends Error {
  override readonly name = "StoreUnfinished";
}

/** @param work What fills the store, for the message: `a copy from …`. Holds no password. */
export async function markUnfinished(store: Pick<Store, "notes">, work: string): Promise<void> {
  await store.notes.set(UNFINISHED, work);
}

export async function markFinished(store: Pick<Store, "notes">): Promise<void> {
  await store.notes.remove(UNFINISHED);
}

/** @throws {StoreUnfinished} */
export async function assertFinished(store: Pick<Store, "notes" | "engine">): Promise<void> {
  const work = await store.notes.get(UNFINISHED);
  if (work === null) return;
  throw new StoreUnfinished(
    `Cannot open ${store.engine}: it holds only a part, because ${work} was not finished. ` +
      "Remove it (delete the file, or drop and create the database), then run that again",
  );
}

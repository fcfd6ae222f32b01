// Whether a store is whole, and which of its copies it is. A copy or a restore marks its target until it is done, so that
// nobody serves half of one, and names the journal that begins there.
import { randomBytes } from "../core/random.ts";
import type { Store } from "./port.ts";

const UNFINISHED = "unfinished";
const JOURNAL = "journal";
const JOURNAL_BYTES = 4;

/** The store holds only a part of what was to be copied into it; the message is for whoever starts the program. */
export class StoreUnfinished extends Error {
  override readonly name = "StoreUnfinished";
}

/** @param work What fills the store, for the message: `a copy from …`. Holds no password. */
export async function markUnfinished(store: Pick<Store, "notes">, work: string): Promise<void> {
  await store.notes.set(UNFINISHED, work);
}

/** A journal of its own begins here: a position of it may be one of the source's, too, where something else happened. */
export async function markFinished(store: Pick<Store, "notes">): Promise<void> {
  await store.notes.set(JOURNAL, randomBytes(JOURNAL_BYTES).toHex());
  await store.notes.remove(UNFINISHED);
}

/** What tells a store's journal from those of the stores it was copied or restored from; empty where it is the first. */
export async function journalOf(store: Pick<Store, "notes">): Promise<string> {
  return await store.notes.get(JOURNAL) ?? "";
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

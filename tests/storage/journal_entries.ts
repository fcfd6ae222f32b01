// Reading the journal in the storage tests.
import type { JournalEntry, Store } from "../../storage/port.ts";

/** The next entries of the journal. */
export async function take(
  entries: AsyncIterable<JournalEntry>,
  count: number,
): Promise<JournalEntry[]> {
  const taken: JournalEntry[] = [];
  for await (const entry of entries) {
    taken.push(entry);
    if (taken.length === count) break;
  }
  return taken;
}

/** The first entry that tells of the record. */
export async function entryOf(store: Store, id: string): Promise<JournalEntry> {
  for await (const entry of store.changes({ after: "" })) {
    if (entry.changes.some((change) => change.id === id)) return entry;
  }
  throw new Error(`Cannot find ${id} in the journal: the store was closed`);
}

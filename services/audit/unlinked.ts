// Entries of the audit log that are in no link: what the journal cannot tell of, for it is not kept as long, is another
// store's, or was written by a release that had no chain.
import { auditLinks, auditLog } from "../../models/audit.ts";
import type { Store } from "../../storage/port.ts";

/** Links read at a time. */
const PAGE = 50;

/** The ids of every entry that the chain holds. */
async function linkedIds(store: Store): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await store.from(auditLinks).list({ sort: "seq", limit: PAGE, cursor });
    for (const { entries } of page.rows) {
      for (const line of entries) ids.add(line.split(" ", 1)[0]!);
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return ids;
}

/** Ids of entries that the chain does not hold, the oldest first, so many at a time. */
export async function* unlinked(store: Store, batch: number): AsyncIterable<readonly string[]> {
  const linked = await linkedIds(store);
  let ids: string[] = [];
  for await (const { id } of store.from(auditLog).scan()) {
    if (linked.has(id)) continue;
    ids.push(id);
    if (ids.length < batch) continue;
    yield ids;
    ids = [];
  }
  if (ids.length > 0) yield ids;
}

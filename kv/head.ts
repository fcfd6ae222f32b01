// The newest records straight from KV: the first page of a list, before there is a projection.
import { encodeCursor, type ParsedQuery, positionOf, sortText } from "../storage/query.ts";
import { timeOfId } from "../core/ids.ts";
import type { Entity, Page } from "../storage/port.ts";
import type { Access } from "./access.ts";
import { compareScalars } from "../storage/memory/column.ts";
import { countKey, unorderedKey } from "./keys.ts";
import type { Memory } from "../storage/memory/memory.ts";
import { textBytes } from "../storage/memory/records.ts";

/** Keys read beyond the page, because the time in an id differs a little from its record's `createdAt`. */
const SLACK = 8;

/**
 * The page, or null when the order of the keys does not give it: for another page, sort, filter or search, or a
 * collection with ids that hold no time.
 */
export async function readHead<T extends Entity>(
  memory: Memory<T>,
  access: Access,
  query: ParsedQuery,
): Promise<Page<T> | null> {
  // The stored count includes records that cannot be read, which the total must not.
  if (memory.unordered || !isHead(query) || access.unreadable.has(memory.declaration.name)) {
    return null;
  }
  const { name } = memory.declaration;
  const { version } = memory;
  const keys = [countKey(name), unorderedKey(name)];
  const [count, unordered] = await access.read(keys);
  const stored = await access.scan<T>(name, "", query.limit + SLACK, true);
  const [after] = await access.read(keys);
  memory.unordered = unordered!.value !== null;
  if (memory.unordered || access.unreadable.has(name)) return null;
  // Rows and total must be of one moment.
  if (version !== memory.version || count!.versionstamp !== after!.versionstamp) return null;
  const newest = stored.map(({ record }) => record).sort((a, b) =>
    compareScalars(b.createdAt, a.createdAt) || compareScalars(b.id, a.id)
  );
  const rows = newest.slice(0, query.limit);
  const last = rows.at(-1);
  if (last && stored.length === query.limit + SLACK) {
    // No record is newer than the time in its id. So if that of the last key read is not after the page's last
    // record, none of the records that were not read belongs on the page.
    const unread = timeOfId(stored.at(-1)!.record.id);
    if (unread === null || unread > Date.parse(last.createdAt)) return null;
  }
  for (const { record, text } of stored) {
    if (memory.records.revOf(record.id) === undefined) {
      memory.records.set(record, textBytes(text));
    }
  }
  const total = Number((count!.value as Deno.KvU64 | null)?.value ?? 0);
  const nextCursor = !last || total <= rows.length
    ? null
    : encodeCursor(query.sort, positionOf(query.sort, last));
  return {
    rows: rows.map(({ id }) => memory.records.get(id) ?? newest.find((r) => r.id === id)!),
    total,
    nextCursor,
  };
}

function isHead({ filter, search, sort, offset, after }: ParsedQuery): boolean {
  return filter.all.length === 0 && !filter.any && !search && offset === 0 && !after &&
    sortText(sort) === "-createdAt,-id";
}

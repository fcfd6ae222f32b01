// The newest records straight from KV: the first pages of a list, before there is a projection.
import { encodeCursor, type ParsedQuery, positionOf, sortText } from "../storage/query.ts";
import { timeOfId } from "../core/ids.ts";
import type { Entity, Page } from "../storage/port.ts";
import type { Access } from "./access.ts";
import { compareScalars } from "../storage/memory/column.ts";
import { countKey, unorderedKey } from "./keys.ts";
import type { Memory } from "../storage/memory/memory.ts";
import { textBytes } from "../storage/memory/records.ts";
import { MAX_SKIPPED } from "../storage/memory/source.ts";

/** Keys read beyond the page, because the time in an id differs a little from its record's `createdAt`. */
const SLACK = 8;

/**
 * The page, or null when the order of the keys does not give it: for a page far behind, another sort, a filter or a
 * search, or a collection with ids that hold no time.
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
  const wanted = query.offset + query.limit;
  const stored = await access.scan<T>(name, "", wanted + SLACK, true);
  const [after] = await access.read(keys);
  memory.unordered = unordered!.value !== null;
  if (memory.unordered || access.unreadable.has(name)) return null;
  // Rows and total must be of one moment.
  if (version !== memory.version || count!.versionstamp !== after!.versionstamp) return null;
  const newest = stored.map(({ record }) => record).sort((a, b) =>
    compareScalars(b.createdAt, a.createdAt) || compareScalars(b.id, a.id)
  );
  const rows = newest.slice(query.offset, wanted);
  const last = rows.at(-1);
  if (last && stored.length === wanted + SLACK) {
    // No record is newer than the time in its id. So if that of the last key read is not after the page's last
    // record, none of the records that were not read belongs on the page.
    const unread = timeOfId(stored.at(-1)!.record.id);
    if (unread === null || unread > Date.parse(last.createdAt)) return null;
  }
  const shown = new Set(rows);
  for (const { record, text } of stored) {
    if (shown.has(record) && memory.records.revOf(record.id) === undefined) {
      memory.records.set(record, textBytes(text));
    }
  }
  const total = Number((count!.value as Deno.KvU64 | null)?.value ?? 0);
  const nextCursor = !last || total <= wanted
    ? null
    : encodeCursor(query.sort, positionOf(query.sort, last));
  return {
    rows: rows.map(({ id }) => memory.records.get(id) ?? newest.find((r) => r.id === id)!),
    total,
    nextCursor,
  };
}

function isHead({ filter, search, sort, offset, after }: ParsedQuery): boolean {
  return filter.all.length === 0 && !filter.any && !search && offset <= MAX_SKIPPED && !after &&
    sortText(sort) === "-createdAt,-id";
}

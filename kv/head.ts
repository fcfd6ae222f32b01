// The newest records straight from KV: the first page of a list, before there is a projection.
import { encodeCursor, type ParsedQuery } from "../query.ts";
import { timeOfId } from "../ids.ts";
import type { Entity, Page } from "../store.ts";
import type { Access } from "./access.ts";
import { compareScalars } from "./column.ts";
import { countKey, unorderedKey } from "./keys.ts";
import type { Memory } from "./memory.ts";

/** Keys read beyond the page: ids are made a little before or after their record's time. */
const SLACK = 8;

/**
 * The page, or null when key order does not tell: for another page, sort, filter or search, or a collection with
 * ids that are no times.
 */
export async function readHead<T extends Entity>(
  memory: Memory<T>,
  access: Access,
  query: ParsedQuery,
): Promise<Page<T> | null> {
  if (memory.unordered || !isHead(query)) return null;
  const { name } = memory.declaration;
  const { version } = memory;
  const keys = [countKey(name), unorderedKey(name)];
  const [count, unordered] = await access.read(keys);
  const stored = await access.scan<T>(name, "", query.limit + SLACK, true);
  const [after] = await access.read(keys);
  memory.unordered = unordered!.value !== null;
  if (memory.unordered) return null;
  // Rows and total must be of one moment.
  if (version !== memory.version || count!.versionstamp !== after!.versionstamp) return null;
  const newest = stored.map(({ record }) => record).sort((a, b) =>
    compareScalars(b.createdAt, a.createdAt) || compareScalars(b.id, a.id)
  );
  const rows = newest.slice(0, query.limit);
  const last = rows.at(-1);
  if (last && stored.length === query.limit + SLACK) {
    // Every record was created at the time of its id or before, and ties go by id: none that is not read is newer.
    const unread = timeOfId(stored.at(-1)!.record.id);
    if (unread === null || unread > Date.parse(last.createdAt)) return null;
  }
  for (const { record, size } of stored) {
    if (memory.cache.get(record.id) === undefined) memory.cache.set(record.id, record, size);
  }
  const total = Number((count!.value as Deno.KvU64 | null)?.value ?? 0);
  const nextCursor = !last || total <= rows.length
    ? null
    : encodeCursor(query.sort, { value: last.createdAt, id: last.id });
  return {
    rows: rows.map(({ id }) => memory.cache.get(id) ?? newest.find((r) => r.id === id)!),
    total,
    nextCursor,
  };
}

function isHead({ filter, search, sort, offset, after }: ParsedQuery): boolean {
  return filter.all.length === 0 && !filter.any && !search && offset === 0 && !after &&
    sort.field === "createdAt" && sort.descending;
}

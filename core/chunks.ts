// Long lists in parts that fit one query.

/** Ids in one query. */
const CHUNK = 500;

export function* chunks<T>(items: readonly T[]): Iterable<readonly T[]> {
  for (let at = 0; at < items.length; at += CHUNK) yield items.slice(at, at + CHUNK);
}

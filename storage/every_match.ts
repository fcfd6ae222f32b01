// Every record that matches, read page by page.
import { type ByKey, type Keys, textsOf } from "../core/keys.ts";
import { andThen, type Awaitable } from "../core/awaitable.ts";
import type { CollectionDeclaration, Entity, Transaction, Where } from "./port.ts";

/** Records that are read at a time. */
const PAGE = 1000;

/** Every record that matches, page by page: at once where they are in memory, and one page. */
export function everyMatch<T extends Entity>(
  reader: Pick<Transaction, "from">,
  collection: CollectionDeclaration<T>,
  where: Where<T>,
): Awaitable<readonly T[]> {
  const first = reader.from(collection).list({ where, limit: PAGE });
  return andThen(first, ({ rows, nextCursor }) => {
    if (nextCursor === null) return rows;
    return rest(reader, collection, where, { rows, cursor: nextCursor });
  });
}

/** Every record that has one of these texts in a filter field: what is in memory is not even sorted. */
export function everyByKey<T extends Entity>(
  reader: Pick<Transaction, "from">,
  collection: CollectionDeclaration<T>,
  field: keyof T & string,
  keys: Keys,
): Awaitable<ByKey<T>> {
  const held = reader.from(collection).held?.(field, keys);
  if (held) return held;
  const texts = textsOf(keys);
  return andThen(everyMatch(reader, collection, { [field]: texts } as Where<T>), (found) => {
    if (found.length === 0) return [];
    const byText = Map.groupBy(found, (record) => record[field]);
    return texts.map((text) => byText.get(text as T[typeof field]));
  });
}

async function rest<T extends Entity>(
  reader: Pick<Transaction, "from">,
  collection: CollectionDeclaration<T>,
  where: Where<T>,
  read: { readonly rows: readonly T[]; readonly cursor: string },
): Promise<readonly T[]> {
  const found = [...read.rows];
  for (let cursor: string | null = read.cursor; cursor !== null;) {
    const page = await reader.from(collection).list({ where, limit: PAGE, cursor });
    found.push(...page.rows);
    cursor = page.nextCursor;
  }
  return found;
}

// Every record that matches, read page by page.
import type { CollectionDeclaration, Entity, Transaction, Where } from "./port.ts";

/** Every record that matches, page by page. */
export async function everyMatch<T extends Entity>(
  reader: Pick<Transaction, "from">,
  collection: CollectionDeclaration<T>,
  where: Where<T>,
): Promise<readonly T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await reader.from(collection).list({ where, limit: 1000, cursor });
    found.push(...page.rows);
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return found;
}

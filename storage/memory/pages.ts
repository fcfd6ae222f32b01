// The page of a list: where it begins, and which records it shows.
import type { Entity } from "../port.ts";
import { encodeCursor, type ParsedQuery } from "../query.ts";
import { compareScalars } from "./column.ts";
import type { Order } from "./order.ts";
import type { Rows } from "./rows.ts";

/**
 * Which records a page shows. A class: of an object literal with a getter V8 makes a hidden class for each page anew, in
 * its old space, from where it keeps alive what the getter sees.
 */
export class PageOfIds {
  readonly #rows: Pick<Rows<Entity>, "idOf">;

  constructor(
    rows: Pick<Rows<Entity>, "idOf">,
    readonly slots: readonly number[],
    readonly total: number,
    readonly nextCursor: string | null,
  ) {
    this.#rows = rows;
  }

  /** Of the records that are in the slots now, in the same order. */
  ids(): string[] {
    return this.slots.map((slot) => this.#rows.idOf(slot));
  }
}

/** The page that a query asks for, of the list of what matches it. */
export function pageOf<T extends Entity>(
  rows: Rows<T>,
  order: Order,
  query: ParsedQuery,
): PageOfIds {
  const { length: total } = order;
  const { descending } = query.sort[0]!;
  const start = query.after ? rankAfter(rows, order, query) : query.offset;
  const end = Math.min(start + query.limit, total);
  // The order of a sort that begins with a descending field is kept in reverse.
  const slots = descending
    ? order.slice(Math.max(total - end, 0), total - start).reverse()
    : order.slice(start, end);
  const last = slots.at(-1);
  const nextCursor = last === undefined || end >= total ? null : encodeCursor(
    query.sort,
    query.sort.map(({ field }) => rows.get(last, field)),
  );
  return new PageOfIds(rows, slots, total, nextCursor);
}

/** How many rows of the list come before and at a cursor. */
function rankAfter<T extends Entity>(
  rows: Rows<T>,
  order: Order,
  { after, sort }: ParsedQuery,
): number {
  /** Below zero: the row comes before the cursor. */
  const compareToCursor = (slot: number) => {
    for (const [n, { field, descending }] of sort.entries()) {
      const compared = compareScalars(rows.get(slot, field), after![n]!);
      if (compared !== 0) return descending ? -compared : compared;
    }
    return 0;
  };
  return sort[0]!.descending
    ? order.length - order.rank((slot) => compareToCursor(slot) > 0)
    : order.rank((slot) => compareToCursor(slot) <= 0);
}

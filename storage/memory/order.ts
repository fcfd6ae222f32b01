// A sorted list of rows, kept sorted as rows come, change and go.
import type { Test } from "./column.ts";

/** Something derived from rows that is told of each change to them. */
export interface Live {
  /** What it depends on: changes to other fields do not concern it. */
  readonly fields: ReadonlySet<string>;
  /** The row is about to change or go; its old values are still there. */
  leave(slot: number): void;
  /** The row has come or changed. */
  enter(slot: number): void;
}

/** Compares two rows; never 0 for two different ones. */
export type Compare = (a: number, b: number) => number;

export class Order implements Live {
  #slots: Uint32Array;
  #length: number;

  /**
   * @param slots Its rows, in any order; the array is taken over.
   * @param test Which rows belong to it; null: all.
   */
  constructor(
    slots: Uint32Array,
    readonly compare: Compare,
    readonly test: Test | null,
    readonly fields: ReadonlySet<string>,
  ) {
    if (!isSorted(slots, compare)) slots.sort(compare);
    this.#slots = slots;
    this.#length = slots.length;
  }

  get length(): number {
    return this.#length;
  }

  at(index: number): number {
    return this.#slots[index]!;
  }

  /** A view of all rows, valid until the next change. */
  get slots(): Uint32Array {
    return this.#slots.subarray(0, this.#length);
  }

  leave(slot: number): void {
    if (this.test && !this.test(slot)) return;
    const at = this.search((other) => this.compare(other, slot) < 0);
    this.#slots.copyWithin(at, at + 1, this.#length);
    this.#length--;
  }

  enter(slot: number): void {
    if (this.test && !this.test(slot)) return;
    if (this.#length === this.#slots.length) {
      const bigger = new Uint32Array(Math.max(16, Math.ceil(this.#length * 1.25)));
      bigger.set(this.#slots);
      this.#slots = bigger;
    }
    const at = this.search((other) => this.compare(other, slot) < 0);
    this.#slots.copyWithin(at + 1, at, this.#length);
    this.#slots[at] = slot;
    this.#length++;
  }

  /** The index of the first row for which `before` is false; it must be true for all rows ahead of that one. */
  search(before: Test): number {
    let low = 0, high = this.#length;
    // Most rows are added at the end, so that is tried first.
    if (high > 0 && before(this.#slots[high - 1]!)) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (before(this.#slots[middle]!)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isSorted(slots: Uint32Array, compare: Compare): boolean {
  for (let i = 1; i < slots.length; i++) {
    if (compare(slots[i - 1]!, slots[i]!) > 0) return false;
  }
  return true;
}

/** One field of a sort by several. */
export interface SortKey {
  /** All rows, ascending by this field alone. */
  readonly order: Order;
  readonly isTie: (a: number, b: number) => boolean;
  readonly descending: boolean;
}

/**
 * Rows by several fields: a stable counting sort by the rank that each row has in the order by one field, the last
 * field first. It takes time in proportion to the rows, whatever their values are.
 *
 * @param capacity One past the highest row.
 */
export function sortedBy(keys: readonly SortKey[], capacity: number): Uint32Array {
  const [last, ...earlier] = keys.toReversed();
  let slots: Uint32Array = last!.order.slots.slice();
  if (last!.descending) slots.reverse();
  for (const key of earlier) slots = stableByRank(slots, key, capacity);
  return slots;
}

function stableByRank(
  slots: Uint32Array,
  { order, isTie, descending }: SortKey,
  capacity: number,
): Uint32Array {
  const sorted = order.slots;
  const rankOf = new Uint32Array(capacity);
  let ranks = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (i === 0 || !isTie(sorted[i - 1]!, sorted[i]!)) ranks++;
    rankOf[sorted[i]!] = ranks - 1;
  }
  if (descending) { for (const slot of sorted) rankOf[slot] = ranks - 1 - rankOf[slot]!; }
  const next = new Uint32Array(ranks + 1);
  for (const slot of slots) next[rankOf[slot]! + 1]!++;
  for (let rank = 0; rank < ranks; rank++) next[rank + 1]! += next[rank]!;
  const result = new Uint32Array(slots.length);
  for (const slot of slots) result[next[rankOf[slot]!]!++] = slot;
  return result;
}

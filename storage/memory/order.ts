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

  /** The index of the first row that is not before; rows that are come first. */
  search(before: Test): number {
    let low = 0, high = this.#length;
    // Most rows come last: look there first.
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

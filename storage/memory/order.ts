// A sorted list of rows, kept sorted as rows come, change and go.
import type { Test } from "./column.ts";
import type { Compare } from "./sorting.ts";

/** Something derived from rows that is told of each change to them. */
export interface Live {
  /** What it depends on: changes to other fields do not concern it. */
  readonly fields: ReadonlySet<string>;
  /** The row is about to change or go; its old values are still there. */
  leave(slot: number): void;
  /** The row has come or changed. */
  enter(slot: number): void;
}

/** Rows of a block at most: a change moves the rows of one block, however long the list is. */
const BLOCK = 1024;
/** How many of them are there at first, so that the next ones need no new block. */
const FILLED = 768;

interface Block {
  slots: Uint32Array;
  length: number;
}

export class Order implements Live {
  readonly #blocks: Block[] = [];
  #length: number;

  /**
   * @param slots Its rows, sorted.
   * @param test Which rows belong to it; null: all.
   */
  constructor(
    slots: Uint32Array,
    readonly compare: Compare,
    readonly test: Test | null,
    readonly fields: ReadonlySet<string>,
  ) {
    this.#length = slots.length;
    for (let at = 0; at < slots.length; at += FILLED) {
      const block = slots.slice(at, at + FILLED);
      this.#blocks.push({ slots: block, length: block.length });
    }
  }

  get length(): number {
    return this.#length;
  }

  /** The rows from one index up to, not including, another. */
  slice(start: number, end: number): number[] {
    const found: number[] = [];
    let ahead = 0;
    for (const { slots, length } of this.#blocks) {
      if (ahead >= end) break;
      for (let i = Math.max(start - ahead, 0); i < length && ahead + i < end; i++) {
        found.push(slots[i]!);
      }
      ahead += length;
    }
    return found;
  }

  /** A copy of all rows. */
  all(): Uint32Array {
    const all = new Uint32Array(this.#length);
    let ahead = 0;
    for (const { slots, length } of this.#blocks) {
      all.set(slots.subarray(0, length), ahead);
      ahead += length;
    }
    return all;
  }

  /** How many rows there are for which `before` holds; it must hold for all rows ahead of the last such one. */
  rank(before: Test): number {
    const n = this.#blockOf(before);
    let rank = 0;
    for (let i = 0; i < n; i++) rank += this.#blocks[i]!.length;
    const block = this.#blocks[n];
    return block ? rank + indexIn(block, before) : rank;
  }

  leave(slot: number): void {
    if (this.test && !this.test(slot)) return;
    const before = (other: number) => this.compare(other, slot) < 0;
    const n = this.#blockOf(before), block = this.#blocks[n]!;
    const at = indexIn(block, before);
    block.slots.copyWithin(at, at + 1, block.length);
    block.length--;
    this.#length--;
    this.#join(n);
  }

  enter(slot: number): void {
    if (this.test && !this.test(slot)) return;
    const before = (other: number) => this.compare(other, slot) < 0;
    let n = Math.min(this.#blockOf(before), this.#blocks.length - 1);
    if (n < 0) {
      this.#blocks.push({ slots: new Uint32Array(8), length: 0 });
      n = 0;
    }
    const block = this.#blocks[n]!;
    const at = indexIn(block, before);
    if (block.length === block.slots.length) {
      const bigger = new Uint32Array(Math.min(BLOCK, Math.max(16, 2 * block.length)));
      bigger.set(block.slots);
      block.slots = bigger;
    }
    block.slots.copyWithin(at + 1, at, block.length);
    block.slots[at] = slot;
    block.length++;
    this.#length++;
    if (block.length === BLOCK) this.#halve(n);
  }

  /** The first block that does not lie wholly before. */
  #blockOf(before: Test): number {
    let low = 0, high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1, { slots, length } = this.#blocks[middle]!;
      if (before(slots[length - 1]!)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #halve(n: number): void {
    const block = this.#blocks[n]!, half = block.length >>> 1;
    const slots = new Uint32Array(BLOCK);
    slots.set(block.slots.subarray(half, block.length));
    this.#blocks.splice(n + 1, 0, { slots, length: block.length - half });
    block.length = half;
  }

  /** Takes a block into the one ahead of it where both are short, so that no block is empty, and few are short. */
  #join(n: number): void {
    const block = this.#blocks[n]!, ahead = this.#blocks[n - 1];
    if (block.length > 0 && (!ahead || ahead.length + block.length > BLOCK / 4)) return;
    if (block.length > 0) {
      const slots = new Uint32Array(BLOCK);
      slots.set(ahead!.slots.subarray(0, ahead!.length));
      slots.set(block.slots.subarray(0, block.length), ahead!.length);
      ahead!.slots = slots;
      ahead!.length += block.length;
    }
    this.#blocks.splice(n, 1);
  }
}

/** The index of the first row of a block for which `before` does not hold. */
function indexIn({ slots, length }: Block, before: Test): number {
  let low = 0, high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before(slots[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

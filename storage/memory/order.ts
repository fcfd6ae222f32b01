// A sorted list of rows, kept sorted as rows come, change and go: at once while it is asked for, else when it is next.
import type { Changes } from "./changes.ts";
import type { Test } from "./column.ts";
import type { Compare } from "./sorting.ts";

/** Something derived from rows that is told of each change to them. Fields are given by `Rows.maskOf`. */
export interface Live {
  /** What it depends on: changes to other fields do not concern it. */
  readonly fields: number;
  /** The row is about to change in these fields, or to go; its old values are still there. */
  leave(slot: number, fields: number): void;
  /** The row has changed in these fields, or has come. */
  enter(slot: number, fields: number): void;
}

/** The fields of a row that comes or goes. */
export const ALL_FIELDS = -1;

/** Rows of a block at most: a change moves the rows of one block, however long the list is. */
const BLOCK = 1024;
/** How many of them are there at first, so that the next ones need no new block. */
const FILLED = 768;
/** After so many changes with nobody asking, it takes further ones only when it is asked, or when they are many. */
const PATIENCE = 64;
/** To take so many takes a millisecond, and as long as to go through a long list. */
const MIN_MISSED = 512;
const MAX_MISSED = 1024;
const MISSED_SHARE = 1 / 512;

interface Block {
  slots: Uint32Array;
  length: number;
}

export class Order implements Live {
  readonly #blocks: Block[] = [];
  #length: number;
  /** How many rows lie ahead of each block, of the first blocks: as many as that was asked of since they changed. */
  readonly #ahead: number[] = [0];
  /** Whether the row that is changing belonged to it. */
  #belonged = false;
  /** Changes since somebody has asked for it. */
  #unasked = 0;
  /** How many changes there were when it last knew all of them; null: it knows them all. */
  #knows: number | null = null;

  /**
   * @param slots Its rows, sorted. They are copied.
   * @param test Which rows belong to it; null: all.
   * @param fields Those of the sort and of the test.
   * @param sorted Those of the sort, which has one at least: a row that changes in none of them keeps its place.
   * @param changes Null: it takes every change at once.
   */
  constructor(
    slots: Uint32Array,
    readonly compare: Compare,
    readonly test: Test | null,
    readonly fields: number,
    readonly sorted: number,
    readonly changes: Changes | null,
  ) {
    this.#length = slots.length;
    for (let at = 0; at < slots.length; at += FILLED) {
      const block = slots.slice(at, at + FILLED);
      this.#blocks.push({ slots: block, length: block.length });
    }
  }

  get length(): number {
    this.#asked();
    return this.#length;
  }

  /** About as many rows as there are. */
  get size(): number {
    return this.#length;
  }

  /** How many changes it has missed. */
  get missed(): number {
    return this.#knows === null ? 0 : this.changes!.end - this.#knows;
  }

  /** Whether it has missed so many changes that whoever asks next should not have to wait for more. */
  get isLate(): boolean {
    const most = Math.min(MAX_MISSED, Math.max(MIN_MISSED, this.#length * MISSED_SHARE));
    return this.missed >= most;
  }

  /** Whether it is to be told of the next change; to be asked once, before `changes` has it. */
  listens(): boolean {
    if (this.#knows !== null) return false;
    if (!this.changes || this.#unasked++ < PATIENCE) return true;
    this.#knows = this.changes.end;
    return false;
  }

  /** The rows from one index up to, not including, another. */
  slice(start: number, end: number): number[] {
    this.#asked();
    const found: number[] = [];
    const last = Math.min(end, this.#length);
    if (start >= last) return found;
    for (let n = this.#blockAt(start), at = start; at < last; n++) {
      const { slots, length } = this.#blocks[n]!, ahead = this.#rowsAhead(n);
      const until = Math.min(ahead + length, last);
      for (; at < until; at++) found.push(slots[at - ahead]!);
    }
    return found;
  }

  /** The block that has the row at an index. */
  #blockAt(index: number): number {
    let low = 0, high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#rowsAhead(middle + 1) <= index) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** How many rows lie ahead of a block. */
  #rowsAhead(n: number): number {
    const ahead = this.#ahead;
    for (let i = ahead.length; i <= n; i++) ahead.push(ahead[i - 1]! + this.#blocks[i - 1]!.length);
    return ahead[n]!;
  }

  /** To be called when a block has changed its length: those behind it lie elsewhere. */
  #moved(n: number): void {
    if (this.#ahead.length > n + 1) this.#ahead.length = n + 1;
  }

  /** @param into As long as the list. */
  copyTo(into: Uint32Array): void {
    this.#asked();
    let ahead = 0;
    for (const { slots, length } of this.#blocks) {
      into.set(slots.subarray(0, length), ahead);
      ahead += length;
    }
  }

  /** How many rows there are for which `before` holds; it must hold for all rows ahead of the last such one. */
  rank(before: Test): number {
    this.#asked();
    const n = this.#blockOf(before), block = this.#blocks[n];
    return block ? this.#rowsAhead(n) + indexIn(block, before) : this.#length;
  }

  leave(slot: number, fields: number): void {
    const belongs = this.#holds(slot);
    if ((fields & this.sorted) === 0) this.#belonged = belongs;
    else if (belongs) this.#remove(slot);
  }

  enter(slot: number, fields: number): void {
    const belongs = this.#holds(slot);
    if ((fields & this.sorted) !== 0) {
      if (belongs) this.#insert(slot);
    } else if (belongs !== this.#belonged) {
      if (belongs) this.#insert(slot);
      else this.#remove(slot);
    }
  }

  /** Takes the changes that it has missed. */
  catchUp(): void {
    if (this.#knows === null) return;
    const { slots, old } = this.changes!.since(this.#knows, this.fields);
    this.#knows = null;
    if (old.length > 0) this.#takeOut(old);
    for (const slot of slots) {
      if (this.changes!.holds(slot) && this.#holds(slot)) this.#insert(slot);
    }
  }

  #asked(): void {
    this.#unasked = 0;
    if (this.#knows !== null) this.catchUp();
  }

  /** The others keep their order. */
  #takeOut(rows: readonly number[]): void {
    let highest = 0;
    for (const slot of rows) highest = Math.max(highest, slot);
    const marks = new Uint8Array(highest + 1);
    for (const slot of rows) marks[slot] = 1;
    let left = 0;
    for (const block of this.#blocks) {
      this.#length -= block.length;
      block.length = without(block, marks);
      this.#length += block.length;
      if (block.length > 0) this.#blocks[left++] = block;
    }
    this.#blocks.length = left;
    this.#moved(0);
  }

  #holds(slot: number): boolean {
    return this.test === null || this.test(slot);
  }

  #remove(slot: number): void {
    const before = (other: number) => this.compare(other, slot) < 0;
    const n = this.#blockOf(before), block = this.#blocks[n]!;
    // To look at each of them in turn is faster than to compare a few, whose values lie anywhere in memory.
    const at = block.slots.indexOf(slot);
    block.slots.copyWithin(at, at + 1, block.length);
    block.length--;
    this.#length--;
    this.#moved(n);
    this.#join(n);
  }

  #insert(slot: number): void {
    const before = (other: number) => this.compare(other, slot) < 0;
    let n = Math.min(this.#blockToEnter(before), this.#blocks.length - 1);
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
    this.#moved(n);
    if (block.length === BLOCK) this.#halve(n);
  }

  /** As `#blockOf`; at once for a row that comes last, as the newest one mostly does. */
  #blockToEnter(before: Test): number {
    const last = this.#blocks.at(-1);
    return last && before(last.slots[last.length - 1]!)
      ? this.#blocks.length
      : this.#blockOf(before);
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
    this.#moved(Math.max(n - 1, 0));
  }
}

/** Moves the rows of a block together that are not marked. @returns How many they are. */
function without({ slots, length }: Block, marks: Uint8Array): number {
  let to = 0;
  while (to < length && marks[slots[to]!] !== 1) to++;
  for (let at = to + 1; at < length; at++) {
    const slot = slots[at]!;
    if (marks[slot] !== 1) slots[to++] = slot;
  }
  return to;
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

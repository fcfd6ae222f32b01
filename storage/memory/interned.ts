// Texts kept once each, by number: a hash table outside of V8's heap.
import { grown, type Sortable, type SortKeys } from "./column.ts";
import { PackedKeys } from "./keys.ts";
import { hashOf, readAhead } from "./text_bytes.ts";
import type { Texts } from "./texts.ts";

/** The largest share of the table that is in use. */
const MAX_LOAD = 0.7;
/** Numbers of a place in the table. */
const STEP = 2;

export class Interned implements Sortable {
  /** By number: where the text lies; 0 for a number that is free. */
  #refs = new Uint32Array(16);
  /**
   * Open addressing with linear probing: of each place the number, plus one, and the hash, side by side so that both come
   * from memory at once.
   */
  #table = new Uint32Array(STEP * 32);
  readonly #free: number[] = [];
  #end = 0;
  #size = 0;

  constructor(readonly texts: Texts) {}

  get size(): number {
    return this.#size;
  }

  /** One past the highest number. */
  get end(): number {
    return this.#end;
  }

  has(number: number): boolean {
    return number < this.#end && this.#refs[number] !== 0;
  }

  get(number: number): string {
    return this.texts.get(this.#refs[number]!);
  }

  refOf(number: number): number {
    return this.#refs[number]!;
  }

  compare(a: number, b: number): number {
    return this.texts.compare(this.#refs[a]!, this.#refs[b]!);
  }

  sortKeys(): SortKeys {
    const key = (number: number, depth: number) => this.texts.window(this.#refs[number]!, depth);
    return { windowed: true, key };
  }

  /** The text's number; -1: it is not there. */
  find(text: string): number {
    if (this.#size === 0) return -1;
    return this.#table[this.#place(hashOf(text))]! - 1;
  }

  /** The texts of these numbers, to find them elsewhere; below zero: no text. */
  keysOf(numbers: readonly number[]): PackedKeys {
    const keys = new PackedKeys(numbers.length);
    let read = 0;
    for (const number of numbers) {
      if (number >= 0) read |= this.texts.firstByte(this.#refs[number]!);
    }
    readAhead[0] = read;
    for (let n = 0; n < numbers.length; n++) {
      const number = numbers[n]!;
      if (number < 0) keys.set(n, undefined);
      else this.texts.setKey(keys, n, this.#refs[number]!);
    }
    return keys;
  }

  /**
   * `find` of several. What the look-ups of UUIDs read lies anywhere in memory: all of it is asked for before any of it is
   * waited for.
   */
  findAll(keys: PackedKeys): number[] {
    const found: number[] = [];
    if (this.#size > 0) this.#readAhead(keys);
    for (let n = 0; n < keys.length; n++) {
      if (!keys.isOther(n)) found.push(this.#size === 0 ? -1 : this.#findUuid(keys, n));
      else {
        const text = keys.at(n);
        found.push(text === undefined ? -1 : this.find(text));
      }
    }
    return found;
  }

  #findUuid(keys: PackedKeys, index: number): number {
    const table = this.#table, mask = table.length - 1, hash = keys.hashAt(index);
    for (let at = homeOf(hash, mask); table[at] !== 0; at = (at + STEP) & mask) {
      if (table[at + 1] !== hash) continue;
      const number = table[at]! - 1;
      if (this.texts.isKey(this.#refs[number]!, keys, index)) return number;
    }
    return -1;
  }

  /** Reads a little of what finding these keys will read. */
  #readAhead(keys: PackedKeys): void {
    const table = this.#table, mask = table.length - 1;
    let read = 0;
    for (let n = 0; n < keys.length; n++) read |= table[homeOf(keys.hashAt(n), mask)]!;
    for (let n = 0; n < keys.length; n++) {
      const hash = keys.hashAt(n), at = homeOf(hash, mask);
      if (table[at] === 0 || table[at + 1] !== hash) continue;
      read |= this.texts.firstByte(this.#refs[table[at]! - 1]!);
    }
    readAhead[0] = read;
  }

  /** The text's number; it is added where it is not there. */
  intern(text: string): number {
    const hash = hashOf(text), known = this.#table[this.#place(hash)]!;
    if (known !== 0) return known - 1;
    if (STEP * (this.#size + 1) > this.#table.length * MAX_LOAD) this.#resize();
    const number = this.#free.pop() ?? this.#end++;
    if (number >= this.#refs.length) this.#refs = grown(this.#refs, number);
    this.#refs[number] = this.texts.putEncoded();
    enter(this.#table, number + 1, hash);
    this.#size++;
    return number;
  }

  remove(number: number): void {
    const table = this.#table, mask = table.length - 1;
    let gap = homeOf(hashOf(this.get(number)), mask);
    while (table[gap] !== number + 1) gap = (gap + STEP) & mask;
    table[gap] = 0;
    // Those behind the gap move into it, unless their own place lies behind it.
    for (let at = (gap + STEP) & mask; table[at] !== 0; at = (at + STEP) & mask) {
      const home = homeOf(table[at + 1]!, mask);
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      table[gap] = table[at]!;
      table[gap + 1] = table[at + 1]!;
      table[at] = 0;
      gap = at;
    }
    this.texts.free(this.#refs[number]!);
    this.#refs[number] = 0;
    this.#free.push(number);
    this.#size--;
  }

  /** Where the text that was hashed last stands in the table, or would stand. */
  #place(hash: number): number {
    const table = this.#table, mask = table.length - 1;
    let at = homeOf(hash, mask);
    for (; table[at] !== 0; at = (at + STEP) & mask) {
      if (table[at + 1] === hash && this.texts.isEncoded(this.#refs[table[at]! - 1]!)) break;
    }
    return at;
  }

  #resize(): void {
    const old = this.#table;
    this.#table = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += STEP) {
      if (old[at] !== 0) enter(this.#table, old[at]!, old[at + 1]!);
    }
  }
}

/** Where a text of this hash stands, unless others stand there. @param mask The table's length, less one. */
function homeOf(hash: number, mask: number): number {
  return (hash * STEP) & mask;
}

function enter(table: Uint32Array, entry: number, hash: number): void {
  const mask = table.length - 1;
  let at = homeOf(hash, mask);
  while (table[at] !== 0) at = (at + STEP) & mask;
  table[at] = entry;
  table[at + 1] = hash;
}

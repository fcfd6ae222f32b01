// Texts kept once each, by number: a hash table outside of V8's heap.
import { grown, type Sortable, type SortKeys } from "./column.ts";
import { PackedKeys } from "./keys.ts";
import { hashOf, readAhead } from "./text_bytes.ts";
import type { Texts } from "./texts.ts";

/** The largest share of the table that is in use, and how much longer it is made then. */
const MAX_LOAD = 0.7;
const GROWTH = 1.5;
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
    const table = this.#table, hash = keys.hashAt(index);
    for (let at = homeOf(hash, table); table[at] !== 0; at = behind(at, table)) {
      if (table[at + 1] !== hash) continue;
      const number = table[at]! - 1;
      if (this.texts.isKey(this.#refs[number]!, keys, index)) return number;
    }
    return -1;
  }

  /** Reads a little of what finding these keys will read. */
  #readAhead(keys: PackedKeys): void {
    const table = this.#table;
    let read = 0;
    for (let n = 0; n < keys.length; n++) read |= table[homeOf(keys.hashAt(n), table)]!;
    for (let n = 0; n < keys.length; n++) {
      const hash = keys.hashAt(n), at = homeOf(hash, table);
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
    const table = this.#table;
    let gap = homeOf(hashOf(this.get(number)), table);
    while (table[gap] !== number + 1) gap = behind(gap, table);
    table[gap] = 0;
    // Those behind the gap move into it, unless their own place lies behind it.
    for (let at = behind(gap, table); table[at] !== 0; at = behind(at, table)) {
      const home = homeOf(table[at + 1]!, table);
      if (distance(home, at, table) < distance(gap, at, table)) continue;
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
    const table = this.#table;
    let at = homeOf(hash, table);
    for (; table[at] !== 0; at = behind(at, table)) {
      if (table[at + 1] === hash && this.texts.isEncoded(this.#refs[table[at]! - 1]!)) break;
    }
    return at;
  }

  #resize(): void {
    const old = this.#table;
    this.#table = new Uint32Array(STEP * Math.ceil(old.length / STEP * GROWTH));
    for (let at = 0; at < old.length; at += STEP) {
      if (old[at] !== 0) enter(this.#table, old[at]!, old[at + 1]!);
    }
  }
}

/** Where a text of this hash, of 32 bits, stands, unless others stand there: the table has as many parts as places. */
function homeOf(hash: number, table: Uint32Array): number {
  return STEP * Math.floor(hash / 2 ** 32 * (table.length / STEP));
}

/** The place behind another; the first one stands behind the last. */
function behind(at: number, table: Uint32Array): number {
  return at + STEP === table.length ? 0 : at + STEP;
}

/** How far a place stands behind another. */
function distance(from: number, to: number, table: Uint32Array): number {
  return to >= from ? to - from : to - from + table.length;
}

function enter(table: Uint32Array, entry: number, hash: number): void {
  let at = homeOf(hash, table);
  while (table[at] !== 0) at = behind(at, table);
  table[at] = entry;
  table[at + 1] = hash;
}

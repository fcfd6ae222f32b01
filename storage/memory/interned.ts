// Texts kept once each, by number: a hash table outside of V8's heap.
import { grown, type Sortable, type SortKeys } from "./column.ts";
import { hashOf } from "./text_bytes.ts";
import type { Texts } from "./texts.ts";

/** The largest share of the table that is in use. */
const MAX_LOAD = 0.7;

export class Interned implements Sortable {
  /** By number: where the text lies, 0 for a number that is free, and its hash. */
  #refs = new Uint32Array(16);
  #hashes = new Uint32Array(16);
  /** Open addressing with linear probing: numbers, plus one. */
  #table = new Uint32Array(32);
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

  /** The text's number; it is added where it is not there. */
  intern(text: string): number {
    const hash = hashOf(text), known = this.#table[this.#place(hash)]!;
    if (known !== 0) return known - 1;
    if (this.#size + 1 > this.#table.length * MAX_LOAD) this.#resize();
    const number = this.#free.pop() ?? this.#end++;
    if (number >= this.#refs.length) {
      this.#refs = grown(this.#refs, number);
      this.#hashes = grown(this.#hashes, number);
    }
    this.#hashes[number] = hash;
    this.#refs[number] = this.texts.putEncoded();
    this.#table[emptyPlace(this.#table, hash)] = number + 1;
    this.#size++;
    return number;
  }

  remove(number: number): void {
    const table = this.#table, mask = table.length - 1;
    let gap = this.#hashes[number]! & mask;
    while (table[gap] !== number + 1) gap = (gap + 1) & mask;
    table[gap] = 0;
    // Those behind the gap move into it, unless their own place lies behind it.
    for (let at = (gap + 1) & mask; table[at] !== 0; at = (at + 1) & mask) {
      const home = this.#hashes[table[at]! - 1]! & mask;
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      table[gap] = table[at]!;
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
    let at = hash & mask;
    for (; table[at] !== 0; at = (at + 1) & mask) {
      const number = table[at]! - 1;
      if (this.#hashes[number] === hash && this.texts.isEncoded(this.#refs[number]!)) break;
    }
    return at;
  }

  #resize(): void {
    const table = new Uint32Array(this.#table.length * 2);
    for (const entry of this.#table) {
      if (entry !== 0) table[emptyPlace(table, this.#hashes[entry - 1]!)] = entry;
    }
    this.#table = table;
  }
}

function emptyPlace(table: Uint32Array, hash: number): number {
  const mask = table.length - 1;
  let at = hash & mask;
  while (table[at] !== 0) at = (at + 1) & mask;
  return at;
}

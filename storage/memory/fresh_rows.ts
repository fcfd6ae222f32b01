// Rows that were set since their segment of the search index was built, and which of them may have a term: a bitmap,
// with a line for each group of trigrams and a bit in it for each row.
import type { Located } from "./texts.ts";
import { bucketOf } from "./trigrams.ts";

/** Lines of the bitmap, a power of two. A text of 50 bytes sets a tenth of them. */
const LINES = 512;
/** Words of a line at first. */
const FIRST_WORDS = 2;
const WORD_BITS = 32;

export class FreshRows {
  /** The bit of each row. */
  readonly #bits = new Map<number, number>();
  readonly #slots: number[] = [];
  #words = 0;
  #lines = new Uint32Array(0);

  /** How many rows there are. */
  get size(): number {
    return this.#slots.length;
  }

  has(slot: number): boolean {
    return this.#bits.has(slot);
  }

  /**
   * A row that has changed once more keeps the trigrams that it had: they only make it a candidate more often.
   *
   * @param text Null: the row is gone.
   */
  add(slot: number, text: Located | null): void {
    let bit = this.#bits.get(slot);
    if (bit === undefined) {
      bit = this.#slots.push(slot) - 1;
      this.#bits.set(slot, bit);
      if (bit >= this.#words * WORD_BITS) this.#widen();
    }
    if (!text) return;
    const lines = this.#lines, words = this.#words;
    const word = bit >>> 5, mask = 1 << (bit & 31), { chunk, start, end } = text;
    for (let i = start + 2; i < end; i++) {
      const line = bucketOf(chunk[i - 2]!, chunk[i - 1]!, chunk[i]!) & (LINES - 1);
      lines[line * words + word]! |= mask;
    }
  }

  /** Visits the rows whose texts may have a trigram in each of the buckets, in no order. */
  eachWith(buckets: readonly number[], visit: (slot: number) => void): void {
    const lines = this.#lines, words = this.#words;
    const starts = buckets.map((bucket) => (bucket & (LINES - 1)) * words);
    for (let word = 0; word < words; word++) {
      let left = -1;
      for (let n = 0; n < starts.length && left !== 0; n++) left &= lines[starts[n]! + word]!;
      for (; left !== 0; left &= left - 1) {
        visit(this.#slots[word * WORD_BITS + 31 - Math.clz32(left & -left)]!);
      }
    }
  }

  /** Makes each line twice as long. */
  #widen(): void {
    const from = this.#words, to = Math.max(FIRST_WORDS, 2 * from);
    const lines = new Uint32Array(LINES * to);
    for (let line = 0; line < LINES; line++) {
      lines.set(this.#lines.subarray(line * from, (line + 1) * from), line * to);
    }
    this.#lines = lines;
    this.#words = to;
  }
}

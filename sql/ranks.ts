// How many rows lie before each block of a list: a tree of sums, so that a change of one block is a few additions.
// P. Fenwick, A new data structure for cumulative frequency tables, 1994.

export class Ranks {
  readonly #sums: Float64Array;
  /** The highest power of two that is not above the number of blocks. */
  readonly #top: number;
  #total = 0;

  /** @param counts How many rows each block has. */
  constructor(counts: readonly number[]) {
    const sums = this.#sums = new Float64Array(counts.length + 1);
    this.#top = counts.length === 0 ? 0 : 1 << Math.floor(Math.log2(counts.length));
    for (const [n, count] of counts.entries()) {
      const at = n + 1, parent = at + (at & -at);
      sums[at]! += count;
      if (parent < sums.length) sums[parent]! += sums[at]!;
      this.#total += count;
    }
  }

  get total(): number {
    return this.#total;
  }

  add(block: number, rows: number): void {
    this.#total += rows;
    for (let at = block + 1; at < this.#sums.length; at += at & -at) this.#sums[at]! += rows;
  }

  /** How many rows lie before a block. */
  before(block: number): number {
    let sum = 0;
    for (let at = block; at > 0; at -= at & -at) sum += this.#sums[at]!;
    return sum;
  }

  /** The block that has the row of a rank, from 0 on; past the last block where there is no such row. */
  blockOf(rank: number): number {
    let block = 0;
    for (let step = this.#top, left = rank; step > 0; step >>= 1) {
      const next = block + step;
      if (next < this.#sums.length && this.#sums[next]! <= left) {
        block = next;
        left -= this.#sums[next]!;
      }
    }
    return block;
  }
}

// An array that is lent to work in slices, so that not each work makes its own. Arrays lie outside of the collector's
// heap: it hardly notices how much memory those hold that nobody uses any more.

/** How much longer it is made than what is asked for, which grows with the rows. */
const SPARE = 1 / 8;

export class Scratch {
  #array: Uint32Array | null = null;

  /** What is in it is left from before. It is made anew where it is in use, or too short. */
  take(length: number): Uint32Array {
    const array = this.#array;
    this.#array = null;
    if (array && array.length >= length) return array.subarray(0, length);
    return new Uint32Array(Math.ceil(length * (1 + SPARE))).subarray(0, length);
  }

  /** To be called when nobody reads it any more. Work that fails does without. */
  giveBack(array: Uint32Array): void {
    this.#array = new Uint32Array(array.buffer);
  }
}

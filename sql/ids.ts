// The ids of rows that follow one another, in memory: 16 bytes each where all are UUIDs, else as texts.
import { slices, type Work } from "../core/slices.ts";
import { packUuidBytes, UUID_BYTES, UUID_LENGTH, uuidText } from "../storage/memory/text_bytes.ts";

/** What parts ids in a text: none has a line break in it, or they are not known by such a text. */
const BETWEEN = "\n";
/** Bytes of an id that is no UUID, about. */
const TEXT_BYTES = 60;

/** Ids between two places where packing may be interrupted: a millisecond or two before the code is compiled. */
const PIECE = 1 << 10;

const encoder = new TextEncoder();
/** An id as it is written, and packed: one for all, since it is used up at once. */
const ascii = new Uint8Array(3 * UUID_LENGTH);
const wanted = new Uint8Array(UUID_BYTES);

export class Ids {
  #length: number;

  private constructor(
    readonly packed: Uint8Array | null,
    readonly texts: string[] | null,
    length: number,
  ) {
    this.#length = length;
  }

  /** @param text So many ids, one a line. @returns Null when it has another number of them. */
  static async read(text: string, count: number): Promise<Ids | null> {
    if (count === 0) return text === "" ? new Ids(new Uint8Array(0), null, 0) : null;
    const packed = await slices.run(packing(text, count));
    if (packed) return new Ids(packed, null, count);
    const texts = text.split(BETWEEN);
    return texts.length === count ? new Ids(null, texts, count) : null;
  }

  static of(id: string): Ids {
    return packed(id) ? new Ids(wanted.slice(), null, 1) : new Ids(null, [id], 1);
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): number {
    return this.packed ? this.packed.length : TEXT_BYTES * this.#length;
  }

  at(index: number): string {
    return this.packed ? uuidText(this.packed, index * UUID_BYTES) : this.texts![index]!;
  }

  /** A part of them. The ids that this has are not to be changed afterwards. */
  part(from: number, to: number): Ids {
    const length = to - from;
    return this.packed
      ? new Ids(this.packed.subarray(from * UUID_BYTES, to * UUID_BYTES), null, length)
      : new Ids(null, this.texts!.slice(from, to), length);
  }

  /** -1: it is not among them. */
  indexOf(id: string): number {
    const bytes = this.packed;
    if (!bytes) return this.texts!.indexOf(id);
    if (!packed(id)) return -1;
    for (let index = 0; index < this.#length; index++) {
      // Its last byte is at random, its first one is a time.
      let n = UUID_BYTES - 1;
      while (n >= 0 && bytes[index * UUID_BYTES + n] === wanted[n]) n--;
      if (n < 0) return index;
    }
    return -1;
  }

  /** @returns Whether it was there. */
  remove(id: string): boolean {
    const index = this.indexOf(id);
    if (index < 0) return false;
    this.packed?.copyWithin(
      index * UUID_BYTES,
      (index + 1) * UUID_BYTES,
      this.#length * UUID_BYTES,
    );
    this.texts?.splice(index, 1);
    this.#length--;
    return true;
  }

  /** Those before, and one more at the end; null where it cannot be kept with them. */
  and(id: string): Ids | null {
    if (!this.packed) return new Ids(null, [...this.texts!, id], this.#length + 1);
    if (!packed(id)) return null;
    const end = this.#length * UUID_BYTES;
    const longer = end + UUID_BYTES <= this.packed.length
      ? this.packed
      : new Uint8Array(2 * end + UUID_BYTES);
    if (longer !== this.packed) longer.set(this.packed.subarray(0, end));
    longer.set(wanted, end);
    return new Ids(longer, null, this.#length + 1);
  }
}

/** Whether an id is a UUID: then `wanted` has it. */
function packed(id: string): boolean {
  return id.length === UUID_LENGTH && encoder.encodeInto(id, ascii).written === UUID_LENGTH &&
    packUuidBytes(ascii, 0, wanted, 0);
}

/** Null when one of the lines is no UUID. */
function* packing(text: string, count: number): Work<Uint8Array | null> {
  const line = UUID_LENGTH + BETWEEN.length;
  if (text.length !== count * line - BETWEEN.length) return null;
  const bytes = new Uint8Array(count * UUID_BYTES);
  for (let from = 0; from < count; from += PIECE) {
    const to = Math.min(count, from + PIECE);
    const lines = encoder.encode(text.slice(from * line, to * line));
    for (let n = from; n < to; n++) {
      if (!packUuidBytes(lines, (n - from) * line, bytes, n * UUID_BYTES)) return null;
    }
    yield;
  }
  return bytes;
}

// Texts outside of V8's heap, a byte a character of ASCII: a million of them cost its collector nothing. They are
// compared, searched and sorted where they lie.
import { Buffer } from "node:buffer";
import type { PackedKeys } from "./keys.ts";
import {
  DASH,
  decodeWide,
  DIGITS,
  encode,
  encoder,
  LONG,
  MAX_SHORT,
  PACKED,
  plainBytes,
  UUID_BYTES,
  UUID_LENGTH,
  uuidText,
  WIDE,
  wordAt,
} from "./text_bytes.ts";

/** Where a text lies: a multiple of `GRAIN`. 0: no text. */
export type Ref = number;

/** The bytes of a text: of `chunk`, from `start` up to `end`. */
export interface Located {
  readonly chunk: Uint8Array;
  readonly start: number;
  readonly end: number;
}

const CHUNK_BITS = 20;
const CHUNK = 1 << CHUNK_BITS;
const OFFSET = CHUNK - 1;
/** Bytes of the first chunk; each further one is twice as long, up to `CHUNK`. */
const FIRST_CHUNK = 1 << 12;
/** A text takes a multiple of so many bytes: what one leaves behind fits others of about its length. */
const GRAIN = 4;

/** Bytes in a key of `window`: with one more value for the end of the text, 257^6 is a safe integer. */
export const WINDOW = 6;

/** Each byte, letters of ASCII in lower case. */
const LOWER = Uint8Array.from(
  { length: 256 },
  (_, byte) => byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

export class Texts implements Located {
  readonly #chunks: Uint8Array[] = [];
  /** The same bytes: what makes strings of them fastest. */
  readonly #buffers: Buffer[] = [];
  #end = 0;
  /** What removed texts have left, by length. */
  readonly #free = new Map<number, Ref[]>();
  /** Where the text lies that was located last. */
  chunk: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;
  readonly #unpacked = [new Uint8Array(UUID_LENGTH), new Uint8Array(UUID_LENGTH)] as const;

  /** @param packs False: a UUID is kept as it is written, so that it can be searched. */
  put(text: string, packs = true): Ref {
    encode(text, packs);
    return this.putEncoded();
  }

  /** Puts the text that was encoded last. */
  putEncoded(): Ref {
    const ref = this.#allocate(encoder.length);
    const { bytes, length } = encoder;
    const chunk = this.#chunks[ref >>> CHUNK_BITS]!;
    // Copying a short text byte by byte beats a call.
    for (let i = 0, at = ref & OFFSET; i < length; i++) chunk[at++] = bytes[i]!;
    return ref;
  }

  free(ref: Ref): void {
    if (ref === 0) return;
    const size = this.#sizeOf(ref);
    const list = this.#free.get(size);
    if (list) list.push(ref);
    else this.#free.set(size, [ref]);
  }

  get(ref: Ref): string {
    const chunk = this.#chunks[ref >>> CHUNK_BITS]!, at = ref & OFFSET;
    if (chunk[at] === PACKED) return uuidText(chunk, at + 1);
    this.locate(ref);
    if (chunk[at] === WIDE) return decodeWide(this.chunk.subarray(this.start, this.end));
    return this.#buffers[ref >>> CHUNK_BITS]!.toString("latin1", this.start, this.end);
  }

  /** Sets `chunk`, `start` and `end`: for texts that are not packed. */
  locate(ref: Ref): void {
    const chunk = this.#chunks[ref >>> CHUNK_BITS]!, at = ref & OFFSET;
    const first = chunk[at]!;
    this.chunk = chunk;
    this.start = at + (first <= MAX_SHORT ? 1 : 5);
    this.end = this.start + (first <= MAX_SHORT ? first : wordAt(chunk, at + 1));
  }

  /** Whether it lies there a byte a character, all of ASCII. */
  isAscii(ref: Ref): boolean {
    const first = this.firstByte(ref);
    return first <= MAX_SHORT || first === LONG;
  }

  /** Whether it is this text. @param packs As it was put. */
  is(ref: Ref, text: string, packs = true): boolean {
    encode(text, packs);
    return this.isEncoded(ref);
  }

  /** Whether it is the text that was encoded last. */
  isEncoded(ref: Ref): boolean {
    const chunk = this.#chunks[ref >>> CHUNK_BITS]!;
    const { bytes, length } = encoder;
    for (let i = 0, at = ref & OFFSET; i < length; i++) {
      if (chunk[at++] !== bytes[i]) return false;
    }
    return true;
  }

  /** Whether it is a key that is a UUID. */
  isKey(ref: Ref, keys: PackedKeys, index: number): boolean {
    const chunk = this.#chunks[ref >>> CHUNK_BITS]!, at = ref & OFFSET;
    return chunk[at] === PACKED && keys.isUuid(index, chunk, at + 1);
  }

  /** Sets a key to the text. */
  setKey(keys: PackedKeys, index: number, ref: Ref): void {
    const chunk = this.#chunks[ref >>> CHUNK_BITS]!, at = ref & OFFSET;
    if (chunk[at] === PACKED) keys.setUuid(index, chunk, at + 1);
    else keys.set(index, this.get(ref));
  }

  /** To be read ahead of the rest, which the processor then has in its cache. */
  firstByte(ref: Ref): number {
    return this.#chunks[ref >>> CHUNK_BITS]![ref & OFFSET]!;
  }

  /** By code points, as the bytes of UTF-8 are ordered, and as the relational engines order texts. */
  compare(a: Ref, b: Ref): number {
    const x = this.#chunks[a >>> CHUNK_BITS]!, y = this.#chunks[b >>> CHUNK_BITS]!;
    const i = a & OFFSET, j = b & OFFSET;
    if (x[i] === PACKED && y[j] === PACKED) {
      return compareBytes(x, i + 1, i + 1 + UUID_BYTES, y, j + 1, j + 1 + UUID_BYTES);
    }
    this.#locatePlain(a, 0);
    const { chunk, start, end } = this;
    this.#locatePlain(b, 1);
    return compareBytes(chunk, start, end, this.chunk, this.start, this.end);
  }

  /** @param bytes Of another text, by `plainBytes`. */
  compareTo(ref: Ref, bytes: Uint8Array): number {
    this.#locatePlain(ref, 0);
    return compareBytes(this.chunk, this.start, this.end, bytes, 0, bytes.length);
  }

  /** Whether a text that is not packed has these bytes in it. There must be some. */
  includes(ref: Ref, bytes: Uint8Array): boolean {
    this.locate(ref);
    const { chunk } = this, { length } = bytes;
    const last = this.end - length, first = bytes[0];
    for (let at = this.start; at <= last; at++) {
      if (chunk[at] !== first) continue;
      let n = 1;
      while (n < length && chunk[at + n] === bytes[n]) n++;
      if (n === length) return true;
    }
    return false;
  }

  /** `includes` for a text that `isAscii`. @param bytes In lower case. */
  includesInLowerCase(ref: Ref, bytes: Uint8Array): boolean {
    const chunk = this.#chunks[ref >>> CHUNK_BITS]!, head = ref & OFFSET;
    const size = chunk[head]!, isShort = size <= MAX_SHORT, { length } = bytes;
    const start = head + (isShort ? 1 : 5);
    const last = start + (isShort ? size : wordAt(chunk, head + 1)) - length, first = bytes[0];
    for (let at = start; at <= last; at++) {
      if (LOWER[chunk[at]!] !== first) continue;
      let n = 1;
      while (n < length && LOWER[chunk[at + n]!] === bytes[n]) n++;
      if (n === length) return true;
    }
    return false;
  }

  /** Copies the text that was located last, which `isAscii`. @returns Where the copy ends. */
  copyInLowerCase(to: Uint8Array, at: number): number {
    const { chunk, end } = this;
    for (let from = this.start; from < end; from++) to[at++] = LOWER[chunk[from]!]!;
    return at;
  }

  /** A number by which texts are ordered that are equal ahead of `depth`. Where `isLast` holds, the text ends in it. */
  window(ref: Ref, depth: number): number {
    this.#locatePlain(ref, 0);
    return windowOfBytes(this.chunk, this.start + depth, this.end);
  }

  #locatePlain(ref: Ref, scratch: 0 | 1): void {
    const chunk = this.#chunks[ref >>> CHUNK_BITS]!, at = ref & OFFSET;
    if (chunk[at] !== PACKED) return this.locate(ref);
    const text = this.#unpacked[scratch];
    for (let n = 0, to = 0; n < UUID_BYTES; n++) {
      if (n === 4 || n === 6 || n === 8 || n === 10) text[to++] = DASH;
      const byte = chunk[at + 1 + n]!;
      text[to++] = DIGITS[byte >> 4]!;
      text[to++] = DIGITS[byte & 15]!;
    }
    this.chunk = text;
    this.start = 0;
    this.end = UUID_LENGTH;
  }

  #sizeOf(ref: Ref): number {
    const chunk = this.#chunks[ref >>> CHUNK_BITS]!, at = ref & OFFSET;
    const first = chunk[at]!;
    const size = first <= MAX_SHORT
      ? 1 + first
      : first === PACKED
      ? 1 + UUID_BYTES
      : 5 + wordAt(chunk, at + 1);
    return rounded(size);
  }

  #allocate(length: number): Ref {
    const size = rounded(length);
    const freed = this.#free.get(size)?.pop();
    if (freed !== undefined) return freed;
    const last = this.#chunks.at(-1);
    if (!last || this.#end + size > last.length) {
      if (size > CHUNK) throw new RangeError(`Cannot keep a text of ${length} bytes in memory`);
      let capacity = Math.min(CHUNK, FIRST_CHUNK << Math.min(this.#chunks.length, 8));
      while (capacity < size) capacity *= 2;
      const chunk = new Uint8Array(capacity);
      this.#chunks.push(chunk);
      this.#buffers.push(Buffer.from(chunk.buffer));
      // Nothing lies at 0.
      this.#end = this.#chunks.length === 1 ? GRAIN : 0;
      return this.#allocate(length);
    }
    const ref = (this.#chunks.length - 1) * CHUNK + this.#end;
    this.#end += size;
    return ref;
  }
}

/** Whether a key of `window` holds the end of its text, or stands for an absent one. */
export function isLast(key: number): boolean {
  return key < 0 || key % 257 === 0;
}

function rounded(size: number): number {
  return (size + GRAIN - 1) & -GRAIN;
}

function compareBytes(
  a: Uint8Array,
  aStart: number,
  aEnd: number,
  b: Uint8Array,
  bStart: number,
  bEnd: number,
): number {
  const shared = Math.min(aEnd - aStart, bEnd - bStart);
  for (let n = 0; n < shared; n++) {
    const difference = a[aStart + n]! - b[bStart + n]!;
    if (difference !== 0) return difference;
  }
  return aEnd - aStart - (bEnd - bStart);
}

/** `Texts.window` of a text that is not kept. */
export function windowOf(text: string, depth: number): number {
  const bytes = plainBytes(text);
  return windowOfBytes(bytes, depth, bytes.length);
}

function windowOfBytes(bytes: Uint8Array, from: number, end: number): number {
  let key = 0;
  for (let at = from; at < from + WINDOW; at++) key = key * 257 + (at < end ? bytes[at]! + 1 : 0);
  return key;
}

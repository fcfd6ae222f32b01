// Texts that records are looked up by: read and hashed once, in however many collections they are looked up.
import type { Keys } from "../../core/keys.ts";
import { encoder, hashOf, hashOfUuid, PACKED, UUID_BYTES, uuidText, wordAt } from "./text_bytes.ts";

const WORD = 4;
/** Numbers of a key: its hash, and the words of a UUID. */
const STEP = 1 + UUID_BYTES / WORD;

const unpacked = new Uint8Array(UUID_BYTES);

export class PackedKeys implements Keys {
  /** All small integers, in an array of V8's: so few words outside of its heap cost more than all that is read from them. */
  readonly #numbers: number[];
  /** By index: those that are no UUIDs in lower case. Undefined: no text, by which nothing is found. */
  #others: Map<number, string | undefined> | null = null;

  /** @param length All are to be set. */
  constructor(readonly length: number) {
    this.#numbers = new Array<number>(length * STEP).fill(0);
  }

  static of(keys: Keys): PackedKeys {
    if (keys instanceof PackedKeys) return keys;
    const packed = new PackedKeys(keys.length);
    for (let n = 0; n < keys.length; n++) packed.set(n, keys.at(n));
    return packed;
  }

  at(index: number): string | undefined {
    if (this.isOther(index)) return this.#others!.get(index);
    for (let n = 0; n < UUID_BYTES; n++) {
      unpacked[n] = this.#numbers[index * STEP + 1 + (n >> 2)]! >>> 8 * (n & 3);
    }
    return uuidText(unpacked, 0);
  }

  set(index: number, text: string | undefined): void {
    if (text !== undefined) {
      hashOf(text);
      if (encoder.bytes[0] === PACKED) return this.setUuid(index, encoder.bytes, 1);
    }
    this.#others ??= new Map();
    this.#others.set(index, text);
  }

  /** @param bytes With a UUID in 16 of them, from `at` on. */
  setUuid(index: number, bytes: Uint8Array, at: number): void {
    const numbers = this.#numbers, from = index * STEP;
    numbers[from] = hashOfUuid(bytes, at) | 0;
    for (let n = 0; n < STEP - 1; n++) numbers[from + 1 + n] = wordAt(bytes, at + n * WORD);
  }

  /** Whether a key is no UUID: it is looked up by its text then. */
  isOther(index: number): boolean {
    return this.#others !== null && this.#others.has(index);
  }

  /** The hash of a UUID. */
  hashAt(index: number): number {
    return this.#numbers[index * STEP]! >>> 0;
  }

  /** Whether a key is the UUID that lies in 16 bytes, from `at` on. */
  isUuid(index: number, bytes: Uint8Array, at: number): boolean {
    const numbers = this.#numbers, from = index * STEP + 1;
    for (let n = 0; n < STEP - 1; n++) {
      if (numbers[from + n] !== wordAt(bytes, at + n * WORD)) return false;
    }
    return true;
  }
}

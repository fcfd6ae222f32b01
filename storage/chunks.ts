// The bytes of a stream in chunks, as engines keep them: counted, hashed, and held to a limit as they come.
import { createHash } from "node:crypto";
import { TooLarge } from "./port.ts";

export class Chunks {
  readonly #hash = createHash("sha256");
  readonly #length: number;
  readonly #maxBytes: number;
  #size = 0;

  /**
   * @param length Bytes in each chunk but the last, which may be shorter.
   * @param maxBytes How long the whole stream may be.
   */
  constructor({ length, maxBytes }: { readonly length: number; readonly maxBytes: number }) {
    this.#length = length;
    this.#maxBytes = maxBytes;
  }

  /** Bytes so far. */
  get size(): number {
    return this.#size;
  }

  /** The SHA-256 of all bytes, in hexadecimal. To be called once, at the end. */
  sha256(): string {
    return this.#hash.digest("hex");
  }

  /**
   * Each chunk is a new array: who takes it may keep it.
   *
   * @throws {TooLarge} As soon as the stream is longer than `maxBytes`.
   */
  async *of(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    let chunk = new Uint8Array(this.#length);
    let filled = 0;
    for await (const bytes of stream) {
      this.#size += bytes.length;
      if (this.#size > this.#maxBytes) throw new TooLarge("a file", this.#maxBytes);
      this.#hash.update(bytes);
      for (let at = 0; at < bytes.length;) {
        const part = bytes.subarray(at, at + this.#length - filled);
        chunk.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled < this.#length) continue;
        yield chunk;
        chunk = new Uint8Array(this.#length);
        filled = 0;
      }
    }
    if (filled > 0) yield chunk.subarray(0, filled);
  }
}

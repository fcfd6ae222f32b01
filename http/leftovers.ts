// Bodies that nobody needs any more: read and dropped for a while, so that their senders get the answer, then cut.
import { KIB, SECOND } from "../core/units.ts";
import type { Arrival } from "./intake.ts";

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** Milliseconds that a client may go on sending after its answer: nginx waits as long (its lingering_timeout). */
const LINGER = 5 * SECOND;
/** Bytes that are read and dropped of one body at most; what is beyond them is left until the body is cut. */
const DROPPED = 256 * KIB;

/**
 * Where a body is cancelled before the answer is sent, or never read, Deno keeps its connection for as long as the
 * client likes, also when its server shuts down. Where it is cancelled once the answer is out, Deno closes it at once.
 */
export class Leftovers {
  readonly #readers = new Map<Reader, ReturnType<typeof setTimeout>>();

  /** Bodies that are still dropped as they come. */
  get size(): number {
    return this.#readers.size;
  }

  /** Drops what still comes. May be called while a read is waited for, and again. */
  take(reader: Reader): void {
    if (this.#readers.has(reader)) return;
    const timer = setTimeout(() => this.#cut(reader), LINGER);
    Deno.unrefTimer(timer);
    this.#readers.set(reader, timer);
    this.#drop(reader);
  }

  /** Closes their connections: others need them. Only for bodies whose answers are out. */
  cutAll(): void {
    for (const reader of this.#readers.keys()) this.#cut(reader);
  }

  async #drop(reader: Reader): Promise<void> {
    try {
      for (let size = 0; size < DROPPED;) {
        const { done, value } = await reader.read();
        if (done) return this.#remove(reader);
        size += value.byteLength;
      }
    } catch {
      // The client has gone.
      this.#remove(reader);
    }
  }

  #cut(reader: Reader): void {
    this.#remove(reader);
    // It fails where the client has gone.
    reader.cancel().catch(() => {});
  }

  #remove(reader: Reader): void {
    clearTimeout(this.#readers.get(reader));
    this.#readers.delete(reader);
  }
}

/** The one of this process. */
export const leftovers = new Leftovers();

/** A reader that `leftovers` takes when the body is given up. Whoever stops before its end must hand it over too. */
export function readerOf(body: ReadableStream<Uint8Array>, arrival: Arrival): Reader {
  const reader = body.getReader();
  arrival.signal.addEventListener("abort", () => leftovers.take(reader), { once: true });
  return reader;
}

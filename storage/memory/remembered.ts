// What is computed from the records of whole collections and kept above the engines. One rule for all of it: what is
// remembered belongs to one store, and holds until a record of one of the collections that it rests on has changed.
//
// Engines raise the generation of a collection from the journal, in the turn of the commit; where memory cannot tell
// whether it has missed a change, nothing is remembered. Records are frozen and replaced when they change, so a value
// made of them needs no copy. What is kept is bounded in bytes; the oldest goes first.
import { andThen, type Awaitable } from "../../core/awaitable.ts";
import type { CollectionDeclaration, Reader, Store } from "../port.ts";

type Source = Pick<Store, "from">;
// deno-lint-ignore no-explicit-any -- declarations of different records in one list
type Collections = readonly CollectionDeclaration<any>[];

export interface RememberingOptions<V> {
  /** Bytes that all values kept for one store may take together. */
  readonly maxBytes: number;
  /** Bytes that a value takes, about; Infinity for one that is not to be kept. */
  readonly bytesOf: (value: V) => number;
}

/** Bytes that an entry takes beside its key and its value, about. */
const ENTRY_BYTES = 100;

/** What is remembered of one store. */
export class Remembered<V> {
  // deno-lint-ignore no-explicit-any -- readers of different records in one list
  readonly #readers: readonly Reader<any>[];
  readonly #seen: (number | null)[];
  readonly #entries = new Map<string, { readonly value: V; readonly bytes: number }>();
  /** Counts how often everything was forgotten. */
  #era = 0;
  #bytes = 0;

  constructor(source: Source, collections: Collections, readonly options: RememberingOptions<V>) {
    this.#readers = collections.map((collection) => source.from(collection));
    this.#seen = collections.map(() => null);
  }

  /** Bytes that are kept, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The value of the key: at once where it is remembered, else as `make` gives it. */
  through(key: string, make: () => Awaitable<V>): Awaitable<V> {
    if (!this.#isCurrent()) return make();
    const known = this.#entries.get(key);
    if (known !== undefined) return known.value;
    const era = this.#era;
    return andThen(make(), (value) => {
      // A value made while a record changed may mix its old and new state, so it is not kept.
      if (this.#isCurrent() && this.#era === era) this.#keep(key, value);
      return value;
    });
  }

  /** False when memory cannot tell. What is remembered is forgotten when something has changed. */
  #isCurrent(): boolean {
    let known = true;
    let same = true;
    for (let i = 0; i < this.#readers.length; i++) {
      const generation = this.#readers[i]!.generation();
      if (generation === null) known = false;
      if (generation !== this.#seen[i]) {
        same = false;
        this.#seen[i] = generation;
      }
    }
    if (!same) this.#forget();
    return known;
  }

  #forget(): void {
    this.#era++;
    this.#entries.clear();
    this.#bytes = 0;
  }

  #keep(key: string, value: V): void {
    const { maxBytes, bytesOf } = this.options;
    const bytes = ENTRY_BYTES + 2 * key.length + bytesOf(value);
    // Another request may have made the same meanwhile.
    if (bytes > maxBytes || this.#entries.has(key)) return;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes + bytes <= maxBytes) break;
      this.#entries.delete(oldest);
      this.#bytes -= entry.bytes;
    }
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
  }
}

/**
 * Declares something to remember; each store has its own values.
 *
 * @param collections All that a value is computed from.
 */
export function remembering<V>(
  collections: Collections,
  options: RememberingOptions<V>,
): (source: Source) => Remembered<V> {
  const byStore = new WeakMap<Source, Remembered<V>>();
  return (source) => {
    let remembered = byStore.get(source);
    if (!remembered) {
      byStore.set(source, remembered = new Remembered(source, collections, options));
    }
    return remembered;
  };
}

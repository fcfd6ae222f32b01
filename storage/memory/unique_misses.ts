// Finds by unique values what memory lacks: all that are asked for in one turn of the event loop are one read.
import type { Scalar } from "../port.ts";
import { Misses } from "./misses.ts";

/** One value per field of a unique key, in its order. */
export type UniqueValues = readonly Scalar[];

export class UniqueMisses<R> {
  readonly #byKey = new Map<string, Misses<R>>();

  /** @param read Answers in the order of the values; null where no record has them. */
  constructor(
    readonly read: (
      unique: string,
      all: readonly UniqueValues[],
    ) => Promise<readonly (R | null)[]>,
  ) {}

  /** @param unique The name of a key that the collection declares. */
  fetch(unique: string, values: UniqueValues): Promise<R | null> {
    let misses = this.#byKey.get(unique);
    if (!misses) {
      misses = new Misses((texts) => this.read(unique, texts.map((text) => JSON.parse(text))));
      this.#byKey.set(unique, misses);
    }
    return misses.fetch(JSON.stringify(values));
  }
}

// Finds by unique values what memory lacks: all texts that are asked for in one turn of the event loop are one read.
import type { Scalar } from "../port.ts";
import { Misses } from "./misses.ts";

/** One value per field of a unique key, in its order. */
export type UniqueValues = readonly Scalar[];

export class UniqueMisses<R> {
  readonly #byKey = new Map<string, Misses<R>>();

  /** @param read Answers in the order of the values, several of a key of one field; null where no record has them. */
  constructor(
    readonly read: (
      unique: string,
      all: readonly UniqueValues[],
    ) => Promise<readonly (R | null)[]>,
  ) {}

  /** @param unique The name of a key that the collection declares. */
  fetch(unique: string, values: UniqueValues): Promise<R | null> {
    const [text] = values;
    // A number may be one that an engine refuses: others are not to fail with it.
    if (values.length > 1 || typeof text !== "string") return this.#readOne(unique, values);
    let misses = this.#byKey.get(unique);
    if (!misses) {
      misses = new Misses((texts) => this.read(unique, texts.map((one) => [one])));
      this.#byKey.set(unique, misses);
    }
    return misses.fetch(text);
  }

  async #readOne(unique: string, values: UniqueValues): Promise<R | null> {
    const [found] = await this.read(unique, [values]);
    return found ?? null;
  }
}

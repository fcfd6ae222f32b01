// Texts that records are looked up by, and what is found by them.

/** Texts that records are looked up by, such as ids; undefined: none. A list of texts is one. */
export interface Keys {
  readonly length: number;
  at(index: number): string | undefined;
}

/** What was found by each of some keys, in no order, by the place of the key: empty where nothing was found by any. */
export type ByKey<T> = readonly (readonly T[] | undefined)[];

/** In their order. Where there is none it is the empty text, which is the id of nothing. */
export function textsOf(keys: Keys): readonly string[] {
  return Array.from({ length: keys.length }, (_, n) => keys.at(n) ?? "");
}

// Texts that records are looked up by.
import type { Keys } from "./port.ts";

/** In their order. Where there is none it is the empty text, which is the id of nothing. */
export function textsOf(keys: Keys): readonly string[] {
  return Array.from({ length: keys.length }, (_, n) => keys.at(n) ?? "");
}

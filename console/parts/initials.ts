// What stands for people without a picture.

/** Colours that there are, `tint-0` and so on. */
const TINTS = 6;

/**
 * Two letters at most: of the first and the last word, without brackets and quotes before them; of a name in Han
 * characters, its last.
 */
export function initials(name: string): string {
  const signs = name.trim().split(/\s+/);
  const lettered = signs.map((word) => word.replace(/^[\p{P}\p{Sm}]+/u, "")).filter(Boolean);
  const words = lettered.length > 0 ? lettered : signs.slice(0, 1);
  const first = words[0] ?? "";
  if (/^\p{Script=Han}+$/u.test(first) && words.length === 1) return [...first].at(-1)!;
  const letters = [first, words.length > 1 ? words.at(-1)! : ""].map((word) => [...word][0] ?? "");
  return letters.join("").toLocaleUpperCase();
}

/** The same for the same name. */
export function tintOf(name: string): number {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.codePointAt(0)!) >>> 0;
  return hash % TINTS;
}

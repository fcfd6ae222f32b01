// What stands for people without a picture.

/** Colours that there are, `tint-0` and so on. */
const TINTS = 6;

/** Two letters at most: of the first and the last word; of a name in Han characters, its last. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean);
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

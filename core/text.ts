// Text as bytes, and parts of it.

const encoder = new TextEncoder();

/** Bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

/** The beginning of a text, of so many UTF-16 code units at most: half of a surrogate pair is no text, and left out. */
export function beginningOf(text: string, length: number): string {
  const cut = text.slice(0, length);
  return text.length > length ? cut.replace(/[\ud800-\udbff]$/, "") : cut;
}

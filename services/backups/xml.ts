// As much of XML as the answers of S3 take: elements without attributes that matter, and texts.

/** What stands in each element of a name. In one pass, whatever is sent: elements that do not end count as none. */
export function elementsOf(xml: string, name: string): string[] {
  const found: string[] = [];
  const beginning = new RegExp(`<${name}(?:\\s[^<>]*)?>`, "g"), ending = `</${name}>`;
  while (beginning.test(xml)) {
    const start = beginning.lastIndex, end = xml.indexOf(ending, start);
    if (end < 0) break;
    found.push(xml.slice(start, end));
    beginning.lastIndex = end + ending.length;
  }
  return found;
}

/** The text of the first element of a name; empty where there is none. */
export function textIn(xml: string, name: string): string {
  return unescaped(elementsOf(xml, name)[0] ?? "");
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  amp: "&",
};

function unescaped(text: string): string {
  return text.replace(
    /&(?:(lt|gt|quot|apos|amp)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi,
    (whole, name: string | undefined, decimal?: string, hexadecimal?: string) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()]!;
      const point = decimal === undefined ? parseInt(hexadecimal!, 16) : Number(decimal);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
}

// The names and addresses of the people that the seed makes, and the texts that find them.

export const GIVEN = [
  "Ada",
  "Bela",
  "Cora",
  "Dima",
  "Edda",
  "Finn",
  "Gita",
  "Hugo",
  "Ines",
  "Jona",
];
export const FAMILY = [
  "Marsh",
  "Okoye",
  "Lind",
  "Sato",
  "Rossi",
  "Novak",
  "Diaz",
  "Khan",
  "Weber",
  "Reed",
];

/** Users in a crew, which is part of their addresses: a search for one crew finds that many. */
const CREW = 10;

const REST = ".example.com";

/** @param rows Users in all. */
export function sailorEmail(i: number, rows: number): string {
  return `sailor${i}@crew${i % crewsOf(rows)}x${REST}`;
}

/**
 * Texts before and after `<number of a crew>x` that still find that crew alone: 65 searches for each, so that with
 * 10,000 crews hardly any search at random comes twice.
 */
export const aroundCrew = {
  before: ["@crew", "crew", "rew", "ew", "w"],
  after: Array.from({ length: REST.length + 1 }, (_, end) => REST.slice(0, end)),
};

/** How many crews there are, numbered from 0. */
export function crewsOf(rows: number): number {
  return Math.ceil(rows / CREW);
}

/** Texts of three to five letters that are part of one name alone: each finds a tenth of the people. */
export const partsOfNames: readonly string[] = partsOf(
  [...GIVEN, ...FAMILY].map((name) => name.toLowerCase()),
);

function partsOf(names: readonly string[]): string[] {
  const parts = names.flatMap((name) =>
    [0, 1, 2].flatMap((start) => [3, 4, 5].map((length) => name.slice(start, start + length)))
  );
  const once = (part: string) => names.filter((name) => name.includes(part)).length === 1;
  return [...new Set(parts)].filter((part) => part.length >= 3 && once(part));
}

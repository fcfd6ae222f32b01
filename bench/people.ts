// The names and addresses of the people that the seed makes.

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

/** @param rows Users in all. */
export function sailorEmail(i: number, rows: number): string {
  return `sailor${i}@crew${i % Math.ceil(rows / CREW)}x.example.com`;
}

// The addresses of the people that the seed makes.

/** Users in a crew, which is part of their addresses: a search for one crew finds that many. */
const CREW = 10;

/** @param rows Users in all. */
export function sailorEmail(i: number, rows: number): string {
  return `sailor${i}@crew${i % Math.ceil(rows / CREW)}x.example.com`;
}

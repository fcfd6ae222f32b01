// Rows: what lists show of a record, as text that is made once and kept. It has parts where the list has more to say in
// between, such as what other records say. Imports zod only.
import type { z } from "zod";

/** JSON that is written without indentation has no line break in it. */
const BETWEEN = "\n";

/** A row of these parts. */
export function rowOf(...parts: readonly string[]): string {
  return parts.join(BETWEEN);
}

/** The first of the parts that `rowOf` was given. */
export function firstPartOf(row: string): string {
  return row.slice(0, row.indexOf(BETWEEN));
}

/** The parts that `rowOf` was given, up to four; those that were not are empty. */
export function partsOf(row: string): [first: string, second: string, third: string, last: string] {
  // Ten times a request: this takes half as long as `split`.
  const first = end(row, 0), second = end(row, first + 1), third = end(row, second + 1);
  return [
    row.slice(0, first),
    row.slice(first + 1, second),
    row.slice(second + 1, third),
    row.slice(third + 1),
  ];
}

/** Where the part ends that begins there. */
function end(row: string, start: number): number {
  const at = row.indexOf(BETWEEN, start);
  return at < 0 ? row.length : at;
}

/** The fields that a schema declares, less those that are told otherwise. */
export function fieldsOf(schema: z.ZodObject, without: readonly string[] = []): string[] {
  return Object.keys(schema.shape).filter((field) => !without.includes(field));
}

/** The text that a JSON string holds. */
export function stringIn(json: string): string {
  return json.includes("\\") ? JSON.parse(json) : json.slice(1, -1);
}

/** These fields of a record as JSON without its braces: what is not declared does not leave the server. */
export function jsonOf(record: object, fields: readonly string[]): string {
  const shown: Record<string, unknown> = {};
  for (const field of fields) shown[field] = (record as Record<string, unknown>)[field];
  return JSON.stringify(shown).slice(1, -1);
}

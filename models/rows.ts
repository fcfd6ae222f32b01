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
  return row.slice(0, endOfPart(row, 0));
}

/** Where the part ends that begins there. */
export function endOfPart(row: string, start: number): number {
  const at = row.indexOf(BETWEEN, start);
  return at < 0 ? row.length : at;
}

/** The fields that a schema declares, less those that are told otherwise. */
export function fieldsOf(schema: z.ZodObject, without: readonly string[] = []): string[] {
  return Object.keys(schema.shape).filter((field) => !without.includes(field));
}

/** These fields of a record as JSON without its braces: what is not declared does not leave the server. */
export function jsonOf(record: object, fields: readonly string[]): string {
  const shown: Record<string, unknown> = {};
  for (const field of fields) shown[field] = (record as Record<string, unknown>)[field];
  return JSON.stringify(shown).slice(1, -1);
}

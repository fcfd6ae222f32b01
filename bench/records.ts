// Records for lists to find: a value in every field, and another one in most.
import { newId } from "../core/ids.ts";
import type { Table } from "../sql/tables.ts";
import type { Entity } from "../storage/port.ts";

const START = Date.UTC(2026, 0, 1);

/** The ids of the records that others refer to, by collection. */
export type Ids = ReadonlyMap<string, readonly string[]>;

/**
 * Record `n` of a table, a second younger than the one before it. What may be absent is, in a third.
 *
 * @param text What stands in its texts.
 * @param one Chooses whom it belongs to, of so many.
 */
export function anyRecord(
  table: Table,
  n: number,
  ids: Ids,
  text: string,
  one: (n: number, of: number) => number = (n, of) => n % of,
): Entity {
  const at = new Date(START + n * 1000).toISOString();
  const record: Record<string, unknown> = { id: newId(START + n * 1000), rev: "" };
  for (const { field, kind, values, optional } of table.columns) {
    const other = table.declaration.references[field];
    if (field === "id" || other === table.declaration.name || optional && n % 3 === 0) continue;
    const others = other && ids.get(other);
    record[field] = values?.[n % values.length] ?? others?.[one(n, others.length)] ?? {
      text: field === "role" ? "user" : text,
      timestamp: at,
      date: at.slice(0, 10),
      boolean: n % 2 === 0,
      integer: n,
      double: n,
      list: [],
    }[kind];
  }
  return record as unknown as Entity;
}

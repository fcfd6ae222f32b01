// Reads records by their unique values.
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { UniqueValues } from "../storage/memory/unique_misses.ts";
import type { Dialect } from "./dialect.ts";
import type { Column } from "./tables.ts";
import { and, canHold, parameter } from "./where.ts";

/**
 * The records that have some values of a unique key, in the order of these; null where there is none.
 *
 * @param columns Of the key.
 * @param all Several of a key of one field, which is a text.
 * @param select Reads of the records that meet a condition what is wanted, with that field; called once at most.
 */
export async function readByUnique<T extends object>(
  dialect: Dialect,
  columns: readonly Column[],
  all: readonly UniqueValues[],
  select: (where: RawBuilder<SqlBool>) => Promise<readonly T[]>,
): Promise<readonly (T | null)[]> {
  const held = all.filter((values) =>
    columns.every((column, n) => canHold(dialect, column, values[n]!))
  );
  if (held.length === 0) return all.map(() => null);
  const encoded = (column: Column, n: number) =>
    held.map((values) => parameter(dialect, column, values[n]!));
  const records = await select(
    and(
      columns.map((column, n) =>
        dialect.oneOf(sql.ref(column.name), column.kind, encoded(column, n))
      ),
    ),
  );
  if (all.length === 1) return [records[0] ?? null];
  const { field } = columns[0]!;
  const found = new Map(records.map((record) => [record[field as keyof T], record]));
  return all.map(([value]) => found.get(value as T[keyof T]) ?? null);
}

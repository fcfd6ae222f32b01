// Reads records by their unique values.
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Entity } from "../storage/port.ts";
import type { UniqueValues } from "../storage/memory/unique_misses.ts";
import type { Dialect } from "./dialect.ts";
import type { Column } from "./tables.ts";
import { and, canHold, parameter } from "./where.ts";

/**
 * The records that have some values of a unique key, in the order of these; null where there is none. Of a key of one
 * field they are one statement.
 *
 * @param columns Of the key.
 * @param select Reads the records that meet a condition.
 */
export async function readByUnique<T extends Entity>(
  dialect: Dialect,
  columns: readonly Column[],
  all: readonly UniqueValues[],
  select: (where: RawBuilder<SqlBool>) => Promise<readonly T[]>,
): Promise<readonly (T | null)[]> {
  const readOne = async (values: UniqueValues) => {
    if (columns.some((column, n) => !canHold(dialect, column, values[n]!))) return null;
    const [record] = await select(
      and(
        columns.map((column, n) =>
          sql<SqlBool>`${sql.ref(column.name)} = ${parameter(dialect, column, values[n]!)}`
        ),
      ),
    );
    return record ?? null;
  };
  if (all.length === 1 || columns.length > 1) return await Promise.all(all.map(readOne));
  const [column] = columns as [Column];
  const held = all.flatMap(([value]) => canHold(dialect, column, value!) ? [value!] : []);
  if (held.length === 0) return all.map(() => null);
  const encoded = held.map((value) => parameter(dialect, column, value));
  const records = await select(dialect.oneOf(sql.ref(column.name), column.kind, encoded));
  const found = new Map(records.map((record) => [record[column.field as keyof T], record]));
  return all.map(([value]) => found.get(value as T[keyof T]) ?? null);
}

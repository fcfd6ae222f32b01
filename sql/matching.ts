// A checked filter and search as a test of one record, where that is sure to give the same answer as their SQL.
import { meets } from "../storage/memory/column.ts";
import type { Entity, Scalar } from "../storage/port.ts";
import type { Condition, Filter } from "../storage/query.ts";
import { isSearchable, searchText, valueOf } from "../storage/searched.ts";
import type { Column, Table } from "./tables.ts";

export type Matches = (record: Entity) => boolean;

/** Null where only the database can tell, because it does not compare the values as they are written. */
export function matcher(table: Table, filter: Filter, search: string): Matches | null {
  const tests: Matches[] = [];
  for (const condition of filter.all) {
    if (!isPlain(table.byField.get(condition.field)!, condition)) return null;
    tests.push((record) => meets(condition, valueOf(record, condition.field)));
  }
  if (filter.any) {
    const branches = filter.any.map((branch) => matcher(table, branch, ""));
    if (branches.includes(null)) return null;
    tests.push((record) => branches.some((branch) => branch!(record)));
  }
  if (search !== "") {
    const isHeld = isSearchable(search), { declaration } = table;
    tests.push((record) => isHeld && searchText(declaration, record).includes(search));
  }
  return (record) => tests.every((test) => test(record));
}

/** Whether comparing the values as they are written is what the database does. */
function isPlain(column: Column, condition: Condition): boolean {
  if (condition.kind !== "range") return condition.values.every((value) => isValue(column, value));
  if (column.kind === "boolean") return false;
  return Object.values(condition.range).every((bound) =>
    bound === undefined || isValue(column, bound)
  );
}

/** Whether the value is written in the form that the column's values have. */
function isValue({ kind }: Column, value: Scalar): boolean {
  if (value === null) return true;
  switch (kind) {
    case "text":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    case "integer":
    case "double":
      return typeof value === "number";
    case "timestamp":
      return isoTime(value) === value;
    case "date":
      return isoTime(value)?.slice(0, 10) === value;
    case "list":
      return false;
  }
}

function isoTime(value: Scalar): string | null {
  const time = typeof value === "string" ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

// Conditions, orders and positions of a checked query, as SQL.
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Condition, Filter, ParsedQuery, Position, Sort } from "../query.ts";
import { InvalidQuery, type Scalar } from "../store.ts";
import type { Dialect } from "./dialect.ts";
import type { Column, Kind, Table } from "./tables.ts";

type Bool = RawBuilder<SqlBool>;

const YES = sql<SqlBool>`true`;
const NO = sql<SqlBool>`false`;
type Bound = "gt" | "gte" | "lt" | "lte";
const BOUNDS = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const;

/** All of them hold. */
export function and(conditions: readonly Bool[]): Bool {
  return conditions.length === 0 ? YES : sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}

function or(conditions: readonly Bool[]): Bool {
  return conditions.length === 0 ? NO : sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
}

export function filterSql(dialect: Dialect, table: Table, filter: Filter): Bool[] {
  const conditions = filter.all.map((condition) => conditionSql(dialect, table, condition));
  if (filter.any) {
    conditions.push(
      or(filter.any.map((branch) => sql<SqlBool>`(${and(filterSql(dialect, table, branch))})`)),
    );
  }
  return conditions;
}

/** The filter and the search of a query. */
export function querySql(dialect: Dialect, table: Table, query: ParsedQuery): Bool[] {
  const conditions = filterSql(dialect, table, query.filter);
  if (query.search !== "") {
    conditions.push(
      dialect.canHold(query.search) ? dialect.search(table.name, query.search) : NO,
    );
  }
  return conditions;
}

function conditionSql(dialect: Dialect, table: Table, condition: Condition): Bool {
  const column = table.byField.get(condition.field)!;
  if (condition.kind === "in") return valuesSql(dialect, column, condition.values);
  const bounds = Object.entries(condition.range) as [Bound, string | number | undefined][];
  return and(
    bounds.flatMap(([bound, value]) =>
      value === undefined ? [] : [boundSql(dialect, column, bound, value)]
    ),
  );
}

function valuesSql(dialect: Dialect, column: Column, values: readonly Scalar[]): Bool {
  const name = sql.ref(column.name);
  const present = values.filter((value) => value !== null && value !== undefined);
  const held = present.filter((value) => canHold(dialect, column, value));
  const conditions: Bool[] = [];
  if (present.length < values.length) conditions.push(sql<SqlBool>`${name} is null`);
  if (held.length > 0) {
    const encoded = held.map((value) => parameter(dialect, column, value));
    conditions.push(dialect.oneOf(name, column.kind, encoded));
  }
  return conditions.length === 1 ? conditions[0]! : or(conditions);
}

/** Times and dates are compared as their text is: what is given may be the beginning of one, such as a day. */
function boundSql(dialect: Dialect, column: Column, bound: Bound, value: string | number): Bool {
  let operator = BOUNDS[bound];
  const stored = parameter(dialect, column, value);
  if (isTime(column.kind) && stored !== null && value < (stored as string)) {
    operator = bound.startsWith("g") ? BOUNDS.gte : BOUNDS.lt;
  }
  if (column.kind === "date" && value > (stored as string)) {
    operator = bound.startsWith("g") ? BOUNDS.gt : BOUNDS.lte;
  }
  return sql<SqlBool>`${sql.ref(column.name)} ${operator} ${stored}`;
}

/** Whether a column can have the value at all. */
export function canHold(dialect: Dialect, column: Column, value: Scalar): boolean {
  if (typeof value !== "string") return true;
  if (column.kind === "date" && !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  if (isTime(column.kind)) return !Number.isNaN(Date.parse(value));
  return dialect.canHold(value);
}

/** @throws {InvalidQuery} It is no time where one is needed. */
export function parameter(dialect: Dialect, column: Column, value: Scalar): unknown {
  if (value === null || !isTime(column.kind)) return dialect.encode(column.kind, value);
  const time = typeof value === "string" ? Date.parse(value) : NaN;
  if (Number.isNaN(time)) {
    throw new InvalidQuery(`Cannot compare ${column.field}: '${value}' is no ISO 8601 time`);
  }
  const text = new Date(time).toISOString();
  return column.kind === "date" ? text.slice(0, 10) : text;
}

function isTime(kind: Kind): boolean {
  return kind === "timestamp" || kind === "date";
}

/** Absent values come first in ascending order; ties are broken by id. */
export function orderSql(dialect: Dialect, table: Table, sort: Sort): RawBuilder<unknown> {
  const direction = sql.raw(sort.descending ? "desc" : "asc");
  if (sort.field === "id") return sql`id ${direction}`;
  const column = table.byField.get(sort.field)!;
  const { ascending, descending } = dialect.nullsFirst;
  const order = column.optional ? sql.raw(sort.descending ? descending : ascending) : direction;
  return sql`${sql.ref(column.name)} ${order}, id ${direction}`;
}

/** What comes after a position. */
export function afterSql(dialect: Dialect, table: Table, sort: Sort, position: Position): Bool {
  const beyond = sort.descending ? sql`<` : sql`>`;
  if (sort.field === "id") return sql<SqlBool>`id ${beyond} ${position.id}`;
  const column = table.byField.get(sort.field)!;
  const name = sql.ref(column.name);
  if (position.value === null) {
    const tied = sql<SqlBool>`(${name} is null and id ${beyond} ${position.id})`;
    return sort.descending ? tied : or([tied, sql<SqlBool>`${name} is not null`]);
  }
  const value = parameter(dialect, column, position.value);
  const later = sql<SqlBool>`(${name}, id) ${beyond} (${value}, ${position.id})`;
  return column.optional && sort.descending ? or([later, sql<SqlBool>`${name} is null`]) : later;
}

// Conditions, orders and positions of a checked query, as SQL of Postgres: elsewhere memory answers lists.
import { type RawBuilder, sql, type SqlBool } from "kysely";
import {
  type Condition,
  type Filter,
  type ParsedQuery,
  type Position,
  reversed,
  type Sort,
  type SortField,
} from "../storage/query.ts";
import { InvalidQuery, type Scalar } from "../storage/port.ts";
import { isSearchable } from "../storage/searched.ts";
import type { Dialect } from "./dialect.ts";
import type { Column, Kind, Table } from "./tables.ts";

type Bool = RawBuilder<SqlBool>;

/** Characters in a trigram: an index of them cannot look up shorter terms. */
export const TRIGRAM = 3;

const YES = sql<SqlBool>`true`;
const NO = sql<SqlBool>`false`;
type Bound = "gt" | "gte" | "lt" | "lte";
const BOUNDS = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const;

/** The condition that all of the conditions hold. */
export function and(conditions: readonly Bool[]): Bool {
  return conditions.length === 0 ? YES : sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}

export function or(conditions: readonly Bool[]): Bool {
  return conditions.length === 0 ? NO : sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
}

export function filterSql(dialect: Dialect, table: Table, filter: Filter): Bool[] {
  const conditions = filter.all.map((condition) => conditionSql(dialect, table, condition));
  conditions.push(...spanSql(dialect, table, filter));
  if (filter.any) {
    const branches = filter.any.map((branch) => and(filterSql(dialect, table, branch)));
    conditions.push(or(branches.map((branch) => sql<SqlBool>`(${branch})`)));
  }
  return conditions;
}

/** Of conditions on both ends of a span, one that an index answers; see `span` of collections. */
function spanSql(dialect: Dialect, table: Table, { all }: Filter): Bool[] {
  const [begin, end] = (table.declaration.span ?? []).map((field) => table.byField.get(field)!);
  if (!begin || !end) return [];
  const ranges = all.flatMap((one) => one.kind === "range" ? [one] : []);
  const boundOf = (column: Column, ...names: Bound[]) => {
    const bounds = ranges.filter(({ field }) => field === column.field)
      .flatMap(({ range }) => names.flatMap((name) => range[name] ?? []));
    return bounds.length === 1 ? parameter(dialect, column, bounds[0]!) as string : null;
  };
  const from = boundOf(end, "gt", "gte"), to = boundOf(begin, "lt", "lte");
  if (from === null || to === null || from > to) return [];
  return [sql<SqlBool>`${spanOf(begin, end)} && tstzrange(${from}, ${to}, '[]')`];
}

/** In the words of the index of it. A range cannot end before it begins: where a record does, that is the end of both. */
function spanOf(begin: Column, end: Column): RawBuilder<unknown> {
  const from = sql.ref(begin.name), to = sql.ref(end.name);
  return sql`tstzrange(least(${from}, ${to}), ${to}, '[]')`;
}

/**
 * The filter and the search of a query.
 *
 * @param part The part of the searched text that is best looked up in an index.
 */
export function querySql(
  dialect: Dialect,
  table: Table,
  query: ParsedQuery,
  part: string,
): Bool[] {
  const conditions = filterSql(dialect, table, query.filter);
  if (query.search !== "") {
    const isHeld = isSearchable(query.search) && dialect.canHold(query.search);
    conditions.push(isHeld ? searchSql(query.search, part) : NO);
  }
  return conditions;
}

/** @param term As `search_text` is written. */
function searchSql(term: string, part: string): Bool {
  // Of `like` the planner may read the whole index of trigrams, which finds nothing out.
  if ([...term].length < TRIGRAM) return sql<SqlBool>`strpos(search_text, ${term}) > 0`;
  const pattern = `%${part.replace(/[\\%_]/g, "\\$&")}%`;
  if (part === term) return sql<SqlBool>`search_text like ${pattern}`;
  return sql<SqlBool>`(search_text like ${pattern} and strpos(search_text, ${term}) > 0)`;
}

function conditionSql(
  dialect: Dialect,
  table: Table,
  condition: Condition,
): Bool {
  const column = table.byField.get(condition.field)!;
  if (condition.kind !== "range") {
    const ask = condition.kind === "in" ? valuesSql : otherSql;
    return ask(dialect, column, condition.values);
  }
  const bounds = Object.entries(condition.range) as [Bound, string | number | undefined][];
  return and(
    bounds.flatMap(([bound, value]) =>
      value === undefined ? [] : [boundSql(dialect, column, bound, value)]
    ),
  );
}

function valuesSql(
  dialect: Dialect,
  column: Column,
  values: readonly Scalar[],
): Bool {
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

/** The column has none of the values; SQL's own comparison would leave out rows where the column is null. */
function otherSql(dialect: Dialect, column: Column, values: readonly Scalar[]): Bool {
  const name = sql.ref(column.name);
  const present = values.filter((value) => value !== null);
  const held = present.filter((value) => canHold(dialect, column, value));
  const encoded = held.map((value) => parameter(dialect, column, value));
  const others = held.length === 0
    ? YES
    : sql<SqlBool>`not (${dialect.oneOf(name, column.kind, encoded)})`;
  if (present.length < values.length) return sql<SqlBool>`(${name} is not null and ${others})`;
  return column.optional && held.length > 0 ? sql<SqlBool>`(${name} is null or ${others})` : others;
}

/** Times and dates are compared as their text is: what is given may be the beginning of one, such as a day. */
function boundSql(
  dialect: Dialect,
  column: Column,
  bound: Bound,
  value: string | number,
): Bool {
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

/** Absent values come first in ascending order. */
export function orderSql(dialect: Dialect, table: Table, sort: Sort): RawBuilder<unknown> {
  const { nullsFirst } = dialect;
  return sql.join(sort.map(({ field, descending }) => {
    const column = table.byField.get(field)!;
    const direction = descending ? "desc" : "asc";
    const order = descending ? nullsFirst.descending : nullsFirst.ascending;
    return sql`${sql.ref(column.name)} ${sql.raw(column.optional ? order : direction)}`;
  }));
}

/**
 * What comes after a position: parts of the list, one after the other. An index finds where each begins.
 *
 * @param inclusive Whether a row at the position itself is one of them.
 */
export function afterSql(
  dialect: Dialect,
  table: Table,
  sort: Sort,
  position: Position,
  inclusive = false,
): Bool[] {
  const [first, second, ...rest] = sort;
  const id = position.at(-1)!;
  const beyond = beyondOf(first!, inclusive);
  if (!second) return [sql<SqlBool>`id ${beyond} ${id}`];
  // A sort by one field whose ties go in the same direction is one comparison, which an index answers.
  if (rest.length > 0 || first!.descending !== second.descending) {
    return [afterAnySql(dialect, table, sort, position, inclusive)];
  }
  const column = table.byField.get(first!.field)!;
  const name = sql.ref(column.name);
  const [value] = position;
  if (value === null) {
    const tied = sql<SqlBool>`(${name} is null and id ${beyond} ${id})`;
    return first!.descending ? [tied] : [tied, sql<SqlBool>`${name} is not null`];
  }
  const stored = parameter(dialect, column, value!);
  const later = sql<SqlBool>`(${name}, id) ${beyond} (${stored}, ${id})`;
  return column.optional && first!.descending ? [later, sql<SqlBool>`${name} is null`] : [later];
}

/**
 * A row comes after when it is beyond in the first field; or equal there and beyond in the second; and so on. Where
 * absent values do not matter, a bound on the first field alone is added: an index then finds where to begin.
 */
function afterAnySql(
  dialect: Dialect,
  table: Table,
  sort: Sort,
  position: Position,
  inclusive: boolean,
): Bool {
  const equal: Bool[] = [];
  const branches: Bool[] = [];
  for (const [n, { field, descending }] of sort.entries()) {
    const column = table.byField.get(field)!;
    const name = sql.ref(column.name);
    const value = position[n]!;
    const stored = value === null ? null : parameter(dialect, column, value);
    const isId = n === sort.length - 1;
    const beyond = isId
      ? sql<SqlBool>`id ${beyondOf({ descending }, inclusive)} ${value}`
      : beyondSql(column, stored, descending);
    branches.push(sql<SqlBool>`(${and([...equal, beyond])})`);
    equal.push(value === null ? sql<SqlBool>`${name} is null` : sql<SqlBool>`${name} = ${stored}`);
  }
  const [{ field, descending }] = sort as [SortField, ...SortField[]];
  const column = table.byField.get(field)!;
  if (position[0] === null || (descending && column.optional)) return or(branches);
  const from = parameter(dialect, column, position[0]!);
  const atLeast = descending ? sql`<=` : sql`>=`;
  return sql<SqlBool>`(${sql.ref(column.name)} ${atLeast} ${from} and ${or(branches)})`;
}

function beyondOf({ descending }: { descending: boolean }, inclusive: boolean) {
  return descending ? inclusive ? sql`<=` : sql`<` : inclusive ? sql`>=` : sql`>`;
}

/**
 * What comes after one position, up to another and at it. Where one of them shows whether the first field is absent, the
 * other need not say so: an index has only one bound of each kind.
 */
export function betweenSql(
  dialect: Dialect,
  table: Table,
  sort: Sort,
  after: Position | null,
  until: Position | null,
): Bool[] {
  const lower = after ? afterSql(dialect, table, sort, after) : [];
  const upper = until ? afterSql(dialect, table, reversed(sort), until, true) : [];
  if (until?.[0] === null) lower.splice(1);
  if (after && after[0] !== null) upper.splice(1);
  return [lower, upper].filter((parts) => parts.length > 0).map(or);
}

/** After a value of one field, of which absent ones are the lowest. */
function beyondSql(column: Column, stored: unknown, descending: boolean): Bool {
  const name = sql.ref(column.name);
  if (stored === null) return descending ? NO : sql<SqlBool>`${name} is not null`;
  if (!descending) return sql<SqlBool>`${name} > ${stored}`;
  const below = sql<SqlBool>`${name} < ${stored}`;
  return column.optional ? or([below, sql<SqlBool>`${name} is null`]) : below;
}

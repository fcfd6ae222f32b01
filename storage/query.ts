// What a list may ask, checked against the declaration; and cursors. Shared by the engines.
import {
  type AggregateQuery,
  type CollectionDeclaration,
  type Entity,
  InvalidQuery,
  type ListQuery,
  type Range,
  type Scalar,
  type Where,
} from "./store.ts";

// deno-lint-ignore no-explicit-any -- only the names of fields are read, whatever the record
type AnyDeclaration = CollectionDeclaration<any>;

const COMMON_FIELDS = ["id", "createdAt", "updatedAt"];
const DEFAULT_SORT = "-createdAt";
const DEFAULT_LIMIT = 10;

/** One condition: the field's value is one of these, or within these bounds. */
export type Condition =
  | { readonly kind: "in"; readonly field: string; readonly values: readonly Scalar[] }
  | { readonly kind: "range"; readonly field: string; readonly range: Range };

/** A `where`, checked: every condition holds, and of each list of branches at least one. */
export interface Filter {
  readonly all: readonly Condition[];
  readonly any: readonly Filter[] | null;
}

export interface Sort {
  readonly field: string;
  readonly descending: boolean;
}

/** The sort value of the last row seen, and its id. */
export interface Position {
  readonly value: Scalar;
  readonly id: string;
}

/** A list query with its defaults, checked. */
export interface ParsedQuery {
  readonly filter: Filter;
  /** Lower case; empty: no search. */
  readonly search: string;
  readonly sort: Sort;
  readonly limit: number;
  /** How many rows to skip; 0 with a cursor. */
  readonly offset: number;
  readonly after: Position | null;
}

/** @throws {InvalidQuery} */
export function parseQuery<T extends Entity>(
  declaration: CollectionDeclaration<T>,
  query: ListQuery<T> = {},
): ParsedQuery {
  const search = query.search ?? "";
  if (search !== "" && declaration.search.length === 0) {
    throw new InvalidQuery(`Cannot list ${declaration.name}: it has no field to search`);
  }
  const text = query.sort ?? DEFAULT_SORT;
  const sort = parseSort(declaration, text);
  const limit = positive(declaration, "limit", query.limit ?? DEFAULT_LIMIT);
  const page = positive(declaration, "page", query.page ?? 1);
  const after = query.cursor === undefined
    ? null
    : decodeCursor(declaration.name, sort, query.cursor);
  return {
    filter: parseWhere(declaration, query.where),
    search: search.toLowerCase(),
    sort,
    limit,
    offset: after ? 0 : (page - 1) * limit,
    after,
  };
}

/** @throws {InvalidQuery} The field is not declared for sorting. */
export function parseSort(declaration: AnyDeclaration, text: string): Sort {
  const descending = text.startsWith("-");
  const field = descending ? text.slice(1) : text;
  if (!COMMON_FIELDS.includes(field) && !declaration.sort.includes(field)) {
    throw new InvalidQuery(`Cannot sort ${declaration.name}: '${field}' is not a sort field`);
  }
  return { field, descending };
}

/** @throws {InvalidQuery} A field is not declared for filtering or sorting. */
export function parseWhere<T extends Entity>(
  declaration: CollectionDeclaration<T>,
  where: Where<T> = {},
): Filter {
  const all: Condition[] = [];
  let any: Filter[] | null = null;
  for (const [field, value] of Object.entries(where)) {
    if (value === undefined) continue;
    if (field === "any") {
      any = (value as readonly Where<T>[]).map((branch) => parseWhere(declaration, branch));
      continue;
    }
    if (!filterable(declaration, field)) {
      throw new InvalidQuery(`Cannot filter ${declaration.name}: '${field}' is not a filter field`);
    }
    const condition = parseCondition(field, value as Scalar | readonly Scalar[] | Range);
    if (condition) all.push(condition);
  }
  return { all, any };
}

/** @throws {InvalidQuery} A field is not declared for what it is asked for. */
export function checkAggregate<T extends Entity>(
  declaration: CollectionDeclaration<T>,
  query: AggregateQuery<T>,
): void {
  const { name } = declaration;
  const dated = query.by === "day" || query.by === "month";
  if (query.by !== undefined && !dated && !filterable(declaration, query.by)) {
    throw new InvalidQuery(`Cannot group ${name}: '${query.by}' is not a filter field`);
  }
  if (query.on !== undefined && !filterable(declaration, query.on)) {
    throw new InvalidQuery(`Cannot group ${name}: '${query.on}' is not a filter field`);
  }
  for (const field of query.sum ?? []) {
    if (!declaration.sum.includes(field)) {
      throw new InvalidQuery(`Cannot add up ${name}: '${field}' is not a sum field`);
    }
  }
}

export function encodeCursor(sort: Sort, position: Position): string {
  const json = JSON.stringify([sort.field, sort.descending, position.value, position.id]);
  const ascii = json.replace(/[^\0-\x7f]/g, (unit) => `\\u${hex(unit.charCodeAt(0))}`);
  return btoa(ascii).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function hex(code: number): string {
  return code.toString(16).padStart(4, "0");
}

/** @throws {InvalidQuery} It is no cursor of this sort. */
export function decodeCursor(name: string, sort: Sort, cursor: string): Position {
  const [field, descending, value, id] = readCursor(cursor) ?? [];
  const scalar = value === null || ["string", "number", "boolean"].includes(typeof value);
  if (field === sort.field && descending === sort.descending && scalar && typeof id === "string") {
    return { value: value as Scalar, id };
  }
  throw new InvalidQuery(
    `Cannot list ${name}: '${cursor.slice(0, 100)}' is no cursor of a list sorted by ${sort.field}`,
  );
}

function readCursor(cursor: string): unknown[] | null {
  try {
    const parts: unknown = JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")));
    return Array.isArray(parts) ? parts : null;
  } catch {
    return null;
  }
}

function filterable(declaration: AnyDeclaration, field: string): boolean {
  return COMMON_FIELDS.includes(field) || declaration.filter.includes(field) ||
    declaration.sort.includes(field);
}

function parseCondition(
  field: string,
  value: Scalar | readonly Scalar[] | Range,
): Condition | null {
  if (Array.isArray(value)) return { kind: "in", field, values: value as readonly Scalar[] };
  if (typeof value !== "object" || value === null) {
    return { kind: "in", field, values: [value as Scalar] };
  }
  const range = value as Range;
  const bounded = range.gt ?? range.gte ?? range.lt ?? range.lte;
  return bounded === undefined ? null : { kind: "range", field, range };
}

function positive(declaration: AnyDeclaration, what: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidQuery(
    `Cannot list ${declaration.name}: ${what} must be a whole number from 1, received ${value}`,
  );
}

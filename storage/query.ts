// What a list may ask, checked against the declaration; and cursors. Shared by the engines.
import { BoundedMap } from "../core/bounded_map.ts";
import { nearest } from "../core/nearest.ts";
import {
  type AggregateQuery,
  type CollectionDeclaration,
  type Entity,
  type FieldWhere,
  InvalidQuery,
  type ListQuery,
  type Range,
  type Scalar,
  type Where,
} from "./port.ts";
import { comparable } from "./searched.ts";

// deno-lint-ignore no-explicit-any -- only the names of fields are read, whatever the record
type AnyDeclaration = CollectionDeclaration<any>;

const COMMON_FIELDS = ["id", "createdAt", "updatedAt"];
const DEFAULT_SORT = "-createdAt";
export const DEFAULT_LIMIT = 10;
/** The most fields that one list may be sorted by: each costs a pass, and further ones hardly change the order. */
const MAX_SORT_FIELDS = 5;

/** One condition: the field's value is one of these, or none of these, or within these bounds. */
export type Condition =
  | { readonly kind: "in" | "not"; readonly field: string; readonly values: readonly Scalar[] }
  | { readonly kind: "range"; readonly field: string; readonly range: Range };

/** A `where`, checked: every condition holds, and at least one of the branches. */
export interface Filter {
  readonly all: readonly Condition[];
  readonly any: readonly Filter[] | null;
}

export interface SortField {
  readonly field: string;
  readonly descending: boolean;
}

/** The fields in the order in which they decide; the last is always the id, so that no two rows are equal. */
export type Sort = readonly SortField[];

/** The sort values of the last row seen, one for each field of the sort. */
export type Position = readonly Scalar[];

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

/** Characters of a value that a message repeats. */
const SHOWN = 100;

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
  const after = query.cursor === undefined ? null : decodeCursor(sort, query.cursor);
  return {
    filter: parseWhere(declaration, query.where),
    search: comparable(search),
    sort,
    limit,
    offset: after ? 0 : (page - 1) * limit,
    after,
  };
}

function invalidPart(part: "sort" | "cursor", message: string): InvalidQuery {
  return new InvalidQuery(message, { part });
}

/** Sorts of a collection that are remembered. */
const MAX_SORTS = 100;

const sorts = new WeakMap<AnyDeclaration, BoundedMap<string, Sort>>();

/**
 * The same text gives the same object.
 *
 * @throws {InvalidQuery} A field is not declared for sorting.
 */
export function parseSort(declaration: AnyDeclaration, text: string): Sort {
  let known = sorts.get(declaration);
  if (!known) sorts.set(declaration, known = new BoundedMap(MAX_SORTS));
  let sort = known.get(text);
  if (!sort) known.set(text, sort = readSort(declaration, text));
  return sort;
}

function readSort(declaration: AnyDeclaration, text: string): Sort {
  const sort: SortField[] = [];
  for (const part of text.split(",")) {
    const descending = part.startsWith("-");
    const field = descending ? part.slice(1) : part;
    if (!COMMON_FIELDS.includes(field) && !declaration.sort.includes(field)) {
      const near = nearest(field, [...COMMON_FIELDS, ...declaration.sort]);
      const hint = near === null ? "" : `, the nearest is ${near}`;
      const said = `must name fields to sort by: '${field.slice(0, SHOWN)}' is none${hint}`;
      throw invalidPart("sort", said);
    }
    // A field that is named again decides nothing, and nothing is left to decide after the id.
    const decided = sort.some((known) => known.field === field || known.field === "id");
    if (!decided) sort.push({ field, descending });
  }
  if (sort.length > MAX_SORT_FIELDS) {
    throw invalidPart("sort", `must name at most ${MAX_SORT_FIELDS} fields`);
  }
  const last = sort.at(-1)!;
  return last.field === "id" ? sort : [...sort, { field: "id", descending: last.descending }];
}

const sortTexts = new WeakMap<Sort, string>();

/** The sort as text, in the form in which a query asks for it, with the id at its end. */
export function sortText(sort: Sort): string {
  let text = sortTexts.get(sort);
  if (text === undefined) {
    text = sort.map(({ field, descending }) => descending ? `-${field}` : field).join(",");
    sortTexts.set(sort, text);
  }
  return text;
}

const reverses = new WeakMap<Sort, Sort>();

/** The same rows from the last to the first. */
export function reversed(sort: Sort): Sort {
  let reverse = reverses.get(sort);
  if (!reverse) {
    reverse = sort.map(({ field, descending }) => ({ field, descending: !descending }));
    reverses.set(sort, reverse);
  }
  return reverse;
}

/** Where a record stands in a sorted list. */
export function positionOf(sort: Sort, record: Entity): Position {
  const fields = record as unknown as Record<string, Scalar | undefined>;
  return sort.map(({ field }) => fields[field] ?? null);
}

/** Of conditions that cannot change. */
const filters = new WeakMap<object, { readonly of: AnyDeclaration; readonly filter: Filter }>();

/**
 * The same object gives the same one, where it is frozen.
 *
 * @throws {InvalidQuery} A field is not declared for filtering or sorting.
 */
export function parseWhere<T extends Entity>(
  declaration: CollectionDeclaration<T>,
  where: Where<T> = {},
): Filter {
  if (!Object.isFrozen(where)) return readWhere(declaration, where);
  const known = filters.get(where);
  if (known?.of === declaration) return known.filter;
  const filter = Object.freeze(readWhere(declaration, where));
  filters.set(where, { of: declaration, filter });
  return filter;
}

function readWhere<T extends Entity>(
  declaration: CollectionDeclaration<T>,
  where: Where<T>,
): Filter {
  const conditions: Condition[] = [];
  let any: Filter[] | null = null;
  let every: Filter[] = [];
  for (const [field, value] of Object.entries(where)) {
    if (value === undefined) continue;
    if (field === "any" || field === "all") {
      const branches = (value as readonly Where<T>[]).map((one) => parseWhere(declaration, one));
      if (field === "any") any = branches;
      else every = branches;
      continue;
    }
    if (!filterable(declaration, field)) {
      throw new InvalidQuery(`Cannot filter ${declaration.name}: '${field}' is not a filter field`);
    }
    conditions.push(...parseConditions(field, value as Scalar | readonly Scalar[] | FieldWhere));
  }
  return every.reduce(both, { all: conditions, any });
}

const pairs = new WeakMap<object, WeakMap<object, object>>();

/** What fulfils both conditions. Of two that are frozen it is one object, which `parseWhere` knows. */
export function bothOf<T>(one: Where<T>, other: Where<T>): Where<T> {
  const all = { all: [one, other] } as Where<T>;
  if (!Object.isFrozen(one) || !Object.isFrozen(other)) return all;
  let known = pairs.get(one);
  if (!known) pairs.set(one, known = new WeakMap());
  const pair = known.get(other) as Where<T> | undefined;
  if (pair) return pair;
  known.set(other, Object.freeze(all));
  return all;
}

/** The filter that both filters hold. Where both have branches, each of one is combined with each of the other. */
function both(one: Filter, other: Filter): Filter {
  const all = [...one.all, ...other.all];
  if (!one.any || !other.any) return { all, any: one.any ?? other.any };
  const rest = { all: [], any: other.any };
  return { all, any: one.any.map((branch) => both(branch, rest)) };
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
  let json = `["${sortText(sort)}"`;
  for (const value of position) json += `,${asciiJson(value)}`;
  return btoa(json + "]").replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** What JSON writes as it is, in ASCII. */
const PLAIN = /^[ !#-[\]-~]*$/;

function asciiJson(value: Scalar): string {
  if (typeof value === "string" && PLAIN.test(value)) return `"${value}"`;
  return JSON.stringify(value).replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${hex(unit.charCodeAt(0))}`,
  );
}

function hex(code: number): string {
  return code.toString(16).padStart(4, "0");
}

/** @throws {InvalidQuery} It is no cursor of this sort. */
function decodeCursor(sort: Sort, cursor: string): Position {
  const [text, ...position] = readCursor(cursor) ?? [];
  if (
    text === sortText(sort) && position.length === sort.length && position.every(isScalar) &&
    typeof position.at(-1) === "string"
  ) return position;
  const by = sort.map(({ field }) => field).join(", ");
  const shown = cursor.slice(0, SHOWN);
  throw invalidPart("cursor", `must be one of a list sorted by ${by}: '${shown}' is none`);
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
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

function parseConditions(
  field: string,
  value: Scalar | readonly Scalar[] | FieldWhere,
): Condition[] {
  if (Array.isArray(value)) return [{ kind: "in", field, values: unchanging(value) }];
  if (typeof value !== "object" || value === null) {
    return [{ kind: "in", field, values: [value as Scalar] }];
  }
  const { in: values, ne, ...range } = value as FieldWhere;
  const conditions: Condition[] = [];
  if (values !== undefined) conditions.push({ kind: "in", field, values: unchanging(values) });
  if (ne !== undefined) conditions.push({ kind: "not", field, values: [ne].flat() as Scalar[] });
  const bounded = range.gt ?? range.gte ?? range.lt ?? range.lte;
  if (bounded !== undefined) conditions.push({ kind: "range", field, range });
  return conditions;
}

/** Values that stay what they are whatever the caller does with theirs: memory knows them by their list. */
function unchanging(values: readonly Scalar[]): readonly Scalar[] {
  return Object.isFrozen(values) ? values : [...values];
}

function positive(declaration: AnyDeclaration, what: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidQuery(
    `Cannot list ${declaration.name}: ${what} must be a whole number from 1, received ${value}`,
  );
}

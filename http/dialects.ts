// Reads the list queries of other servers' clients as their equals here: json-server's `_start`, `_sort` and their like,
// and the `sort`, `range` and `filter` in JSON of react-admin's simple REST.
import { z } from "zod";
import type { FieldError } from "../core/errors.ts";
import { MAX_LIMIT } from "../models/list_query.ts";

/** The parameters of a request by name, each with all its values; an empty list is one that was given as such. */
export type Given = Map<string, string[]>;

/** What these clients put into a query that no endpoint declares. */
const FOREIGN: ReadonlySet<string> = new Set([
  "_start",
  "_end",
  "_sort",
  "_order",
  "_page",
  "_limit",
  "_per_page",
  "range",
  "filter",
]);

/** Whether a parameter is one that `translate` knows. */
export function isForeign(name: string, value: string): boolean {
  return FOREIGN.has(name) || (name === "sort" && value.startsWith("["));
}

/** Values that one `filter` names at most. */
const MAX_FILTERS = 50;
/** Characters of a name that are repeated to whoever sent it. */
const SHOWN = 100;

const PLACE = z.int().min(0).max(999_999_999);
const SORT = z.tuple([z.string(), z.string()]);
const RANGE = z.tuple([PLACE, PLACE]).refine(([first, last]) => first <= last);
const FILTER = z.record(z.string(), z.unknown());
const VALUES = z.array(z.union([z.string(), z.number(), z.boolean()]));

/** What cannot be read as a query of this list. */
class Unreadable extends Error {
  constructor(readonly field: string, message: string) {
    super(message);
  }
}

/**
 * Puts what is foreign among the parameters in the words of this server. What is wrong with it is added to the problems,
 * and nothing of it is left among the parameters.
 */
export function translate(given: Given, problems: FieldError[]): void {
  const foreign = new Map([...given].filter(([name, values]) => isForeign(name, values[0] ?? "")));
  for (const name of foreign.keys()) given.delete(name);
  const take = (name: string): string | undefined => {
    const values = foreign.get(name);
    if (values && values.length > 1) throw new Unreadable(name, "must be given once");
    return values?.[0];
  };
  for (const part of [readSort, readPlaces, readPages, readFilter]) {
    try {
      part(take, given);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      problems.push({ field: error.field, message: error.message });
    }
  }
}

type Take = (name: string) => string | undefined;

/** `_sort=name,-age`, with `_order=asc,desc` in the same order; or `sort=["name","ASC"]`. */
function readSort(take: Take, given: Given): void {
  const json = take("sort");
  if (json !== undefined) {
    const [field, order] = read("sort", json, SORT, 'must be a list such as ["name","ASC"]');
    return add(given, "sort", inOrder(field, order, "sort"));
  }
  const fields = take("_sort");
  const orders = take("_order")?.split(",") ?? [];
  if (!fields) return;
  const sorted = fields.split(",").map((field, n) => inOrder(field, orders[n] || "asc", "_order"));
  add(given, "sort", sorted.join(","));
}

function inOrder(field: string, order: string, parameter: string): string {
  if (/^asc$/i.test(order)) return field;
  if (/^desc$/i.test(order)) return field.startsWith("-") ? field.slice(1) : `-${field}`;
  throw new Unreadable(parameter, "must say asc or desc for each field");
}

/** `_start=20&_end=30`, the end excluded, or `_start=20&_limit=10`; or `range=[20,29]`, the end included. */
function readPlaces(take: Take, given: Given): void {
  const json = take("range");
  if (json !== undefined) {
    const wanted = "must be a list of the first and the last place, such as [0,9]";
    const [first, last] = read("range", json, RANGE, wanted);
    return addPage(given, "range", first, last - first + 1);
  }
  const [start, end] = [take("_start"), take("_end")].map((text) => text || undefined);
  if (start === undefined && end === undefined) return;
  const from = place("_start", start ?? "0");
  const size = end === undefined
    ? place("_limit", take("_limit") || "10")
    : place("_end", end) - from;
  if (size < 1) throw new Unreadable("_end", "must be greater than _start");
  addPage(given, "_start", from, size);
}

function place(name: string, text: string): number {
  const number = Number(text);
  if (/^\d{1,15}$/.test(text) && PLACE.safeParse(number).success) return number;
  throw new Unreadable(name, "must be a whole number from 0");
}

/**
 * Pages here begin at multiples of their size, as those of all these clients do. Of more rows than an answer holds the
 * first page alone is answered, with as many as it holds: behind it rows would be missing.
 */
function addPage(given: Given, field: string, start: number, size: number): void {
  if (start % size !== 0) {
    const message = `must begin a page: ${start} is no multiple of the ${size} rows asked for`;
    throw new Unreadable(field, message);
  }
  if (start > 0 && size > MAX_LIMIT) {
    throw new Unreadable(field, `must be a page of at most ${MAX_LIMIT} rows, not of ${size}`);
  }
  add(given, "page", String(start / size + 1));
  add(given, "limit", String(size));
}

/** `_page=3&_limit=20`, or `_per_page=20`. */
function readPages(take: Take, given: Given): void {
  const page = take("_page");
  const limit = take("_limit") ?? take("_per_page");
  if (page) add(given, "page", page);
  if (limit && !given.has("limit")) add(given, "limit", limit);
}

/** `filter={"status":"active","id":["a","b"]}`: each field is the parameter of that name. */
function readFilter(take: Take, given: Given): void {
  const json = take("filter");
  if (!json) return;
  const filter = read("filter", json, FILTER, 'must be an object such as {"status":"active"}');
  const entries = Object.entries(filter);
  if (entries.length > MAX_FILTERS) {
    throw new Unreadable("filter", `must name at most ${MAX_FILTERS} fields`);
  }
  for (const [name, value] of entries) {
    const values = VALUES.safeParse([value].flat()).data;
    if (!values) {
      const field = `filter.${name.slice(0, SHOWN)}`;
      throw new Unreadable(field, "must be text, a number, true, false or a list of them");
    }
    // No ids at all are none of the records; other fields are left free where nothing is chosen.
    if (values.length === 0 && name !== "id") continue;
    given.set(name, [...given.get(name) ?? [], ...values.map(String)]);
  }
}

/** What a parameter holds in JSON. */
function read<T>(name: string, json: string, schema: z.ZodType<T>, wanted: string): T {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Unreadable(name, "is not valid JSON");
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Unreadable(name, wanted);
}

function add(given: Given, name: string, value: string): void {
  given.set(name, [...given.get(name) ?? [], value]);
}

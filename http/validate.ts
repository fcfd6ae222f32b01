// Holds a request to the declaration of its endpoint: all that is wrong with it in one answer, and what was ignored.
import type { Context } from "hono";
import type { z } from "zod";
import { type FieldError, invalidFields } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import { queryPairs } from "../core/query_pairs.ts";
import { parametersIn, parseParameters } from "../models/list_query.ts";
import { type Given, isForeign, translate } from "./dialects.ts";
import type { Endpoint } from "./endpoint.ts";
import { KnownQueries, pageApart } from "./known_queries.ts";
import type { Paging } from "./lists.ts";
import { isNeedlessNull, NOT_NULL } from "./null_fields.ts";
import { prefersStrict } from "./preferences.ts";
import { selectable, SELECTING } from "./selection.ts";
import { unknownFields } from "./unknown_fields.ts";
import { wordsFor } from "./words.ts";

/** What a handler gets, and what the client is to be told beside the answer. */
export interface Accepted {
  readonly query: unknown;
  readonly body: unknown;
  readonly warnings: readonly FieldError[];
}

/**
 * @param found What is known to be wrong with the body already. @default nothing
 * @throws {ApiError} VALIDATION_ERROR
 */
export type Validator = (c: Context, body: unknown, found?: readonly FieldError[]) => Accepted;

/** Unknown parameters that are named at most. */
const MAX_NAMED = 10;
/** Characters of a parameter's name that are repeated to whoever sent it. */
const SHOWN = 100;

const NO_WARNINGS: readonly FieldError[] = [];

/** Null for an endpoint that takes neither a query nor a body. */
export function validatorOf(endpoint: Endpoint): Validator | null {
  const { query: querySchema, body: bodySchema } = endpoint;
  if (!querySchema && !bodySchema) return null;
  const beside = selectable(endpoint) ? Object.values(SELECTING) : [];
  const readQuery = querySchema ? queryReader(querySchema, beside) : () => undefined;
  return (c, sent, found) => {
    const problems: FieldError[] = [];
    const query = readQuery(c, problems);
    let body: unknown;
    let warnings = NO_WARNINGS;
    if (bodySchema) {
      const result = bodySchema.safeParse(sent, { error: wordsFor });
      if (result.success) {
        body = result.data;
        warnings = unknownFields(bodySchema, sent);
        if (prefersStrict(c) && warnings.length > 0) problems.push(...warnings);
      } else problems.push(...bodyErrors(result.error, bodySchema, sent));
    }
    if (found) problems.push(...found);
    if (problems.length > 0) throw invalidFields(problems);
    return { query, body, warnings };
  };
}

/** Any endpoint takes it: see bare.ts. */
const ENVELOPE = "envelope";

type QueryReader = (c: Context, problems: FieldError[]) => unknown;

/** @param beside Parameters that others read. */
function queryReader(schema: z.ZodType, beside: readonly string[]): QueryReader {
  const declared = new Set([...Object.keys(parametersIn(schema).shape), ...beside]);
  const isList = declared.has("page");
  const read = (text: string, problems: FieldError[]): unknown => {
    const given = parametersOf(text, isList, problems);
    for (const name in given) {
      if (declared.has(name) || name.startsWith("_") || name === ENVELOPE) continue;
      if (problems.length < MAX_NAMED) problems.push(unknownParameter(name, declared));
    }
    const { data, issues } = parseParameters(schema, given, wordsFor);
    if (issues) problems.push(...parameterErrors(issues, given));
    return problems.length > 0 ? undefined : data;
  };
  return isList ? pageReader(read) : (c, problems) => read(queryText(c), problems);
}

/** Reads the query of a list: at once where another page of the same was asked for before. */
function pageReader(read: (text: string, problems: FieldError[]) => unknown): QueryReader {
  const known = new KnownQueries<Paging>();
  return (c, problems) => {
    const text = queryText(c);
    const paged = pageApart(text), { page } = paged;
    const query = known.get(paged);
    if (query && page === null) return query;
    // One that has a page by itself names it a second time, in words of others.
    if (query && query.page === undefined) return { ...query, page };
    const found = read(text, problems) as Paging | undefined;
    if (!found || query || !known.takes(paged)) return found;
    const { page: _, ...others } = found;
    known.keep(paged, frozen(page === null ? found : others));
    return found;
  };
}

/** What several requests share: nobody changes it, and who is handed it again knows it. */
function frozen<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === "object" && part !== null) frozen(part);
  }
  return Object.freeze(value);
}

function queryText(c: Context): string {
  const { url } = c.req;
  const question = url.indexOf("?");
  return question < 0 ? "" : url.slice(question);
}

/**
 * By name: the value, or all of them where the name is repeated.
 *
 * @param isList Whether the dialects of list queries are read.
 */
function parametersOf(
  query: string,
  isList: boolean,
  problems: FieldError[],
): Record<string, string | string[]> {
  const given: Given = new Map();
  let foreign = false;
  for (const [name, value] of queryPairs(query)) {
    const values = given.get(name);
    if (values) values.push(value);
    else given.set(name, [value]);
    foreign ||= isForeign(name, value);
  }
  if (foreign && isList) translate(given, problems);
  const parameters: Record<string, string | string[]> = Object.create(null);
  for (const [name, values] of given) {
    parameters[name] = values.length === 1 ? values[0]! : values;
  }
  return parameters;
}

/** Names that begin with an underscore pass: clients put them there to get past caches. */
function unknownParameter(name: string, known: ReadonlySet<string>): FieldError {
  const near = nearest(name, known);
  return {
    field: name.slice(0, SHOWN),
    message: `is not known here${near === null ? "" : `: the nearest known parameter is ${near}`}`,
  };
}

function bodyErrors({ issues }: z.ZodError, schema: z.ZodType, sent: unknown): FieldError[] {
  return issues.map(({ path, message }) => ({
    field: path.join(".") || "body",
    message: isNeedlessNull(schema, sent, path) ? NOT_NULL : message,
  }));
}

/** Where values of a parameter are wrong, the error names the parameter, and tells once what is wrong with them. */
function parameterErrors(
  issues: readonly z.core.$ZodIssue[],
  given: Readonly<Record<string, unknown>>,
): FieldError[] {
  const told = new Map<string, FieldError>();
  for (const { path, message, code } of issues) {
    const field = String(path[0] ?? "query");
    // What is wrong with the values of a list stands further down the path, but for their number.
    const once = path.length === 1 && Array.isArray(given[field]) && code !== "too_big";
    const problem = once ? "must be given once" : message;
    told.set(`${field} ${problem}`, { field, message: problem });
  }
  return [...told.values()];
}

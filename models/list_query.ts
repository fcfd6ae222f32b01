// The query of a list: paging, search, sort, and conditions on each field that a collection declares. Imports zod only.
import { z } from "zod";
import type { CollectionDeclaration, Entity, Scalar } from "./collection.ts";
import { MAX_NAME_BYTES } from "./names.ts";
import { moment, momentOrEndOfDay } from "./requests.ts";

/** The most records that one page of a list holds. */
export const MAX_LIMIT = 100;
/** The most values that one filter takes: enough for the ids of a full page. */
const MAX_VALUES = 500;
/** A whole number of at most 15 digits: a column of every engine can hold it. */
const WHOLE = /^-?\d{1,15}$/;

/** What a query asks of one field; the storage port's `FieldWhere`. */
interface Asked {
  readonly in?: readonly Scalar[];
  readonly ne?: readonly Scalar[];
  readonly gt?: string | number;
  readonly gte?: string | number;
  readonly lt?: string | number;
  readonly lte?: string | number;
}

/** A validated list query. */
export type ListParameters<T, F extends z.ZodRawShape> =
  & {
    readonly page?: number;
    readonly limit?: number;
    readonly pageSize?: number;
    readonly search?: string;
    readonly q?: string;
    readonly keyword?: string;
    readonly sort?: string;
    readonly cursor?: string;
    /** The conditions on declared fields: all must hold. */
    readonly where: { readonly [K in keyof T]?: Asked };
  }
  & z.output<z.ZodObject<F>>;

interface ListQueryOptions<T, F extends z.ZodRawShape> {
  /** Declared fields that are no parameters: forced by the route, or not shown. */
  readonly hidden?: readonly (keyof T & string)[];
  /** Schemas for the values of fields that are written in a query in another form than they are stored in. */
  readonly values?: Partial<Record<keyof T & string, z.ZodType>>;
  /** Parameters beyond the declared fields, for the handler. */
  readonly own?: F;
  /** @default true where the collection declares a field to search */
  readonly search?: boolean;
  /** Whether it asks for a page; else for all that matches. @default true */
  readonly paged?: boolean;
}

const wholeFromOne = z.preprocess(
  absentWhenEmpty,
  z.string().regex(/^0*[1-9]\d{0,8}$/, "must be a whole number from 1").transform(Number)
    .optional(),
).optional().meta({ type: "integer", minimum: 1 });

const text = (max: number) => z.string().max(max).optional();

const sorting = text(300);

/** A cursor holds up to three texts by which a list is sorted, and six characters for one that is not ASCII. */
export const cursorText = text(4000);

const paging = {
  page: wholeFromOne,
  limit: wholeFromOne,
  pageSize: wholeFromOne,
  sort: sorting,
  cursor: cursorText,
};

/** What is searched for: as much as the longest name, which is that of a file. */
export const searched = text(MAX_NAME_BYTES);

const searching = { search: searched, q: searched, keyword: searched };

/** `search` as the document tells of it: what is looked into. */
function searchedIn(fields: readonly string[]): z.ZodType {
  const named = fields.map((field) => `\`${field}\``);
  const last = named.pop();
  const all = named.length === 0 ? last : `${named.join(", ")} or ${last}`;
  return searched.meta({ description: `A text to be found in ${all}, in letters of either case` });
}

/** The parameters that search. */
const SEARCHES = Object.keys(searching);
/** The parameters that say how many records a page holds. */
const SIZES = ["limit", "pageSize"];
/** `name_like` is how json-server's clients search. Here it searches all that `search` does. */
const LIKE = "_like";

const BOUNDS = ["gt", "gte", "lt", "lte"] as const;
type Operator = "in" | "ne" | typeof BOUNDS[number];

/**
 * The query of a list. Each filter and sort field of the collection, `id`, `createdAt` and `updatedAt` may be asked
 * for: `role=a&role=b` is any of them, `role_ne=a` none of them, `createdAt_gte=…` (`gt`, `lt`, `lte`) a bound. Fields
 * that are true or false take no bounds. `name_like=…`, for a searched field, is `search`.
 */
export function listQuery<T extends Entity, F extends z.ZodRawShape = z.ZodRawShape>(
  declaration: CollectionDeclaration<T>,
  options: ListQueryOptions<T, F> = {},
): z.ZodType<ListParameters<T, F>, unknown> {
  const { hidden = [], values = {}, own, search = declaration.search.length > 0 } = options;
  const { filter, sort } = declaration;
  const named = new Set<string>(["id", "createdAt", "updatedAt", ...filter, ...sort]);
  const shape: Record<string, z.ZodType> = {
    ...(options.paged ?? true ? paging : { sort: sorting }),
    ...(search ? searching : {}),
    ...(search && declaration.search.length > 0 ? { search: searchedIn(declaration.search) } : {}),
  };
  const targets = new Map<string, { field: string; operator: Operator }>();
  for (const field of named.difference(new Set<string>(hidden))) {
    const given = (values as Record<string, z.ZodType | undefined>)[field];
    const stored = declaration.schema.shape[field] ?? z.string();
    for (const [operator, schema] of parametersOf(stored, given)) {
      const name = operator === "in" ? field : `${field}_${operator}`;
      shape[name] = schema;
      targets.set(name, { field, operator });
    }
  }
  const likes = search ? declaration.search.map((field) => `${field}${LIKE}`) : [];
  for (const name of likes) shape[name] = searching.search;
  for (const name in own) targets.delete(name);
  Object.assign(shape, own);
  const parameters = z.object(shape);
  const gather = (parsed: Record<string, unknown>) => {
    const where: Record<string, Record<string, unknown>> = {};
    const rest: Record<string, unknown> = { where };
    for (const [name, value] of Object.entries(parsed)) {
      const target = targets.get(name);
      if (value === undefined) continue;
      if (target) (where[target.field] ??= {})[target.operator] = value;
      else if (!likes.includes(name)) rest[name] = value;
      else if (value !== "") rest.search = value;
    }
    return rest;
  };
  const query = parameters.transform(gather);
  const hasDefault = (name: string) => shape[name]!.safeParse(undefined).data !== undefined;
  const always = Object.keys(own ?? {}).filter(hasDefault);
  readers.set(query, { shape, always, likes, gather });
  return query as unknown as z.ZodType<ListParameters<T, F>, unknown>;
}

/** The parts of a list query, so that reading one looks only at the parameters given, not at all possible ones. */
interface QueryReader {
  readonly shape: Readonly<Record<string, z.ZodType>>;
  /** Parameters that have a default, so they are read even when they are not given. */
  readonly always: readonly string[];
  /** Parameters that search and name a field. */
  readonly likes: readonly string[];
  gather(parsed: Record<string, unknown>): unknown;
}

const readers = new WeakMap<z.ZodType, QueryReader>();

/** The parameters as read, or what is wrong with them. */
export type ParsedParameters =
  | { readonly data: unknown; readonly issues: null }
  | { readonly data: null; readonly issues: readonly z.core.$ZodIssue[] };

/**
 * `query.safeParse(given)`, but the time it takes depends on how many parameters are given, not on how many there are.
 *
 * @param error Makes the messages of the issues.
 */
export function parseParameters(
  query: z.ZodType,
  given: Readonly<Record<string, unknown>>,
  error: z.core.$ZodErrorMap,
): ParsedParameters {
  const reader = readers.get(query);
  if (!reader) {
    const result = query.safeParse(given, { error });
    return result.success
      ? { data: result.data, issues: null }
      : { data: null, issues: result.error.issues };
  }
  const parsed: Record<string, unknown> = {};
  const issues: z.core.$ZodIssue[] = [];
  const read = (name: string) => {
    if (!Object.hasOwn(reader.shape, name)) return;
    const result = reader.shape[name]!.safeParse(given[name], { error });
    if (result.success) parsed[name] = result.data;
    else {for (const issue of result.error.issues) {
        issues.push({ ...issue, path: [name, ...issue.path] });
      }}
  };
  const refuse = (names: readonly string[], message: string) =>
    issues.push({ code: "custom", path: [names.at(-1)!], message, input: given });
  for (const name in given) read(name);
  for (const name of reader.always) if (!Object.hasOwn(given, name)) read(name);
  const searched = contradicting([...SEARCHES, ...reader.likes], parsed);
  if (searched) refuse(searched, "must be the only search: give one of " + searched.join(", "));
  const sized = contradicting(SIZES, parsed);
  if (sized) refuse(sized, "give one of " + sized.join(", "));
  return issues.length > 0 ? { data: null, issues } : { data: reader.gather(parsed), issues: null };
}

/** Those names of one parameter that are given and not empty, where they do not all say the same; else null. */
function contradicting(
  names: readonly string[],
  parsed: Readonly<Record<string, unknown>>,
): string[] | null {
  const given = names.filter((name) => parsed[name]);
  return given.some((name) => parsed[name] !== parsed[given[0]!]) ? given : null;
}

/** The parameters of a query schema, by name. */
export function parametersIn(query: z.ZodType): z.ZodObject {
  return (query instanceof z.ZodPipe ? query.in : query) as z.ZodObject;
}

/** The parameters for one field: its stored type decides how their values are written, unless `given` says so. */
function* parametersOf(
  stored: z.ZodType,
  given: z.ZodType | undefined,
): Iterable<[Operator, z.ZodType]> {
  const schema = stored instanceof z.ZodOptional ? stored.unwrap() as z.ZodType : stored;
  const value = given ?? valueOf(schema);
  yield ["in", anyOf(value)];
  yield ["ne", anyOf(value)];
  if (schema.type === "boolean") return;
  for (const operator of BOUNDS) {
    const inclusive = operator === "gt" || operator === "lte";
    const bound = isTime(schema)
      ? inclusive ? momentOrEndOfDay : moment
      : schema.type === "number"
      ? value
      : boundText;
    yield [operator, unlessEmpty(bound)];
  }
}

/**
 * What is made of a schema, made once for all that ask. The queries together have 1,500 parameters of some sixty kinds:
 * schemas of their own for each, eight thousand, would take 4 MiB and a sixth of the time to the first answer.
 */
function madeOnce(make: (schema: z.ZodType) => z.ZodType): typeof make {
  const made = new WeakMap<z.ZodType, z.ZodType>();
  return (schema) => {
    const before = made.get(schema);
    if (before) return before;
    const now = make(schema);
    made.set(schema, now);
    return now;
  };
}

const someText = z.string().max(200);
const boundText = someText.refine((text) => !text.includes("\0"), "must not hold NUL");
const wholeNumber = z.string().regex(WHOLE, "must be a whole number").transform(Number)
  .meta({ type: "integer" });
const inEitherCase = madeOnce((schema) => z.preprocess(lowerCase, schema));
const unlessEmpty = madeOnce((schema) =>
  z.preprocess(absentWhenEmpty, schema.optional()).optional()
);

function valueOf(schema: z.ZodType): z.ZodType {
  if (isTime(schema)) return moment;
  if (schema.type === "enum") return inEitherCase(schema);
  if (schema.type === "boolean") return flag;
  return schema.type === "number" ? wholeNumber : someText;
}

const flag = z.enum(["true", "false"]).transform((text) => text === "true")
  .meta({ type: "boolean" });

function isTime(schema: z.ZodType): boolean {
  return schema instanceof z.ZodISODateTime;
}

/** One value or several; none where a front end sends an empty text or `all` because nothing is chosen. */
const anyOf = madeOnce((value) =>
  z.preprocess((sent) => {
    // An empty list can only be meant as such: it holds none.
    if (Array.isArray(sent) && sent.length === 0) return sent;
    const values = (Array.isArray(sent) ? sent : [sent]).filter((one) => one !== "");
    return values.length === 0 || values.includes("all") ? undefined : values;
  }, z.array(value).max(MAX_VALUES).optional()).optional()
);

/** For a parameter that a route adds in `own`: one text or several; undefined where nothing is chosen. */
export const anyText = anyOf(someText) as z.ZodType<string[] | undefined>;

/** Front ends send an empty string or `all` where no filter is chosen. */
export function absentWhenEmpty(value: unknown): unknown {
  return value === "" || value === "all" ? undefined : value;
}

/** For a parameter that a route adds in `own`: a text, taken as it is written. */
export const filter = unlessEmpty(someText) as z.ZodType<string | undefined>;

/** For a parameter that a route adds in `own`: true or false. */
export const flagFilter = unlessEmpty(flag) as z.ZodType<boolean | undefined>;

/** For a parameter that a route adds in `own`: a value of an enum, in upper or lower case. */
export function enumFilter<E extends z.ZodType<string>>(values: E) {
  return z.preprocess((value) => absentWhenEmpty(lowerCase(value)), values.optional()).optional();
}

function lowerCase(value: unknown): unknown {
  return typeof value === "string" ? value.toLowerCase() : value;
}

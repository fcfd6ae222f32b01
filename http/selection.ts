// What of a record a client asks for: `fields` keeps some of its fields, `include` adds records that it refers to.
import type { Context } from "hono";
import type { z } from "zod";
import { andThen, type Awaitable } from "../core/awaitable.ts";
import { type FieldError, invalidFields } from "../core/errors.ts";
import { JsonText } from "../core/json.ts";
import { nearest } from "../core/nearest.ts";
import type { Answer, Call, Endpoint } from "./endpoint.ts";

/** The query parameters that choose, of endpoints that `selectable` is not null for. */
export const SELECTING = { fields: "fields", include: "include" } as const;

/** Names in one parameter, at most. */
const MAX_NAMES = 100;
/** Characters of a name that are repeated to whoever sent it. */
const SHOWN = 100;

/** What may be chosen from the answer of an endpoint. */
export interface Selectable {
  readonly fields: readonly string[];
  /** Names of references. */
  readonly include: readonly string[];
}

/** What a request chose. */
export interface Selection {
  /** @default all */
  readonly fields: readonly string[] | null;
  readonly include: readonly string[];
}

/** Null for an endpoint that does not answer with a record or a list of them. */
export function selectable(endpoint: Endpoint): Selectable | null {
  if (endpoint.method !== "get" || endpoint.raw || endpoint.secret || !endpoint.data) return null;
  const record = recordOf(endpoint.data);
  if (!record || !(endpoint.list || "id" in record.shape)) return null;
  const include = Object.keys(endpoint.include ?? {});
  const known = endpoint.access !== "public" && endpoint.access !== "optional";
  if (include.length > 0 && !known) throw new Error(`Who asks ${endpoint.path} may be nobody`);
  return { fields: Object.keys(record.shape), include };
}

function recordOf(data: z.ZodType): z.ZodObject | null {
  const record = data.type === "array" ? (data as z.ZodArray).element as z.ZodType : data;
  return record.type === "object" ? record as z.ZodObject : null;
}

/**
 * What the request chose; null where it did not.
 *
 * @throws {ApiError} VALIDATION_ERROR naming what is not known, and the nearest that is.
 */
export function selectionOf(c: Context, known: Selectable): Selection | null {
  const { url } = c.req;
  const question = url.indexOf("?");
  if (question < 0) return null;
  const query = url.slice(question);
  if (!query.includes(SELECTING.fields) && !query.includes(SELECTING.include)) return null;
  const parameters = new URLSearchParams(query);
  const problems: FieldError[] = [];
  const fields = namesIn(
    parameters,
    SELECTING.fields,
    [...known.fields, ...known.include],
    problems,
  );
  const include = namesIn(parameters, SELECTING.include, known.include, problems);
  if (problems.length > 0) throw invalidFields(problems);
  if (fields.length === 0 && include.length === 0) return null;
  return { fields: fields.length === 0 ? null : fields, include };
}

/** The names of a parameter, parted by commas, or of several of its name. */
function namesIn(
  parameters: URLSearchParams,
  field: string,
  known: readonly string[],
  problems: FieldError[],
): string[] {
  const names = new Set(
    parameters.getAll(field).flatMap((text) => text.split(",")).map((name) => name.trim()),
  );
  names.delete("");
  if (names.size > MAX_NAMES) {
    problems.push({ field, message: `must have at most ${MAX_NAMES} entries` });
    return [];
  }
  for (const name of names) {
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    const hint = near === null ? "" : `: the nearest known field is ${near}`;
    problems.push({ field, message: `'${name.slice(0, SHOWN)}' is not known here${hint}` });
  }
  return [...names];
}

type Row = Record<string, unknown>;

/** The answer with what was chosen of each record. */
export function selected(
  call: Call,
  { include, data: schema }: Endpoint,
  selection: Selection,
  answer: Answer<unknown>,
): Awaitable<Answer<unknown>> {
  const data = answer.data instanceof JsonText
    ? JSON.parse(answer.data.text)
    : JSON.parse(JSON.stringify(schema!.parse(answer.data)));
  const rows: Row[] = Array.isArray(data) ? data : [data];
  const added = selection.include.map((name) => {
    const { from, schema, load } = include![name]!;
    const ids = rows.flatMap((row) => typeof row[from] === "string" ? row[from] : []);
    const found = load({ store: call.store, principal: call.principal! }, [...new Set(ids)]);
    return andThen(found, (byId) => ({ name, from, schema, byId }));
  });
  return andThen(Promise.all(added), (references) => {
    for (const { name, from, schema, byId } of references) {
      for (const row of rows) {
        const reference = byId.get(String(row[from] ?? ""));
        if (reference !== undefined) row[name] = schema.parse(reference);
      }
    }
    const shown = rows.map((row) => chosenOf(row, selection));
    const text = JSON.stringify(Array.isArray(data) ? shown : shown[0]);
    // The version is that of the record alone, not of those that it refers to.
    const etag = references.length > 0 ? undefined : answer.etag;
    return { ...answer, data: new JsonText(text), etag };
  });
}

function chosenOf(row: Row, { fields, include }: Selection): Row {
  if (fields === null) return row;
  const kept = [...fields, ...include].filter((name) => Object.hasOwn(row, name));
  return Object.fromEntries(kept.map((name) => [name, row[name]]));
}

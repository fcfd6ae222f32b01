// How answers are written: the envelope, the headers, and errors in the style of the variant.
import type { Context } from "hono";
import type { Answer, Endpoint } from "./endpoint.ts";
import { ApiError, type FieldError, invalidFields } from "../core/errors.ts";
import { JsonText } from "../core/json.ts";
import {
  InvalidQuery,
  ReferenceConflict,
  StoreFull,
  StoreUnavailable,
  TooLarge,
  UniqueConflict,
  VersionConflict,
} from "../storage/port.ts";
import type { Variant } from "../config/variants.ts";
import { exchangeOf } from "./exchange.ts";

/** For answers that hold credentials, and for errors: RFC 9111 section 5.2.2.5. */
const NEVER_STORED = "no-store";
/** Browsers may keep it but ask each time; shared caches may not. */
const REVALIDATED = "private, no-cache";

/**
 * What an answer depends on beside its URL: the next person at the same browser must not be shown it (RFC 9111
 * section 4.1).
 */
const BY_CALLER = "Authorization, Cookie";

const JSON_TYPE = { "content-type": "application/json" };
const OK: ResponseInit = { headers: JSON_TYPE };
const CREATED: ResponseInit = { status: 201, headers: JSON_TYPE };

/** Writes a handler's answer. */
export function respond(
  c: Context,
  endpoint: Endpoint,
  answer: Answer<unknown>,
  warnings: readonly FieldError[] = [],
): Response {
  const { headers } = exchangeOf(c);
  headers["cache-control"] = endpoint.secret ? NEVER_STORED : REVALIDATED;
  if (answer.headers) Object.assign(headers, answer.headers);
  if (answer.etag !== undefined) {
    headers["etag"] = `"${answer.etag}"`;
    if (!answer.impersonal) addVary(headers);
    if (endpoint.method === "get" && noneMatch(c, answer.etag)) {
      return new Response(null, { status: 304, headers });
    }
  }
  if (answer.pagination) addListHeaders(c, headers, answer.pagination);
  const response = new Response(body(endpoint, answer, warnings), endpoint.created ? CREATED : OK);
  // Added one by one they cost the runtime less than all at once: it makes no object of its own for them.
  for (const name in headers) response.headers.append(name, headers[name]!);
  answer.cookies?.forEach((cookie) => response.headers.append("set-cookie", cookie));
  return response;
}

function addVary(headers: Record<string, string>): void {
  headers["vary"] = headers["vary"] ? `${headers["vary"]}, ${BY_CALLER}` : BY_CALLER;
}

function body(
  endpoint: Endpoint,
  answer: Answer<unknown>,
  warnings: readonly FieldError[],
): string {
  let text = '{"success":true';
  if (answer.data !== undefined) text += `,"data":${dataText(endpoint, answer.data)}`;
  if (answer.message !== undefined) text += `,"message":${JSON.stringify(answer.message)}`;
  if (answer.pagination) text += `,"pagination":${JSON.stringify(answer.pagination)}`;
  if (warnings.length > 0) text += `,"warnings":${JSON.stringify(warnings)}`;
  if (answer.extra) text += extraText(endpoint, answer.extra);
  return text + "}";
}

function extraText(endpoint: Endpoint, extra: Readonly<Record<string, unknown>>): string {
  let text = "";
  for (const [name, value] of Object.entries(extra)) {
    const schema = endpoint.extra?.[name];
    if (!schema) continue;
    const json: string | undefined = value instanceof JsonText
      ? value.text
      : JSON.stringify(schema.parse(value));
    if (json !== undefined) text += `,${JSON.stringify(name)}:${json}`;
  }
  return text;
}

/** Only what the public schema declares leaves the server. */
export function dataText(endpoint: Endpoint, data: unknown): string {
  if (data instanceof JsonText) return data.text;
  if (!endpoint.data) throw new Error(`${endpoint.path} answers with undeclared data`);
  return JSON.stringify(endpoint.data.parse(data));
}

/** RFC 9110 section 13.1.2: weak comparison. */
function noneMatch(c: Context, etag: string): boolean {
  const asked = c.req.raw.headers.get("if-none-match");
  if (asked === null) return false;
  return asked.trim() === "*" || entityTags(asked).includes(etag);
}

/** The opaque parts of a list of entity tags, weak ones included. */
export function entityTags(header: string): string[] {
  return [...header.matchAll(/(?:W\/)?"([^"]*)"/g)].map((match) => match[1] ?? "");
}

/** X-Total-Count, and Link (RFC 8288) to the first, previous, next and last page. */
function addListHeaders(
  c: Context,
  headers: Record<string, string>,
  { page, totalPages, total }: NonNullable<Answer<unknown>["pagination"]>,
): void {
  headers["x-total-count"] = String(total);
  const { url } = c.req;
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const question = url.indexOf("?", start);
  const path = question < 0 ? url.slice(start) : url.slice(start, question);
  const rest = question < 0 ? "" : withoutPage(url.slice(question + 1));
  const link = (to: number, rel: string) => `<${path}?page=${to}${rest}>; rel="${rel}"`;
  const last = Math.max(totalPages, 1);
  let links = link(1, "first");
  if (page > 1) links += `, ${link(Math.min(page - 1, last), "prev")}`;
  if (page < totalPages) links += `, ${link(page + 1, "next")}`;
  headers["link"] = `${links}, ${link(last, "last")}`;
}

/** The rest of a query, to be appended; what could end the link's URL is encoded. */
function withoutPage(query: string): string {
  let rest = "";
  for (const part of query.split("&")) {
    if (part !== "" && !part.startsWith("page=") && !part.startsWith("cursor=")) rest += `&${part}`;
  }
  return rest.replaceAll("<", "%3C").replaceAll(">", "%3E");
}

/** Writes an error. */
export function respondError(c: Context, variant: Variant, error: ApiError): Response {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "cache-control": NEVER_STORED,
    ...exchangeOf(c).headers,
    ...error.headers,
  };
  // RFC 6750 section 3: a challenge comes with each 401.
  if (error.status === 401) headers["www-authenticate"] = "Bearer";
  return new Response(JSON.stringify(errorBody(variant, error)), { status: error.status, headers });
}

function errorBody(variant: Variant, error: ApiError): Record<string, unknown> {
  const { message, code, details, fields } = error;
  if (error.plain) return { success: false, error: message };
  if (variant.errors === "envelope") {
    return { ...fields, success: false, error: { code, message, details }, message };
  }
  return error.status === 401
    ? { error: message }
    : { ...fields, success: false, message, details };
}

/** What a thrown error is to the client. Null: a defect of ours, to be logged. */
export function knownError(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error;
  if (error instanceof UniqueConflict) {
    return new ApiError("CONFLICT", `Another record has the same ${error.key}`, {
      details: [{ field: error.key, message: "is taken" }],
    });
  }
  if (error instanceof VersionConflict) {
    return new ApiError("CONFLICT", "The record was changed by others at the same time: try again");
  }
  if (error instanceof ReferenceConflict) {
    return new ApiError("CONFLICT", "A record that this one refers to is gone");
  }
  if (error instanceof InvalidQuery) {
    const { part, message } = error;
    return part
      ? invalidFields([{ field: part, message }])
      : new ApiError("VALIDATION_ERROR", message);
  }
  if (error instanceof TooLarge) return new ApiError("PAYLOAD_TOO_LARGE", error.message);
  if (error instanceof StoreFull) return new ApiError("STORAGE_FULL", undefined, { cause: error });
  if (error instanceof StoreUnavailable) {
    return new ApiError("UNAVAILABLE", undefined, {
      headers: { "retry-after": "1" },
      cause: error,
    });
  }
  return null;
}

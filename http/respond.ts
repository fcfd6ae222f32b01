// How answers are written: the envelope and the headers.
import type { Context } from "hono";
import type { Answer, Endpoint, Pagination } from "./endpoint.ts";
import type { FieldError } from "../core/errors.ts";
import { JsonText } from "../core/json.ts";
import { bareness } from "./bare.ts";
import { exchangeOf } from "./exchange.ts";
import { KnownQueries, pageApart } from "./known_queries.ts";
import { fieldsIn, languageOf } from "./language.ts";

/** For answers that hold credentials, and for errors: RFC 9111 section 5.2.2.5. */
export const NEVER_STORED = "no-store";
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
const ACCEPTED: ResponseInit = { status: 202, headers: JSON_TYPE };

/** Writes a handler's answer. */
export function respond(
  c: Context,
  endpoint: Endpoint,
  answer: Answer<unknown>,
  warnings: readonly FieldError[] = [],
): Response {
  const { headers } = exchangeOf(c);
  const bare = bareness(c);
  // Caches know an answer by its URL: one that is bare by `Accept` is not for whoever asks there without it.
  const kept = !endpoint.secret && bare !== "accept";
  headers["cache-control"] = kept ? REVALIDATED : NEVER_STORED;
  if (answer.headers) Object.assign(headers, answer.headers);
  if (answer.etag !== undefined) {
    headers["etag"] = `"${answer.etag}"`;
    if (!answer.impersonal) addVary(headers);
    if (endpoint.method === "get" && bare !== "accept" && noneMatch(c, answer.etag)) {
      return new Response(null, { status: 304, headers });
    }
  }
  if (answer.pagination) addListHeaders(c, endpoint, headers, answer.pagination);
  const text = bare === null ? body(c, endpoint, answer, warnings) : bareBody(endpoint, answer);
  const response = new Response(text, initOf(endpoint));
  const { headers: sent } = response;
  // Added one by one they cost the runtime less than all at once: it makes no object of its own for them.
  for (const name in headers) sent.append(name, headers[name]!);
  answer.cookies?.forEach((cookie) => sent.append("set-cookie", cookie));
  return response;
}

function initOf({ created, accepted }: Endpoint): ResponseInit {
  if (created) return CREATED;
  return accepted ? ACCEPTED : OK;
}

function addVary(headers: Record<string, string>): void {
  headers["vary"] = headers["vary"] ? `${headers["vary"]}, ${BY_CALLER}` : BY_CALLER;
}

function body(
  c: Context,
  endpoint: Endpoint,
  answer: Answer<unknown>,
  warnings: readonly FieldError[],
): string {
  let text = '{"success":true';
  if (answer.data !== undefined) text += `,"data":${dataText(endpoint, answer.data)}`;
  if (answer.message !== undefined) text += `,"message":${JSON.stringify(answer.message)}`;
  if (answer.pagination) text += `,"pagination":${JSON.stringify(answer.pagination)}`;
  if (warnings.length > 0) {
    text += `,"warnings":${JSON.stringify(fieldsIn(warnings, languageOf(c)))}`;
  }
  if (answer.extra) text += extraText(endpoint, answer.extra);
  return text + "}";
}

/** The data alone; where an answer has none, what stands beside it. */
function bareBody(endpoint: Endpoint, { data, extra, message }: Answer<unknown>): string {
  if (data !== undefined) return dataText(endpoint, data);
  const rest = message === undefined ? "" : `,"message":${JSON.stringify(message)}`;
  return `{${(rest + (extra ? extraText(endpoint, extra) : "")).slice(1)}}`;
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

/**
 * X-Total-Count, and Link (RFC 8288) to the first, previous, next and last page, or to where a walk goes on.
 * Content-Range too, where the page was asked for in the way of the clients that read it.
 */
function addListHeaders(
  c: Context,
  endpoint: Endpoint,
  headers: Record<string, string>,
  { page, limit, totalPages, total, nextCursor }: Pagination,
): void {
  headers["x-total-count"] = String(total);
  const { url } = c.req;
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const question = url.indexOf("?", start);
  const path = question < 0 ? url.slice(start) : url.slice(start, question);
  const { byPlaces, walks, others } = linkingOf(question < 0 ? "" : url.slice(question));
  if (byPlaces || exchangeOf(c).bare) {
    headers["content-range"] = contentRange(endpoint, { page, limit, total });
  }
  const rest = byPlaces ? `${others}&limit=${limit}` : others;
  // In few pieces, since V8 joins them one by one.
  const before = `<${path}?page=`, after = `${rest}>; rel=`;
  const first = `${before}1${after}"first"`;
  if (walks) {
    // A walk knows where it goes on, and not on which page it is.
    headers["link"] = nextCursor
      ? `${first}, <${path}?cursor=${encodeURIComponent(nextCursor)}${after}"next"`
      : first;
    return;
  }
  const last = Math.max(totalPages, 1);
  let links = first;
  if (page > 1) links += `, ${before}${Math.min(page - 1, last)}${after}"prev"`;
  if (page < totalPages) links += `, ${before}${page + 1}${after}"next"`;
  headers["link"] = `${links}, ${before}${last}${after}"last"`;
}

/** RFC 9110 section 14.4, with the resource as the unit: `users 0-9/42`, and a star for the places beyond the last. */
function contentRange(
  { path }: Endpoint,
  { page, limit, total }: Pick<Pagination, "page" | "limit" | "total">,
): string {
  const unit = path.slice(path.lastIndexOf("/") + 1);
  const first = (page - 1) * limit;
  if (first >= total) return `${unit} */${total}`;
  return `${unit} ${first}-${Math.min(first + limit, total) - 1}/${total}`;
}

/** What says which page of a list is asked for, in the way of others; and in any way. */
const FOREIGN_PLACES = /(^|&)(range|_start|_end|_page|_limit|_per_page)=/;
const PLACES = /^(page|cursor|range|_start|_end|_page|_limit|_per_page)=/;

/** What of a query goes into the links to other pages. */
interface Linking {
  /** Whether the page is asked for in the way of others. */
  readonly byPlaces: boolean;
  /** Whether it goes on at a cursor. */
  readonly walks: boolean;
  /** The parameters that do not say which page. */
  readonly others: string;
}

const linkings = new KnownQueries<Linking>();

/** @param text Empty, or with the question mark that it begins with. */
function linkingOf(text: string): Linking {
  const paged = pageApart(text);
  let linking = linkings.get(paged);
  if (linking) return linking;
  const query = paged.rest.slice(1);
  const walks = /(^|&)cursor=[^&]/.test(query);
  linking = { byPlaces: FOREIGN_PLACES.test(query), walks, others: withoutPage(query) };
  if (linkings.takes(paged)) linkings.keep(paged, linking);
  return linking;
}

/** The rest of a query, to be appended; what could end the link's URL is encoded. */
function withoutPage(query: string): string {
  let rest = "";
  for (const part of query.split("&")) {
    if (part !== "" && !PLACES.test(part)) rest += `&${part}`;
  }
  return rest.replaceAll("<", "%3C").replaceAll(">", "%3E");
}

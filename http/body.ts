// Reads a request's body, JSON, CSV or a form: its type, its size, its syntax.
import { ApiError, invalid } from "../core/errors.ts";
import { type Arrival, intake } from "./intake.ts";
import { leftovers, readerOf } from "./leftovers.ts";
import { KIB } from "../core/units.ts";

/**
 * Values that a JSON body may hold, at any depth: what time and memory its parsing takes depends on them. The longest
 * lists that requests carry hold some hundreds.
 */
const MAX_VALUES = 10_000;

/**
 * The body as text and as parsed value, which is undefined when there is none.
 *
 * @param limit In bytes.
 * @throws {ApiError} 413, 415, or 400 for what is not JSON.
 */
export async function readJson(
  request: Request,
  limit: number,
): Promise<{ text: string; value: unknown }> {
  const type = request.headers.get("content-type");
  if (type !== null && !/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new ApiError(
      "UNSUPPORTED_MEDIA_TYPE",
      `Expected application/json, received '${type.slice(0, 100)}'`,
    );
  }
  const text = await readText(request, limit);
  if (text.trim() === "") return { text, value: undefined };
  if (text.length > MAX_VALUES && holdsMoreValues(text, MAX_VALUES)) {
    throw invalid("body", `Cannot parse the request body: it holds more than ${MAX_VALUES} values`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid("body", "Cannot parse the request body: it is not valid JSON");
  }
  if (MAY_HOLD_BAD_TEXT.test(text)) assertStorable(value);
  return { text, value };
}

const [QUOTE, COMMA, BRACKET, BACKSLASH, BRACE] = [...'",[\\{'].map((one) => one.charCodeAt(0));

/** Counts, without making any of them: all but the first follow a comma or the beginning of a list or an object. */
function holdsMoreValues(text: string, most: number): boolean {
  let values = 1;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (quoted) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) quoted = false;
    } else if (code === QUOTE) quoted = true;
    else if (code === COMMA || code === BRACKET || code === BRACE) {
      if (++values > most) return true;
    }
  }
  return false;
}

/**
 * The body as CSV.
 *
 * @param limit In bytes.
 * @throws {ApiError} 413, 415, or 400 for what cannot be stored.
 */
export async function readCsv(
  request: Request,
  limit: number,
): Promise<{ text: string; value: unknown }> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^text\/csv\s*(;|$)/i.test(type)) {
    throw new ApiError(
      "UNSUPPORTED_MEDIA_TYPE",
      `Expected text/csv, received '${type.slice(0, 100)}'`,
    );
  }
  const text = await readText(request, limit);
  assertStorableText(text);
  return { text, value: text };
}

/** Bytes that a form may have. */
const FORM_LIMIT = 64 * KIB;

/**
 * The fields of a form that a page sent; of repeated ones the last.
 *
 * @throws {ApiError} 413, 415, or 400 for what cannot be stored.
 */
export async function readPageForm(request: Request): Promise<Readonly<Record<string, string>>> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "Expected the form of a page");
  }
  const fields = Object.fromEntries(new URLSearchParams(await readText(request, FORM_LIMIT)));
  assertStorable(fields);
  return fields;
}

/** Bytes of a declared body up to which it is not counted with the bodies of all requests. */
const SMALL = 16 * KIB;

/**
 * A body is read as it is sent (RFC 9110 section 8.4): one that was compressed would be no text, and unpacking it may take
 * any room.
 *
 * @throws {ApiError} UNSUPPORTED_MEDIA_TYPE
 */
export function assertNotEncoded(request: Request): void {
  const coding = request.headers.get("content-encoding");
  if (!coding || coding.toLowerCase() === "identity") return;
  throw new ApiError(
    "UNSUPPORTED_MEDIA_TYPE",
    `Send the body as it is, not encoded as '${coding.slice(0, 100)}'`,
    { headers: { "accept-encoding": "identity" } },
  );
}

async function readText(request: Request, limit: number): Promise<string> {
  assertNotEncoded(request);
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > limit) throw tooLarge(limit);
  return await intake.reading(async (arrival) => {
    try {
      // A small body is read at once where all of it is there already; the server reads no more than was declared.
      const bytes = declared !== null && Number(declared) <= SMALL
        ? await request.arrayBuffer()
        : request.body && await counted(request.body, limit, arrival);
      return bytes === null ? "" : decode(bytes);
    } catch (error) {
      throw error instanceof ApiError ? error : cutOff();
    }
  });
}

async function counted(
  body: ReadableStream<Uint8Array>,
  limit: number,
  arrival: Arrival,
): Promise<ArrayBuffer> {
  const chunks: Uint8Array[] = [];
  const reader = readerOf(body, arrival);
  for (let size = 0;;) {
    const { done, value } = await reader.read();
    arrival.signal.throwIfAborted();
    if (done) return await new Blob(chunks as BlobPart[]).arrayBuffer();
    size += value.byteLength;
    if (size > limit) {
      leftovers.take(reader);
      throw tooLarge(limit);
    }
    chunks.push(value);
    arrival.add(value.byteLength);
  }
}

/** RFC 8259 section 8.1. Broken text is refused: with a mark in its place it would be stored as if it were meant. */
function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid("body", "Cannot read the request body: it is not UTF-8");
  }
}

/** The client went away: nobody reads the answer, and nothing is wrong with the server. */
function cutOff(): ApiError {
  return invalid("body", "Cannot read the request body: the connection ended before it did");
}

function tooLarge(limit: number): ApiError {
  return new ApiError("PAYLOAD_TOO_LARGE", `The request body is over ${limit} bytes`);
}

/** Escapes of NUL and of surrogates: the only way such text gets past the decoder. */
const MAY_HOLD_BAD_TEXT = /\\u(0000|d[89a-f])/i;

/**
 * NUL and lone surrogates cannot be kept by every engine, so none takes them. Not recursive: bodies may nest deeper
 * than the stack allows.
 */
function assertStorable(body: unknown): void {
  const pending = [body];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "string") assertStorableText(value);
    else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        assertStorableText(key);
        pending.push(inner);
      }
    }
  }
}

function assertStorableText(text: string): void {
  if (!text.includes("\0") && text.isWellFormed()) return;
  throw invalid(
    "body",
    "Cannot accept the request body: a text in it holds NUL or broken Unicode",
  );
}

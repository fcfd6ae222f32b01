// Records as KV values: JSON text; what is too long for one value is split into parts of UTF-8.
import { createHash } from "node:crypto";
import { type Entity, TooLarge } from "../storage/port.ts";
import { textBytes } from "../storage/memory/records.ts";
import { deepFreeze } from "../storage/records.ts";
import { KIB } from "../core/units.ts";
import { MAX_RECORD_BYTES } from "../storage/limits.ts";

/** Longest value that is written in one piece, in bytes; KV's own limit is 64 KiB. */
export const MAX_VALUE_BYTES = 60 * KIB;
/** Text up to this length fits one value whatever its characters: KV stores two bytes a character at most. */
const MAX_TEXT_LENGTH = MAX_VALUE_BYTES / 2;
/** What the serialization of a text or of bytes adds, at most. */
const OVERHEAD_BYTES = 24;

/** The main value of a record that is split. Parts are named by their content, so that old and new never mix. */
export interface SplitHeader {
  readonly parts: number;
  readonly tag: string;
}

export interface EncodedRecord {
  readonly value: string | Uint8Array | SplitHeader;
  readonly parts: readonly Uint8Array[];
  /** Bytes that its JSON takes in memory, as JavaScript's text. */
  readonly bytes: number;
}

/** @throws {TooLarge} */
export function encodeRecord(collection: string, record: Entity): EncodedRecord {
  const json = JSON.stringify({ ...record, rev: undefined });
  const held = textBytes(json);
  if (json.length <= MAX_TEXT_LENGTH) return { value: json, parts: [], bytes: held };
  const bytes = new TextEncoder().encode(json);
  if (bytes.length > MAX_RECORD_BYTES) {
    throw new TooLarge(`${collection} ${record.id}`, MAX_RECORD_BYTES);
  }
  if (bytes.length <= MAX_VALUE_BYTES) return { value: bytes, parts: [], bytes: held };
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += MAX_VALUE_BYTES) {
    parts.push(bytes.slice(at, at + MAX_VALUE_BYTES));
  }
  const tag = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
  return { value: { parts: parts.length, tag }, parts, bytes: held };
}

/** How a stored record is split; null where it is in one piece. */
export function splitOf(collection: string, record: Entity): SplitHeader | null {
  if (mostCharacters(record) <= MAX_TEXT_LENGTH) return null;
  const { value } = encodeRecord(collection, record);
  return isSplit(value) ? value : null;
}

/** Characters of a value's JSON, at most: one that is escaped takes six, a number no more than 24. */
function mostCharacters(value: unknown): number {
  if (typeof value === "string") return 2 + 6 * value.length;
  if (typeof value !== "object" || value === null) return 24;
  const fields = value as Readonly<Record<string, unknown>>;
  let most = 2;
  for (const field in fields) most += 4 + 6 * field.length + mostCharacters(fields[field]);
  return most;
}

/** Whether a stored value is only the header of a split record. */
export function isSplit(value: unknown): value is SplitHeader {
  return typeof value === "object" && value !== null && "parts" in value;
}

/** A frozen record, and the text that it was decoded from. */
export interface Decoded<T> {
  readonly record: T;
  readonly text: string;
}

/** @param parts All parts, in order, when the value is a header. */
export function decodeRecord<T extends Entity>(
  value: unknown,
  parts: readonly Uint8Array[],
  rev: string,
): Decoded<T> {
  const json = typeof value === "string"
    ? value
    : new TextDecoder().decode(value instanceof Uint8Array ? value : join(parts));
  const record: { rev: string } = JSON.parse(json);
  record.rev = rev;
  return { record: deepFreeze(record) as T, text: json };
}

/** Bytes of a serialized value, at most. */
export function valueSize(value: unknown): number {
  if (typeof value === "string") {
    return OVERHEAD_BYTES + (isLatin1(value) ? value.length : 2 * value.length);
  }
  if (value instanceof Uint8Array) return OVERHEAD_BYTES + value.length;
  if (typeof value !== "object" || value === null) return OVERHEAD_BYTES;
  return Object.entries(value).reduce(
    (size, [field, item]) => size + OVERHEAD_BYTES + field.length + valueSize(item),
    OVERHEAD_BYTES,
  );
}

function isLatin1(text: string): boolean {
  // deno-lint-ignore no-control-regex -- every character of one byte
  return /^[\x00-\xff]*$/.test(text);
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

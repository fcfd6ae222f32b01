// Where things are in Deno KV, and how long an encoded key is.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Scalar } from "../storage/port.ts";

/** A key as this engine writes it. Only a journal entry's key is made by KV, which puts the versionstamp into it. */
export type Key = readonly (string | number | Uint8Array)[];

/** Longest key that this engine writes, in bytes; KV's own limit is 2 KiB. */
export const MAX_KEY_BYTES = 2000;
/** Longer ids are never stored, so they are never looked up: KV refuses to read keys over 2 KiB. */
export const MAX_ID_LENGTH = 512;

/** First key parts that hold the engine's own things: no collection has one of these names. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  "blob",
  "blobs",
  "count",
  "journal",
  "journalPart",
  "lease",
  "note",
  "part",
  "staged",
  "unique",
  "unordered",
]);

export const LEASE_KEY: Key = ["lease"];
export const JOURNAL_PREFIX: Key = ["journal"];
export const BLOBS_PREFIX: Key = ["blobs"];
export const STAGED_PREFIX: Key = ["staged"];

export const recordKey = (collection: string, id: string): Key => [collection, id];
/** Part `n` of a record that is too long for one value; `tag` names its content. */
export const partKey = (collection: string, id: string, tag: string, n: number): Key => [
  "part",
  collection,
  id,
  tag,
  n,
];
export const countKey = (collection: string): Key => ["count", collection];
/** Present when a record of the collection has an id that holds no time, or one that is before its `createdAt`. */
export const unorderedKey = (collection: string): Key => ["unordered", collection];
export const journalKey = (seq: string): Key => ["journal", seq];
export const journalPartKey = (id: string, n: number): Key => ["journalPart", id, n];
export const stagedKey = (transaction: string, n: number): Key => ["staged", transaction, n];
export const noteKey = (name: string): Key => ["note", name];
export const blobKey = (id: string): Key => ["blobs", id];
export const chunkKey = (id: string, n: number): Key => ["blob", id, n];

/** The key that holds a unique value. Values too long for a key are hashed; a hash is bytes, so it equals no text. */
export function uniqueKey(collection: string, key: string, values: readonly Scalar[]): Key {
  const full = ["unique", collection, key, ...values] as Key;
  if (keySize(full) <= MAX_KEY_BYTES) return full;
  const digest = createHash("sha256").update(JSON.stringify(values)).digest();
  return ["unique", collection, key, new Uint8Array(digest)];
}

/** The text of a key, for maps. */
export function keyText(key: Key): string {
  let text = "";
  for (const part of key) {
    text += part instanceof Uint8Array ? `\0#${part.toHex()}` : `\0${typeof part}:${part}`;
  }
  return text;
}

/**
 * Bytes of an encoded key: text is UTF-8 with each NUL doubled and two bytes around it, a number is nine bytes.
 * https://docs.deno.com/deploy/kv/key_space/
 */
export function keySize(key: Key): number {
  let size = 0;
  for (const part of key) {
    if (typeof part === "string") size += 2 + Buffer.byteLength(part) + count(part, "\0");
    else if (part instanceof Uint8Array) size += 2 + 2 * part.length;
    else size += 9;
  }
  return size;
}

function count(text: string, needle: string): number {
  let found = 0;
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) found++;
  return found;
}

// Names of files and folders: what is accepted in a request, and what is made of a name that a client declares.
import { z } from "zod";

/** Bytes of UTF-8: the most that common file systems take (POSIX NAME_MAX on Linux). */
export const MAX_NAME_BYTES = 255;

/** Control characters, and the marks that make a name read in another order than it is written. */
// deno-lint-ignore no-control-regex -- they are what is looked for
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

const encoder = new TextEncoder();

function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/** A name that a person gives: kept as it is, or refused. */
export const fileName = z.string().trim().normalize().min(1, "must not be empty")
  .refine((name) => !/[/\\]/.test(name), "must not hold slashes")
  .refine((name) => name.replace(UNSEEN, "") === name, "must not hold control characters")
  .refine((name) => name !== "." && name !== "..", "must not be . or ..")
  .refine(
    (name) => byteLength(name) <= MAX_NAME_BYTES,
    `must have at most ${MAX_NAME_BYTES} bytes`,
  );

/**
 * The name to keep of one that a client declares with an upload: the part after the last slash, without control
 * characters, and short enough; the extension is kept.
 *
 * @returns `file` when nothing is left.
 */
export function safeFileName(declared: string): string {
  const base = declared.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const name = base.replace(UNSEEN, "").trim().normalize();
  return name === "" || name === "." || name === ".." ? "file" : shorten(name);
}

/** Puts a text before the extension: `report (copy).pdf`. */
export function withSuffix(name: string, suffix: string): string {
  const [stem, extension] = split(name);
  return shorten(stem, suffix + extension);
}

/** Puts a number behind the name of a folder: `Reports (2)`. */
export function numbered(name: string, number: number): string {
  return shorten(name, ` (${number})`);
}

function shorten(name: string, ending?: string): string {
  const [stem, extension] = ending === undefined ? split(name) : [name, ending];
  // A client may declare a name of any length. Each character takes at least a byte, so more than these never fit.
  let characters = [...stem.slice(0, 2 * MAX_NAME_BYTES)].slice(0, MAX_NAME_BYTES);
  while (byteLength(characters.join("") + extension) > MAX_NAME_BYTES) {
    characters = characters.slice(0, -1);
  }
  return characters.join("") + extension;
}

/** The stem and the extension with its dot; a leading dot starts no extension, and neither does a distant one. */
function split(name: string): [string, string] {
  const dot = name.lastIndexOf(".");
  const isExtension = dot > 0 && name.length - dot <= 20;
  return isExtension ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
}

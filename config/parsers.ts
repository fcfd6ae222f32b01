// How variables of the environment are read: durations, sizes, flags, lists, each with a message that says what was expected.
import { z } from "zod";

const DURATION_UNITS: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3600,
  d: 86400,
  w: 604800,
};
/** The longest lifetime, in seconds: the end of a much longer one would be beyond what a Date can hold. */
const CENTURY = 100 * 365 * 86400;
/** In seconds; a day is safely within the 31 bits (25 days) in which timers and PostgreSQL count milliseconds. */
const LONGEST_TIMEOUT = 86400;

/** Seconds of a duration such as `15m`, `7d` or a plain number of seconds; null when it is none. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,9})\s*([smhdw]?)$/.exec(text.trim().toLowerCase());
  const seconds = match ? Number(match[1]) * (DURATION_UNITS[match[2] || "s"] ?? 1) : 0;
  return seconds > 0 && seconds <= CENTURY ? seconds : null;
}

/** Bytes of a size such as `10MB`, `1GiB` or a plain number; multiples of 1024; null when it is none. */
export function parseSize(text: string): number | null {
  const match = /^(\d{1,15})\s*(?:([kmgt])i?b?|b)?$/i.exec(text.trim());
  if (!match) return null;
  const power = match[2] ? "kmgt".indexOf(match[2].toLowerCase()) + 1 : 0;
  const bytes = Number(match[1]) * 1024 ** power;
  return bytes > 0 && Number.isSafeInteger(bytes) ? bytes : null;
}

/** A variable parsed by a function that answers null for what it cannot read. */
export function parsed<T>(parse: (text: string) => T | null, expected: string, fallback: string) {
  return z.string().default(fallback).transform((text, context) => {
    const value = parse(text);
    if (value !== null) return value;
    context.addIssue({ code: "custom", message: `expected ${expected}, received '${text}'` });
    return z.NEVER;
  });
}

export const lifetime = (fallback: string) =>
  parsed(parseDuration, "a number and a unit such as 15m or 7d", fallback);
export const timeout = (fallback: string) =>
  parsed(
    (text) => {
      const seconds = parseDuration(text);
      return seconds !== null && seconds <= LONGEST_TIMEOUT ? seconds : null;
    },
    "a time of up to 1d, such as 30s",
    fallback,
  );
export const size = (fallback: string) => parsed(parseSize, "a size such as 10MB", fallback);
export const whole = (min: number, max: number, fallback: number) =>
  parsed(
    (text) => /^\d{1,12}$/.test(text) && +text >= min && +text <= max ? +text : null,
    `a whole number from ${min} to ${max} such as ${fallback}`,
    String(fallback),
  );

/** One of the names in a table, in either case. */
export function named<T>(table: Readonly<Record<string, T>>, expected: string, fallback: string) {
  const values = new Map(Object.entries(table));
  return parsed((text) => values.get(text.toLowerCase()) ?? null, expected, fallback);
}

export const flag = (fallback: "true" | "false") =>
  named({ true: true, "1": true, false: false, "0": false }, "true or false", fallback);

/** A list separated by commas, each item of the same form. */
export function list(valid: (item: string) => boolean, expected: string) {
  return z.string().default("").transform((text, context) => {
    const items = text.split(",").map((item) => item.trim()).filter(Boolean);
    const wrong = items.find((item) => !valid(item));
    if (wrong !== undefined) {
      context.addIssue({ code: "custom", message: `expected ${expected}, received '${wrong}'` });
    }
    return items;
  });
}

/** A URL that may hold a password: neither messages nor the list of the settings repeat it. */
export const secretUrl = (valid: (text: string) => boolean, expected: string) =>
  z.string().refine(valid, `expected ${expected}`).optional();

/** A secret: neither messages nor the list of the settings repeat it. */
export const secretive = (valid: (text: string) => boolean, expected: string) =>
  z.string().refine(valid, `expected ${expected}`).optional().meta({ secret: true });

/** A secret in whatever form. */
export const secret = () => z.string().optional().meta({ secret: true });

/**
 * One address of the web, as browsers write it: `https` in lower case, for one. A comma parts several, and would be taken
 * for a part of the host.
 */
export const webAddress = (expected: string) =>
  z.url({
    protocol: /^https?$/,
    hostname: /^[^,]+$/,
    normalize: true,
    error: `expected ${expected}`,
  });

/** Whether paths may be put behind an address, where it is one at all. */
export function isPlainAddress(text: string): boolean {
  const url = URL.parse(text);
  return url === null || [url.username, url.password, url.search, url.hash].join("") === "";
}

export function parseBasePath(text: string): string | null {
  const path = /^https?:\/\//.test(text) ? URL.parse(text)?.pathname : text;
  if (path === undefined || !/^\/?[\w\-./~]*$/.test(path)) return null;
  // Whoever asks for such a path asks for another one.
  if (/(^|\/)\.\.?(\/|$)/.test(path)) return null;
  return path.replace(/^\/*/, "/").replace(/\/+$/, "");
}

export function isStoreUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text)
    ? URL.canParse(text)
    : /^(kv:$|(kv|sqlite):.*\S)/s.test(text);
}

export function isSmtpUrl(text: string): boolean {
  return /^smtps?:\/\//.test(text) && Boolean(URL.parse(text)?.hostname);
}

// Preferences as the server keeps them: other programs may keep theirs beside them, and older ones of this console others.
import type { Preferences } from "./preferences.ts";

type Check = (value: unknown) => boolean;

const one = (...choices: readonly unknown[]): Check => (value) => choices.includes(value);
const isObject: Check = (value) => typeof value === "object" && value !== null;

const CHECKS: Readonly<Record<keyof Preferences, Check>> = {
  theme: one("light", "dark"),
  language: (value) => typeof value === "string",
  direction: one("ltr", "rtl"),
  timeZone: isZone,
  narrow: one(true, false),
  hiddenColumns: isObject,
  views: isObject,
};

const NAMES = Object.keys(CHECKS) as (keyof Preferences)[];

/** A zone that this browser does not know would let no time be written. */
function isZone(value: unknown): boolean {
  try {
    return typeof value === "string" && Boolean(Intl.DateTimeFormat("en", { timeZone: value }));
  } catch {
    return false;
  }
}

/** Those of the console that the server has; what makes no sense here is left out. */
export function preferencesFrom(kept: Readonly<Record<string, unknown>>): Preferences {
  return Object.fromEntries(
    NAMES.filter((name) => CHECKS[name](kept[name])).map((name) => [name, kept[name]]),
  );
}

/**
 * What is chosen once the server's have been read anew: what it has, and has no more; but what was chosen here and is
 * not written yet stays.
 *
 * @param before What the server had when it was read last.
 */
export function readOver(
  chosen: Preferences,
  before: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): Preferences {
  const unwritten = changesOf(chosen, before);
  const read = NAMES.filter((name) => !(name in unwritten));
  const theirs = preferencesFrom(now);
  return { ...chosen, ...Object.fromEntries(read.map((name) => [name, theirs[name]])) };
}

/** What has to be written so that the server has what is chosen here; null removes. */
export function changesOf(
  chosen: Preferences,
  kept: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const differs = (name: keyof Preferences) => textOf(chosen[name]) !== textOf(kept[name]);
  return Object.fromEntries(
    NAMES.filter(differs).map((name) => [name, chosen[name] ?? null]),
  );
}

/** With the keys of objects in order: the server may give them in another. */
function textOf(value: unknown): string {
  return JSON.stringify(
    value,
    (_, one) =>
      typeof one === "object" && one !== null && !Array.isArray(one)
        ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => a < b ? -1 : 1))
        : one,
  ) ?? "null";
}

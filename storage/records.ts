// Records as they are handed out: at their version, frozen with their lists.
import type { Entity } from "./port.ts";

/**
 * Sets the version of a committed record and freezes it with its lists; fields that are undefined are absent. Gives
 * back the record itself, or a copy when it was frozen before.
 */
export function seal<T extends Entity>(record: T, rev: string): T {
  if (Object.isFrozen(record)) {
    return record.rev === rev ? record : seal({ ...record }, rev);
  }
  const fields: Record<string, unknown> = record as T & Record<string, unknown>;
  fields.rev = rev;
  for (const field in fields) {
    const value = fields[field];
    if (value === undefined) delete fields[field];
    else if (typeof value === "object" && value !== null) deepFreeze(value);
  }
  return Object.freeze(record);
}

/** Freezes a record and the lists in it. */
export function deepFreeze<T extends object>(value: T): T {
  for (const field of Object.values(value)) {
    if (typeof field === "object" && field !== null) deepFreeze(field);
  }
  return Object.freeze(value);
}

// What a column of a projection can do, and what columns of every kind share.
import type { Range, Scalar } from "../port.ts";
import type { Condition } from "../query.ts";

/** Whether a row, given by its slot, is wanted. */
export type Test = (slot: number) => boolean;

/** What rows are sorted by. */
export interface Sortable {
  /** Compares the values of two rows; absent values are the lowest. */
  compare(a: number, b: number): number;
  /** How the values are turned into numbers of the same order. It holds for rows that do not change. */
  sortKeys(): SortKeys;
}

export interface SortKeys {
  /**
   * Whether a number stands for a part of the value alone, of `WINDOW` bytes from `depth` on: rows with the same number
   * are then compared by the next part, until `isLast` holds for it.
   */
  readonly windowed: boolean;
  key(slot: number, depth: number): number;
}

/** The key of an absent value. */
export const ABSENT_KEY = -1;

export interface Column extends Sortable {
  get(slot: number): Scalar;
  set(slot: number, value: Scalar): void;
  /** To be called when the row is gone. */
  clear(slot: number): void;
  /** Whether the row has the value. */
  has(slot: number, value: Scalar): boolean;
  test(condition: Condition): Test;
}

/** Order of two scalars of one field: null, then false, true, then by value; texts by code points. */
export function compareScalars(a: Scalar, b: Scalar): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * By code points, which is the order of the bytes of UTF-8, and so of the relational engines. UTF-16 has the
 * characters beyond U+FFFF (surrogates, from U+D800) ahead of those from U+E000 on.
 */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i), y = b.charCodeAt(i);
    if (x === y) continue;
    const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xe000;
    return isHigh(x) === isHigh(y) ? x - y : isHigh(x) ? 1 : -1;
  }
  return a.length - b.length;
}

function inRange(value: Scalar, { gt, gte, lt, lte }: Range): boolean {
  if (value === null) return false;
  return (gt === undefined || value !== gt && isUpward(gt, value)) &&
    (gte === undefined || isUpward(gte, value)) &&
    (lt === undefined || value !== lt && isUpward(value, lt)) &&
    (lte === undefined || isUpward(value, lte));
}

/** Whether both are of one type, and the first is not above the second. */
function isUpward(low: Scalar, high: Scalar): boolean {
  return typeof low === typeof high && compareScalars(low, high) <= 0;
}

/** Whether a condition holds for a value. */
export function meets(condition: Condition, value: Scalar): boolean {
  if (condition.kind === "range") return inRange(value, condition.range);
  return condition.values.includes(value) === (condition.kind === "in");
}

/** A longer copy of an array, with room for a slot. */
export function grown<A extends Float64Array | Int32Array | Uint32Array | Uint8Array>(
  array: A,
  slot: number,
): A {
  const type = array.constructor as new (length: number) => A;
  const bigger = new type(Math.max(slot + 1, Math.ceil(array.length * 1.5)));
  bigger.set(array);
  return bigger;
}

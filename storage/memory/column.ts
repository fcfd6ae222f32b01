// What a column of a projection can do, and what columns of every kind share.
import type { Range, Scalar } from "../port.ts";
import type { Condition } from "../query.ts";

/** Whether a row, given by its slot, is wanted. */
export type Test = (slot: number) => boolean;

export interface Column {
  get(slot: number): Scalar;
  set(slot: number, value: Scalar): void;
  /** To be called when the row is gone. */
  clear(slot: number): void;
  /** Compares the values of two rows; absent values are the lowest. */
  compare(a: number, b: number): number;
  /** Compares the row's value with another, which need not be in the column. */
  compareTo(slot: number, value: Scalar): number;
  test(condition: Condition): Test;
}

/** Order of two scalars of one field: null, then false, true, then by value. */
export function compareScalars(a: Scalar, b: Scalar): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

export function inRange(value: Scalar, { gt, gte, lt, lte }: Range): boolean {
  if (value === null) return false;
  return (gt === undefined || value > gt) && (gte === undefined || value >= gte) &&
    (lt === undefined || value < lt) && (lte === undefined || value <= lte);
}

/** Whether a condition holds for a value. */
export function meets(condition: Condition, value: Scalar): boolean {
  if (condition.kind === "range") return inRange(value, condition.range);
  return condition.values.includes(value) === (condition.kind === "in");
}

/** A longer copy of an array, with room for a slot. */
export function grown<A extends Float64Array | Int32Array>(
  array: A,
  slot: number,
  type: { new (length: number): A },
): A {
  const bigger = new type(Math.max(slot + 1, Math.ceil(array.length * 1.5)));
  bigger.set(array);
  return bigger;
}

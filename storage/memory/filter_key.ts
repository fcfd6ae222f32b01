// What tells one filter from another, as text.
import type { Scalar } from "../port.ts";
import type { Condition, Filter } from "../query.ts";

/** From so many values on, a list that cannot change is known by itself: writing it out takes longer than the answer. */
const LONG = 32;

const numbers = new WeakMap<readonly Scalar[], number>();
let last = 0;

const known = new WeakMap<Filter, string>();

/** The same text for the same filter. */
export function filterKey(filter: Filter): string {
  if (!Object.isFrozen(filter)) return keyOf(filter);
  let key = known.get(filter);
  if (key === undefined) known.set(filter, key = keyOf(filter));
  return key;
}

function keyOf({ all, any }: Filter): string {
  const conditions = all.map(conditionKey).join();
  return any ? `[${conditions};${any.map(filterKey).join()}]` : `[${conditions}]`;
}

function conditionKey(condition: Condition): string {
  const { kind, field } = condition;
  return kind === "range"
    ? JSON.stringify([field, condition.range])
    : `{${kind} ${field} ${valuesKey(condition.values)}}`;
}

function valuesKey(values: readonly Scalar[]): string {
  if (values.length < LONG || !Object.isFrozen(values)) return JSON.stringify(values);
  let number = numbers.get(values);
  if (number === undefined) numbers.set(values, number = ++last);
  return `#${number}`;
}

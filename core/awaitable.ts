// Values that may be there at once or later: what is in memory is not waited for.
import type { Awaitable } from "./store.ts";

/** Goes on with a value: at once when it is there. */
export function andThen<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

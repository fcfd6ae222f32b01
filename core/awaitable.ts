// Values that may be there at once or later: what is in memory is not waited for.

/** A value, or the promise of one: an engine answers at once from memory. Always `await` it. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on with a value: at once when it is there. */
export function andThen<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** All values: at once when all are there. Of several that fail, the first is told, and none is left unheard. */
export function allOf<T extends readonly unknown[] | []>(
  values: { readonly [K in keyof T]: Awaitable<T[K]> },
): Awaitable<T> {
  const given: readonly unknown[] = values;
  return given.some((value) => value instanceof Promise)
    ? Promise.all(given) as Promise<unknown> as Promise<T>
    : values as unknown as T;
}

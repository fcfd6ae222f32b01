// A store that is out of reach from a given step on: each read, commit and transfer of bytes is one.
import { createTransact } from "../storage/transact.ts";
import { type Store, StoreUnavailable } from "../storage/port.ts";

export interface Failing extends Store {
  /** Counts from 1 again, and fails at this step and at all that follow. */
  failFrom(step: number): void;
  /** All is well again. @returns Whether anything has failed. */
  recover(): boolean;
}

const READS = [
  "get",
  "getMany",
  "findBy",
  "list",
  "listRows",
  "rowsOf",
  "count",
  "aggregate",
] as const;

/** @param clock That of the store behind. */
export function failing(store: Store, clock: () => Date): Failing {
  let steps = 0;
  let first = Infinity;

  /** The same, where each of these methods is a step. */
  function stepwise<T extends object>(target: T, methods: readonly (keyof T & string)[]): T {
    return new Proxy(target, {
      get(_, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        const method = value.bind(target);
        if (!methods.includes(name as keyof T & string)) return method;
        return (...args: unknown[]) =>
          ++steps >= first
            ? Promise.reject(new StoreUnavailable("The network is down"))
            : method(...args);
      },
    });
  }

  const self: Failing = {
    engine: store.engine,
    blobs: stepwise(store.blobs, ["put", "get", "remove"]),
    notes: stepwise(store.notes, ["get", "set", "remove"]),
    from: (collection) => stepwise(store.from(collection), READS),
    commit: (changes, options) => stepwise(store, ["commit"]).commit(changes, options),
    load: (collection, records) => store.load(collection, records),
    transact: (actor, plan) => transact(actor, plan),
    changes: (options) => store.changes(options),
    unreadable: () => store.unreadable(),
    warmUp: () => store.warmUp(),
    ping: () => store.ping(),
    close: () => store.close(),
    failFrom(step) {
      steps = 0;
      first = step;
    },
    recover() {
      const failed = steps >= first;
      first = Infinity;
      return failed;
    },
  };
  const transact = createTransact(self, clock);
  return self;
}

// A store that is out of reach from a given step on: each read, commit and transfer of bytes is one.
import { createTransact } from "../storage/transact.ts";
import { type Store, StoreUnavailable } from "../storage/port.ts";
import { openOnEngine } from "./engine.ts";
import { type Harness, harness } from "./harness.ts";

export interface Failing extends Store {
  /**
   * Counts from 1 again, and fails at this step and at all that follow: at once, or silent until `recover`, as behind
   * a time limit.
   */
  failFrom(step: number, how?: Outage): void;
  /** Resolves when a step is silent. */
  silent(): Promise<void>;
  /** All is well again; whatever waits is told that there was no answer. @returns Whether anything has failed. */
  recover(): boolean;
}

export type Outage = "refuses" | "hangs";
export const OUTAGES: readonly Outage[] = ["refuses", "hangs"];

export type FailingHarness = Harness & { readonly store: Failing };

/** Of variant full, without rate limits. */
export async function failingHarness(): Promise<FailingHarness> {
  const h = await harness({
    variant: "full",
    env: { RATE_LIMIT: "false" },
    open: async (clock) => failing(await openOnEngine(clock), clock),
  });
  return h as FailingHarness;
}

/** Does something while the store is out of reach from a step on. */
export async function during<R>(
  store: Failing,
  { step, how }: { step: number; how: Outage },
  work: () => Promise<R>,
): Promise<{ outcome: PromiseSettledResult<R>; failed: boolean }> {
  store.failFrom(step, how);
  const settled = Promise.allSettled([work()]);
  if (how === "hangs") await Promise.race([settled, store.silent()]);
  else await settled;
  const failed = store.recover();
  const [outcome] = await settled;
  return { outcome, failed };
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
  let how: Outage = "refuses";
  let silence = Promise.withResolvers<never>();
  let silent = Promise.withResolvers<void>();

  function fail(): Promise<never> {
    if (how === "refuses") return Promise.reject(new StoreUnavailable("The network is down"));
    silent.resolve();
    return silence.promise;
  }

  /** The same, where each of these methods is a step. */
  function stepwise<T extends object>(target: T, methods: readonly (keyof T & string)[]): T {
    return new Proxy(target, {
      get(_, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        const method = value.bind(target);
        if (!methods.includes(name as keyof T & string)) return method;
        return (...args: unknown[]) => ++steps >= first ? fail() : method(...args);
      },
    });
  }

  const self: Failing = {
    engine: store.engine,
    shared: store.shared,
    blobs: stepwise(store.blobs, ["put", "get", "remove"]),
    notes: stepwise(store.notes, ["get", "set", "remove", "list"]),
    from: (collection) => stepwise(store.from(collection), READS),
    commit: (changes, options) => stepwise(store, ["commit"]).commit(changes, options),
    load: (collection, records) => store.load(collection, records),
    transact: (...asked) => transact(...asked),
    changes: (options) => store.changes(options),
    tail: (collection, make) => store.tail(collection, make),
    position: () => store.position(),
    entry: (position) => store.entry(position),
    unreadable: () => store.unreadable(),
    facts: () => store.facts(),
    check: () => store.check(),
    warmUp: () => store.warmUp(),
    ping: () => stepwise(store, ["ping"]).ping(),
    close: () => store.close(),
    failFrom(step, kind = "refuses") {
      steps = 0;
      first = step;
      how = kind;
      silence = Promise.withResolvers();
      silence.promise.catch(() => {});
      silent = Promise.withResolvers();
    },
    silent: () => silent.promise,
    recover() {
      const failed = steps >= first;
      first = Infinity;
      silence.reject(new StoreUnavailable("There was no answer in time"));
      return failed;
    },
  };
  const transact = createTransact(self, clock);
  return self;
}

// A store whose commits tests can look at, delay and break: everything else goes to the store behind it.
import { createTransact } from "../storage/transact.ts";
import { type Change, type Store, StoreUnavailable } from "../storage/port.ts";
import { openOnEngine } from "./engine.ts";
import { type Harness, harness, type HarnessOptions } from "./harness.ts";

export interface Interposed extends Store {
  /** Runs before a plan's commit reaches the store, when the plan has read and decided. */
  beforeCommit: ((changes: readonly Change[]) => Promise<void> | void) | null;
  /** Runs once the store has committed, before whoever committed hears of it. */
  afterCommit: ((changes: readonly Change[]) => Promise<void> | void) | null;
  /** What was committed through this store, in order. */
  readonly committed: (readonly Change[])[];
}

/** @param clock That of the store behind. */
export function interposed(store: Store, clock: () => Date): Interposed {
  const committed: (readonly Change[])[] = [];
  const self: Interposed = {
    beforeCommit: null,
    afterCommit: null,
    committed,
    engine: store.engine,
    shared: store.shared,
    blobs: store.blobs,
    notes: store.notes,
    from: (collection) => store.from(collection),
    async commit(changes, options) {
      await self.beforeCommit?.(changes);
      const position = await store.commit(changes, options);
      committed.push(changes);
      await self.afterCommit?.(changes);
      return position;
    },
    transact: (...asked) => transact(...asked),
    load: (collection, records) => store.load(collection, records),
    changes: (options) => store.changes(options),
    tail: (collection, make) => store.tail(collection, make),
    position: () => store.position(),
    entry: (position) => store.entry(position),
    unreadable: () => store.unreadable(),
    facts: () => store.facts(),
    check: () => store.check(),
    warmUp: () => store.warmUp(),
    ping: () => store.ping(),
    close: () => store.close(),
  };
  const transact = createTransact(self, clock);
  return self;
}

/** The application on such a store. */
export async function interposedHarness(
  options: Omit<HarnessOptions, "open"> = {},
): Promise<Harness & { readonly store: Interposed }> {
  const open = async (clock: () => Date) => interposed(await openOnEngine(clock), clock);
  return await harness({ ...options, open }) as Harness & { readonly store: Interposed };
}

/** What a process that was killed would say to whoever still waits for it. */
export function killed(): StoreUnavailable {
  return new StoreUnavailable("The process was killed");
}

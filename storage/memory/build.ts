// What is made of rows in slices, while rows change.
import { getLogger } from "@logtape/logtape";
import type { Awaitable } from "../../core/awaitable.ts";
import type { Slices, Work } from "../../core/slices.ts";
import type { Entity } from "../port.ts";
import type { Test } from "./column.ts";
import { ALL_FIELDS, type Live, type Order } from "./order.ts";
import type { Rows } from "./rows.ts";

/** Rows between two places where picking may be interrupted, by a test and by marks. */
const PIECE = 256;
const MARKED_PIECE = 4096;
/** What takes longer to be made than this is logged: milliseconds. */
const LONG = 1000;

const log = getLogger(["quarterdeck", "store"]);

/** What is being made of one collection. */
export class Builds {
  readonly #builds = new Map<string, { readonly live: Live; readonly made: Promise<Live> }>();
  #live: readonly Live[] = [];

  /** @param collection Its name, for the log. */
  constructor(readonly collection: string, readonly slices: Slices) {}

  /** What is to be told of changes: the same array until something begins or ends. */
  get live(): readonly Live[] {
    return this.#live;
  }

  get<L extends Live>(key: string): Promise<L> | undefined {
    return this.#builds.get(key)?.made as Promise<L> | undefined;
  }

  /**
   * Makes something in slices. It is told of changes from now on, and kept in the same turn in which it is made. Those
   * who wait go on in that turn too, before anything can change.
   *
   * @param live What is told of changes: that which is made, or what knows how to add them at its end.
   */
  make<L extends Live>(
    key: string,
    live: Live,
    work: Work<L>,
    keep: (made: L) => void,
  ): Awaitable<L> {
    const { promise, resolve, reject } = Promise.withResolvers<Live>();
    this.#builds.set(key, { live, made: promise });
    this.#gather();
    const made = this.run(key, this.#kept(key, work, keep));
    if (made instanceof Promise) made.then(resolve, reject);
    // Whoever asked first hears of a failure from `made`.
    promise.catch(() => {});
    return made;
  }

  /** Runs work in slices; what takes long is logged, since somebody may have waited for it. */
  run<R>(what: string, work: Work<R>): Awaitable<R> {
    const startedAt = performance.now();
    const result = this.slices.run(work);
    if (!(result instanceof Promise)) return result;
    result.then(() => {
      const took = performance.now() - startedAt;
      if (took < LONG) return;
      log.info("Building {what} of {collection} in memory took {seconds} s", {
        what: what.slice(0, 200),
        collection: this.collection,
        seconds: Number((took / 1000).toFixed(1)),
      });
    }, () => {});
    return result;
  }

  *#kept<L extends Live>(key: string, work: Work<L>, keep: (made: L) => void): Work<L> {
    try {
      const made = yield* work;
      keep(made);
      return made;
    } finally {
      this.#builds.delete(key);
      this.#gather();
    }
  }

  #gather(): void {
    this.#live = [...this.#builds.values()].map(({ live }) => live);
  }
}

/** A list that is being made. Rows that change meanwhile are left out of what is made, and enter it at its end. */
export class Build<T extends Entity> implements Live {
  readonly #changed = new Set<number>();

  /** @param fields By `Rows.maskOf`. */
  constructor(readonly rows: Rows<T>, readonly fields: number) {}

  leave(slot: number): void {
    this.#changed.add(slot);
  }

  enter(slot: number): void {
    this.#changed.add(slot);
  }

  /** The rows without those that have changed. */
  unchanged(slots: Uint32Array): Uint32Array {
    return this.#changed.size === 0 ? slots : slots.filter((slot) => !this.#changed.has(slot));
  }

  /** To be called once, when nothing is waited for any more. */
  complete(order: Order): Order {
    for (const slot of this.#changed) if (this.rows.holds(slot)) order.enter(slot, ALL_FIELDS);
    return order;
  }
}

/** The rows for which the test holds, in their order: they are moved to the front of the array, and share it. */
export function* pick(slots: Uint32Array, test: Test): Work<Uint32Array> {
  let length = 0;
  for (let i = 0; i < slots.length; i++) {
    if (test(slots[i]!)) slots[length++] = slots[i]!;
    if (i % PIECE === PIECE - 1) yield;
  }
  return slots.subarray(0, length);
}

/** `pick` of those that are marked, in a quarter of the time. @param marks By slot: 1 for those that are wanted, else 0. */
export function* pickMarked(slots: Uint32Array, marks: Uint8Array): Work<Uint32Array> {
  let length = 0;
  for (let from = 0; from < slots.length; from += MARKED_PIECE) {
    length = moveMarked(slots, marks, { from, to: from + MARKED_PIECE, length });
    yield;
  }
  return slots.subarray(0, length);
}

/** Without a branch, which the processor would often guess wrong. @returns How many are picked by now. */
function moveMarked(
  slots: Uint32Array,
  marks: Uint8Array,
  piece: { readonly from: number; readonly to: number; readonly length: number },
): number {
  const to = Math.min(piece.to, slots.length);
  let { length } = piece;
  for (let i = piece.from; i < to; i++) {
    const slot = slots[i]!;
    slots[length] = slot;
    length += marks[slot]!;
  }
  return length;
}

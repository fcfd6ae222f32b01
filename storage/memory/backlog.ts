// Many changes at once: rows take them in slices, so that the event loop is not held, and nobody is shown a part of them.
import type { Slices, Work } from "../../core/slices.ts";

/** Changes between two places where taking may be interrupted. */
const PIECE = 16;

export class Backlog<C> {
  /** What is not taken yet, in the order in which it came. */
  readonly #waiting: (readonly C[])[] = [];
  #taken: Promise<void> | null = null;

  /** @param take Called once for each change. */
  constructor(readonly slices: Slices, readonly take: (change: C) => void) {}

  /** Resolves when all changes are taken; null when there are none. */
  get taken(): Promise<void> | null {
    return this.#taken;
  }

  /** Takes changes after those that wait. To add them takes no time, however many they are. */
  add(changes: readonly C[]): void {
    this.#waiting.push(changes);
    if (this.#taken) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#taken = promise;
    const taking = this.slices.run(this.#takeAll(resolve));
    // A defect: whoever waits gets what there is, as where it comes up in the turn of the commit.
    if (taking instanceof Promise) taking.catch(() => {});
  }

  *#takeAll(resolve: () => void): Work<void> {
    let count = 0;
    try {
      for (let changes = this.#waiting.shift(); changes; changes = this.#waiting.shift()) {
        for (const change of changes) {
          this.take(change);
          if (++count % PIECE === 0) yield;
        }
      }
    } finally {
      // In the turn in which the last one is taken, before anything can be added.
      this.#taken = null;
      resolve();
    }
  }
}

// Turns of the event loop by hand.
import { setImmediate } from "node:timers";
import { Slices } from "../core/slices.ts";

export class Turns {
  #ms = 0;
  readonly #later: (() => void)[] = [];
  readonly slices: Slices;

  /** @param look Milliseconds that each look at the clock takes: with 10, one piece of work is done in a turn. */
  constructor(look = 1) {
    this.slices = new Slices(() => this.#ms += look, (next) => this.#later.push(next));
  }

  get pending(): number {
    return this.#later.length;
  }

  /** The next turn; false when nothing waits for one. */
  next(): boolean {
    const due = this.#later.splice(0);
    for (const next of due) next();
    return due.length > 0;
  }

  /** Turns until nothing waits for one; how many. */
  run(): number {
    let turns = 0;
    while (this.next()) turns++;
    return turns;
  }

  /** Turns until the promise is settled. @param between Called ahead of each. */
  async settled(promise: Promise<unknown>, between: () => void = () => {}): Promise<void> {
    let isSettled = false;
    promise.then(() => isSettled = true, () => isSettled = true);
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isSettled) return;
      between();
      this.next();
    }
  }
}

// A lock within the process: operations run side by side, except while one that needs the store to itself is running.

export class Gate {
  #inside = 0;
  #queue: (() => void)[] = [];
  #closed = false;
  #tail: Promise<void> = Promise.resolve();
  #emptied: (() => void) | null = null;

  /** When set, it is run alone, until it succeeds, before anything else passes. */
  repair: (() => Promise<void>) | null = null;

  /** Runs beside others. Must not be nested: an `alone` that came between would wait for the outer call forever. */
  async together<T>(run: () => Promise<T>): Promise<T> {
    while (this.#closed || this.repair) {
      if (this.#closed) await new Promise<void>((resolve) => this.#queue.push(resolve));
      else await this.alone(() => Promise.resolve());
    }
    this.#inside++;
    try {
      return await run();
    } finally {
      if (--this.#inside === 0) this.#emptied?.();
    }
  }

  /** Runs alone: after all that are inside, and before all that come later. */
  alone<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(async () => {
      this.#closed = true;
      if (this.#inside > 0) await new Promise<void>((resolve) => this.#emptied = resolve);
      this.#emptied = null;
      try {
        await this.repair?.();
        this.repair = null;
        return await run();
      } finally {
        this.#closed = false;
        for (const wake of this.#queue.splice(0)) wake();
      }
    });
    this.#tail = turn.then(() => {}, () => {});
    return turn;
  }
}

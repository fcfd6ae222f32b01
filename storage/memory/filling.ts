// Fills memory in the background: one collection after the other, from the start of the process on.
import type { Awaitable } from "../../core/awaitable.ts";

interface Fillable {
  fill(): Promise<void>;
}

export class Filling {
  #closed = false;
  #done: Promise<void> = Promise.resolve();

  start(readers: Awaitable<readonly Fillable[]>): Promise<void> {
    return this.#done = this.#fill(readers);
  }

  /** Resolves when nothing is read any more; the store that is read from is closed by then. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#done;
  }

  async #fill(readers: Awaitable<readonly Fillable[]>): Promise<void> {
    for (const reader of await readers) {
      if (this.#closed) return;
      // A collection that cannot be read now is read when a list needs it, and that request reports the failure.
      await reader.fill().catch(() => {});
    }
  }
}

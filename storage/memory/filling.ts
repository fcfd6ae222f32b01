// Fills memory in the background: one collection after the other, from the start of the process on. One that a request
// waits for is filled meanwhile, and before all others.
import type { Awaitable } from "../../core/awaitable.ts";

interface Fillable {
  fill(): Promise<void>;
}

export class Filling {
  #closed = false;
  #done: Promise<void> = Promise.resolve();
  readonly #awaited = new Set<Fillable>();
  #changed = Promise.withResolvers<void>();

  start(readers: Awaitable<readonly Fillable[]>): Promise<void> {
    return this.#done = this.#fill(readers);
  }

  /** Resolves when nothing is read any more; the store that is read from is closed by then. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#done;
  }

  /** To be called when a request waits until the reader is filled. */
  hurry(reader: Fillable): void {
    if (this.#awaited.has(reader)) return;
    this.#awaited.add(reader);
    this.#tell();
  }

  /** To be called when filling the reader has ended, whatever has come of it. */
  ended(reader: Fillable): void {
    if (this.#awaited.delete(reader)) this.#tell();
  }

  /** Resolves when the reader may go on: when requests wait for it, or for no other. */
  async turn(reader: Fillable): Promise<void> {
    while (this.#awaited.size > 0 && !this.#awaited.has(reader)) await this.#changed.promise;
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async #fill(readers: Awaitable<readonly Fillable[]>): Promise<void> {
    for (const reader of await readers) {
      if (this.#closed) return;
      // A collection that cannot be read now is read when a list needs it, and that request reports the failure.
      await reader.fill().catch(() => {});
    }
  }
}

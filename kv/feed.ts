// Following the journal: how far this process has got in it, and the iterables that wait for further entries.
import type { JournalEntry } from "../storage/port.ts";
import type { Journal } from "./journal.ts";

const BATCH = 100;

export class Feed {
  readonly #waiting = new Set<() => void>();
  #closed = false;

  /** @param position The last entry that memory has followed. */
  constructor(readonly journal: Journal, public position: string) {}

  /** To be called when memory has followed the journal up to `seq`. */
  advance(seq: string): void {
    if (seq > this.position) this.position = seq;
    this.#wake();
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** The journal's entries after a position, each as soon as memory has followed it. */
  async *changes(
    { after = this.position, signal }: { readonly after?: string; readonly signal?: AbortSignal } =
      {},
  ): AsyncIterable<JournalEntry> {
    const wake = () => this.#wake();
    signal?.addEventListener("abort", wake);
    try {
      for (let seq = after; !this.#closed && !signal?.aborted;) {
        const target = this.position;
        const entries = await this.journal.read(seq, BATCH, target);
        for (const entry of entries) {
          if (signal?.aborted) return;
          yield entry;
        }
        if (entries.length >= BATCH) seq = entries.at(-1)!.seq;
        else {
          if (target > seq) seq = target;
          if (this.position <= seq) await this.#more(signal);
        }
      }
    } finally {
      signal?.removeEventListener("abort", wake);
    }
  }

  async #more(signal: AbortSignal | undefined): Promise<void> {
    if (this.#closed || signal?.aborted) return;
    await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

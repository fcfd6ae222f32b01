// Reads records that memory lacks, in batches: while some batches are under way, further requests gather for the next.
/** How many batches may be under way at a time. */
const MAX_ON_THEIR_WAY = 4;
/** Records in a batch: a few milliseconds of decoding at most. */
const MAX_BATCH = 100;

interface Wanted<R> {
  readonly id: string;
  readonly resolve: (found: R | null) => void;
  readonly reject: (error: unknown) => void;
}

export class Misses<R> {
  readonly #wanted: Wanted<R>[] = [];
  #onTheirWay = 0;
  #scheduled = false;

  /** @param read Answers in the order of the ids; null where there is no record. */
  constructor(readonly read: (ids: readonly string[]) => Promise<readonly (R | null)[]>) {}

  fetch(id: string): Promise<R | null> {
    return new Promise((resolve, reject) => {
      this.#wanted.push({ id, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      // Waits for the end of this turn, so that all records of a page are one read instead of ten.
      queueMicrotask(() => {
        this.#scheduled = false;
        this.#send();
      });
    });
  }

  #send(): void {
    while (this.#wanted.length > 0 && this.#onTheirWay < MAX_ON_THEIR_WAY) {
      this.#onTheirWay++;
      this.#readBatch(this.#wanted.splice(0, MAX_BATCH)).finally(() => {
        this.#onTheirWay--;
        this.#send();
      });
    }
  }

  async #readBatch(batch: readonly Wanted<R>[]): Promise<void> {
    try {
      // All of a page may belong to one.
      const ids = [...new Set(batch.map(({ id }) => id))];
      const read = await this.read(ids);
      const found = new Map(ids.map((id, n) => [id, read[n] ?? null]));
      for (const { id, resolve } of batch) resolve(found.get(id)!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

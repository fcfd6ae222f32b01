// Decoded records in memory, up to a number of bytes; those not used for a while go first.
import type { Holder } from "./records.ts";

interface CacheEntry {
  readonly owner: Map<string, CacheEntry>;
  readonly id: string;
  record: object;
  size: number;
  /** How often the clock's hand passes before it is dropped: set by a hit, less by one with each pass. */
  lives: number;
  /** Its place on the clock. */
  at: number;
}

/** The part of what is held that is dropped to make room for others. */
const ROOM_SHARE = 1 / 64;

/**
 * What all caches of a store share: their total size, and the hand that looks for something to drop (the clock
 * algorithm: as good as least recently used, with no work on a hit but a flag).
 */
export class CacheBudget implements Holder {
  readonly #clock: CacheEntry[] = [];
  #hand = 0;
  #size = 0;

  /** @param grown Called when something was added: others may share the bytes. @default nothing is done */
  constructor(readonly maxBytes: number, readonly grown: () => void = () => {}) {}

  /** Bytes held now. */
  get bytes(): number {
    return this.#size;
  }

  makeRoom(): void {
    this.#shrinkTo(this.#size * (1 - ROOM_SHARE));
  }

  add(entry: CacheEntry): void {
    entry.at = this.#clock.push(entry) - 1;
    this.#size += entry.size;
    this.#shrinkTo(this.maxBytes);
    this.grown();
  }

  resize(entry: CacheEntry, size: number): void {
    this.#size += size - entry.size;
    entry.size = size;
    this.#shrinkTo(this.maxBytes);
    this.grown();
  }

  drop(entry: CacheEntry): void {
    const last = this.#clock.pop()!;
    if (last !== entry) {
      this.#clock[entry.at] = last;
      last.at = entry.at;
    }
    this.#size -= entry.size;
    entry.owner.delete(entry.id);
  }

  #shrinkTo(bytes: number): void {
    while (this.#size > bytes && this.#clock.length > 0) {
      if (this.#hand >= this.#clock.length) this.#hand = 0;
      const entry = this.#clock[this.#hand]!;
      if (entry.lives > 0) {
        entry.lives--;
        this.#hand++;
      } else {
        this.drop(entry);
        // The newest entry has moved into the gap; the hand skips it until it comes round again.
        this.#hand++;
      }
    }
  }
}

/** The cached records of one collection. */
export class RecordCache<T extends object> {
  readonly #entries = new Map<string, CacheEntry>();

  /** @param lives How many rounds of the clock a hit lasts: more for what takes longer to make anew. @default 1 */
  constructor(readonly budget: CacheBudget, readonly lives = 1) {}

  get(id: string): T | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    entry.lives = this.lives;
    return entry.record as T;
  }

  /** @param size Bytes. */
  set(id: string, record: T, size: number): void {
    const entry = this.#entries.get(id);
    if (entry) {
      entry.record = record;
      this.budget.resize(entry, size);
      return;
    }
    const fresh: CacheEntry = {
      owner: this.#entries,
      id,
      record,
      size,
      lives: this.lives - 1,
      at: 0,
    };
    this.#entries.set(id, fresh);
    this.budget.add(fresh);
  }

  *values(): Iterable<T> {
    for (const { record } of this.#entries.values()) yield record as T;
  }

  delete(id: string): void {
    const entry = this.#entries.get(id);
    if (entry) this.budget.drop(entry);
  }

  clear(): void {
    for (const entry of [...this.#entries.values()]) this.budget.drop(entry);
  }
}

// The hits of all limits by their keys: those counted here, and those that other processes on the store have told of.
import type { Forgiven } from "./count_notes.ts";
import { type RateLimitName, rateLimits } from "./limits.ts";
import type { OwnCounts, SharedCounts } from "./shared_counts.ts";
import { Windows } from "./windows.ts";

export interface CountsOptions {
  /** Milliseconds, monotonic. */
  readonly elapsed: () => number;
  /** What other processes count. Null: there are none. */
  readonly others: SharedCounts | null;
  /** The hits that a key may usually have: it tells which counts are near to their limit. */
  readonly usualLimit: (name: RateLimitName, key: string) => number;
  /** Takes back by `subtract` what another process has forgiven. */
  readonly forgive: (name: RateLimitName, forgiven: Forgiven) => void;
}

/** Of a key of a limit, among the keys of all limits. */
export const idOf = (name: RateLimitName, key: string) => `${name}\n${key}`;

export class Counts {
  readonly #options: CountsOptions;
  readonly #windows = new Map<string, Windows>();
  readonly #own: OwnCounts = {
    look: (id) => this.#look(id),
    forgive: (forgiven) => {
      // A newer version of the program may know more limits.
      if (!Object.hasOwn(rateLimits, forgiven.limit)) return;
      this.#options.forgive(forgiven.limit as RateLimitName, forgiven);
    },
  };

  constructor(options: CountsOptions) {
    this.#options = options;
    const { elapsed } = options;
    for (const [name, { window }] of Object.entries(rateLimits)) {
      this.#windows.set(name, new Windows({ name, length: window * 1000, elapsed }));
    }
  }

  /** Whether there may be other processes. */
  get shared(): boolean {
    return this.#options.others !== null;
  }

  /** Here and at other processes. */
  count(name: RateLimitName, key: string): number {
    let hits = this.own(name, key);
    for (const other of this.#others(name, key)) hits += other.hits;
    return hits;
  }

  /** Here. */
  own(name: RateLimitName, key: string): number {
    return this.#of(name).count(key);
  }

  /** Milliseconds until so many windows of a key have ended that its hits are below the limit; 0 when they are. */
  wait(name: RateLimitName, key: string, limit: number): number {
    const own = { hits: this.own(name, key), endsAt: this.#endOf(name, key) };
    const byEnd = [own, ...this.#others(name, key)].sort((a, b) => a.endsAt - b.endsAt);
    let left = byEnd.reduce((sum, { hits }) => sum + hits, 0);
    if (left < limit) return 0;
    const last = byEnd.find(({ hits }) => (left -= hits) < limit)!;
    return last.endsAt - this.#options.elapsed();
  }

  add(name: RateLimitName, key: string): void {
    this.#of(name).add(key);
    this.#changed(name, key);
  }

  subtract(name: RateLimitName, key: string, hits: number): void {
    if (hits === 0) return;
    this.#of(name).subtract(key, hits);
    this.#changed(name, key);
  }

  /** Those that are counted here. */
  keys(name: RateLimitName): Iterable<string> {
    return this.#of(name).keys();
  }

  /** See `SharedCounts.forgave`. @param concerns By `idOf`. */
  forgave(forgiven: Forgiven, concerns: (id: string) => boolean): void {
    this.#options.others?.forgave(forgiven, concerns);
  }

  /** See `SharedCounts.exchange`. */
  async exchange(): Promise<void> {
    await this.#options.others?.exchange(this.#own);
  }

  #of(name: RateLimitName): Windows {
    return this.#windows.get(name)!;
  }

  #endOf(name: RateLimitName, key: string): number {
    return this.#options.elapsed() + this.#of(name).remaining(key);
  }

  #others(name: RateLimitName, key: string) {
    return this.#options.others?.of(idOf(name, key)) ?? [];
  }

  #changed(name: RateLimitName, key: string): void {
    const { others, usualLimit } = this.#options;
    others?.changed(idOf(name, key), this.count(name, key) / usualLimit(name, key));
  }

  #look(id: string): ReturnType<OwnCounts["look"]> {
    const end = id.indexOf("\n");
    const name = id.slice(0, end) as RateLimitName;
    const key = id.slice(end + 1);
    const hits = this.own(name, key);
    if (hits === 0) return null;
    const part = this.count(name, key) / this.#options.usualLimit(name, key);
    return { hits, remaining: this.#of(name).remaining(key), part };
  }
}

// Counts in fixed windows of one length, in this process's memory. Knows no limit and no caller.
import { getLogger } from "@logtape/logtape";

interface Window {
  hits: number;
  /** Milliseconds, monotonic. */
  readonly endsAt: number;
}

export interface WindowsOptions {
  /** For logs. */
  readonly name: string;
  /** Milliseconds. */
  readonly length: number;
  /** Milliseconds, monotonic: no step of the system's clock makes a window longer. */
  readonly elapsed: () => number;
  /** Windows in force at most. @default 100000, of 15 to 25 MiB */
  readonly max?: number;
}

const log = getLogger(["quarterdeck", "limits"]);

/**
 * A window in force is never evicted: otherwise whoever fills the table would free themselves. When the table is full,
 * new keys are not counted until windows end. Most keys come from networks, and each network counts towards a larger
 * one that is soon refused, so it takes thousands of networks to fill it; counting would not stop who has so many.
 */
export class Windows {
  /** All have the same length, so the oldest ends first. */
  readonly #windows = new Map<string, Window>();
  readonly #options: Required<WindowsOptions>;
  #quietUntil = 0;

  constructor(options: WindowsOptions) {
    this.#options = { max: 100_000, ...options };
  }

  /** Windows in memory. */
  get size(): number {
    return this.#windows.size;
  }

  count(key: string): number {
    return this.#inForce(key)?.hits ?? 0;
  }

  /** Milliseconds until the window ends; 0 when there is none. */
  remaining(key: string): number {
    const window = this.#inForce(key);
    return window ? window.endsAt - this.#options.elapsed() : 0;
  }

  /** @default hits 1 */
  add(key: string, hits = 1): void {
    const window = this.#inForce(key);
    if (window) {
      window.hits += hits;
      return;
    }
    this.#dropEnded();
    if (this.#windows.size >= this.#options.max) return this.#tellFull();
    this.#windows.set(key, { hits, endsAt: this.#options.elapsed() + this.#options.length });
  }

  subtract(key: string, hits: number): void {
    const window = this.#inForce(key);
    if (!window) return;
    window.hits -= hits;
    if (window.hits <= 0) this.#windows.delete(key);
  }

  keys(): Iterable<string> {
    return this.#windows.keys();
  }

  #inForce(key: string): Window | undefined {
    const window = this.#windows.get(key);
    if (!window || window.endsAt > this.#options.elapsed()) return window;
    this.#windows.delete(key);
    return undefined;
  }

  #dropEnded(): void {
    const now = this.#options.elapsed();
    for (const [key, { endsAt }] of this.#windows) {
      if (endsAt > now) return;
      this.#windows.delete(key);
    }
  }

  /** Logs that the table is full, at most once in the length of a window. */
  #tellFull(): void {
    const { name, max, elapsed, length } = this.#options;
    if (elapsed() < this.#quietUntil) return;
    this.#quietUntil = elapsed() + length;
    log.warning("Limit {name} counts {max} callers and no more until some windows end", {
      name,
      max,
    });
  }
}

// When writes go: at once, unless the event loop is busy and others are likely to come meanwhile. These then go together.
import process from "node:process";
import { SECOND } from "./units.ts";

/** Milliseconds after the last ones went for which the writes of a busy process wait for more, at most. */
export const REST = 40;
/** Milliseconds after the last write that came within which another one has to come, for them to go on waiting. */
export const GAP = 12;
/** So many writes wait for no more: what more of them would save is little. */
export const ENOUGH = 8;
/**
 * The share of its time from which on the event loop's thread counts as busy. Of a core that is full it has three
 * quarters at times: the collector's threads, the store's and its syncs to disk take the rest.
 */
const BUSY = 0.65;
/** Milliseconds over which that is measured, at least. */
const WINDOW = 100;
/**
 * Each group waits for one write more than the last, until that is in vain; so many groups then wait for no more than
 * came, and twice as many each further time. Who write again when their last write is through, one or a few, are all
 * there at once: to wait for more of them would hold them up.
 */
const MIN_SETTLED = 8;
const MAX_SETTLED = 256;

export interface WriteDelayOptions {
  /** Milliseconds, monotonic. */
  readonly now?: () => number;
  /** Milliseconds for which this thread has been at work. @default always 0 where the runtime does not tell */
  readonly worked?: () => number;
  /** @default `afterDelay` */
  readonly later?: typeof afterDelay;
}

export class WriteDelay {
  readonly #now: () => number;
  readonly #worked: () => number;
  readonly #later: typeof afterDelay;
  #sentAt = -Infinity;
  /** How many wait, and when the last of them came. */
  #waiting = 0;
  #cameAt = -Infinity;
  /** Ends the rest that is under way; null while none is. */
  #endRest: (() => void) | null = null;
  #rested = false;
  /** How many writes a group waits for. */
  #wanted = 2;
  /** Groups for which that does not rise, from now on, and after the next rest that is in vain. */
  #settled = 0;
  #nextSettled = MIN_SETTLED;
  #busy = false;
  #measured: { readonly at: number; readonly worked: number };

  constructor({ now, worked, later }: WriteDelayOptions = {}) {
    this.#now = now ?? (() => performance.now());
    this.#worked = worked ?? threadTime;
    this.#later = later ?? afterDelay;
    this.#measured = { at: this.#now(), worked: this.#worked() };
  }

  /**
   * Whether the writes that wait are to wait for more; else all of them have to go now.
   *
   * @param waiting How many there are: one at least.
   * @param again Called when that is to be asked again; it may also be asked whenever another one has come.
   */
  holds(waiting: number, again: () => void): boolean {
    const now = this.#now();
    if (waiting > this.#waiting) this.#cameAt = now;
    this.#waiting = waiting;
    const left = Math.min(this.#sentAt + REST, this.#cameAt + GAP) - now;
    if (this.#busy && left > 0 && waiting < this.#wanted) {
      this.#rested = true;
      this.#endRest ??= this.#later(() => {
        this.#endRest = null;
        again();
      }, left);
      return true;
    }
    this.#endRest?.();
    this.#endRest = null;
    this.#sent(now, waiting);
    return false;
  }

  #sent(now: number, together: number): void {
    if (together >= this.#wanted) this.#wantMore();
    else if (this.#rested) this.#wantLess(together);
    this.#rested = false;
    this.#waiting = 0;
    this.#sentAt = now;
    const { at, worked } = this.#measured;
    if (now - at < WINDOW) return;
    this.#measured = { at: now, worked: this.#worked() };
    this.#busy = this.#measured.worked - worked >= BUSY * (now - at);
  }

  /** As many came as were waited for: one more is, unless that was in vain lately. */
  #wantMore(): void {
    if (this.#settled === 0) this.#nextSettled = MIN_SETTLED;
    else if (--this.#settled > 0) return;
    this.#wanted = Math.min(this.#wanted + 1, ENOUGH);
  }

  #wantLess(together: number): void {
    this.#wanted = Math.max(this.#wanted - 1, together);
    if (this.#settled > 0) return;
    this.#settled = this.#nextSettled;
    this.#nextSettled = Math.min(2 * this.#nextSettled, MAX_SETTLED);
  }
}

function threadTime(): number {
  // Deno 2.5 has none.
  const { user, system } = process.threadCpuUsage?.() ?? { user: 0, system: 0 };
  return (user + system) / SECOND;
}

/** Calls after so many milliseconds, unless what it returns is called before. */
export function afterDelay(next: () => void, milliseconds: number): () => void {
  const timer = setTimeout(next, milliseconds);
  return () => clearTimeout(timer);
}

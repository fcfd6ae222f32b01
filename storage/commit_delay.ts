// When commits go to the store: at once, unless the event loop is busy and others are likely to come meanwhile. These
// then share an operation, its sync to disk, and what it takes to begin and end one.
import process from "node:process";
import { SECOND } from "../core/units.ts";

/** Milliseconds after an operation for which the commits of a busy process wait for more, at most. */
export const REST = 40;
/** So many commits wait for no more: what more of them would save is little. */
export const ENOUGH = 8;
/**
 * The share of its time from which on the event loop's thread counts as busy. Of a core that is full it has three
 * quarters at times: the collector's threads, the store's and its syncs to disk take the rest.
 */
const BUSY = 0.5;
/** Milliseconds over which that is measured, at least. */
const WINDOW = 100;
/** After a rest that nobody joined, so many operations go without one; twice as many after each further such rest. */
const MIN_UNRESTED = 8;
const MAX_UNRESTED = 256;

export interface CommitDelayOptions {
  /** Milliseconds, monotonic. */
  readonly now?: () => number;
  /** Milliseconds for which this thread has been at work. @default always 0 where the runtime does not tell */
  readonly worked?: () => number;
  /** Calls after so many milliseconds, unless what it returns is called before. */
  readonly later?: (next: () => void, milliseconds: number) => () => void;
}

export class CommitDelay {
  readonly #now: () => number;
  readonly #worked: () => number;
  readonly #later: NonNullable<CommitDelayOptions["later"]>;
  #sentAt = -Infinity;
  /** Ends the rest that is under way; null while none is. */
  #endRest: (() => void) | null = null;
  #rested = false;
  /** Operations that go without a rest, from now on, and after the next rest that nobody joins. */
  #unrested = 0;
  #nextUnrested = MIN_UNRESTED;
  #busy = false;
  #measured: { readonly at: number; readonly worked: number };

  constructor({ now, worked, later }: CommitDelayOptions = {}) {
    this.#now = now ?? (() => performance.now());
    this.#worked = worked ?? threadTime;
    this.#later = later ?? afterDelay;
    this.#measured = { at: this.#now(), worked: this.#worked() };
  }

  /**
   * Whether the commits that wait are to wait for more; else they have to be sent now.
   *
   * @param waiting How many there are: one at least.
   * @param again Called when that is to be asked again; it may also be asked whenever another one has come.
   */
  holds(waiting: number, again: () => void): boolean {
    const now = this.#now(), left = this.#sentAt + REST - now;
    if (this.#busy && this.#unrested === 0 && left > 0 && waiting < ENOUGH) {
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
    if (this.#unrested > 0) this.#unrested--;
    if (this.#rested && together === 1) {
      this.#unrested = this.#nextUnrested;
      this.#nextUnrested = Math.min(2 * this.#nextUnrested, MAX_UNRESTED);
    } else if (this.#rested) this.#nextUnrested = MIN_UNRESTED;
    this.#rested = false;
    this.#sentAt = now;
    const { at, worked } = this.#measured;
    if (now - at < WINDOW) return;
    this.#measured = { at: now, worked: this.#worked() };
    this.#busy = this.#measured.worked - worked >= BUSY * (now - at);
  }
}

function threadTime(): number {
  // Deno 2.5 has none.
  const { user, system } = process.threadCpuUsage?.() ?? { user: 0, system: 0 };
  return (user + system) / SECOND;
}

function afterDelay(next: () => void, milliseconds: number): () => void {
  const timer = setTimeout(next, milliseconds);
  return () => clearTimeout(timer);
}

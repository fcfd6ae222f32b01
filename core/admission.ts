// Lets requests that write in: at once, or several together while the event loop is busy. Together they find what they
// need in the processor's caches, where each alone would wait for memory, and their commits share an operation.
import type { Awaitable } from "./awaitable.ts";
import { afterDelay, GAP, WriteDelay, type WriteDelayOptions } from "./write_delay.ts";

export class Admission {
  readonly #now: () => number;
  readonly #later: typeof afterDelay;
  readonly #delay: WriteDelay;
  readonly #waiting: ((group: number) => void)[] = [];
  /** The number of those let in together last, how many of them have not ended, and until when their commits may wait. */
  #group = 0;
  #open = 0;
  #until = -Infinity;
  /** Those who hold commits for more, and until when: later groups do not put it off. */
  readonly #holding = new Map<() => void, number>();
  #endHold: (() => void) | null = null;

  constructor(options: WriteDelayOptions = {}) {
    this.#now = options.now ?? (() => performance.now());
    this.#later = options.later ?? afterDelay;
    this.#delay = new WriteDelay(options);
  }

  /** Serves a request that commits once. */
  admit<R>(serve: () => Awaitable<R>): Awaitable<R> {
    if (this.#waiting.length === 0 && !this.#delay.holds(1, this.#letIn)) return serve();
    return new Promise((resolve) => {
      this.#waiting.push((group) => resolve(this.#serve(serve, group)));
      if (this.#waiting.length > 1) this.#letIn();
    });
  }

  /**
   * Whether commits are to wait for more, of requests that were let in with theirs: for 12 milliseconds at most.
   *
   * @param commits How many there are.
   * @param again Called when that is to be asked again.
   */
  expectsMore(commits: number, again: () => void): boolean {
    const now = this.#now(), until = this.#holding.get(again) ?? this.#until;
    if (commits >= this.#open || now >= until) {
      this.#holding.delete(again);
      return false;
    }
    this.#holding.set(again, until);
    this.#endHold ??= this.#later(this.#askAgain, until - now);
    return true;
  }

  readonly #letIn = (): void => {
    if (this.#delay.holds(this.#waiting.length, this.#letIn)) return;
    const together = this.#waiting.splice(0);
    this.#group++;
    this.#open = together.length;
    this.#until = this.#now() + GAP;
    for (const serve of together) serve(this.#group);
  };

  async #serve<R>(serve: () => Awaitable<R>, group: number): Promise<R> {
    try {
      return await serve();
    } finally {
      if (group === this.#group) {
        this.#open--;
        this.#askAgain();
      }
    }
  }

  readonly #askAgain = (): void => {
    this.#endHold?.();
    this.#endHold = null;
    for (const [again, until] of [...this.#holding]) {
      again();
      // Whoever has nothing to send any more does not ask.
      if (this.#now() >= until) this.#holding.delete(again);
    }
  };
}

/** The one of this process: its requests share an event loop. */
export const admission: Admission = new Admission();

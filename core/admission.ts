// Lets requests that write in: at once, or several together while the event loop is busy. Together they find what they
// need in the processor's caches, where each alone would wait for memory, and their commits share an operation.
import type { Awaitable } from "./awaitable.ts";
import { afterDelay, GAP, REST, WriteDelay, type WriteDelayOptions } from "./write_delay.ts";

/** Milliseconds for which writes step aside. Less may be over before the event loop has seen what came meanwhile. */
export const ASIDE = 3;
/** From so many on a crowd goes before the second half of those that are let in together. */
export const HALVED_FROM = 4;
/** So many other requests for each that writes make a crowd. With fewer, nobody might be there to use that time. */
export const CROWD = 10;

/** Serves a request that waits to be let in. @param ended To be called when it has its answer, or has failed. */
type Waiting = (ended: () => void) => void;

export class Admission {
  /** Counts the requests that are served without being let in. */
  others = 0;
  readonly #now: () => number;
  readonly #later: typeof afterDelay;
  readonly #delay: WriteDelay;
  readonly #waiting: Waiting[] = [];
  /** The number of those let in together last, how many of them have not ended, and until when their commits may wait. */
  #group = 0;
  #open = 0;
  #until = -Infinity;
  /** Until when the crowd that came before them, if any, is taken to be there. */
  #crowdUntil = -Infinity;
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
    return new Promise((resolve, reject) => {
      this.#waiting.push((ended) => {
        try {
          const answer = serve();
          resolve(answer);
          if (answer instanceof Promise) return void answer.then(ended, ended);
        } catch (error) {
          reject(error);
        }
        ended();
      });
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

  /**
   * Lets a crowd go first, between the steps of commits that go together: what their requests took, what sending them
   * takes, and making them known would hold it up in one piece.
   */
  stepAside(commits: number): Awaitable<void> {
    if (!this.holdsUpCrowd(commits)) return;
    return new Promise((resolve) => this.#later(resolve, ASIDE));
  }

  /** Whether a crowd is there, and so many commits step aside for it. */
  holdsUpCrowd(commits: number): boolean {
    return commits > 1 && this.#now() < this.#crowdUntil;
  }

  readonly #letIn = (): void => {
    if (this.#delay.holds(this.#waiting.length, this.#letIn)) return;
    const together = this.#waiting.splice(0);
    this.#group++;
    this.#open = together.length;
    const now = this.#now();
    this.#until = now + GAP;
    const crowded = this.others >= CROWD * together.length;
    // Where it stays, the next ones are let in by then.
    this.#crowdUntil = crowded ? now + REST : -Infinity;
    this.others = 0;
    this.#serveAll(together, crowded && together.length >= HALVED_FROM);
  };

  #serveAll(together: readonly Waiting[], halved: boolean): void {
    const group = this.#group;
    const ended = () => {
      if (group !== this.#group) return;
      this.#open--;
      this.#askAgain();
    };
    const first = halved ? Math.ceil(together.length / 2) : together.length;
    for (const serve of together.slice(0, first)) serve(ended);
    if (!halved) return;
    this.#later(() => together.slice(first).forEach((serve) => serve(ended)), ASIDE);
  }

  readonly #askAgain = (): void => {
    this.#endHold?.();
    this.#endHold = null;
    // Looked at once: whoever is to wait on, for a moment, waits for the next time.
    const now = this.#now();
    for (const [again, until] of [...this.#holding]) {
      again();
      // Whoever has nothing to send any more does not ask.
      if (now >= until) this.#holding.delete(again);
    }
  };
}

/** The one of this process: its requests share an event loop. */
export const admission: Admission = new Admission();

// Paces heavy work that shares a core with the event loop, so that requests keep their share of it.
import { delay } from "../../core/delay.ts";
import { traffic } from "../../core/traffic.ts";

/** Milliseconds, monotonic, and the wait for some of them to pass. */
export interface PaceClock {
  now(): number;
  delay(milliseconds: number): Promise<void>;
}

/** Requests per millisecond above which heavy work is paced. */
const BUSY = 1;
/** Work that takes this many times its fastest time so far is taken to share its core. */
const CONTENDED = 1.3;
/**
 * How long the next piece waits, as a part of the time the last one took. While work runs, others have half of the
 * core; with this rest they have seven tenths of it.
 */
const REST = 0.75;

/**
 * Paces work of known cost. Beside many requests, on a core that they share, the next piece starts later by a part of
 * what the last one took; else nothing waits.
 *
 * @param cost In any unit, the same for all pieces: the time that a piece takes undisturbed is proportional to it.
 */
export function pacer(
  clock: PaceClock = { now: () => performance.now(), delay },
): <R>(cost: number, work: () => Promise<R>) => Promise<R> {
  /** Milliseconds per unit of cost. */
  let fastest = Infinity;
  let restUntil = 0;
  return async function paced(cost, work) {
    const rest = restUntil - clock.now();
    if (rest > 0) await clock.delay(rest);
    const before = traffic.requests;
    const began = clock.now();
    try {
      return await work();
    } finally {
      const ended = clock.now();
      const took = ended - began;
      fastest = Math.min(fastest, took / cost);
      const busy = traffic.requests - before > took * BUSY;
      if (busy && took > fastest * cost * CONTENDED) restUntil = ended + took * REST;
    }
  };
}

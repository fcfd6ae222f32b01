// Leaves the event loop its share while heavy work beside it takes turns on the same core.

/** Requests that this process has answered or is answering: what heavy work may be in the way of. */
export const traffic = { requests: 0 };

/** Requests a millisecond from which on heavy work is in the way. */
const BUSY = 1;
/** Work that takes this much longer than it can, shares its core. */
const CONTENDED = 1.3;
/**
 * What the next piece waits, in parts of what the last one took. While work runs the core is halved, so that this
 * leaves others seven tenths of it.
 */
const REST = 0.75;

/**
 * Paces work of known cost. Beside many requests, on a core that they share, the next piece starts later by a part of
 * what the last one took; else nothing waits.
 *
 * @param cost In any unit, the same for all pieces: what the time alone is proportional to.
 */
export function pacer(): <R>(cost: number, work: () => Promise<R>) => Promise<R> {
  /** Milliseconds per unit of cost. */
  let fastest = Infinity;
  let restUntil = 0;
  return async function paced(cost, work) {
    const rest = restUntil - performance.now();
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
    const before = traffic.requests;
    const began = performance.now();
    try {
      return await work();
    } finally {
      const ended = performance.now();
      const took = ended - began;
      fastest = Math.min(fastest, took / cost);
      const busy = traffic.requests - before > took * BUSY;
      if (busy && took > fastest * cost * CONTENDED) restUntil = ended + took * REST;
    }
  };
}

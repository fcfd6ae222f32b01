// Waiting.
import { setImmediate } from "node:timers";

/**
 * Milliseconds of work in turns that follow each other at once, after which requests are served. As long as there is a
 * next turn the runtime looks at its sockets in one of 61 alone; a timer leaves it without one for a millisecond or two.
 */
const SPELL = 10;
/** Milliseconds without any work in turns, after which a new spell begins. */
const PAUSE = 50;

/** When the sockets were looked at last, as far as is known here, and when the last of these turns began. */
let lookedAt = -Infinity, turnedAt = -Infinity;

/** Calls in a later turn of the event loop: what came in meanwhile is served within some ten milliseconds of work. */
export function later(next: () => void): void {
  const now = performance.now();
  if (now - turnedAt > PAUSE) lookedAt = now;
  const looks = now - lookedAt >= SPELL;
  const turn = () => {
    turnedAt = performance.now();
    if (looks) lookedAt = turnedAt;
    next();
  };
  if (looks) setTimeout(turn, 0);
  else setImmediate(turn);
}

/** Resolves in a later turn of the event loop; see `later`. */
export function nextTurn(): Promise<void> {
  return new Promise(later);
}

/**
 * Resolves after so many milliseconds, or as soon as the signal aborts.
 *
 * @param milliseconds @default 0: the next turn of the event loop
 */
export function delay(milliseconds = 0, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}

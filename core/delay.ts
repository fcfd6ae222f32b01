// Waiting.
import { setImmediate } from "node:timers";
import { traffic } from "./traffic.ts";

/**
 * Milliseconds of work in turns that follow each other at once, after which the sockets are looked at: while requests
 * come, and while none does. As long as there is a next turn the runtime looks at them in one of 61 alone; a timer leaves
 * it without one for a millisecond or two.
 */
const SPELL = { busy: 5, quiet: 30 };
/** Milliseconds after a request within which more are expected. */
const RECENT = 1000;
/** Milliseconds without any work in turns, after which a new spell begins. */
const PAUSE = 50;

/** When the sockets were looked at last, as far as is known here, and when the last of these turns began. */
let lookedAt = -Infinity, turnedAt = -Infinity;
/** How many requests there were at the last turn that was asked for, and when more of them had come. */
let requests = 0, cameAt = -Infinity;

/** Calls in a later turn of the event loop. Requests that come meanwhile wait for some milliseconds of such work at most. */
export function later(next: () => void): void {
  const now = performance.now();
  if (now - turnedAt > PAUSE) lookedAt = now;
  if (traffic.requests !== requests) cameAt = now;
  requests = traffic.requests;
  const spell = now - cameAt < RECENT ? SPELL.busy : SPELL.quiet;
  const looks = now - lookedAt >= spell;
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

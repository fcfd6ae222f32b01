// Waiting.
import { setImmediate } from "node:timers";

/** Resolves in a later turn of the event loop, when what came in meanwhile has been served. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
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

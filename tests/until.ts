// Waiting for what comes about by itself: what is right never meets the deadline, however slow or busy the machine is.
import assert from "node:assert/strict";

/** Milliseconds until what has not come about is taken for broken. */
const DEADLINE = 60_000;
/** Milliseconds between looks. */
const INTERVAL = 10;

/** @param what Names what is waited for, for the message. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what = "it",
): Promise<void> {
  const end = performance.now() + DEADLINE;
  while (!await holds()) {
    assert.ok(performance.now() < end, `${what} does not come about`);
    await pause(INTERVAL);
  }
}

/** What is asked for, tried again while it fails. @throws The last error. */
export async function persistently<T>(ask: () => Promise<T>): Promise<T> {
  const end = performance.now() + DEADLINE;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > end) throw error;
      await pause(INTERVAL);
    }
  }
}

/** @param milliseconds At least; a busy machine takes longer. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

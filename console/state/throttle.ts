// Something that is done at most once in a while, however often it is asked for.

export interface Throttle {
  /** Does it now, or where the while has not passed yet, once at its end. */
  ask(): void;
  /** From now on it is not done. */
  stop(): void;
}

/**
 * @param every Milliseconds between two times; the first one is so far from now, too.
 */
export function atMostEvery(every: number, run: () => void): Throttle {
  let last = Date.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const now = () => {
    timer = undefined;
    last = Date.now();
    run();
  };
  return {
    ask() {
      if (timer !== undefined) return;
      const wait = last + every - Date.now();
      if (wait <= 0) now();
      else timer = setTimeout(now, wait);
    },
    stop: () => clearTimeout(timer),
  };
}

// Attempts that run now, counted by key; whoever waits for a place is told when one of them ends.

interface Attempts {
  running: number;
  /** Resolves when the next of them ends. */
  next: PromiseWithResolvers<void>;
}

export class RunningAttempts {
  readonly #attempts = new Map<string, Attempts>();

  count(key: string): number {
    return this.#attempts.get(key)?.running ?? 0;
  }

  /** Resolves when the next attempt of the key ends; at once when none runs. */
  next(key: string): Promise<void> {
    return this.#attempts.get(key)?.next.promise ?? Promise.resolve();
  }

  begin(key: string): void {
    const attempts = this.#attempts.get(key) ?? { running: 0, next: Promise.withResolvers<void>() };
    attempts.running++;
    this.#attempts.set(key, attempts);
  }

  end(key: string): void {
    const attempts = this.#attempts.get(key);
    if (!attempts) return;
    attempts.running--;
    attempts.next.resolve();
    attempts.next = Promise.withResolvers<void>();
    if (attempts.running === 0) this.#attempts.delete(key);
  }
}

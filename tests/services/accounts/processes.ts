// Several processes on one store, as far as their limits go: the rate limiters of each, with clocks that tests move.
import { createSealer } from "../../../core/sealing.ts";
import { RateLimiter } from "../../../services/accounts/rate_limits.ts";
import { SharedCounts } from "../../../services/accounts/shared_counts.ts";
import { type Notes, StoreUnavailable } from "../../../storage/port.ts";
import { TestClock } from "../../harness.ts";

export const sealer = createSealer("a secret that all processes have", "tests");
export const MINE = { address: "192.0.2.1", account: "a@example.com" };

/** Notes that processes share, and that can be away. */
export class SharedNotes implements Notes {
  readonly texts = new Map<string, string>();
  away = false;
  calls = 0;
  #answer<T>(value: () => T): Promise<T> {
    this.calls++;
    return this.away
      ? Promise.reject(new StoreUnavailable("Cannot reach the store: it is away"))
      : Promise.resolve(value());
  }
  get = (name: string) => this.#answer(() => this.texts.get(name) ?? null);
  set = (name: string, text: string) => this.#answer(() => void this.texts.set(name, text));
  remove = (name: string) => this.#answer(() => void this.texts.delete(name));
  list = (prefix: string) =>
    this.#answer(() =>
      [...this.texts].filter(([name]) => name.startsWith(prefix))
        .map(([name, text]) => ({ name, text }))
    );
}

export class Processes {
  readonly notes = new SharedNotes();
  readonly clocks: TestClock[] = [];
  readonly limiters: RateLimiter[] = [];

  constructor(count = 2) {
    for (let i = 0; i < count; i++) this.start(new TestClock());
  }

  start(clock: TestClock): RateLimiter {
    const { now, elapsed } = clock;
    const others = new SharedCounts({ notes: this.notes, sealer, clock: now, elapsed });
    const limiter = new RateLimiter({ elapsed, others });
    this.clocks.push(clock);
    this.limiters.push(limiter);
    return limiter;
  }

  /** Lets time pass, and then everyone exchange. @param times What follows from an exchange is told in the next. */
  async pass(milliseconds: number, times = 1): Promise<void> {
    for (let i = 0; i < times; i++) {
      for (const clock of this.clocks) clock.advance(milliseconds);
      for (const limiter of this.limiters) await limiter.exchange();
    }
  }
}

export function hit(limiter: RateLimiter, times: number, caller = MINE): void {
  for (let i = 0; i < times; i++) limiter.hit("login", caller);
}

export const succeed = (limiter: RateLimiter, caller = MINE) =>
  limiter.attempt("login", caller, () => Promise.resolve("in"));

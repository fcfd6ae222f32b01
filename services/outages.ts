// Outages in the log: a line when one begins and a line when it is over, however many requests and jobs fail by it.
import type { Logger } from "@logtape/logtape";
import { errorTable } from "../core/errors.ts";
import { SECOND } from "../core/units.ts";
import { StoreFull, StoreUnavailable } from "../storage/port.ts";

/** Milliseconds without a failure after which an outage counts as over. */
const OVER = 10 * SECOND;

interface Outage {
  readonly began: number;
  last: number;
  failures: number;
}

export class Outages {
  readonly #open = new Map<string, Outage>();

  /** @param elapsed Monotonic, in milliseconds. */
  constructor(
    readonly log: Pick<Logger, "error" | "warn">,
    readonly elapsed: () => number = () => performance.now(),
  ) {}

  /**
   * Counts a failure, and logs the first of an outage.
   *
   * @returns False for an error of another kind: it is not logged then.
   */
  counts(error: unknown): boolean {
    const store = outOfReach(error);
    if (store === null) return false;
    const what = errorTable[store instanceof StoreFull ? "STORAGE_FULL" : "UNAVAILABLE"].message;
    const now = this.elapsed();
    const outage = this.#open.get(what) ?? { began: now, last: now, failures: 0 };
    if (outage.failures === 0) {
      this.log.error("Outage begins: {what} ({reason})", { what, reason: store.message });
    }
    outage.failures++;
    outage.last = now;
    this.#open.set(what, outage);
    return true;
  }

  /** Logs what is over. To be called every few seconds. */
  look(): void {
    for (const [what, outage] of this.#open) {
      if (this.elapsed() - outage.last >= OVER) this.#end(what, outage);
    }
  }

  /** Logs what there was until now: nobody looks any more. */
  close(): void {
    for (const [what, outage] of this.#open) this.#end(what, outage);
  }

  #end(what: string, { began, last, failures }: Outage): void {
    this.#open.delete(what);
    const seconds = Math.round((last - began) / SECOND);
    this.log.warn("Outage ended, {failures} failures in {seconds} s: {what}", {
      failures,
      seconds,
      what,
    });
  }
}

/** What an error says of the store; null where there is more to it than an outage. */
function outOfReach(error: unknown): StoreUnavailable | null {
  if (error instanceof StoreUnavailable) return error;
  if (!(error instanceof AggregateError)) return null;
  const all = error.errors.map(outOfReach);
  return all.includes(null) ? null : all[0] ?? null;
}

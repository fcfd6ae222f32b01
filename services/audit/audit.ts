// The work beside requests that the audit log takes: its chain, and the end of what is old.
import { SECOND } from "../../core/units.ts";
import type { Store } from "../../storage/port.ts";
import { Notary } from "./chain.ts";
import { AuditLinker, PER_LINK } from "./linker.ts";
import { sweepAudit } from "./retention.ts";

/** Milliseconds between two links at most, and at least. */
const LONGEST = SECOND, SHORTEST = SECOND / 20;

interface Options {
  readonly store: Store;
  /** What the key is made of: the newest first. */
  readonly keys: readonly string[];
  readonly clock: () => Date;
}

export class AuditWork {
  readonly notary: Notary;
  readonly #linker: AuditLinker;
  /** When everything was linked that there was, by `performance.now()`. */
  #linkedAt = performance.now();

  constructor(readonly options: Options) {
    this.notary = new Notary(options.keys);
    this.#linker = new AuditLinker({ ...options, notary: this.notary });
  }

  /** Adds to the chain what the log has got since. @throws {StoreUnavailable} */
  async link(): Promise<void> {
    await this.#linker.link();
  }

  /** Has links made without letting requests go before them: there are none any more when a process ends. */
  hurry(): void {
    this.#linker.hurry();
  }

  /**
   * Links, as a job.
   *
   * @returns After how many milliseconds again: a second, or sooner where there is a link's worth by then. Memory still
   * has what was written last.
   * @throws {StoreUnavailable}
   */
  async follow(): Promise<number> {
    const linked = await this.#linker.link();
    const now = performance.now();
    const perEntry = (now - this.#linkedAt) / linked;
    this.#linkedAt = now;
    return Math.min(LONGEST, Math.max(SHORTEST, PER_LINK * perEntry));
  }

  /** Removes what is older than so many days; 0: nothing. What is not in the chain yet is put there first. */
  async sweep(days: number, now: Date): Promise<void> {
    await this.link();
    await sweepAudit({ store: this.options.store, notary: this.notary }, days, now);
  }
}

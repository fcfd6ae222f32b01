// The work beside requests that the audit log takes: its chain, and the end of what is old.
import type { Store } from "../../storage/port.ts";
import { Notary } from "./chain.ts";
import { AuditLinker } from "./linker.ts";
import { sweepAudit } from "./retention.ts";

interface Options {
  readonly store: Store;
  /** What the key is made of: the newest first. */
  readonly keys: readonly string[];
  readonly clock: () => Date;
}

export class AuditWork {
  readonly notary: Notary;
  readonly #linker: AuditLinker;

  constructor(readonly options: Options) {
    this.notary = new Notary(options.keys);
    this.#linker = new AuditLinker({ ...options, notary: this.notary });
  }

  /** Adds to the chain what the log has got since. @throws {StoreUnavailable} */
  link(): Promise<void> {
    return this.#linker.link();
  }

  /** Removes what is older than so many days; 0: nothing. What is not in the chain yet is put there first. */
  async sweep(days: number, now: Date): Promise<void> {
    await this.link();
    await sweepAudit({ store: this.options.store, notary: this.notary }, days, now);
  }
}

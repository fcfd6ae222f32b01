// Commits in batches, one at a time: those that wait together share a transaction, and so its sync to disk.
import { setImmediate } from "node:timers";
import {
  type Actor,
  type Change,
  ReferenceConflict,
  StoreUnavailable,
  UniqueConflict,
  VersionConflict,
} from "../storage/port.ts";
import { admission } from "../core/admission.ts";
import type { Awaitable } from "../core/awaitable.ts";
import type { Engine } from "./engine.ts";
import type { Commit } from "./journal.ts";
import { isStale, writeCommits } from "./writes.ts";

/** The most changes in one transaction, unless a single commit has more. */
const MAX_BATCH_CHANGES = 1000;

interface Pending extends Commit {
  /** Whether the records are likely to be read soon. */
  readonly keep: boolean;
  readonly resolve: (version: number) => void;
  readonly reject: (error: unknown) => void;
}

export class Committer {
  readonly #queue: Pending[] = [];
  /** Asks again whether the queue may go; null while it is not held. */
  #askAgain: (() => void) | null = null;
  #draining = false;
  #drained: Promise<void> = Promise.resolve();
  #committing: Promise<void> | null = null;

  /**
   * @param applied Called for each commit that is durable, before it is acknowledged.
   * @param prepare Called for a commit that is large, before it is durable.
   */
  constructor(
    readonly engine: Engine,
    readonly applied: (changes: readonly Change[], version: number, keep: boolean) => void,
    readonly prepare: (changes: readonly Change[], version: number) => Awaitable<void>,
  ) {}

  /** Settles when memory has what is being committed now; null where nothing is. */
  get committing(): Promise<void> | null {
    return this.#committing;
  }

  /** @returns Its place in the journal. */
  commit(changes: readonly Change[], actor: Actor, keep = true): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ changes, actor, keep, resolve, reject });
      if (!this.#draining) this.#drained = this.#drain();
      else this.#askAgain?.();
    });
  }

  /** Resolves when nothing is being committed. */
  async idle(): Promise<void> {
    await this.#drained;
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    while (this.#queue.length > 0) {
      // One turn of the event loop, so that requests that have already arrived can add their commits.
      await new Promise<void>((resolve) => setImmediate(resolve));
      await this.#released();
      this.#committing = this.#commitBatch(this.#take());
      await this.#committing.finally(() => this.#committing = null);
    }
    // In the same turn in which the queue was found empty, so that the next commit starts a new drain.
    this.#draining = false;
  }

  /** Resolves when the queue need not wait for more. */
  #released(): Promise<void> {
    return new Promise((resolve) => {
      const ask = () => {
        const held = admission.expectsMore(this.#queue.length, ask);
        this.#askAgain = held ? ask : null;
        if (!held) resolve();
      };
      ask();
    });
  }

  #take(): Pending[] {
    let size = 0;
    const count = this.#queue.findIndex(({ changes }) => {
      size += changes.length;
      return size > MAX_BATCH_CHANGES;
    });
    return this.#queue.splice(0, count === -1 ? this.#queue.length : Math.max(count, 1));
  }

  async #commitBatch(batch: readonly Pending[]): Promise<void> {
    let versions: readonly number[];
    try {
      await admission.stepAside(batch.length);
      versions = await this.engine.guard(() => this.#transact(batch));
      await admission.stepAside(batch.length);
    } catch (error) {
      const typed = this.#typed(error, batch);
      if (typed instanceof StoreUnavailable) {
        // The commit may be durable all the same. Under a new origin this process then follows its journal entry like
        // one of another process.
        this.engine.renewOrigin();
      } else if (batch.length > 1) {
        // One commit made the whole batch fail: halving finds it, so that the others still succeed.
        const half = Math.ceil(batch.length / 2);
        await this.#commitBatch(batch.slice(0, half));
        await this.#commitBatch(batch.slice(half));
        return;
      }
      for (const pending of batch) this.#fail(pending, await this.#reason(pending, typed));
      return;
    }
    batch.forEach(({ changes, keep }, index) => this.applied(changes, versions[index]!, keep));
    // Answers take as long again as what makes their commits known.
    await admission.stepAside(batch.length);
    batch.forEach(({ resolve }, index) => resolve(versions[index]!));
  }

  async #transact(batch: readonly Pending[]): Promise<readonly number[]> {
    const [{ changes }] = batch as [Pending];
    const large = changes.length > MAX_BATCH_CHANGES;
    return await this.engine.transaction(async (run) => {
      const versions = await writeCommits(this.engine, run, batch);
      if (large) await this.prepare(changes, versions[0]!);
      return versions;
    }, { large });
  }

  #fail({ changes, reject }: Pending, error: unknown): void {
    // The records that the plan was made with may have been stale: the next try reads them anew.
    for (const change of changes) {
      const id = change.kind === "check"
        ? change.id
        : change.kind === "insert"
        ? change.after.id
        : change.before.id;
      this.engine.memory.doubt(change.collection, id);
    }
    reject(error);
  }

  /** The error to report. That a record was changed since it was read goes before any other: then a retry helps. */
  async #reason({ changes }: Pending, error: unknown): Promise<unknown> {
    if (!(error instanceof UniqueConflict || error instanceof ReferenceConflict)) return error;
    const stale = await this.engine.guard(() => isStale(this.engine, changes)).catch(() => false);
    return stale ? new VersionConflict(error.collection, "") : error;
  }

  #typed(error: unknown, batch: readonly Pending[]): unknown {
    if (this.engine.dialect.classify(error).kind === "conflict") {
      const [change] = batch[0]!.changes;
      return new VersionConflict(change?.collection ?? "", "");
    }
    return this.engine.translate(error);
  }
}

// Checkpoints of a file of SQLite, on a thread: what its log holds goes into the file, and the file to the disk. SQLite
// itself would do that within a commit, on the event loop, whenever the log has grown by four megabytes.
import type { ToCheckpoints } from "./checkpoint_worker.ts";

/** Commits from one checkpoint to the next: some thousand pages of small ones. */
const COMMITS = 64;
/**
 * Pages of the log, of 4 KiB, from which on SQLite makes a checkpoint within a commit: where the thread does not keep up,
 * or the system gives none. https://www.sqlite.org/pragma.html#pragma_wal_autocheckpoint
 */
export const MAX_LOG_PAGES = 16_384;

export class Checkpoints {
  #commits = 0;
  #thread: Worker | null = null;
  /** Settles when the checkpoint under way has ended; null where there is none. */
  #underWay: Promise<void> | null = null;
  /** Whether no more are made. */
  #ended = false;

  constructor(readonly path: string) {}

  /** To be called after each commit. */
  commit(): void {
    if (++this.#commits < COMMITS || this.#underWay || this.#ended) return;
    this.#commits = 0;
    this.#underWay = this.#ask("checkpoint").finally(() => this.#underWay = null);
  }

  /** To be called before the file is closed, since who closes it last takes the log away. */
  async close(): Promise<void> {
    this.#ended = true;
    await this.#underWay;
    if (this.#thread) await this.#ask("close");
    this.#thread?.terminate();
  }

  /** What fails is left to the next time; without a thread, to SQLite. */
  #ask(what: ToCheckpoints): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const giveUp = () => {
      this.#ended = true;
      this.#thread = null;
      resolve();
    };
    try {
      const thread = this.#thread ??= new Worker(import.meta.resolve("./checkpoint_worker.ts"), {
        type: "module",
        name: this.path,
      });
      thread.onmessage = () => resolve();
      thread.onerror = (event) => {
        event.preventDefault();
        giveUp();
      };
      thread.postMessage(what);
    } catch {
      giveUp();
    }
    return promise;
  }
}

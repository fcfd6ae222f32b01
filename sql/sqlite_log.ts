// The write-ahead log of a file of SQLite: a thread of the runtime brings commits to the disk, and another takes what the
// log holds into the file. SQLite itself would do both within a commit, and the event loop would wait for the disk.
// https://www.sqlite.org/wal.html
import type { DatabaseSync } from "node:sqlite";
import { StoreUnavailable } from "../storage/port.ts";
import type { ToCheckpoints } from "./checkpoint_worker.ts";
import { LOG_BYTES, type LogState, takeIn } from "./sqlite_file.ts";

/** Commits from one checkpoint to the next, if they are small: some thousand pages. */
const COMMITS = 256;
/** Commits after which the next ones wait for the checkpoint under way: the log would outgrow the disk. */
export const MAX_COMMITS = 4 * COMMITS;
/** Pages of the log from which on SQLite itself makes a checkpoint: its own default. */
const LOG_PAGES = 1000;

export class WriteAheadLog {
  readonly #path: string;
  #file: Deno.FsFile | null = null;
  #syncing: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #commits = 0;
  /** Bytes of the log's file when it was taken in last, or was cut since. */
  #size = 0;
  readonly #thread: CheckpointThread;
  /** Settles when the checkpoint under way has ended; null where there is none. */
  #checkpoint: Promise<void> | null = null;
  /** Whether a sync has failed since the log began: what it was to bring to the disk may never get there. */
  #doubtful = false;
  #closing = false;

  /**
   * @param database The connection that commits.
   * @param alone Runs work while nobody in this process writes.
   */
  constructor(
    path: string,
    database: DatabaseSync,
    readonly alone: (work: () => Promise<void>) => Promise<void>,
  ) {
    this.#path = `${path}-wal`;
    database.exec("pragma wal_autocheckpoint = 0");
    this.#thread = new CheckpointThread(path, database);
  }

  /** Whether a checkpoint is under way. */
  get isTakingIn(): boolean {
    return this.#checkpoint !== null;
  }

  /** Resolves when what was committed before is on the disk. @throws {StoreUnavailable} */
  async sync(): Promise<void> {
    this.#commits++;
    if (this.#commits >= MAX_COMMITS || this.#growth() >= 2 * LOG_BYTES) await this.#checkpoint;
    await this.#synced();
    const isDue = this.#commits >= COMMITS || this.#growth() >= LOG_BYTES;
    if (!isDue || this.isTakingIn || this.#thread.lost) return;
    this.#commits = 0;
    this.#checkpoint = this.#takeIn().finally(() => {
      this.#checkpoint = null;
      this.#size += this.#growth();
    });
  }

  /** Bytes by which the log's file has grown since the last checkpoint. */
  #growth(): number {
    if (this.#file === null || this.#closing) return 0;
    const { size } = this.#file.statSync();
    this.#size = Math.min(this.#size, size);
    return size - this.#size;
  }

  /**
   * Resolves when what the disk has of the log ends where the log does. After a failed sync a later one may succeed without
   * what was lost, and whoever reads the log after a power cut stops there: so the file takes in all of it first, and the log
   * begins anew. https://wiki.postgresql.org/wiki/Fsync_Errors
   *
   * @throws {StoreUnavailable} As long as that fails, or somebody reads what is older.
   */
  async assertWhole(): Promise<void> {
    if (!this.#doubtful) return;
    await this.#checkpoint;
    await this.alone(async () => {
      const { whole } = await this.#thread.ask("renew");
      if (whole) this.#doubtful = false;
    });
    if (!this.#doubtful) return;
    throw new StoreUnavailable(`Cannot sync ${this.#path}: what it holds is not in the file yet`);
  }

  /** To be called before the database is closed: who closes it last takes the log away. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#checkpoint;
    await this.#thread.close();
    await this.#syncing?.catch(() => {});
    this.#file?.close();
  }

  /** Who comes while a sync is under way shares the one after it: the first may have begun too early. */
  #synced(): Promise<void> {
    if (!this.#syncing) {
      return this.#syncing = this.#syncFile().finally(() => this.#syncing = null);
    }
    return this.#next ??= this.#syncing.catch(() => {}).then(() => {
      this.#next = null;
      return this.#synced();
    });
  }

  async #syncFile(): Promise<void> {
    await this.assertWhole();
    try {
      this.#file ??= await Deno.open(this.#path, { write: true });
      await this.#file.syncData();
    } catch (error) {
      this.#doubtful = true;
      throw new StoreUnavailable(`Cannot sync ${this.#path}: ${(error as Error).message}`);
    }
  }

  /**
   * First beside commits, which takes most of the log; then what came meanwhile while no commit comes, which is little, so
   * that the log begins anew. Where somebody reads what is older, such as a backup, that waits for a later time.
   */
  async #takeIn(): Promise<void> {
    const { whole } = await this.#thread.ask("checkpoint");
    // Who closes the database takes in the rest.
    if (whole && !this.#closing) await this.alone(async () => void await this.#thread.ask("renew"));
  }
}

/** The thread that makes checkpoints. What fails is left to the next time; without a thread, the connection that commits makes them. */
class CheckpointThread {
  #worker: Worker | null = null;
  /** Whether there is none, and will be none. */
  lost = false;

  constructor(readonly path: string, readonly database: DatabaseSync) {}

  async ask(what: ToCheckpoints): Promise<LogState> {
    if (!this.lost) {
      const state = await this.#told(what);
      if (state) return state;
      this.lost = true;
      this.database.exec(`pragma wal_autocheckpoint = ${LOG_PAGES}`);
    }
    return what === "close" ? { whole: false } : takeIn(this.database, what);
  }

  /** @returns What the thread answers; null where there is none. */
  #told(what: ToCheckpoints): Promise<LogState | null> {
    const { promise, resolve } = Promise.withResolvers<LogState | null>();
    try {
      const worker = this.#worker ??= new Worker(import.meta.resolve("./checkpoint_worker.ts"), {
        type: "module",
        name: this.path,
      });
      worker.onmessage = ({ data }: MessageEvent<LogState>) => resolve(data);
      worker.onerror = (event) => {
        event.preventDefault();
        this.#worker = null;
        resolve(null);
      };
      worker.postMessage(what);
    } catch {
      resolve(null);
    }
    return promise;
  }

  async close(): Promise<void> {
    if (this.#worker) await this.ask("close");
    this.#worker?.terminate();
    this.lost = true;
  }
}

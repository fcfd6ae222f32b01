// Backups that the server makes: one after the other, on a schedule or when asked, in a thread of their own.
import { getLogger } from "@logtape/logtape";
import type { Settings } from "../../config/settings.ts";
import { BoundedMap } from "../../core/bounded_map.ts";
import { conflict } from "../../core/errors.ts";
import { Busy } from "../../core/file_lock.ts";
import { HOUR, SECOND } from "../../core/units.ts";
import { snapshotProblem } from "../../storage/snapshot.ts";
import type { FromWorker, ToWorker } from "./backup_worker.ts";
import { Bucket } from "./bucket.ts";
import { backupIds, Folder } from "./folder.ts";
import type { Manifest } from "./manifest.ts";
import { backupId, newestWhole, type Place, timeOfBackup } from "./place.ts";
import { type Failure, type Run, Shelf } from "./shelf.ts";
import { type BackupTask, NotSent } from "./take.ts";
import { startWorker } from "../threads/threads.ts";

/** Milliseconds after a failure until the next try, at most. */
const PAUSE = HOUR;
/** Failures that are remembered, and backups that are to be sent again. */
const FAILURES = 5;
/** For the bucket while somebody waits. */
const HASTE = { tries: 2, timeout: 10 * SECOND };

const log = getLogger(["quarterdeck", "backups"]);

export class Backups {
  readonly shelf: Shelf;
  readonly #folder: Folder;
  readonly #bucket: Bucket | null;
  /** Milliseconds since the epoch before which nothing is done by itself, as the last try failed. */
  #notBefore = -Infinity;
  #run: Run | null = null;
  #claimed = false;
  #failures: Failure[] = [];
  /** Those that did not get into the bucket, and why. */
  readonly #unsent = new BoundedMap<string, string>(FAILURES);
  #stop: (() => void) | null = null;
  /** The end of the one that was begun last. */
  #done: Promise<unknown> = Promise.resolve();

  constructor(
    readonly settings: Pick<Settings, "backups" | "storeUrl">,
    readonly clock: () => Date,
  ) {
    const { folder, bucket } = settings.backups;
    this.#folder = new Folder(folder);
    this.#bucket = bucket && new Bucket(bucket, HASTE);
    this.shelf = new Shelf({
      folder: this.#folder,
      bucket: this.#bucket,
      running: () => this.#run,
      failures: () => this.#failures,
      unsent: this.#unsent,
    });
  }

  /** Why this server can make no backups; null where it can. */
  get problem(): string | null {
    return snapshotProblem(this.settings.storeUrl);
  }

  /**
   * Makes a backup when the newest is as old as BACKUP_EVERY says; else it sends what did not get into the bucket, which
   * may be away for long. The folder and the bucket are asked: whoever made the newest, and however often the server was
   * started since, counts.
   *
   * @returns What was made; null where nothing was, or the server is stopping.
   */
  async look(): Promise<Manifest | null> {
    const { every } = this.settings.backups;
    const now = this.clock().getTime();
    if (now < this.#notBefore || this.#isTaken) return null;
    try {
      const id = every > 0 && await this.#isDue(now, every) ? backupId(now) : null;
      const unsent = id === null ? await this.#unsentHere() : null;
      if (this.#isTaken) return null;
      if (id !== null) return await this.#begin({ id, step: "copy" }, now);
      return unsent === null ? null : await this.#begin({ id: unsent, step: "upload" }, now);
    } catch (error) {
      if (error instanceof Busy) return null;
      this.#notBefore = now + (every === 0 ? PAUSE : Math.min(every, PAUSE));
      throw error;
    }
  }

  /**
   * Keeps this process from beginning another one until it is given back: what is told of one that begins comes true.
   *
   * @throws {ApiError} CONFLICT: this server can make none, or one is being made.
   */
  async claim(): Promise<Disposable> {
    if (this.problem !== null) throw conflict(`Cannot back up: ${this.problem}`);
    // It may be taken while the folder is looked at.
    if (this.#isTaken || await this.#folder.isBusy() || this.#isTaken) throw busy();
    this.#claimed = true;
    return { [Symbol.dispose]: () => void (this.#claimed = false) };
  }

  /**
   * Begins a backup, and does not wait for it.
   *
   * @param now Milliseconds since the epoch: its id follows.
   * @throws {ApiError} CONFLICT: one is being made.
   */
  start(now: number): void {
    if (this.#run) throw busy();
    const id = backupId(now);
    this.#begin({ id, step: "copy" }, now).catch((error) => {
      // Whoever asked for it asks what became of it. What is due comes a little later instead.
      if (error instanceof Busy) this.#fail(id, error.message);
      if (error instanceof NotSent) log.error("Cannot send the backup {id}", { id, error });
      else log.error("Cannot make the backup {id}", { id, error });
    });
  }

  /** Resolves when none is being made any more. */
  async idle(): Promise<void> {
    await this.#done;
  }

  /** Removes one wherever it is, and forgets that it was not made. */
  async remove(id: string): Promise<void> {
    await this.shelf.remove(id);
    this.#unsent.delete(id);
    this.#failures = this.#failures.filter((one) => one.id !== id);
  }

  /** Ends the one that is being made; the next removes what is left of it. */
  close(): void {
    this.#stop?.();
  }

  get #isTaken(): boolean {
    return this.#run !== null || this.#claimed;
  }

  async #isDue(now: number, every: number): Promise<boolean> {
    // What a wrong clock dated much later than now is no reason to wait for that time.
    const isRecent = (id: string) => Math.abs(now - timeOfBackup(id)) < every;
    // A damaged one is none.
    const newestIn = async (place: Place) =>
      await newestWhole(place, (await place.sizes()).keys().filter(isRecent));
    if (await newestIn(this.#folder) !== null) return false;
    // The folder of a container may be new each time.
    const newest = this.#bucket && await newestIn(this.#bucket).catch(() => null);
    if (newest === null) return true;
    this.#notBefore = Math.min(now, timeOfBackup(newest)) + every;
    return false;
  }

  /** The newest that did not get into the bucket; others were removed meanwhile, as there are newer ones. */
  async #unsentHere(): Promise<string | null> {
    if (this.#unsent.size === 0) return null;
    const here = new Set(await backupIds(this.settings.backups.folder));
    for (const id of [...this.#unsent.keys()]) if (!here.has(id)) this.#unsent.delete(id);
    return [...this.#unsent.keys()].sort().at(-1) ?? null;
  }

  /** Makes a backup; or sends it, where that is the first step. */
  #begin(run: Run, now: number): Promise<Manifest | null> {
    this.#run = run;
    const { id } = run;
    const send = run.step === "upload" ? id : undefined;
    const made = this.#work({ task: this.#task(now), send }, run).then((manifest) => {
      this.#unsent.delete(id);
      return manifest;
    }, (error: Error) => {
      const { message: problem } = error;
      if (error instanceof NotSent) this.#unsent.set(id, problem);
      else if (send === undefined && !(error instanceof Busy)) this.#fail(id, problem);
      throw error;
    }).finally(() => this.#run = null);
    this.#done = made.catch(() => {});
    return made;
  }

  #fail(id: string, problem: string): void {
    this.#failures = [{ id, problem }, ...this.#failures].slice(0, FAILURES);
  }

  #task(now: number): BackupTask {
    const { storeUrl: url, backups: { folder, keep, bucket } } = this.settings;
    return { url, folder, keep, bucket, now };
  }

  async #work(order: ToWorker, run: Run): Promise<Manifest | null> {
    const { promise, resolve, reject } = Promise.withResolvers<Manifest | null>();
    this.#stop = () => resolve(null);
    const onPosted = (data: FromWorker) => {
      if ("step" in data) run.step = data.step;
      else if ("manifest" in data) resolve(data.manifest);
      else reject(errorOf(data, run.id));
    };
    const onDefect = (problem: string) => reject(new Error(problem));
    const worker = startWorker(import.meta.resolve("./backup_worker.ts"), onPosted, onDefect);
    worker.postMessage(order);
    try {
      return await promise;
    } finally {
      this.#stop = null;
      worker.terminate();
    }
  }
}

function errorOf(
  { kind, problem }: Extract<FromWorker, { readonly problem: string }>,
  id: string,
): Error {
  if (kind === "not sent") return new NotSent(id, problem);
  return kind === "busy" ? new Busy(problem) : new Error(problem);
}

function busy() {
  return conflict("A backup is being made: wait until it is done");
}

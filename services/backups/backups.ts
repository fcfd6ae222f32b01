// Backups that the server makes by itself: one after the other, on a schedule, in a thread of their own.
import type { Settings } from "../../config/settings.ts";
import { HOUR } from "../../core/units.ts";
import type { FromWorker } from "./backup_worker.ts";
import type { Manifest } from "./manifest.ts";
import { backupIds, type BackupTask, timeOfBackup } from "./take.ts";

/** Milliseconds after a failure until the next try, at most. */
const PAUSE = HOUR;

export class Backups {
  /** Milliseconds since the epoch before which nothing is tried, as the last try failed. */
  #notBefore = -Infinity;
  #stop: (() => void) | null = null;

  constructor(
    readonly settings: Pick<Settings, "backups" | "storeUrl">,
    readonly clock: () => Date,
  ) {}

  /**
   * Makes a backup when the newest is as old as BACKUP_EVERY says. The folder is asked: whoever made the newest, and
   * however often the server was started since, counts.
   *
   * @returns What was made; null where nothing was, or the server is stopping.
   */
  async look(): Promise<Manifest | null> {
    const { every, folder } = this.settings.backups;
    const now = this.clock().getTime();
    if (every === 0 || now < this.#notBefore) return null;
    try {
      const [newest] = await backupIds(folder);
      if (newest !== undefined && now - timeOfBackup(newest) < every) return null;
      return await this.#make(now);
    } catch (error) {
      this.#notBefore = now + Math.min(every, PAUSE);
      throw error;
    }
  }

  /** Ends the one that is being made; the next removes what is left of it. */
  close(): void {
    this.#stop?.();
  }

  async #make(now: number): Promise<Manifest | null> {
    const { settings: { storeUrl: url, backups: { folder, keep } } } = this;
    const task: BackupTask = { url, folder, keep, now };
    const worker = new Worker(import.meta.resolve("./backup_worker.ts"), { type: "module" });
    const { promise, resolve, reject } = Promise.withResolvers<Manifest | null>();
    this.#stop = () => resolve(null);
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if ("manifest" in data) resolve(data.manifest);
      else if (data.busy) resolve(null);
      else reject(new Error(data.problem));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
    worker.postMessage(task);
    try {
      return await promise;
    } finally {
      this.#stop = null;
      worker.terminate();
    }
  }
}

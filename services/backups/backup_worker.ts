// The thread that makes one backup. services/backups/backups.ts starts and ends it.
import { Busy } from "../../core/file_lock.ts";
import type { Manifest } from "./manifest.ts";
import { type BackupTask, takeBackup } from "./take.ts";

export type FromWorker =
  | { readonly manifest: Manifest }
  /** @param busy Another process is making one in the same folder. */
  | { readonly problem: string; readonly busy: boolean };

const port = self as unknown as Worker;

async function make(task: BackupTask): Promise<FromWorker> {
  try {
    return { manifest: await takeBackup(task) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { problem, busy: error instanceof Busy };
  }
}

port.onmessage = async ({ data }: MessageEvent<BackupTask>) => port.postMessage(await make(data));

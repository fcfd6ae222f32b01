// The thread that makes one backup, or sends one. services/backups/backups.ts starts and ends it.
import { Busy } from "../../core/file_lock.ts";
import { giveWay } from "../../core/pace.ts";
import { type BackupTask, NotSent, type OnStep, sendBackup, takeBackup } from "./take.ts";
import type { Manifest } from "./manifest.ts";

export interface ToWorker {
  readonly task: BackupTask;
  /** The id of one that is in the folder, and is to get into the bucket alone. */
  readonly send?: string;
}

export type FromWorker =
  | { readonly step: Parameters<OnStep>[0] }
  /** Null: nothing was made, and what was to be sent is sent. */
  | { readonly manifest: Manifest | null }
  /** `busy`: another process is making one in the same folder. `not sent`: it is made, and not in the bucket. */
  | { readonly problem: string; readonly kind: "busy" | "not sent" | "other" };

const port = self as unknown as Worker;

async function make({ task, send }: ToWorker): Promise<FromWorker> {
  giveWay();
  const onStep: OnStep = (step) => port.postMessage({ step });
  try {
    if (send === undefined) return { manifest: await takeBackup(task, onStep) };
    await sendBackup(task, send, onStep);
    return { manifest: null };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const kind = error instanceof Busy ? "busy" : error instanceof NotSent ? "not sent" : "other";
    return { problem, kind };
  }
}

port.onmessage = async ({ data }: MessageEvent<ToWorker>) => port.postMessage(await make(data));

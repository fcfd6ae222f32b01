// Makes a backup in a folder, one at a time, sends it to a bucket, and removes those that are beyond what is to be kept.
import { statfsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { BucketSettings } from "../../config/bucket.ts";
import { localPath } from "../../config/environment.ts";
import { heldLock } from "../../core/file_lock.ts";
import { foundNoRoom, makePrivateFolder } from "../../core/private_files.ts";
import { removeBeside, takeSnapshot } from "../../storage/snapshot.ts";
import { Bucket } from "./bucket.ts";
import { backupPath, DRAFT, Folder, LOCK } from "./folder.ts";
import { EXTENSION, type Manifest, readManifest, sealBackup } from "./manifest.ts";
import { backupId, beyondKept } from "./place.ts";
import { openFile } from "./source.ts";

export interface BackupTask {
  readonly url: string;
  readonly folder: string;
  /** How many are kept. */
  readonly keep: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Where it goes besides. @default nowhere */
  readonly bucket?: BucketSettings | null;
  /** Whether it leaves the folder once it is in the bucket. @default false */
  readonly leaves?: boolean;
}

/** A backup that is whole and in its folder, and did not get into the bucket. */
export class NotSent extends Error {
  override readonly name = "NotSent";
  constructor(readonly id: string, error: unknown) {
    super(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Told what is done next. */
export type OnStep = (step: "copy" | "seal" | "upload") => void;

/**
 * To be called in a thread or a process of its own. Either the whole backup is in the folder in the end, or nothing.
 *
 * @throws {Busy} Another one is being made there.
 * @throws {NotSent}
 */
export async function takeBackup(
  task: BackupTask,
  onStep: OnStep = () => {},
): Promise<Manifest> {
  makePrivateFolder(task.folder);
  using _lock = await lockOf(task.folder);
  const manifest = await makeFile(task, onStep);
  await send(task, manifest.id, onStep);
  return manifest;
}

/**
 * Sends one that did not get into the bucket when it was made.
 *
 * @throws {Busy}
 * @throws {NotSent}
 */
export async function sendBackup(
  task: BackupTask,
  id: string,
  onStep: OnStep = () => {},
): Promise<void> {
  using _lock = await lockOf(task.folder);
  await send(task, id, onStep);
}

function lockOf(folder: string): Promise<Disposable> {
  const message = `Cannot back up: another backup is being made in ${folder}`;
  return heldLock(join(folder, LOCK), message);
}

async function send(task: BackupTask, id: string, onStep: OnStep): Promise<void> {
  const { folder, bucket, leaves = false } = task;
  if (!bucket) return;
  onStep("upload");
  const path = backupPath(folder, id)!;
  try {
    await new Bucket(bucket).send(path, id, task);
  } catch (error) {
    throw new NotSent(id, error);
  }
  if (leaves) await rm(path, { force: true });
}

async function makeFile(
  { url, folder, keep, now, leaves }: BackupTask,
  onStep: OnStep,
): Promise<Manifest> {
  await removeDrafts(folder);
  const id = backupId(now);
  const path = backupPath(folder, id)!;
  const draft = path + DRAFT;
  try {
    requireRoom(url, folder);
    onStep("copy");
    const snapshot = await takeSnapshot(url, draft);
    const createdAt = new Date(now).toISOString();
    onStep("seal");
    await sealBackup(draft, { id, createdAt, ...snapshot });
    await Deno.rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    await removeBeside(draft);
    if (!foundNoRoom(error)) throw error;
    throw new Error(`Cannot back up: the disk of ${folder} is full`, { cause: error });
  }
  // It is read back, so that older ones go only when there is one that can be read.
  using made = await openFile(path);
  const manifest = await readManifest(made);
  if (leaves) return manifest;
  const place = new Folder(folder);
  for (const old of await beyondKept(place, { keep, now })) await place.remove(old);
  return manifest;
}

async function removeDrafts(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    if (name.includes(`${EXTENSION}${DRAFT}`)) await rm(join(folder, name), { force: true });
  }
}

/** @throws There is less room on the disk than a local file takes. */
function requireRoom(url: string, folder: string): void {
  const path = localPath(url);
  if (path === null) return;
  const needed = [path, `${path}-wal`].reduce((sum, file) => sum + sizeOf(file), 0);
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free >= needed) return;
  throw new Error(
    `Cannot back up: ${needed} bytes may be needed in ${folder}, and ${free} are free`,
  );
}

function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    return 0;
  }
}

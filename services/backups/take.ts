// Makes a backup in a folder, one at a time, and removes those that are beyond what is to be kept.
import { statfsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { localPath } from "../../config/environment.ts";
import { heldLock } from "../../core/file_lock.ts";
import { makePrivateFolder } from "../../core/private_files.ts";
import { removeBeside, takeSnapshot } from "../../storage/snapshot.ts";
import { EXTENSION, type Manifest, readManifest, sealBackup } from "./manifest.ts";

/** What is not finished, or was left by a process that was killed. */
const DRAFT = ".draft";
/** Ids name the moment, in UTC: `20261122T171000123Z`. */
const ID = /^\d{8}T\d{9}Z$/;

export interface BackupTask {
  readonly url: string;
  readonly folder: string;
  /** How many are kept. */
  readonly keep: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The name of a backup that is made at a time. */
export function backupId(now: number): string {
  return new Date(now).toISOString().replaceAll(/[-:.]/g, "");
}

/** When a backup was made, in milliseconds since the epoch. */
export function timeOfBackup(id: string): number {
  return Date.parse(
    id.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\d)(\d{3}Z)$/, "$1-$2-$3:$4:$5.$6"),
  );
}

/** Where a backup is; null where the text is no id. */
export function backupPath(folder: string, id: string): string | null {
  return ID.test(id) ? join(folder, id + EXTENSION) : null;
}

/** Ids of the backups in a folder, the newest first. */
export async function backupIds(folder: string): Promise<string[]> {
  const ids: string[] = [];
  try {
    for await (const { name } of Deno.readDir(folder)) {
      const id = name.endsWith(EXTENSION) ? name.slice(0, -EXTENSION.length) : "";
      if (ID.test(id)) ids.push(id);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return ids.sort().reverse();
}

/**
 * To be called in a thread or a process of its own. Either the whole backup is in the folder in the end, or nothing.
 *
 * @throws {Busy} Another one is being made there.
 */
export async function takeBackup({ url, folder, keep, now }: BackupTask): Promise<Manifest> {
  makePrivateFolder(folder);
  using _lock = await heldLock(
    join(folder, "backups.lock"),
    `Cannot back up: another backup is being made in ${folder}`,
  );
  await removeDrafts(folder);
  const id = backupId(now);
  const path = backupPath(folder, id)!;
  const draft = path + DRAFT;
  try {
    requireRoom(url, folder);
    const snapshot = await takeSnapshot(url, draft);
    const createdAt = new Date(now).toISOString();
    await sealBackup(draft, { id, createdAt, ...snapshot });
    await Deno.rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    await removeBeside(draft);
    throw error;
  }
  // It is read back, so that older ones go only when there is one that can be read.
  const manifest = await readManifest(path);
  for (const old of (await backupIds(folder)).slice(keep)) {
    await rm(backupPath(folder, old)!, { force: true });
  }
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

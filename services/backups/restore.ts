// Brings a backup back into an empty place: either all of it, proved against its manifest, or nothing.
import { rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { localPath } from "../../config/environment.ts";
import { heldLock } from "../../core/file_lock.ts";
import { foundNoRoom, makePrivateFolder } from "../../core/private_files.ts";
import { copyStore, type OnProgress } from "../../storage/copying.ts";
import { openStore } from "../../storage/open.ts";
import { BESIDE, countAll, removeBeside } from "../../storage/snapshot.ts";
import { markFinished } from "../../storage/state.ts";
import { BackupDamaged, type Manifest, partsOf, readManifest } from "./manifest.ts";
import type { Source } from "./source.ts";

/** There is something where the backup was to go. */
export class NotEmpty extends Error {
  override readonly name = "NotEmpty";
}

export interface Restoring {
  /** The store to be. */
  readonly url: string;
  /** The path beside which the data is written where the store is no file here. */
  readonly beside: string;
  readonly onProgress?: OnProgress;
}

/**
 * The data is written beside its place, compared with its hashes as it comes, opened and counted, and only then put in
 * its place: whoever is killed meanwhile leaves that empty. A backup of one engine can be restored to another, which is
 * a copy: a store is not opened until that is whole.
 *
 * @throws {NotEmpty}
 * @throws {BackupDamaged}
 */
export async function restore(
  backup: Source,
  { url, beside, onProgress = () => {} }: Restoring,
): Promise<Manifest> {
  const manifest = await readManifest(backup);
  const path = localPath(url);
  if (path !== null) {
    makePrivateFolder(dirname(path));
    await requireNothing(path);
  }
  const draft = `${path ?? beside}.restoring`;
  const guard = `${draft}-guard`;
  using _lock = await heldLock(
    guard,
    `Cannot restore: another restore to ${path ?? "the same store"} is running`,
  );
  try {
    await writeDraft(backup, manifest, draft).catch((error) => {
      throw foundNoRoom(error) ? noRoom(manifest, draft, error) : error;
    });
    await proveDraft(backup, manifest, draft);
    if (path !== null && url.startsWith(`${manifest.engine}:`)) await putInPlace(draft, path);
    else await copyDraft(`${manifest.engine}:${draft}`, url, onProgress);
  } finally {
    await rm(draft, { force: true });
    await removeBeside(draft);
    await rm(guard, { force: true });
  }
  return manifest;
}

function noRoom({ size }: Manifest, draft: string, cause: unknown): Error {
  return new Error(
    `Cannot restore: the disk of ${
      dirname(resolve(draft))
    } has no room for ${size} bytes. Nothing ` +
      "is in place yet: make room there, and run the same command again",
    { cause },
  );
}

/** A log of SQLite that is left of an earlier file would be taken for one of the restored file. */
async function requireNothing(path: string): Promise<void> {
  for (const end of ["", ...BESIDE.filter((end) => end.startsWith("-"))]) {
    const found = await Deno.lstat(path + end).then(() => true, () => false);
    if (!found) continue;
    throw new NotEmpty(
      `Cannot restore to ${path}: there is a file ${
        path + end
      }. A backup is restored into an empty ` +
        "place: stop the server, and move what is there away",
    );
  }
}

async function writeDraft(backup: Source, manifest: Manifest, draft: string): Promise<void> {
  await removeBeside(draft);
  const options = { write: true, create: true, truncate: true, mode: 0o600 };
  using file = await Deno.open(draft, options);
  for await (const part of partsOf(backup, manifest)) {
    for (let written = 0; written < part.length;) {
      written += await file.write(part.subarray(written));
    }
  }
  await file.sync();
}

/**
 * The store must open, in this version of the program, and hold as many records as were backed up. Its journal goes on
 * otherwise than that of the store that was backed up, which may have reached the same positions: it is another one.
 */
async function proveDraft(backup: Source, manifest: Manifest, draft: string): Promise<void> {
  const store = await openStore({ url: `${manifest.engine}:${draft}` });
  try {
    const counts = await countAll(store);
    for (const [name, expected] of Object.entries(manifest.counts)) {
      if (counts[name] === expected) continue;
      throw new BackupDamaged(
        backup.name,
        `it holds ${counts[name] ?? 0} records of ${name}, and the manifest ${expected}`,
      );
    }
    await markFinished(store);
  } finally {
    await store.close();
  }
}

/** Never replaces a file that has come meanwhile. */
async function putInPlace(draft: string, path: string): Promise<void> {
  await removeBeside(draft);
  await requireNothing(path);
  try {
    await Deno.link(draft, path);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) await requireNothing(path);
    // A file system without links.
    await Deno.rename(draft, path);
  }
  using folder = await Deno.open(dirname(path));
  await folder.sync().catch(() => {});
}

async function copyDraft(from: string, url: string, onProgress: OnProgress): Promise<void> {
  const source = await openStore({ url: from });
  try {
    const target = await openStore({ url, acceptUnfinished: true });
    try {
      await copyStore(source, target, onProgress);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

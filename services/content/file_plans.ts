// Plans that add and remove files and their versions. The ledger counts what they store; the caller writes it last.
import { conflict } from "../../core/errors.ts";
import { chunks } from "../../core/chunks.ts";
import { type File, files, type FileVersion, fileVersions } from "../../models/files.ts";
import { shares } from "../../models/shares.ts";
import type { Transaction } from "../../storage/port.ts";
import type { Ledger } from "./contents.ts";
import { type Removed, removed } from "./bundles.ts";
import { fileTypeOf } from "./media_types.ts";
import { planShareEnds } from "../access/shares.ts";
import { everyMatch } from "../../storage/every_match.ts";

/** What a version holds. */
export interface Bytes {
  readonly sha256: string;
  readonly size: number;
  readonly mimeType: string;
}

/** A new file at its first version. */
export function planFile(
  tx: Transaction,
  ledger: Ledger,
  { sha256, size, mimeType }: Bytes,
  file: { name: string; folderId?: string; ownerId: string; createdBy: string },
): File {
  const { createdBy, ...place } = file;
  ledger.add(file.ownerId, { sha256, size });
  const planned = tx.insert(files, {
    ...place,
    type: fileTypeOf(mimeType),
    mimeType,
    size,
    sha256,
    isFavorite: false,
    version: 1,
    totalSize: size,
  });
  const fileId = planned.id;
  tx.insert(fileVersions, { fileId, version: 1, size, mimeType, sha256, createdBy });
  return planned;
}

/** Versions of a file, at most: its deletion is one commit. */
const MAX_VERSIONS = 100;

/**
 * A further version of a file, which becomes the current one. It counts for the owner, whoever brings it.
 *
 * @throws {ApiError} CONFLICT when the file has as many as it may.
 */
export async function planVersion(
  tx: Transaction,
  ledger: Ledger,
  file: File,
  { sha256, size, mimeType }: Bytes,
  createdBy: string,
): Promise<File> {
  if (await tx.from(fileVersions).count({ fileId: file.id }) >= MAX_VERSIONS) {
    throw conflict(`A file has at most ${MAX_VERSIONS} versions: delete some first`);
  }
  const version = file.version + 1;
  ledger.add(file.ownerId, { sha256, size });
  tx.insert(fileVersions, { fileId: file.id, version, size, mimeType, sha256, createdBy });
  return tx.update(files, file, {
    type: fileTypeOf(mimeType),
    mimeType,
    size,
    sha256,
    version,
    totalSize: file.totalSize + size,
  });
}

/** Deletes one version that is not the current one. */
export function planVersionDeletion(
  tx: Transaction,
  ledger: Ledger,
  file: File,
  version: FileVersion,
): void {
  ledger.drop(file.ownerId, version);
  tx.remove(fileVersions, version);
  tx.update(files, file, { totalSize: file.totalSize - version.size });
}

/** Deletes files with all versions and shares. */
export async function planFilesDeletion(
  tx: Transaction,
  ledger: Ledger,
  doomed: readonly File[],
): Promise<void> {
  const owners = new Map(doomed.map((file) => [file.id, file.ownerId]));
  for (const version of versionsIn(await planFilesRemoval(tx, doomed))) {
    ledger.drop(owners.get(version.fileId)!, version);
  }
}

/**
 * Plans that files leave their collections, with all versions and shares. What they store goes on counting.
 *
 * @returns What is removed.
 */
export async function planFilesRemoval(
  tx: Transaction,
  leaving: readonly File[],
): Promise<Removed[]> {
  const gone: Removed[] = leaving.map((file) => removed(files, file));
  for (const fileId of chunks(leaving.map(({ id }) => id))) {
    for (const version of await everyMatch(tx, fileVersions, { fileId })) {
      tx.remove(fileVersions, version);
      gone.push(removed(fileVersions, version));
    }
    const given = await everyMatch(tx, shares, { fileId });
    await planShareEnds(tx, given);
    gone.push(...given.map((share) => removed(shares, share)));
  }
  for (const file of leaving) tx.remove(files, file);
  return gone;
}

/** The versions of files among records that were removed. */
export function versionsIn(records: readonly Removed[]): FileVersion[] {
  return records.filter(({ collection }) => collection === fileVersions.name)
    .map(({ record }) => record as unknown as FileVersion);
}

/** A version of a file by its number; null when there is none. */
export async function versionOf(
  source: Pick<Transaction, "from">,
  file: File,
  number: string,
): Promise<FileVersion | null> {
  if (!/^[1-9]\d{0,8}$/.test(number)) return null;
  return await source.from(fileVersions).findBy("version", file.id, Number(number));
}

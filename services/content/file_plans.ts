// Plans that add and remove files and their versions. The ledger counts what they store; the caller writes it last.
import { conflict } from "../../core/errors.ts";
import { chunks } from "../../core/chunks.ts";
import { type File, files, type FileVersion, fileVersions } from "../../models/files.ts";
import { shares } from "../../models/shares.ts";
import type { Transaction } from "../../storage/port.ts";
import type { Ledger } from "./contents.ts";
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
  for (const fileId of chunks([...owners.keys()])) {
    for (const version of await everyMatch(tx, fileVersions, { fileId })) {
      ledger.drop(owners.get(version.fileId)!, version);
      tx.remove(fileVersions, version);
    }
    await planShareEnds(tx, await everyMatch(tx, shares, { fileId }));
  }
  for (const file of doomed) tx.remove(files, file);
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

// One process for a file: an advisory lock beside it, which the system releases when the process ends.
import { tryLock } from "../core/file_lock.ts";
import { fileProblem, makePrivateFile } from "../core/private_files.ts";

/** The file is in use by another process, or by another store of this one. */
export class StoreLocked extends Error {
  override readonly name = "StoreLocked";
  constructor(path: string) {
    super(
      `Cannot open ${path}: another process has it open. To share a store between processes, run a ` +
        "KV Connect server and set DENO_KV_PATH to its http(s):// URL, or set DATABASE_URL to a " +
        "postgres:// URL",
    );
  }
}

/**
 * Creates the directories above the file and locks it.
 *
 * @param shared Whether other processes may share the file; one that wants it for itself is kept out all the same.
 * @throws {StoreLocked}
 * @throws {Error} The folder cannot be written to.
 */
export async function lockFile(path: string, shared: boolean): Promise<Deno.FsFile> {
  makePrivateFile(`${path}.lock`);
  const file = await Deno.open(`${path}.lock`, { read: true, write: true }).catch((error) => {
    throw fileProblem(`${path}.lock`, error);
  });
  if (await tryLock(file, !shared)) return file;
  file.close();
  throw new StoreLocked(path);
}

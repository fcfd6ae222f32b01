// One process for a file: an advisory lock beside it, which the system releases when the process ends.
import { dirname } from "node:path";

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
 * @param shared Let others in that share too, and keep those out that want it alone.
 * @throws {StoreLocked}
 */
export async function lockFile(path: string, shared: boolean): Promise<Deno.FsFile> {
  await Deno.mkdir(dirname(path), { recursive: true });
  const file = await Deno.open(`${path}.lock`, { create: true, read: true, write: true });
  if (await file.tryLock(!shared)) return file;
  file.close();
  throw new StoreLocked(path);
}

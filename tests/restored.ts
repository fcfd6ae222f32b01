// What a backup holds, brought back from its file as `deno task restore` does it.
import type { Manifest } from "../services/backups/manifest.ts";
import { restore } from "../services/backups/restore.ts";
import { openFile } from "../services/backups/source.ts";

/** @param url The store to be. @throws {Deno.errors.NotFound} */
export async function restoreBackup(path: string, url: string): Promise<Manifest> {
  using backup = await openFile(path);
  return await restore(backup, { url, beside: path });
}

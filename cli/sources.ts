// What commands that read a store have in common.
import { localPath } from "../config/environment.ts";
import { isStoreUrl } from "../config/parsers.ts";
import { fileProblem } from "../core/private_files.ts";

/** Refuses what names no store, and a file that does not exist: opening it would create an empty store. */
export async function requireSource(url: string): Promise<void> {
  if (!isStoreUrl(url)) {
    throw new Error(
      "Cannot read the store: its URL must have the form kv:path, sqlite:path or postgres://user@host/database",
    );
  }
  const path = localPath(url);
  if (path === null) return;
  try {
    await Deno.stat(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw fileProblem(path, error);
    throw new Error(`Cannot read the store: there is no file ${path}`);
  }
}

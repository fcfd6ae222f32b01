// What commands that read a store have in common.
import { localPath } from "../config/environment.ts";
import { isStoreUrl } from "../config/parsers.ts";
import { fileProblem } from "../core/private_files.ts";
import { assertEngine } from "../storage/open.ts";

/** Refuses what names no store, and a file in which opening it would create an empty one. */
export async function requireSource(url: string): Promise<void> {
  if (!isStoreUrl(url)) {
    throw new Error(
      "Cannot read the store: its URL must have the form kv:path, sqlite:path or postgres://user@host/database",
    );
  }
  const path = localPath(url);
  if (path === null) return;
  const { size } = await Deno.stat(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw fileProblem(path, error);
    throw new Error(`Cannot read the store: there is no file ${path}`);
  });
  if (size === 0) throw new Error(`Cannot read the store: the file ${path} is empty`);
  await assertEngine(url);
}

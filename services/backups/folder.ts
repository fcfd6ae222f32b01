// A folder of backups, with the draft of the one that is being made.
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { tryLock } from "../../core/file_lock.ts";
import { KIB } from "../../core/units.ts";
import { EXTENSION } from "./manifest.ts";
import { idInName, isBackupId, type Place, type Range } from "./place.ts";
import { openFile, type Source } from "./source.ts";

/** What is not finished, or was left by a process that was killed. */
export const DRAFT = ".draft";
/** Held by whoever makes a backup here. */
export const LOCK = "backups.lock";
/** Bytes that are read at a time of what is downloaded. */
const PIECE = 256 * KIB;

/** Where a backup is; null where the text is no id. */
export function backupPath(folder: string, id: string): string | null {
  return isBackupId(id) ? join(folder, id + EXTENSION) : null;
}

/** Ids of the backups in a folder, the newest first. */
export async function backupIds(folder: string): Promise<string[]> {
  const ids = (await namesIn(folder)).map(idInName).filter((id) => id !== null);
  return ids.sort().reverse();
}

/** None where there is no folder. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

export class Folder implements Place {
  readonly kind = "folder";

  constructor(readonly path: string) {}

  async sizes(): Promise<Map<string, number>> {
    const sizes = new Map<string, number>();
    for (const id of await backupIds(this.path)) {
      const size = await this.#sizeOf(id + EXTENSION);
      if (size !== null) sizes.set(id, size);
    }
    return sizes;
  }

  async open(id: string): Promise<Source | null> {
    const path = backupPath(this.path, id);
    return path === null ? null : await openFile(path).catch(nullWhereMissing);
  }

  async stream(
    id: string,
    { start, end }: Range,
  ): Promise<ReadableStream<Uint8Array> | null> {
    const source = await this.open(id);
    if (!source) return null;
    let at = start;
    return new ReadableStream({
      async pull(controller) {
        const piece = at < end ? await source.read(at, Math.min(PIECE, end - at)) : null;
        at += piece?.length ?? 0;
        if (piece !== null && piece.length > 0) return controller.enqueue(piece);
        source[Symbol.dispose]();
        if (at < end) controller.error(new Error(`Cannot read ${source.name}: it ends early`));
        else controller.close();
      },
      cancel: () => source[Symbol.dispose](),
    }, { highWaterMark: 0 });
  }

  async remove(id: string): Promise<void> {
    const path = backupPath(this.path, id);
    if (path) await rm(path, { force: true });
  }

  /**
   * The backup that some process makes here now, and how many bytes it has.
   *
   * @param own The one that this process makes.
   */
  async draft(own?: string): Promise<{ readonly id: string; readonly size: number } | null> {
    for (const name of await namesIn(this.path)) {
      const id = name.endsWith(DRAFT) ? idInName(name.slice(0, -DRAFT.length)) : null;
      const size = id === null ? null : await this.#sizeOf(name);
      if (id === null || size === null) continue;
      if (id === own || await this.isBusy()) return { id, size };
    }
    return null;
  }

  /** Whether some process makes a backup here. */
  async isBusy(): Promise<boolean> {
    const options = { read: true, write: true };
    const file = await Deno.open(join(this.path, LOCK), options).catch(nullWhereMissing);
    if (!file) return false;
    // The lock goes with the file.
    using _file = file;
    return !await tryLock(file, true);
  }

  async #sizeOf(name: string): Promise<number | null> {
    return (await stat(join(this.path, name)).catch(nullWhereMissing))?.size ?? null;
  }
}

function nullWhereMissing(error: unknown): null {
  const missing = error instanceof Deno.errors.NotFound ||
    (error as { code?: string })?.code === "ENOENT";
  if (missing) return null;
  throw error;
}

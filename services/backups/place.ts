// Where backups are kept: a folder, or a bucket. Ids name the moment, in UTC: `20261122T171000123Z`.
import { EXTENSION, readManifest } from "./manifest.ts";
import type { Source } from "./source.ts";

const ID = /^\d{8}T\d{9}Z$/;

/** Bytes from `start` up to, not including, `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface Place {
  readonly kind: "folder" | "bucket";
  /** Bytes of each backup that is here, by id. */
  sizes(): Promise<Map<string, number>>;
  /** To be read in parts; null where it is not here. */
  open(id: string): Promise<Source | null>;
  /** Null where it is not here. */
  stream(id: string, range: Range): Promise<ReadableStream<Uint8Array> | null>;
  /** Whether it is here or not. */
  remove(id: string): Promise<void>;
}

/** The id of a backup that is made at a time. */
export function backupId(now: number): string {
  return new Date(now).toISOString().replaceAll(/[-:.]/g, "");
}

/** When a backup was made, in ISO 8601. */
export function momentOfBackup(id: string): string {
  return id.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\d)(\d{3}Z)$/, "$1-$2-$3:$4:$5.$6");
}

/** When a backup was made, in milliseconds since the epoch. */
export function timeOfBackup(id: string): number {
  return Date.parse(momentOfBackup(id));
}

/** Whether a text names a moment that there is. */
export function isBackupId(text: string): boolean {
  if (!ID.test(text)) return false;
  const time = timeOfBackup(text);
  return !Number.isNaN(time) && backupId(time) === text;
}

/**
 * The backups that are beyond what is to be kept, the oldest of all. One whose end is damaged or missing, or that cannot
 * be read, takes the place of no whole one. What a wrong clock dated later than now neither counts nor goes: it would
 * take the place of those that are made from now on.
 */
export async function beyondKept(
  place: Place,
  { keep, now }: { readonly keep: number; readonly now: number },
): Promise<string[]> {
  const ids = newestFirst((await place.sizes()).keys()).filter((id) => timeOfBackup(id) <= now);
  // Most often there is none too many, and nothing to be read.
  if (ids.length <= keep) return [];
  let whole = 0;
  for (const [n, id] of ids.entries()) {
    if (whole === keep) return ids.slice(n);
    if (await isWhole(place, id)) whole++;
  }
  return [];
}

/** The newest of some backups that is whole; null where none is. */
export async function newestWhole(place: Place, ids: Iterable<string>): Promise<string | null> {
  for (const id of newestFirst(ids)) if (await isWhole(place, id)) return id;
  return null;
}

function newestFirst(ids: Iterable<string>): string[] {
  return [...ids].sort().reverse();
}

/** Whether a backup is there to its end. Its data is not read. */
async function isWhole(place: Place, id: string): Promise<boolean> {
  try {
    using backup = await place.open(id);
    if (!backup) return false;
    await readManifest(backup);
    return true;
  } catch {
    return false;
  }
}

/** The id in the name of a file or an object; null where that is no backup. */
export function idInName(name: string): string | null {
  const id = name.endsWith(EXTENSION) ? name.slice(0, -EXTENSION.length) : "";
  return isBackupId(id) ? id : null;
}

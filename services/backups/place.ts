// Where backups are kept: a folder, or a bucket. Ids name the moment, in UTC: `20261122T171000123Z`.
import { EXTENSION } from "./manifest.ts";
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
 * Those beyond what is to be kept, the oldest of all. What a wrong clock dated later than now neither counts nor goes: it
 * would take the place of those that are made from now on.
 */
export function beyondKept(
  ids: Iterable<string>,
  { keep, now }: { readonly keep: number; readonly now: number },
): string[] {
  return [...ids].filter((id) => timeOfBackup(id) <= now).sort().reverse().slice(keep);
}

/** The id in the name of a file or an object; null where that is no backup. */
export function idInName(name: string): string | null {
  const id = name.endsWith(EXTENSION) ? name.slice(0, -EXTENSION.length) : "";
  return isBackupId(id) ? id : null;
}

// Where backups are kept: a folder, or a bucket. Ids name the moment, in UTC: `20261122T171000123Z`.
import { EXTENSION } from "./manifest.ts";
import type { Source } from "./source.ts";

const ID = /^\d{8}T\d{9}Z$/;

export interface Place {
  readonly kind: "folder" | "bucket";
  /** Bytes of each backup that is here, by id. */
  sizes(): Promise<Map<string, number>>;
  /** To be read in parts; null where it is not here. */
  open(id: string): Promise<Source | null>;
  /** The bytes from `start` up to, not including, `end`; null where it is not here. */
  stream(
    id: string,
    range: { readonly start: number; readonly end: number },
  ): Promise<ReadableStream<Uint8Array> | null>;
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

export function isBackupId(text: string): boolean {
  return ID.test(text);
}

/** The id in the name of a file or an object; null where that is no backup. */
export function idInName(name: string): string | null {
  const id = name.endsWith(EXTENSION) ? name.slice(0, -EXTENSION.length) : "";
  return isBackupId(id) ? id : null;
}

// A file on its way to the server: how far it is, and what may be decided about it.
import { ApiError } from "../../../client/mod.ts";

export type UploadState =
  /** For others to be done. */
  | "waiting"
  | "looking"
  /** What to do about a file of the same name. */
  | "asking"
  | "sending"
  | "done"
  | "failed"
  | "cancelled"
  | "skipped";

export interface Upload {
  readonly id: number;
  readonly file: File;
  /** What it will be called. */
  readonly name: string;
  /** The folder that it goes into, or the one that holds its folders; null is the top. */
  readonly folderId: string | null;
  /** Names of folders in that one, each in the one before. */
  readonly folders: readonly string[];
  /** Of which file it becomes a new version. */
  readonly fileId?: string;
  readonly state: UploadState;
  /** Bytes. */
  readonly sent: number;
  readonly error?: unknown;
  /** The id of a file that has the same name already. */
  readonly existing?: string;
  /** What was decided before it was asked about. */
  readonly decision?: Decision;
}

export type Decision = "version" | "both" | "skip";

const OVER: ReadonlySet<UploadState> = new Set(["done", "failed", "cancelled", "skipped"]);

export function isOver({ state }: Pick<Upload, "state">): boolean {
  return OVER.has(state);
}

/** Whether it failed because nothing answered. */
export function isCutOff({ state, error }: Pick<Upload, "state" | "error">): boolean {
  return state === "failed" && error instanceof ApiError && error.status === 0;
}

/** Its name below the folder that was chosen for all. */
export function pathOf({ folders, name }: Pick<Upload, "folders" | "name">): string {
  return [...folders, name].join("/");
}

/** `report.pdf` as `report (2).pdf`. */
export function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)} (${number})${name.slice(dot)}` : `${name} (${number})`;
}

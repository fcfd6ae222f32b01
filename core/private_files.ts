// Data files: made for their owner alone, and what is wrong with one that cannot be opened, in words that help.
import { closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Permissions of others than the owner. */
const OTHERS = 0o077;

/** Creates the folder, and those above it, for the owner alone; what is there stays as it is. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/**
 * Creates an empty file for the owner alone, with the folders above it; what is there stays as it is. SQLite, and Deno
 * KV on it, take an empty file for a new database, and give the files beside it the same permissions.
 *
 * @throws {Error} Saying why, and what to do.
 */
export function makePrivateFile(path: string): void {
  try {
    makePrivateFolder(dirname(path));
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw fileProblem(path, error);
  }
}

/** Of these files, those that other users of the machine may read: warnings to tell. */
export function tooOpen(paths: readonly string[]): string[] {
  if (Deno.build.os === "windows") return [];
  return paths.flatMap((path) => {
    const mode = modeOf(path);
    if (mode === null || (mode & OTHERS) === 0) return [];
    const octal = (mode & 0o777).toString(8);
    return [
      `Warning: other users of this machine may open ${path} (mode ${octal}); chmod 600 it`,
    ];
  });
}

function modeOf(path: string): number | null {
  try {
    return statSync(path).mode;
  } catch {
    return null;
  }
}

/** An error that names the file, why it cannot be used, and what helps. */
export function fileProblem(path: string, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  const [what, remedy] = diagnosis(path, reason, codeOf(error) ?? accessCode(path));
  return new Error(`Cannot open the data file ${path}: ${what}. ${remedy}`, { cause: error });
}

/** Of SQLite, of Node and of Deno; and where a quota is used up. */
const NO_ROOM = /is full|ENOSPC|No space|EDQUOT|quota exceeded/i;
const ELSEWHERE = "choose another path by DATABASE_URL or DENO_KV_PATH";

function diagnosis(path: string, reason: string, code: string | null): [string, string] {
  if (/not a database|malformed|file is encrypted/i.test(reason)) {
    return [
      `it is no database, or is damaged (${reason})`,
      `Restore it from a backup, or ${ELSEWHERE}`,
    ];
  }
  if (NO_ROOM.test(reason) || code === "ENOSPC") {
    return ["the disk is full", "Make room on it"];
  }
  switch (code) {
    case "EACCES":
    case "EPERM":
      return [
        "permission denied",
        `Let the user that runs the server read and write it and its folder ${dirname(path)}`,
      ];
    case "EROFS":
      return ["the file system is read-only", `Mount it writable, or ${ELSEWHERE}`];
    case "EISDIR":
      return ["it is a folder", `Name a file in it, or ${ELSEWHERE}`];
    case "ENOTDIR":
      return ["a part of the path is a file, not a folder", `Mend the path, or ${ELSEWHERE}`];
    default:
      return [reason, `Mend that, or ${ELSEWHERE}`];
  }
}

/** Whether the system, or SQLite, has found no room on a disk. */
export function foundNoRoom(error: unknown): boolean {
  return NO_ROOM.test(error instanceof Error ? error.message : String(error));
}

/** What the system says to opening the file: engines tell only that they cannot. */
function accessCode(path: string): string | null {
  try {
    closeSync(openSync(path, "r+"));
    return null;
  } catch (error) {
    return codeOf(error);
  }
}

/** The system's own code, such as EACCES; SQLite's errors have one of another kind. */
function codeOf(error: unknown): string | null {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^E[A-Z0-9]+$/.test(code) ? code : null;
}

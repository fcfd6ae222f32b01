// Whether the disk of a store has room, and a reserve file on it, so that records can be removed even when it is full.
import { closeSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { MIB } from "../core/units.ts";
import { type Change, StoreFull } from "./port.ts";

/** Milliseconds after a write that found no room in which a store without a reserve counts as full. */
const REMEMBERED = 30_000;
/** Bytes of the reserve: what the log of SQLite grows to before it is emptied, and as much again for the data file. */
const RESERVE = 8 * MIB;
/** Milliseconds between tries to take the reserve back. */
const RETRY = 1000;
/** Longest commit, in characters of JSON, that is let through on a full disk: who makes room has to sign in first. */
const SMALL = 4096;
const NO_ROOM = /^(ENOSPC|EDQUOT)$/;

/**
 * SQLite, and Deno KV on top of it, need room even to remove records, because their log grows first. So a file beside
 * the data reserves some. It is deleted when a write finds no room; until it can be written again, only commits that
 * remove more than they add, or are small, are let through.
 */
export class Room {
  readonly #reserve: string | null;
  #full = false;
  #triedAt = -Infinity;

  /**
   * @param path The data file; absent where the data is not on a disk of this machine.
   * @param bytes Of the reserve. @default 8 MiB, for a log that SQLite empties by itself, as that of Deno KV
   * @param serves Whether this is a server's store. Its disk counts as full from the start where the reserve has no
   * room: what is left is for removals. Other stores, as a copy in the making, need not have the reserve.
   */
  constructor(path?: string, readonly bytes: number = RESERVE, serves = false) {
    this.#reserve = path === undefined || path === ":memory:" ? null : `${path}.reserve`;
    if (this.#reserve === null) return;
    const { size = 0 } = statSync(this.#reserve, { throwIfNoEntry: false }) ?? {};
    if (size < bytes) this.#full = this.#take(this.#reserve) === "no room" && serves;
  }

  /** Remembers that the disk is full when the error says so. @returns The error itself, to be thrown. */
  noting<E>(error: E): E {
    if (!(error instanceof StoreFull) || this.#full && this.#reserve !== null) return error;
    this.#full = true;
    this.#triedAt = performance.now();
    if (this.#reserve !== null) rmSync(this.#reserve, { force: true });
    return error;
  }

  /** @throws {StoreFull} A write found the disk full, and it still is. */
  assert(): void {
    if (!this.#full) return;
    const now = performance.now();
    if (this.#reserve === null) this.#full = now - this.#triedAt < REMEMBERED;
    else if (now - this.#triedAt >= RETRY) {
      this.#triedAt = now;
      this.#full = this.#take(this.#reserve) !== "taken";
    }
    if (this.#full) throw new StoreFull();
  }

  /**
   * To be called before a commit.
   *
   * @throws {StoreFull} There is no room, and the changes would take some.
   */
  admit(changes: readonly Change[]): void {
    if (!this.#full || this.#reserve === null) return;
    const removes = changes.some(({ kind }) => kind === "remove");
    const grows = removes ? growthOf(changes) : JSON.stringify(changes).length;
    if (grows > SMALL) this.assert();
  }

  /** To be called before bytes are stored. @throws {StoreFull} There is no room. */
  admitBytes(): void {
    if (this.#full && this.#reserve !== null) this.assert();
  }

  #take(path: string): "taken" | "no room" | "not allowed" {
    try {
      const file = openSync(path, "w", 0o600);
      try {
        const bytes = new Uint8Array(MIB).fill(1);
        for (let written = 0; written < this.bytes;) written += writeSync(file, bytes);
      } finally {
        closeSync(file);
      }
      return "taken";
    } catch (error) {
      rmSync(path, { force: true });
      return NO_ROOM.test((error as NodeJS.ErrnoException).code ?? "") ? "no room" : "not allowed";
    }
  }
}

/** Characters of JSON that changes add to what they take away. */
function growthOf(changes: readonly Change[]): number {
  let growth = 0;
  for (const change of changes) {
    if ("after" in change) growth += JSON.stringify(change.after).length;
    if ("before" in change) growth -= JSON.stringify(change.before).length;
  }
  return growth;
}

// File descriptors of this process: a share that is held back, and a lower bound of how many are in use.
import { closeSync, openSync } from "node:fs";

/** A file to open that surely can be read: this one. Undefined where the code is not run from a file. */
const FILE = import.meta.filename;

/** Opens so many descriptors; fewer where there are no more. */
function openMany(count: number): number[] {
  const opened: number[] = [];
  if (FILE === undefined) return opened;
  try {
    while (opened.length < count) opened.push(openSync(FILE, "r"));
  } catch {
    // There are no more.
  }
  return opened;
}

/** Descriptors held back from whoever takes what is left, to be given up when others run out of them. */
export class DescriptorShare {
  #held: number[] = [];

  constructor(readonly size: number) {}

  /** Holds the whole share. False: there are not enough, and none is held. */
  hold(): boolean {
    this.#held.push(...openMany(this.size - this.#held.length));
    if (this.#held.length === this.size || FILE === undefined) return true;
    this.release();
    return false;
  }

  release(): void {
    for (const descriptor of this.#held.splice(0)) closeSync(descriptor);
  }
}

/** How many free numbers between the descriptors in use the count can see past. */
const HOLES = 64;

/**
 * How many descriptors are in use, at least; null where the runtime does not give the system's own numbers. A new
 * descriptor has the lowest free number (POSIX), so that the last of a few tells how many are in use below it.
 */
export function descriptorsInUse(): number | null {
  const again = openMany(1);
  for (const descriptor of again) closeSync(descriptor);
  const opened = openMany(HOLES);
  for (const descriptor of opened) closeSync(descriptor);
  const last = opened.at(-1);
  if (last === undefined || opened[0] !== again[0]) return null;
  return last + 1 - opened.length;
}

// Large work beside a server on the same machine: in steps, with a rest after each, so that others get their turn.
import { setPriority } from "node:os";

/** What Linux lets run when nobody else wants to. */
const LAST = 19;
/** How many times as long a rest is as the step before it: most of those who sync come in a rest, and do not wait. */
const REST = 2;

/**
 * Lets all others on the machine go first: of this thread alone, and where the system has that, which is on Linux. Without
 * the permission it goes on as it is.
 */
export function giveWay(): void {
  if (Deno.build.os !== "linux") return;
  try {
    // 0 is the thread that asks: https://man7.org/linux/man-pages/man2/setpriority.2.html
    setPriority(0, LAST);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
  }
}

export class Pace implements Disposable {
  readonly #file: Deno.FsFile;
  #began = performance.now();

  /** @param path The file that is written. */
  constructor(path: string) {
    this.#file = Deno.openSync(path);
  }

  /**
   * To be called after each step, of some megabytes: brings what it wrote to the disk, since more at once would hold up
   * whoever else syncs, and rests for longer than all of that took. It stops the whole thread.
   */
  rest(): void {
    this.#file.syncDataSync();
    const rest = REST * (performance.now() - this.#began);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, rest);
    this.#began = performance.now();
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}

// Bounds the bytes that wait to be sent, over all answers that stream, and cuts those whose reader takes nothing.
import { MIB } from "./units.ts";

/** An answer that is broken off by intent, while it is sent: its reader comes again. No defect. */
export class CutAnswer extends Error {
  override readonly name: string = "CutAnswer";
}

/** The reader took nothing for too long. */
export class StalledReader extends CutAnswer {
  override readonly name = "StalledReader";
}

/** One answer that streams. */
export interface Flow {
  /** How many pieces of so many bytes this answer may hold now; at least 1. */
  pieces(bytes: number): number;
  /** The reader has taken what was there. */
  taken(): void;
  /** No more is read; may be called again. */
  close(): void;
}

export class Outflow {
  /** Each open flow, with when its reader last took something and how to break it off. */
  readonly #flows = new Map<Flow, { takenAt: number; readonly cut: (error: Error) => void }>();

  /**
   * @param bytes That all flows may hold together.
   * @param now Monotonic, in milliseconds.
   */
  constructor(readonly bytes: number, readonly now: () => number = () => performance.now()) {}

  get size(): number {
    return this.#flows.size;
  }

  /** @param cut Breaks the answer off. */
  open(cut: (error: Error) => void): Flow {
    const state = { takenAt: this.now(), cut };
    const flow: Flow = {
      pieces: (bytes) => Math.max(1, Math.floor(this.bytes / this.#flows.size / bytes)),
      taken: () => void (state.takenAt = this.now()),
      close: () => void this.#flows.delete(flow),
    };
    this.#flows.set(flow, state);
    return flow;
  }

  /** Breaks off every answer whose reader has taken nothing for so many milliseconds. */
  cutStalled(milliseconds: number): void {
    for (const [flow, { takenAt, cut }] of this.#flows) {
      if (this.now() - takenAt <= milliseconds) continue;
      flow.close();
      cut(new StalledReader("Cannot send: the reader takes nothing"));
    }
  }
}

/** The one of this process: all its answers together may hold 32 MiB. */
export const outflow = new Outflow(32 * MIB);

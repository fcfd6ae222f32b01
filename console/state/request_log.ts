// The log of requests as a page follows it: the newest first, no more than it can hold.
import type { RequestReport } from "../../client/mod.ts";

/** Rows that are kept. */
export const KEPT = 1000;

export interface Log {
  readonly rows: readonly RequestReport[];
  /** What came while nobody wanted to see it move. */
  readonly held: readonly RequestReport[];
  /** Told by the server: more came than it tells. */
  readonly skipped: number;
}

export const EMPTY: Log = { rows: [], held: [], skipped: 0 };

/** Adds what came, in the order it came in. @param paused It waits out of sight. */
export function added(log: Log, came: readonly RequestReport[], paused: boolean): Log {
  if (came.length === 0) return log;
  const newest = came.toReversed();
  return paused
    ? { ...log, held: [...newest, ...log.held].slice(0, KEPT) }
    : { ...log, rows: [...newest, ...log.rows].slice(0, KEPT) };
}

/**
 * Puts together what a stream tells and lists of what was answered before, which are read once the stream has begun: so
 * that nothing is missed between both. Each request is told once, in the order in which they were answered.
 */
export class Arrivals {
  readonly #tell: (request: RequestReport) => void;
  /** Ids of the last ones that were told. */
  readonly #told = new Set<string>();
  #waiting: RequestReport[] = [];
  #lists = 0;

  constructor(tell: (request: RequestReport) => void) {
    this.#tell = tell;
  }

  /** A list is being read: what comes meanwhile waits for it. `list` must follow. */
  reading(): void {
    this.#lists++;
  }

  /** @param recent Newest first; empty where it could not be read. */
  list(recent: readonly RequestReport[]): void {
    this.#lists--;
    for (const request of recent.toReversed()) this.#once(request);
    if (this.#lists > 0) return;
    for (const request of this.#waiting.splice(0)) this.#once(request);
  }

  came(request: RequestReport): void {
    if (this.#lists > 0) this.#waiting.push(request);
    else this.#once(request);
  }

  #once(request: RequestReport): void {
    const { requestId } = request;
    if (this.#told.has(requestId)) return;
    this.#told.add(requestId);
    if (this.#told.size > KEPT) {
      const [oldest] = this.#told;
      this.#told.delete(oldest!);
    }
    this.#tell(request);
  }
}

/** Shows what has waited. */
export function released(log: Log): Log {
  return { ...log, rows: [...log.held, ...log.rows].slice(0, KEPT), held: [] };
}

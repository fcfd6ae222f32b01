// What may wait to be read, over all requests: the bytes of bodies in memory, and the time that they take to arrive.
import { ApiError } from "../core/errors.ts";
import { MIB } from "../core/units.ts";

export interface IntakeLimits {
  /** Bytes that bodies which are not complete yet may hold, over all requests. @default 64 MiB */
  readonly bytes?: number;
  /** Bytes that count of one body: more of it is passed on, as an upload is to the store. @default 1 MiB */
  readonly bytesOfOne?: number;
  /** Milliseconds that a body may take, whatever its size. @default 20000 */
  readonly grace?: number;
  /** Bytes whose arrival gives a body one second more. @default 4096 */
  readonly rate?: number;
  /** Milliseconds after which a body may be cut for the sake of others. @default 1000 */
  readonly settled?: number;
  /** Monotonic, in milliseconds. @default performance.now */
  readonly now?: () => number;
}

/** Milliseconds between two looks at bodies that are late. */
const INTERVAL = 500;

/**
 * Holds bodies to a deadline that grows with what arrives, as Apache's RequestReadTimeout does
 * (https://httpd.apache.org/docs/2.4/mod/mod_reqtimeout.html), and their sum to a number of bytes. Where the sum is
 * reached the slowest body is given up, so that whoever sends at a fair rate gets through.
 */
export class Intake {
  readonly #limits: Required<IntakeLimits>;
  readonly #arrivals = new Set<Arrival>();
  #bytes = 0;
  #stopped = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(limits: IntakeLimits = {}) {
    this.#limits = {
      bytes: 64 * MIB,
      bytesOfOne: MIB,
      grace: 20_000,
      rate: 4096,
      settled: 1000,
      now: () => performance.now(),
      ...limits,
    };
  }

  /** Bytes held now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bodies that are not complete. */
  get size(): number {
    return this.#arrivals.size;
  }

  /**
   * Reads with a deadline.
   *
   * @param read Tells of bytes as they arrive; stops when the signal aborts.
   * @throws {ApiError} REQUEST_TIMEOUT when the body is late; UNAVAILABLE when others need the room, and when the server
   * stops.
   */
  async reading<R>(read: (arrival: Arrival) => Promise<R>): Promise<R> {
    if (this.#stopped) throw STOPPING();
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    const arrival = new Arrival(this, this.#limits.now(), reject);
    this.#arrivals.add(arrival);
    this.#timer ??= setInterval(() => this.cutLate(), INTERVAL);
    try {
      // The work on a body that was cut fails later, when its connection ends; nobody waits for it any more.
      read(arrival).then(resolve, reject);
      return await promise;
    } finally {
      this.#remove(arrival);
    }
  }

  /** Called by arrivals. */
  add(arrival: Arrival, bytes: number): void {
    if (!this.#arrivals.has(arrival)) return;
    const more = Math.min(bytes, Math.max(0, this.#limits.bytesOfOne - arrival.held));
    arrival.held += more;
    arrival.received += bytes;
    this.#bytes += more;
    while (this.#bytes > this.#limits.bytes) this.#cut(this.#slowest() ?? arrival, FULL);
  }

  /** Gives up what is past its deadline. The looks end where there was nothing to look at: to begin them costs. */
  cutLate(): void {
    if (this.#arrivals.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    const { grace, rate, now } = this.#limits;
    for (const arrival of this.#arrivals) {
      const allowed = grace + arrival.received / rate * 1000;
      if (now() - arrival.startedAt > allowed) this.#cut(arrival, LATE);
    }
  }

  /** Gives up all bodies, where their descriptors are needed and the server that they arrive on is shut down. */
  cutAll(): void {
    for (const arrival of this.#arrivals) this.#cut(arrival, FULL);
  }

  /** Gives up all bodies and takes no more: the server stops. */
  stop(): void {
    this.#stopped = true;
    for (const arrival of this.#arrivals) this.#cut(arrival, STOPPING);
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** The one that has received the least in its time, of those that had time to begin. */
  #slowest(): Arrival | null {
    const now = this.#limits.now();
    let slowest: Arrival | null = null;
    let lowest = Infinity;
    for (const arrival of this.#arrivals) {
      const age = now - arrival.startedAt;
      const rate = arrival.received / age;
      if (age < this.#limits.settled || arrival.held === 0 || rate >= lowest) continue;
      lowest = rate;
      slowest = arrival;
    }
    return slowest;
  }

  #cut(arrival: Arrival, why: () => ApiError): void {
    this.#remove(arrival);
    arrival.fail(why());
  }

  #remove(arrival: Arrival): void {
    if (!this.#arrivals.delete(arrival)) return;
    this.#bytes -= arrival.held;
  }
}

/** A body on its way. */
export class Arrival {
  /** Bytes in memory. */
  held = 0;
  /** Bytes in all. */
  received = 0;
  #stop: AbortController | null = null;
  #failure: ApiError | null = null;

  /** @param giveUp Ends the wait of whoever reads the body. */
  constructor(
    readonly intake: Intake,
    readonly startedAt: number,
    readonly giveUp: (error: ApiError) => void,
  ) {}

  /** Aborts when the body is given up, with the error as its reason. */
  get signal(): AbortSignal {
    // Made when it is asked for: a small body that arrives whole has no need of it.
    if (this.#stop === null) {
      this.#stop = new AbortController();
      if (this.#failure) this.#stop.abort(this.#failure);
    }
    return this.#stop.signal;
  }

  /** So many bytes more have arrived. */
  add(bytes: number): void {
    this.intake.add(this, bytes);
  }

  fail(error: ApiError): void {
    this.#failure = error;
    this.giveUp(error);
    this.#stop?.abort(error);
  }
}

const CLOSE = { connection: "close" };

const LATE = () => new ApiError("REQUEST_TIMEOUT", undefined, { headers: CLOSE });

const unavailable = (message: string) => () =>
  new ApiError("UNAVAILABLE", message, { headers: { ...CLOSE, "retry-after": "1" } });

const FULL = unavailable("Too much is being sent to the server: try again shortly");
const STOPPING = unavailable("The server is stopping: try again shortly");

/** The one of this process. */
export const intake = new Intake();

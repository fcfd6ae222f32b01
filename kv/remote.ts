// A KV Connect server, over a connection that is replaced when it is lost.
//
// The client of Deno sends a failed request again and again, without an end, even when its KV is closed (denokv_remote
// 0.14, `call_raw` in https://github.com/denoland/denokv/blob/main/remote/lib.rs). If every request of an outage were
// given to it, all of them would fall on the server that has just come back, and writes that were answered with 503
// would be done then. So nothing is given to a connection that is known to be lost, and what it had been given is
// waited for when the server is back: after the first answer that the store gives then, nothing old comes any more.
import { delay } from "../core/delay.ts";
import { StoreUnavailable } from "../storage/port.ts";

/** Milliseconds. */
const DEFAULT_TIMEOUT = 5000;
/**
 * Milliseconds for one try to connect. Deno gives up after half a minute only (before 2.9: never), and waits longer
 * between its own tries than this one.
 */
const CONNECT_TIMEOUT = 2000;
/** Milliseconds between tries to connect. */
const PAUSE = 500;
/** Milliseconds in which Deno sends again what has failed: 303 at most. */
const SENT_AGAIN = 400;

/** The data path knows the token no longer. Deno before 2.9 does not renew it by itself until a minute has passed. */
const TOKEN_REFUSED = /\(status=40[13]\b/;
/** The answer broke off, or the connection was of no use: what only reads may be asked again. */
const CUT = /response|metadata|closed/i;

interface Line {
  readonly kv: Deno.Kv;
  /** Ends each operation that is under way on it. */
  readonly waiting: Set<(error: Error) => void>;
  closed: boolean;
}

export class RemoteKv {
  #line: Line | null = null;
  /** Settles when there is a connection again; null while there is one. */
  #mending: Promise<void> | null = null;
  /** When by `performance.now()`, and why. */
  #lost = { at: 0, why: "" };
  #closed = false;

  /**
   * @param timeout Milliseconds after which a server that does not answer counts as lost. @default 5000
   * @throws The server does not answer, or refuses the token.
   */
  static async open(url: string, timeout = DEFAULT_TIMEOUT): Promise<RemoteKv> {
    const remote = new RemoteKv(url, timeout);
    remote.#line = await remote.#connect(timeout);
    return remote;
  }

  private constructor(readonly url: string, readonly timeout: number) {}

  /**
   * Does an operation of KV.
   *
   * @param repeatable Whether it may be done twice, as a read may.
   * @throws {StoreUnavailable} There was no answer in time: a write may have been done all the same.
   * @throws What KV says of it.
   */
  async run<T>(operate: (kv: Deno.Kv) => Promise<T>, repeatable: boolean): Promise<T> {
    const line = await this.#standing();
    try {
      return await this.#inTime(line, operate);
    } catch (error) {
      const said = reasonOf(error);
      const refused = TOKEN_REFUSED.test(said);
      // What else is under way is refused too, and asked again: it is left to end by itself.
      if (refused) this.#leave(line, `it refuses the token: ${said}`);
      // What was refused has not been done, so that even a commit may be sent again.
      const again = refused || (repeatable && CUT.test(said));
      if (!again || error instanceof NoAnswer) throw error;
    }
    return await this.#inTime(await this.#standing(), operate);
  }

  close(): void {
    this.#closed = true;
    this.#lost.why = "the store is closed";
    if (this.#line) this.#drop(this.#line, new StoreUnavailable("The store is closed"));
  }

  /** Waits for a lost connection as long as an answer may take; who comes later is told at once. */
  async #standing(): Promise<Line> {
    if (!this.#line && !this.#closed) {
      this.#mending ??= this.#mend();
      const left = this.#lost.at + this.timeout - performance.now();
      if (left > 0) await Promise.race([this.#mending, delay(left)]);
    }
    if (!this.#line) throw new StoreUnavailable(`Cannot reach Deno KV: ${this.#lost.why}`);
    return this.#line;
  }

  #inTime<T>(line: Line, operate: (kv: Deno.Kv) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      // A reaction of each operation to one promise for the loss would stay in memory as long as the connection.
      const end = (error: Error) => {
        settle();
        reject(error);
      };
      const settle = () => {
        clearTimeout(timer);
        line.waiting.delete(end);
        if (line !== this.#line && line.waiting.size === 0) closeLine(line);
      };
      const late = () => this.#lose(line, `no answer in ${this.timeout} ms`);
      const timer = setTimeout(late, this.timeout);
      line.waiting.add(end);
      operate(line.kv).finally(settle).then(resolve, reject);
    });
  }

  #lose(line: Line, why: string): void {
    this.#leave(line, why);
    this.#drop(line, new NoAnswer(`Cannot reach Deno KV: ${why}`));
  }

  /** Asks no more of a connection. */
  #leave(line: Line, why: string): void {
    if (this.#line !== line) return;
    this.#line = null;
    this.#lost = { at: performance.now(), why };
    this.#mending ??= this.#mend();
  }

  #drop(line: Line, error: Error): void {
    if (this.#line === line) this.#line = null;
    closeLine(line);
    for (const end of [...line.waiting]) end(error);
  }

  /** Connects again, however long it takes: nobody but the store waits for its end. */
  async #mend(): Promise<void> {
    while (!this.#closed && !this.#line) {
      try {
        const line = await this.#connect(CONNECT_TIMEOUT);
        await delay(SENT_AGAIN);
        this.#line = line;
      } catch (error) {
        this.#lost.why = reasonOf(error);
        await delay(PAUSE);
      }
    }
    this.#mending = null;
    if (this.#closed && this.#line) this.close();
  }

  async #connect(timeout: number): Promise<Line> {
    let kv: Deno.Kv | undefined;
    let late = false;
    const connecting = (async () => {
      const opened = await Deno.openKv(this.url);
      if (late) return opened.close();
      kv = opened;
      // Before 2.9, Deno opens without having reached the server.
      await kv.get(["ping"]);
    })();
    try {
      await inTime(connecting, timeout);
    } catch (error) {
      late = true;
      kv?.close();
      throw error;
    }
    return { kv: kv!, waiting: new Set(), closed: false };
  }
}

function closeLine(line: Line): void {
  if (line.closed) return;
  line.closed = true;
  line.kv.close();
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What ends an operation that has got no answer. */
class NoAnswer extends StoreUnavailable {}

async function inTime<T>(answer: Promise<T>, timeout: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${timeout} ms`)), timeout);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

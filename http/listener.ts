// Takes connections, and still does when descriptors run out or too many connections are idle.
import { getLogger } from "@logtape/logtape";
import type { Awaitable } from "../core/awaitable.ts";
import { DescriptorShare, descriptorsInUse } from "../core/descriptors.ts";
import { CutAnswer, outflow } from "../core/outflow.ts";
import { standing } from "../core/standing.ts";
import { Bursts } from "./bursts.ts";
import { intake } from "./intake.ts";
import { leftovers } from "./leftovers.ts";
import { Padding } from "./padding.ts";
import { delay } from "../core/delay.ts";

export interface ListenOptions {
  /** 0: any that is free. */
  readonly port: number;
  readonly hostname: string;
  /** Descriptors that are open beside connections, once all is warm: those of the store. @default 0 */
  readonly beside?: number;
  /**
   * Milliseconds between two looks for connections without a request. More than 64 of them are closed within twice
   * that time, any of them within eleven times.
   *
   * @default 30000
   */
  readonly idleAfter?: number;
}

type Info = Deno.ServeHandlerInfo<Deno.NetAddr>;
type Handler = (request: Request, info: Pick<Info, "remoteAddr">) => Awaitable<Response>;

/** Descriptors held back for the store, mails and the next listener. */
const SHARE = 32;
/**
 * Connections that may idle, as those of browsers and proxies, before they are closed early: by `allowed` and less
 * after `long` looks in a row, by more after one.
 */
const IDLE = { allowed: 64, long: 10 };
/** Milliseconds between tries to listen again, and until it is tried without the held share of descriptors. */
const RETRY = { delay: 10, shareFor: 500 };
/** Milliseconds that a reader may take nothing of what is there: always, and when descriptors are short. */
const STALLED = { always: 60_000, whenShort: 5000 };
/** Milliseconds until an answer that is given is out. */
const ANSWERED = 20;
/**
 * Milliseconds without any request after which no answer is on its way any more, and how long that is waited for: when
 * descriptors are short (connections are ended then all the same), and when they are not (then it is given up).
 */
const QUIET = {
  short: { still: ANSWERED, within: 1000 },
  routine: { still: 250, within: 20_000 },
  closing: { still: 500, within: Infinity },
};
/** Milliseconds between two lines in the log about the same. */
const LOG_EVERY = 10_000;

const log = getLogger(["quarterdeck", "listener"]);

/** A server that holds the port, with all its connections. */
interface Serving {
  readonly server: Deno.HttpServer<Deno.NetAddr>;
  /** Closes every connection at once, whatever is on its way there. */
  end(): Promise<void>;
}

/**
 * `Deno.serve` that renews itself. Deno gives no hold on single connections, neither a limit nor a timeout, and a
 * server that shuts down gently keeps some for as long as their senders like: those of a GET whose body does not come,
 * of an answer that nobody takes, of HTTP/2 where the client does not say farewell. What it gives is an end to all
 * connections of a server at once. So when the system has no descriptor left for a connection, or when connections
 * idle for long, the server is ended in a moment without requests, and another one takes the port.
 */
export class Listener {
  readonly port: number;
  #serving: Serving;
  readonly #share = new DescriptorShare(SHARE);
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #handle: (request: Request, info: Info) => Awaitable<Response>;
  readonly #bursts = new Bursts();
  readonly #padding = new Padding();
  #requests = 0;
  /** Requests whose answer is not given yet. */
  #pending = 0;
  #renewing = false;
  /** The server takes no more connections. */
  #short = false;
  #closed = false;
  #loggedAt = -Infinity;
  /** What the last looks saw, oldest first. */
  #looks: { readonly requests: number; readonly inUse: number }[] = [];
  /** Descriptors in use without connections. */
  #floor: number;

  /** @throws {Deno.errors.AddrInUse} And what else `Deno.listen` throws. */
  constructor(readonly options: ListenOptions, handler: Handler) {
    this.#handle = (request, { remoteAddr }) => {
      this.#requests++;
      // Deno asks for it anew each time that it is read.
      const answer = handler(request, { remoteAddr });
      const { method } = request;
      if (method !== "GET" && method !== "HEAD") return this.#leavingNone(request, answer);
      if (answer instanceof Promise) {
        this.#pending++;
        answer.then(this.#given, this.#given);
        return answer;
      }
      this.#padding.add(answer, remoteAddr.port);
      return this.#bursts.add(answer);
    };
    this.#serving = this.#serve(options.port);
    this.port = this.#serving.server.addr.port;
    this.#share.hold();
    this.#floor = descriptorsInUse() ?? 0;
    this.#timer = setInterval(() => this.#look(), options.idleAfter ?? 30_000);
    Deno.unrefTimer(this.#timer);
  }

  /**
   * Gives up the bodies of all requests, takes no more connections, closes idle ones, and resolves when the last request
   * is answered.
   */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#share.release();
    // Deno breaks off bodies that are on their way: their senders are told before.
    intake.stop();
    await delay(ANSWERED);
    leftovers.cutAll();
    // Some connections hold the server up beyond the last answer.
    await Promise.race([this.#serving.server.shutdown(), this.#quiet(QUIET.closing)]);
  }

  readonly #given = (): void => void this.#pending--;

  readonly #failed = (error: unknown): never => {
    this.#pending--;
    throw error;
  };

  /** The answer, once what is left of the body is seen to. A chain of promises would keep more while a write waits. */
  #leavingNone(request: Request, answer: Awaitable<Response>): Awaitable<Response> {
    if (!(answer instanceof Promise)) {
      leaveNone(request);
      return answer;
    }
    this.#pending++;
    return answer.then((response) => {
      this.#pending--;
      leaveNone(request);
      return response;
    }, this.#failed);
  }

  #serve(port: number): Serving {
    const { hostname } = this.options;
    const ending = new AbortController();
    const server = Deno.serve(
      { port, hostname, signal: ending.signal, onListen() {}, onError: answerFailed },
      this.#handle,
    );
    // Taking connections failed; those that are there are still served.
    server.finished.catch((error) => {
      if (this.#closed || ending.signal.aborted) return;
      log.debug("Cannot take a connection beside {bodies} bodies", { bodies: intake.size });
      this.#logSometimes(error);
      this.#short = true;
      this.#renew();
    });
    async function end() {
      try {
        ending.abort();
        await server.shutdown();
      } catch (error) {
        log.warn("Cannot end a server: {error}", { error });
      }
    }
    return { server, end };
  }

  /** Ends the server in a moment without requests, and listens again. */
  async #renew(): Promise<void> {
    if (this.#renewing || this.#closed) return;
    this.#renewing = true;
    try {
      // Streams of events are not broken off for the sake of connections that merely idle.
      const quiet = this.#short || standing.size === 0 && await this.#quiet(QUIET.routine);
      if (this.#short) {
        await this.#makeRoom();
        await this.#quiet(QUIET.short);
      }
      if (this.#closed || !quiet && !this.#short) return;
      this.#serving.end();
      await this.#listenAgain();
    } finally {
      this.#renewing = false;
    }
  }

  /** Gives up what slow clients hold: bodies that do not come, answers that nobody takes. */
  async #makeRoom(): Promise<void> {
    this.#share.release();
    outflow.cutStalled(STALLED.whenShort);
    intake.cutAll();
    await delay(ANSWERED);
    leftovers.cutAll();
  }

  /**
   * Waits until no request has come and none was in progress for a while.
   *
   * @returns Whether that came about in time; false as soon as a server that is not short becomes so.
   */
  async #quiet({ still, within }: { still: number; within: number }): Promise<boolean> {
    const began = performance.now();
    const short = this.#short;
    let since = began;
    let requests = this.#requests;
    for (let now = began; now - began < within && this.#short === short; now = performance.now()) {
      if (this.#pending > 0 || outflow.size > 0 || this.#requests !== requests) {
        since = now;
        requests = this.#requests;
      } else if (now - since >= still) return true;
      await delay(Math.min(still, RETRY.delay));
    }
    return false;
  }

  /** The port is free a turn of the event loop after the old server gave it up, descriptors as connections end. */
  async #listenAgain(): Promise<void> {
    const began = performance.now();
    while (!this.#closed) {
      const waited = performance.now() - began;
      if (this.#share.hold() || waited > RETRY.shareFor) {
        try {
          const inUse = descriptorsInUse();
          this.#serving = this.#serve(this.port);
          // The port is one more.
          if (inUse !== null) this.#floor = inUse + 1;
          this.#looks = [];
          this.#short = false;
          return;
        } catch (error) {
          if (waited > RETRY.shareFor) this.#logSometimes(error);
        }
      }
      await delay(waited < RETRY.delay ? 0 : RETRY.delay);
    }
  }

  #look(): void {
    outflow.cutStalled(STALLED.always);
    this.#share.hold();
    const inUse = descriptorsInUse();
    if (inUse === null) return;
    this.#floor = Math.min(this.#floor, inUse);
    this.#looks.push({ requests: this.#requests, inUse });
    if (this.#looks.length > IDLE.long + 1) this.#looks.shift();
    if (this.#idleSince(1) <= IDLE.allowed && this.#idleSince(IDLE.long) <= 0) return;
    log.debug("Closing idle connections");
    this.#renew();
  }

  /** Connections that have surely idled for so many looks: each request may have been one of another connection. */
  #idleSince(looks: number): number {
    const seen = this.#looks.slice(-looks - 1);
    if (seen.length <= looks) return 0;
    const inUse = Math.min(...seen.map((look) => look.inUse));
    const active = seen.at(-1)!.requests - seen[0]!.requests;
    return inUse - active - this.#floor - (this.options.beside ?? 0) - standing.size;
  }

  #logSometimes(error: unknown): void {
    if (performance.now() - this.#loggedAt < LOG_EVERY) return;
    this.#loggedAt = performance.now();
    log.warn("Cannot take more connections, closing idle ones: {reason}", {
      reason: error instanceof Error ? error.message : String(error),
    });
  }
}

/** Hands a body that its handler did not begin to read to `leftovers`. */
function leaveNone(request: Request): void {
  if (!request.bodyUsed && request.body?.locked === false) leftovers.take(request.body.getReader());
}

/** An answer that broke off while it was sent, or a defect of ours; the application answers everything else itself. */
function answerFailed(error: unknown): Response {
  if (error instanceof CutAnswer) return new Response(null, { status: 408 });
  log.error("Cannot complete an answer: {reason}", {
    reason: error instanceof Error ? error.message : String(error),
  });
  return new Response(null, { status: 500 });
}

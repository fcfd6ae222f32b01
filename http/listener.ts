// Takes connections, and still does when descriptors run out or too many connections are idle.
import { getLogger } from "@logtape/logtape";
import { DescriptorShare, descriptorsInUse } from "../core/descriptors.ts";
import { outflow, StalledReader } from "../core/outflow.ts";
import { intake } from "./intake.ts";
import { leftovers } from "./leftovers.ts";
import { delay } from "../core/delay.ts";

export interface ListenOptions {
  /** 0: any that is free. */
  readonly port: number;
  readonly hostname: string;
  /** Descriptors that are open beside connections, once all is warm: those of the store. @default 0 */
  readonly beside?: number;
  /**
   * Milliseconds after which connections without a request count as idle; they are closed within twice that time.
   *
   * @default 30000
   */
  readonly idleAfter?: number;
}

type Handler = Deno.ServeHandler<Deno.NetAddr>;

/** Descriptors held back for the store, mails and the next listener. */
const SHARE = 32;
/** Connections that may be idle: browsers and proxies keep some, and may. */
const IDLE_ALLOWED = 64;
/** Milliseconds between tries to listen again, and until it is tried without the held share of descriptors. */
const RETRY = { delay: 10, shareFor: 500 };
/** Milliseconds that a reader may take nothing of what is there: always, and when descriptors are short. */
const STALLED = { always: 60_000, whenShort: 5000 };
/** Milliseconds until the answers to bodies that were given up are out. */
const ANSWERED = 20;
/** Milliseconds between two lines in the log about the same. */
const LOG_EVERY = 10_000;

const log = getLogger(["quarterdeck", "listener"]);

/**
 * `Deno.serve` that renews itself. Deno gives no hold on single connections, neither a limit nor a timeout: what it
 * gives is that a server which shuts down closes, at once, every connection without a request in progress, and lets
 * requests finish whose body is there. So when the system has no descriptor left for a connection, or when connections
 * are surely idle and no body is on its way, the server is shut down and another one takes the port.
 */
export class Listener {
  readonly port: number;
  #server: Deno.HttpServer<Deno.NetAddr>;
  /** Servers whose last requests are still answered. */
  readonly #draining = new Set<Promise<void>>();
  readonly #share = new DescriptorShare(SHARE);
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #handle: Handler;
  #requests = 0;
  #renewing = false;
  #closed = false;
  #loggedAt = -Infinity;
  /** What `#look` saw the last time. */
  #before = { requests: 0, inUse: 0 };
  /** Descriptors in use without connections: the fewest that were seen. */
  #floor: number;

  /** @throws {Deno.errors.AddrInUse} And what else `Deno.listen` throws. */
  constructor(readonly options: ListenOptions, handler: Handler) {
    this.#handle = (request, info) => {
      this.#requests++;
      const response = handler(request, info);
      const { method } = request;
      return method === "GET" || method === "HEAD" ? response : leavingNone(request, response);
    };
    this.#server = this.#serve(options.port);
    this.port = this.#server.addr.port;
    this.#share.hold();
    this.#floor = descriptorsInUse() ?? 0;
    this.#timer = setInterval(() => this.#look(), options.idleAfter ?? 30_000);
    Deno.unrefTimer(this.#timer);
  }

  /** Takes no more connections, closes idle ones, and resolves when the last request is answered. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#share.release();
    await Promise.all([this.#server.shutdown(), ...this.#draining]);
  }

  #serve(port: number): Deno.HttpServer<Deno.NetAddr> {
    const { hostname } = this.options;
    const server = Deno.serve(
      { port, hostname, onListen() {}, onError: answerFailed },
      this.#handle,
    );
    // Taking connections failed; those that are there are still served.
    server.finished.catch(async (error) => {
      if (this.#closed) return;
      log.debug("Cannot take a connection beside {bodies} bodies", { bodies: intake.size });
      this.#logSometimes(error);
      await this.#makeRoom();
      this.#renew(true);
    });
    return server;
  }

  /** Gives up what slow clients hold: bodies that do not come, answers that nobody takes. */
  async #makeRoom(): Promise<void> {
    this.#share.release();
    outflow.cutStalled(STALLED.whenShort);
    intake.cutAll();
    await delay(ANSWERED);
    leftovers.cutAll();
  }

  #renew(short: boolean): void {
    if (this.#renewing || this.#closed) return;
    this.#renewing = true;
    const drained = this.#server.shutdown()
      .catch((error) => log.warn("Cannot end a server: {error}", { error }))
      .finally(() => this.#draining.delete(drained));
    this.#draining.add(drained);
    this.#listenAgain(short).finally(() => this.#renewing = false);
  }

  /** The port is free a turn of the event loop after the old server gave it up, descriptors as connections end. */
  async #listenAgain(short: boolean): Promise<void> {
    const began = performance.now();
    while (!this.#closed) {
      const waited = performance.now() - began;
      if (!short || this.#share.hold() || waited > RETRY.shareFor) {
        try {
          this.#server = this.#serve(this.port);
          return;
        } catch (error) {
          if (waited > RETRY.shareFor) this.#logSometimes(error);
        }
      }
      await delay(waited < RETRY.delay ? 0 : RETRY.delay);
    }
  }

  /** Takes connections beyond the number of requests since the last look for idle; long requests may still finish. */
  #look(): void {
    outflow.cutStalled(STALLED.always);
    this.#share.hold();
    const inUse = descriptorsInUse();
    if (inUse === null) return;
    const before = this.#before;
    this.#before = { requests: this.#requests, inUse };
    this.#floor = Math.min(this.#floor, inUse);
    const allowed = this.#floor + (this.options.beside ?? 0) + IDLE_ALLOWED;
    const idle = Math.min(before.inUse, inUse) - (this.#requests - before.requests) - allowed;
    // Bodies that are on their way would break off.
    if (idle <= 0 || intake.size > 0) return;
    log.debug("Closing idle connections, more than {allowed}", { allowed: IDLE_ALLOWED });
    this.#renew(false);
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
async function leavingNone(request: Request, answer: ReturnType<Handler>): Promise<Response> {
  const response = await answer;
  if (!request.bodyUsed && request.body?.locked === false) leftovers.take(request.body.getReader());
  return response;
}

/** An answer that broke off while it was sent, or a defect of ours; the application answers everything else itself. */
function answerFailed(error: unknown): Response {
  if (error instanceof StalledReader) return new Response(null, { status: 408 });
  log.error("Cannot complete an answer: {reason}", {
    reason: error instanceof Error ? error.message : String(error),
  });
  return new Response(null, { status: 500 });
}

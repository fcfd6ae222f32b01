// The request that a webhook is told by: to an address that was checked, within a time, with an answer that is cut short.
import { lookup as lookUpHost } from "node:dns/promises";
import { request as requestHttp } from "node:http";
import { Agent, request as requestHttps } from "node:https";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { connect, type ConnectionOptions } from "node:tls";
import { Buffer } from "node:buffer";
import { isPublicAddress } from "../../core/public_addresses.ts";
import { KIB, SECOND } from "../../core/units.ts";
import { hostIn, urlProblem } from "./urls.ts";

/** Milliseconds within which an answer has to begin; names are looked up and connections made in them too. */
export const TIMEOUT = 15 * SECOND;
/** Bytes of an answer that are read. */
export const MAX_RESPONSE = 4 * KIB;

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The beginning of the body, as text. */
  readonly body: string;
}

/** Why an address was not reached; the message is for the owner of the webhook. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
}

/** Finds the addresses of a host. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface RequestOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether addresses that are not public may be called. */
  readonly allowPrivate: boolean;
  /** Ends the request. */
  readonly signal: AbortSignal;
  /** @default TIMEOUT */
  readonly timeout?: number;
  /** @default the system's */
  readonly resolve?: Resolve;
}

const resolveBySystem: Resolve = async (host) =>
  (await lookUpHost(host, { all: true })).map(({ address }) => address);

/** Sends a POST of JSON. Redirects are not followed. @throws {DeliveryError} No answer came. */
export async function post(url: string, options: RequestOptions): Promise<Answer> {
  const { allowPrivate, signal, timeout = TIMEOUT, resolve = resolveBySystem } = options;
  const problem = urlProblem(url, allowPrivate);
  if (problem !== null) throw new DeliveryError(`The URL ${problem}`);
  const target = new URL(url);
  const timer = AbortSignal.timeout(timeout);
  const ended = AbortSignal.any([timer, signal]);
  const late = () =>
    new DeliveryError(timer.aborted ? `No answer in ${timeout / SECOND} s` : "Ended");
  const { promise: over, reject } = Promise.withResolvers<never>();
  over.catch(() => {});
  const onEnd = () => reject(late());
  ended.addEventListener("abort", onEnd, { once: true });
  if (ended.aborted) onEnd();
  try {
    const address = await Promise.race([
      checkedAddress(hostIn(target), allowPrivate, resolve),
      over,
    ]);
    return await send(target, address, options, over);
  } finally {
    ended.removeEventListener("abort", onEnd);
  }
}

/**
 * An address of the host, IPv4 first. One that may not be called keeps the others from being called, too: whoever names
 * both tries something.
 */
async function checkedAddress(
  host: string,
  allowPrivate: boolean,
  resolve: Resolve,
): Promise<string> {
  const addresses = isIP(host) > 0 ? [host] : await resolve(host).catch((error) => {
    throw new DeliveryError(`Cannot find ${host}: ${codeOf(error)}`);
  });
  if (!allowPrivate && !addresses.every(isPublicAddress)) {
    throw new DeliveryError(`${host} leads into a private network`);
  }
  const found = addresses.find((address) => isIP(address) === 4) ?? addresses[0];
  if (found === undefined) throw new DeliveryError(`Cannot find ${host}: it has no address`);
  return found;
}

/**
 * Connects by the certificates that the runtime trusts, with that of DENO_CERT. Deno's own agent reads those of
 * NODE_EXTRA_CA_CERTS first, for which the server has no permission.
 */
class PlainAgent extends Agent {
  override createConnection({ host, port, servername }: ConnectionOptions) {
    return connect({ host, port: Number(port), servername });
  }
}

/**
 * Whether agents make connections. In Deno 2.5 they do not, and a certificate is compared with the address in place of
 * the name.
 */
const CONNECTS = Object.hasOwn(Agent.prototype, "createConnection");

/** Connects to the address that was checked; the name goes with the request, and the certificate has to be for it. */
function send(
  target: URL,
  address: string,
  { headers, body }: RequestOptions,
  over: Promise<never>,
): Promise<Answer> {
  const secure = target.protocol === "https:";
  const host = hostIn(target);
  if (secure && isIP(host) === 0 && !CONNECTS) {
    throw new DeliveryError(
      "This version of Deno cannot check a certificate: https takes a newer one",
    );
  }
  const bytes = Buffer.from(body);
  return new Promise((resolve, reject) => {
    let answered = false;
    const fail = (error: unknown) => {
      request.destroy();
      if (answered) return;
      reject(
        error instanceof DeliveryError
          ? error
          : new DeliveryError(`Cannot deliver: ${codeOf(error)}`),
      );
    };
    const request = (secure ? requestHttps : requestHttp)({
      method: "POST",
      host: address,
      port: target.port || (secure ? 443 : 80),
      path: target.pathname + target.search,
      ...(secure && isIP(host) === 0 ? { servername: host } : {}),
      // A connection is made for this address alone, and not kept for another request.
      agent: secure && CONNECTS ? new PlainAgent() : false,
      headers: {
        host: target.host,
        "content-type": "application/json",
        "content-length": String(bytes.length),
        "user-agent": "Quarterdeck-Webhooks/1",
        ...headers,
      },
    }, (response) => {
      const { statusCode: status = 0, headers: { "retry-after": asked } } = response;
      // The status says whether it was taken, however the body ends.
      answered = true;
      beginning(response, over).then((text) => resolve({ status, retryAfter: asked, body: text }));
    });
    request.on("error", fail);
    over.catch(fail);
    request.end(bytes);
  });
}

/** The first bytes of an answer, as text, as far as they come; what follows is not received. */
function beginning(response: IncomingMessage, over: Promise<never>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    const done = () => {
      const bytes = Buffer.concat(chunks).subarray(0, MAX_RESPONSE);
      // NUL is no part of a text that every engine stores.
      resolve(bytes.toString("utf8").replaceAll("\0", ""));
    };
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length < MAX_RESPONSE) return;
      done();
      // From here: Deno 2.5 goes on to receive where it is destroyed later.
      response.destroy();
    });
    for (const event of ["end", "error", "close"]) response.on(event, done);
    over.catch(done);
  });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error as { code?: string }).code ?? error.message;
}

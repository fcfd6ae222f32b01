// One request and its answer: the request id, the client's address, and the headers every answer carries.
import type { Context } from "hono";
import { getPath } from "hono/utils/url";
import { BlockList, isIP } from "node:net";
import { andThen } from "../awaitable.ts";
import type { Awaitable } from "../store.ts";

/** Carried through the request; headers are gathered before the answer is made, which is cheaper than adding them after. */
export interface Exchange {
  readonly requestId: string;
  /** Milliseconds, monotonic; 0 where nobody observes. */
  readonly startedAt: number;
  /** For the answer, whatever it is. */
  readonly headers: Record<string, string>;
  /** The pattern of the endpoint that answers, `/api/users/{id}`; absent for unknown paths. */
  route?: string;
  /** The caller, once known. */
  userId?: string;
}

/** What is known of a request once it is answered. */
export interface Observed {
  readonly method: string;
  /** Without the query, which may hold secrets. */
  readonly path: string;
  readonly route: string | undefined;
  readonly status: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly requestId: string;
  readonly userId: string | undefined;
}

export interface ExchangeOptions {
  /** Called after each answer is made; must not throw. */
  readonly observers?: readonly ((observed: Observed) => void)[];
  /** Sent with every answer: set behind TLS. @default false */
  readonly strictTransport?: boolean;
}

/** An incoming id is kept when it is safe to log. */
const REQUEST_ID = /^[\w\-.:]{8,128}$/;

/** What a request brings along beside itself: Hono's bindings. */
export interface Bindings {
  readonly exchange: Exchange;
  /** What Deno.serve tells of the connection. */
  readonly info: unknown;
}

/** The exchange of a request. */
export function exchangeOf(c: Context): Exchange {
  return (c.env as Bindings).exchange;
}

type Serve = (request: Request, bindings: Bindings) => Awaitable<Response>;

/** Gives each request its exchange, and tells the observers of each answer. */
export function exchanges(
  options: ExchangeOptions = {},
): (serve: Serve) => (request: Request, info?: unknown) => Awaitable<Response> {
  const { observers = [], strictTransport = false } = options;
  const nextId = requestIds();

  function open(request: Request): Exchange {
    const given = request.headers.get("x-request-id");
    const requestId = given !== null && REQUEST_ID.test(given) ? given : nextId();
    const headers: Record<string, string> = {
      "x-request-id": requestId,
      "x-content-type-options": "nosniff",
    };
    // RFC 6797; one year, as OWASP recommends.
    if (strictTransport) {
      headers["strict-transport-security"] = "max-age=31536000; includeSubDomains";
    }
    return { requestId, startedAt: observers.length > 0 ? performance.now() : 0, headers };
  }

  return (serve) =>
    function exchangeMiddleware(request, info) {
      const exchange = open(request);
      const answer = serve(request, { exchange, info });
      if (observers.length === 0) return answer;
      return andThen(answer, (response) => {
        const observed = observe(request, response, exchange);
        for (const tell of observers) tell(observed);
        return response;
      });
    };
}

/** Ids that are unique to the process and cheap: a random part, and a count. */
function requestIds(): () => string {
  const process = crypto.randomUUID().slice(0, 18);
  let count = 0;
  return () => `${process}-${(count++).toString(36).padStart(8, "0")}`;
}

function observe(request: Request, response: Response, exchange: Exchange): Observed {
  return {
    method: request.method,
    path: getPath(request),
    route: exchange.route,
    status: response.status,
    duration: performance.now() - exchange.startedAt,
    requestId: exchange.requestId,
    userId: exchange.userId,
  };
}

/** Finds the client's address; forwarded addresses count only when a trusted proxy gives them. */
export function clientAddress(trustedProxies: readonly string[]): (c: Context) => string {
  const trusted = blockList(trustedProxies);
  const isTrusted = (address: string) =>
    isIP(address) > 0 && trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  return function addressOf(c) {
    let address = peerAddress(c);
    if (trustedProxies.length === 0 || !isTrusted(address)) return address;
    // From the nearest hop outwards, the first address that is not a proxy of ours.
    const hops = (c.req.header("x-forwarded-for") ?? "").split(",").map((hop) => hop.trim());
    for (const hop of hops.reverse()) {
      if (isIP(hop) === 0) break;
      address = hop;
      if (!isTrusted(hop)) break;
    }
    return address;
  };
}

function peerAddress(c: Context): string {
  const info = (c.env as Bindings).info as Partial<Deno.ServeHandlerInfo<Deno.NetAddr>> | undefined;
  const address = info?.remoteAddr?.hostname ?? "127.0.0.1";
  return address.startsWith("::ffff:") ? address.slice(7) : address;
}

function blockList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", bits] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (isIP(address) === 0) {
      throw new Error(`Cannot read TRUSTED_PROXIES: '${entry}' is no address`);
    }
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

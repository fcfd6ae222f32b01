// One request and its answer: the request id, and the headers every answer carries.
import type { Bindings, Exchange, Observed } from "../http/exchange.ts";
import { andThen, type Awaitable } from "../core/awaitable.ts";
import type { Served, Tracing } from "../core/tracing.ts";
import { pathToTell } from "../services/system/request_log.ts";

export interface ExchangeOptions {
  /** Called after each answer is made; must not throw. */
  readonly observers?: readonly ((observed: Observed) => void)[];
  /** Called likewise, before anything is made of it. */
  readonly record?: Recorder;
  /** @default nothing is traced */
  readonly tracing?: Tracing | null;
  /** Whether every answer carries Strict-Transport-Security: for servers reached by https. @default false */
  readonly strictTransport?: boolean;
}

/** @param duration Milliseconds. */
type Recorder = (
  request: Request,
  response: Response,
  bindings: Bindings,
  duration: number,
) => void;

/** An incoming id is kept when it is safe to log. */
const REQUEST_ID = /^[\w\-.:]{8,128}$/;

type Serve = (request: Request, bindings: Bindings) => Awaitable<Response>;

/** Gives each request its exchange, and tells the observers of each answer. */
export function exchanges(
  options: ExchangeOptions = {},
): (serve: Serve) => (request: Request, info?: unknown) => Awaitable<Response> {
  const { observers = [], record, tracing = null, strictTransport = false } = options;
  const unobserved = observers.length === 0 && tracing === null && record === undefined;
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
    if (unobserved) return { requestId, startedAt: 0, headers };
    const trace = tracing?.current();
    return { requestId, trace, startedAt: performance.now(), headers, observe: tell };
  }

  function tell(request: Request, response: Response, bindings: Bindings): void {
    const { exchange } = bindings;
    const duration = performance.now() - exchange.startedAt;
    record?.(request, response, bindings, duration);
    if (observers.length === 0) return;
    const observed = observedOf(request, response, exchange, duration);
    for (const observer of observers) observer(observed);
  }

  return (serve) =>
    function exchangeMiddleware(request, info) {
      const exchange = open(request);
      const bindings = { exchange, info };
      const answer = serve(request, bindings);
      if (unobserved) return answer;
      return andThen(answer, (response) => {
        exchange.trace?.served(servedOf(request, exchange));
        tell(request, response, bindings);
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

function servedOf({ method, url }: Request, { route, requestId }: Exchange): Served {
  return { method, path: pathToTell(url, route), route, requestId };
}

function observedOf(
  request: Request,
  response: Response,
  exchange: Exchange,
  duration: number,
): Observed {
  return {
    method: request.method,
    path: pathToTell(request.url, exchange.route),
    route: exchange.route,
    status: response.status,
    duration,
    requestId: exchange.requestId,
    traceId: exchange.trace?.id,
    userId: exchange.userId,
  };
}

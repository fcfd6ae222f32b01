// What travels with one request: its id, the headers of its answer, and what observers are told of it.
import type { Context } from "hono";
import type { Awaitable } from "../core/awaitable.ts";
import type { ApiError } from "../core/errors.ts";
import type { Trace } from "../core/tracing.ts";
import type { Transaction } from "../storage/port.ts";

/** Carried through the request. Headers are gathered before the answer is made: adding them later costs more. */
export interface Exchange {
  readonly requestId: string;
  /** Absent where nothing is traced. */
  readonly trace?: Trace;
  /** Milliseconds, monotonic; 0 where nobody observes. */
  readonly startedAt: number;
  /** Tells the observers of a request that the application has made of itself; absent where nobody observes. */
  readonly observe?: (request: Request, response: Response, bindings: Bindings) => void;
  /** For the answer, whatever it is. */
  readonly headers: Record<string, string>;
  /** The pattern of the endpoint that answers, `/api/users/{id}`; absent for unknown paths. */
  route?: string;
  /** The answer is to go without its body: what would only be made for that need not be. @default false */
  bodiless?: boolean;
  /** The caller, once known. */
  userId?: string;
  /** The path is one whose answers come without the envelope. */
  bare?: true;
  /** The application makes the request of itself, for another one. */
  readonly inside?: true;
  /** Where the request is a part of a batch that is committed as one. */
  readonly part?: Part;
  /** What the request was refused with. */
  refusal?: ApiError;
}

/** What a part of a batch does in place of a commit of its own. */
export interface Part {
  /** Has the plan run among those of the batch. Resolves once they are all committed. */
  transact<R>(plan: (tx: Transaction) => Awaitable<R>): Promise<R>;
  /** Resolves once the batch is committed: what only reads then sees what was written. */
  committed(): Promise<void>;
}

/** What is known of a request once it is answered. */
export interface Observed {
  readonly method: string;
  /** Without the query and the parts that may be secret. */
  readonly path: string;
  readonly route: string | undefined;
  readonly status: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly requestId: string;
  readonly traceId: string | undefined;
  readonly userId: string | undefined;
}

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

// What travels with one request: its id, the headers of its answer, and what observers are told of it.
import type { Context } from "hono";

/** Carried through the request. Headers are gathered before the answer is made: adding them later costs more. */
export interface Exchange {
  readonly requestId: string;
  /** Milliseconds, monotonic; 0 where nobody observes. */
  readonly startedAt: number;
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

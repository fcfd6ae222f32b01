// How a route is declared: method, path, who may call it, what it takes and gives. Everything else follows from it.
import type { Context } from "hono";
import { z } from "zod";
import type { ErrorCode } from "./errors.ts";
import type { JsonText } from "./json.ts";
import type { Principal } from "./services/access.ts";
import type { Services } from "./services/services.ts";
import type { Actor, Awaitable, Store, Transaction } from "./store.ts";

/**
 * Who may call: anyone, anyone but with the caller known where there is one, anyone signed in, or whoever holds the
 * permission (of a list, any one).
 */
export type Access = "public" | "optional" | "authenticated" | Permission | readonly Permission[];
export type Permission = `${string}:${string}`;

/** The caller as the handler sees it. */
type Caller<A> = A extends "public" ? null : A extends "optional" ? Principal | null : Principal;

/** The names between braces in a path. */
type ParamNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;

/** One request, checked: what a handler gets. */
export interface Call<A = Access, P extends string = string, Q = unknown, B = unknown> {
  readonly params: Readonly<Record<ParamNames<P>, string>>;
  readonly query: Q;
  readonly body: B;
  readonly principal: Caller<A>;
  /** For the journal and the audit log. */
  readonly actor: Actor;
  /** The address of the client, behind trusted proxies only as they tell it. */
  readonly ip: string;
  readonly services: Services;
  readonly store: Store;
  /** `store.transact` in the caller's name. */
  transact<R>(plan: (tx: Transaction) => Awaitable<R>): Promise<R>;
  readonly context: Context;
}

export interface Pagination {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly totalPages: number;
  /** For walking everything; null on the last page. */
  readonly nextCursor: string | null;
}

/** What a handler gives: the envelope and the headers are made from it. */
export interface Answer<D> {
  readonly data?: D | JsonText;
  readonly message?: string;
  readonly pagination?: Pagination;
  /** Version of the record, without quotes. */
  readonly etag?: string;
  /** Who asks makes no difference to what is shown; else caches are told that it does. @default false */
  readonly impersonal?: boolean;
  /** Top-level fields beside `data`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Set-Cookie values. */
  readonly cookies?: readonly string[];
}

export interface Endpoint<
  A extends Access = Access,
  P extends string = string,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  D extends z.ZodType = z.ZodType,
> {
  /** `put` is served as `patch` too. */
  readonly method: "get" | "post" | "put" | "delete";
  /** Below the base path, with parameters in braces: `/users/{id}`. */
  readonly path: P;
  /** The path is not below the base path: `/health`. */
  readonly root?: boolean;
  /** Groups the endpoint in the API page. */
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: A;
  readonly query?: Q;
  /** JSON. */
  readonly body?: B;
  /** The body is multipart form data with a file part named `file`; the handler reads it from the context. */
  readonly upload?: boolean;
  /** The public schema of `data`: nothing else leaves the server. */
  readonly data?: D;
  /** The answer carries `pagination`. */
  readonly list?: boolean;
  /** Schemas of top-level fields beside `data`. */
  readonly extra?: Readonly<Record<string, z.ZodType>>;
  /** @default 201 for a POST that answers with `created: true`, else 200 */
  readonly created?: boolean;
  /** The handler answers with a Response of its own, of this media type. */
  readonly raw?: string;
  /** Answers hold credentials: they are never stored by caches. */
  readonly secret?: boolean;
  /** Codes beyond those that follow from the rest of the declaration. */
  readonly errors?: readonly ErrorCode[];
  handle(
    call: Call<A, P, z.output<Q>, z.output<B>>,
  ): Awaitable<Answer<z.input<D>> | Response>;
}

/** Declares an endpoint; the types of the handler follow from the declaration. */
export function endpoint<
  const A extends Access,
  const P extends string,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
  D extends z.ZodType = z.ZodUndefined,
>(declaration: Endpoint<A, P, Q, B, D>): Endpoint {
  return declaration as unknown as Endpoint;
}

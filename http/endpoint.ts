// How a route is declared: method, path, who may call it, what it takes and gives. Everything else follows from it.
import type { Context } from "hono";
import { z } from "zod";
import type { Settings } from "../config/settings.ts";
import type { ApiError, ErrorCode, FieldError } from "../core/errors.ts";
import type { JsonText } from "../core/json.ts";
import { KIB } from "../core/units.ts";
import type { Principal } from "../services/access/access.ts";
import type { RateLimitName } from "../services/accounts/limits.ts";
import type { Services } from "../services/services.ts";
import type { Actor, Store, Transaction } from "../storage/port.ts";
import type { Awaitable } from "../core/awaitable.ts";
import type { Part } from "./exchange.ts";
import type { Tag } from "./tags.ts";

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
  /** The caller; from the beginning of a plan of `transact` on, as that plan has read them. */
  readonly principal: Caller<A>;
  /** For the journal and the audit log. */
  readonly actor: Actor;
  /** The address of the client, behind trusted proxies only as they tell it. */
  readonly ip: string;
  readonly services: Services;
  readonly store: Store;
  /** By the server's clock, ISO 8601 in UTC. Within a plan it is `tx.now`. */
  readonly now: string;
  /**
   * `store.transact` in the caller's name. The plan begins with the endpoint's access rule, held to the caller's
   * session, user and role as they are then, and its commit fails when one of them changes.
   *
   * @throws {ApiError} UNAUTHORIZED, FORBIDDEN, as at the start of the request.
   */
  transact<R>(plan: (tx: Transaction) => Awaitable<R>): Promise<R>;
  /** For uploads, before `transact`: a text by which Idempotency-Key tells this body from another one. */
  identify(body: string): void;
  /**
   * True after `transact` where its result is that of an earlier try with the same Idempotency-Key. What this try has
   * stored beforehand, such as the bytes of an upload, is not needed then.
   */
  readonly repeated: boolean;
  readonly context: Context;
  /** The endpoints of this application, to be asked in the caller's name. */
  readonly inside: Inside;
}

/** A request that the application makes of itself. */
export interface InnerRequest {
  /** In capitals. */
  readonly method: string;
  /** With the query, as a client writes it. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a `JsonText` as it is. */
  readonly body?: unknown;
}

export interface InnerAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** What the request was refused with, if it was. */
  readonly refusal: ApiError | undefined;
}

/** The application, as its own handlers use it. */
export interface Inside {
  readonly endpoints: readonly Endpoint[];
  readonly basePath: string;
  /** The endpoint that serves a method, in capitals, at a path; null for pages and where there is nothing. */
  endpointAt(method: string, path: string): Endpoint | null;
  /** Asks in the name of whoever sent the outer request: each check is made anew. Never rejects. */
  ask(outer: Context, request: InnerRequest, part?: Part): Promise<InnerAnswer>;
}

export interface Pagination {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly totalPages: number;
  /** Leads to the next page of a walk through everything; null on the last page. */
  readonly nextCursor: string | null;
}

/** What a handler gives: the envelope and the headers are made from it. */
export interface Answer<D> {
  readonly data?: D | JsonText;
  readonly message?: string;
  readonly pagination?: Pagination;
  /** Version of the record, without quotes. */
  readonly etag?: string;
  /** The answer is the same whoever asks; without this, caches are told that it differs by caller. @default false */
  readonly impersonal?: boolean;
  /** Top-level fields beside `data`. One that is a `JsonText` is written as it is, unchecked. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Set-Cookie values. */
  readonly cookies?: readonly string[];
}

/** Rate limits that hold whatever the body says; an endpoint counts against them itself. */
export interface EndpointLimits {
  /** Of callers without an account, by their network. */
  readonly network?: readonly RateLimitName[];
  /** Of callers with an account, by that account. */
  readonly account?: readonly RateLimitName[];
}

/** Records that another one names by id, and that the answer may show with it: `?include=owner`. */
export interface Reference {
  /** The field of the record that holds the id. */
  readonly from: string;
  readonly schema: z.ZodType;
  /** Those of them that the caller may see, by id. */
  load(
    caller: { readonly store: Store; readonly principal: Principal },
    ids: readonly string[],
  ): Awaitable<ReadonlyMap<string, unknown>>;
}

export interface Endpoint<
  A extends Access = Access,
  P extends string = string,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  D extends z.ZodType = z.ZodType,
> {
  /** The name by which clients and tools call the endpoint: `listUsers`. Unique, and never changed once released. */
  readonly operationId: string;
  /** `put` is served as `patch` too. */
  readonly method: "get" | "post" | "put" | "delete";
  /** Below the base path, with parameters in braces: `/users/{id}`. */
  readonly path: P;
  /** The path is not below the base path: `/health`. */
  readonly root?: boolean;
  /** Groups the endpoint in the API page. */
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly access: A;
  /**
   * Only for callers who proved a few minutes ago who they are: 403 STEP_UP_REQUIRED. `rights`: only where
   * STEP_UP_ROLES is on. @default false
   */
  readonly stepUp?: boolean | "rights";
  /** Open to those too whose role asks for a second factor that their session lacks. @default false */
  readonly beforeSecondFactor?: boolean;
  /**
   * Only for people who signed in themselves: 403 to API keys, and to a super_admin who acts as the user. For what
   * makes or ends credentials. `acting`: only API keys are refused. @default false
   */
  readonly ownSession?: boolean | "acting";
  /**
   * For browsers' EventSource, which sends no header: a ticket in the query is a credential too, and so is the session
   * cookie, for pages of the same origin. @default false
   */
  readonly eventSource?: boolean;
  /** The permission that an API key needs where people need none. @default what `access` names */
  readonly scope?: Permission | readonly Permission[];
  readonly query?: Q;
  /** Schema of the JSON body. */
  readonly body?: B;
  /**
   * Bytes that the JSON body may have: what its largest fields take when each character is escaped (6 bytes), and what
   * clients send along that give a whole record back to change it.
   *
   * @default 16 KiB
   */
  readonly bodyLimit?: number;
  /** Whoever is beyond one of these is answered 429 before the body is read. @default none */
  readonly limits?: EndpointLimits;
  /** What is wrong with the body beyond what its schema can tell; it is named together with what the schema finds. */
  readonly problems?: (body: unknown, settings: Settings) => Awaitable<readonly FieldError[]>;
  /** The body is CSV: its schema is that of a text. */
  readonly csv?: boolean;
  /** The body is multipart form data with a file part named `file`; the handler reads it from the context. */
  readonly upload?: boolean;
  /** The public schema of `data`: nothing else leaves the server. */
  readonly data?: D;
  /** What each record of the answer may be shown with, by the name of the field that it then has. */
  readonly include?: Readonly<Record<string, Reference>>;
  /** The answer carries `pagination`. */
  readonly list?: boolean;
  /** Schemas of top-level fields beside `data`. */
  readonly extra?: Readonly<Record<string, z.ZodType>>;
  /** Answers 201 instead of 200. @default false */
  readonly created?: boolean;
  /** Answers 202 instead: what was asked for goes on after the answer. @default false */
  readonly accepted?: boolean;
  /** The collection of the record that is made, where it is one: `data` is that record. */
  readonly makes?: string;
  /** The handler answers with a Response of its own, of this media type. */
  readonly raw?: string;
  /** Another media type that such an answer may have. */
  readonly rawOr?: string;
  /** When the handler answers with a Response of its own that sends the browser on instead: 302. */
  readonly movedWhen?: string;
  /** The handler answers with a Response of its own that sends the browser on: 303. @default false */
  readonly redirects?: boolean;
  /** Answers hold credentials: they are never stored by caches. */
  readonly secret?: boolean;
  /** Codes beyond those that follow from the rest of the declaration. */
  readonly errors?: readonly ErrorCode[];
  /**
   * `once`: its effect is one `transact`, and what follows from it. `never`: it only reads. `apart`: it takes several
   * commits, or has an effect before its commit, so that it cannot share one with other requests.
   *
   * @default "never" for GET, else "once"
   */
  readonly commits?: "once" | "never" | "apart";
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

/** Bytes of a JSON body where the endpoint does not say: enough for a few short texts. */
const BODY_LIMIT = 16 * KIB;

/** Bytes that the JSON body of an endpoint may have. */
export function bodyLimitOf({ bodyLimit = BODY_LIMIT }: Endpoint): number {
  return bodyLimit;
}

/** See `commits`. */
export function commitsOf({ commits, method }: Endpoint): NonNullable<Endpoint["commits"]> {
  return commits ?? (method === "get" ? "never" : "once");
}

/** True where a caller may repeat a request with its Idempotency-Key; answers with credentials are not kept. */
export function repeatable({ method, access, raw, secret }: Endpoint): boolean {
  return method === "post" && access !== "public" && !raw && !secret;
}

/** The full path pattern of an endpoint, with parameters in braces. */
export function fullPath(endpoint: Endpoint, basePath: string): string {
  return endpoint.root ? endpoint.path : basePath + endpoint.path;
}

/** Below the base path, everything is served once more below this one, without the envelope around the data. */
export const BARE_PATH = "/rest";

/** The path at which the same endpoint answers with the envelope. */
export function envelopedPath(path: string, basePath: string): string {
  const bare = basePath + BARE_PATH;
  return path.startsWith(`${bare}/`) ? basePath + path.slice(bare.length) : path;
}

/** Whether its answer is a record that was made, or is being made. */
export function makesOne({ created, accepted }: Endpoint): boolean {
  return Boolean(created || accepted);
}

/** The full paths below which a record can be read at its id. */
export function readablePaths(endpoints: readonly Endpoint[], basePath: string): Set<string> {
  const single = endpoints.filter(({ method, path }) => method === "get" && path.endsWith("/{id}"));
  return new Set(single.map((one) => fullPath(one, basePath).slice(0, -"/{id}".length)));
}

/** The endpoint where these resources are open to everyone signed in: it then asks for no permission on them. */
export function opened(endpoint: Endpoint, resources: readonly string[]): Endpoint {
  const { access } = endpoint;
  if (access === "public" || access === "optional" || access === "authenticated") return endpoint;
  const isOpen = [access].flat().some((one) => resources.includes(one.slice(0, one.indexOf(":"))));
  return isOpen ? { ...endpoint, access: "authenticated", scope: access } : endpoint;
}

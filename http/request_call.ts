// One request to an endpoint, as its handler gets it.
import type { Context } from "hono";
import { andThen, type Awaitable } from "../core/awaitable.ts";
import type { FieldError } from "../core/errors.ts";
import type { Principal } from "../services/access/access.ts";
import type { Services } from "../services/services.ts";
import type { Actor, Transaction } from "../storage/port.ts";
import { authenticateAgain } from "./authenticate.ts";
import type { Call, Endpoint, Inside } from "./endpoint.ts";
import { exchangeOf } from "./exchange.ts";
import type { IdempotencyKeys, KeyUse } from "./idempotency.ts";
import type { Selectable } from "./selection.ts";
import type { Validator } from "./validate.ts";

/** What the requests of one application share. */
export interface Site {
  readonly services: Services;
  readonly basePath: string;
  readonly addressOf: (c: Context) => string;
  readonly keys: IdempotencyKeys;
  readonly inside: Inside;
}

/** An endpoint, and what follows from its declaration. */
export interface Served {
  readonly endpoint: Endpoint;
  readonly validator: Validator | null;
  readonly selectable: Selectable | null;
  /** The path above those of the records that are made here, each at its id; null where they cannot be read so. */
  readonly location: string | null;
  /** Whether a request commits at most once. */
  readonly commitsOnce: boolean;
}

/** One request, checked. The parts that few handlers need are worked out when they are asked for. */
export class RequestCall implements Call {
  query: unknown = undefined;
  body: unknown = undefined;
  /** The use of the Idempotency-Key, where the request carries one. */
  keyUse: KeyUse | null = null;
  /** Of its last commit in the journal; null while it has made none. */
  position: string | null = null;
  /** What was ignored of the request. */
  warnings: readonly FieldError[] = [];

  readonly endpoint: Endpoint;

  constructor(
    readonly context: Context,
    readonly served: Served,
    readonly site: Site,
    // deno-lint-ignore no-explicit-any -- its type follows from the access rule, which is data here
    public principal: any,
  ) {
    this.endpoint = served.endpoint;
  }

  /** @throws {ApiError} VALIDATION_ERROR */
  validate(sent: unknown, found?: readonly FieldError[]): void {
    const { validator } = this.served;
    if (!validator) return;
    const { query, body, warnings } = validator(this.context, sent, found);
    this.query = query;
    this.body = body;
    this.warnings = warnings;
  }

  get params() {
    return this.context.req.param() as Call["params"];
  }

  get services(): Services {
    return this.site.services;
  }

  get inside(): Inside {
    return this.site.inside;
  }

  get store() {
    return this.site.services.store;
  }

  get now() {
    return this.site.services.clock().toISOString();
  }

  get ip() {
    return this.site.addressOf(this.context);
  }

  get actor(): Actor {
    const principal: Principal | null = this.principal;
    const { requestId, trace } = exchangeOf(this.context);
    return {
      userId: principal?.user.id ?? null,
      ip: this.ip,
      requestId,
      traceparent: trace?.parent,
      impersonatorId: principal?.session?.impersonatorId,
      apiKeyId: principal?.key?.id,
    };
  }

  get repeated(): boolean {
    return this.keyUse?.repeated ?? false;
  }

  identify(body: string): void {
    this.keyUse?.identify(body);
  }

  transact<R>(plan: (tx: Transaction) => Awaitable<R>): Promise<R> {
    const { keyUse } = this;
    if (keyUse === null) return this.#transactAsCaller(plan);
    const done = this.#transactAsCaller((tx) => keyUse.within(tx, plan));
    return done.then((result) => {
      keyUse.done();
      return result;
    });
  }

  readonly #committed = (position: string): void => {
    this.position = position;
  };

  /** Runs the plan after checking the access rule once more, and within the caller's quotas. */
  #transactAsCaller<R>(plan: (tx: Transaction) => Awaitable<R>): Promise<R> {
    const known: Principal | null = this.principal;
    const { part } = exchangeOf(this.context);
    // The batch holds all that its parts write within the quotas.
    if (part) return part.transact((tx) => this.#asCaller(tx, () => plan(tx)));
    if (known === null) return this.store.transact(this.actor, plan, this.#committed);
    return this.services.quotas.within(known, (run) =>
      this.store.transact(
        this.actor,
        (tx) => this.#asCaller(tx, () => run(tx, plan)),
        this.#committed,
      ));
  }

  #asCaller<R>(tx: Transaction, plan: () => Awaitable<R>): Awaitable<R> {
    const known: Principal | null = this.principal;
    if (known === null) return plan();
    return andThen(authenticateAgain(tx, known, this, this.endpoint), (current) => {
      this.principal = current;
      return plan();
    });
  }
}

// Several requests in one commit: each runs up to its own commit and waits there; what all of them have planned is then
// committed as one, and each goes on to its answer, its mails and whatever else follows a commit.
import { nextTurn } from "../core/delay.ts";
import { ApiError, conflict } from "../core/errors.ts";
import { type Transaction, UniqueConflict } from "../storage/port.ts";
import { type GivenIds, UnitOfWork } from "../storage/unit_of_work.ts";
import type { Awaitable } from "../core/awaitable.ts";
import {
  type Call,
  commitsOf,
  type Endpoint,
  type InnerAnswer,
  type InnerRequest,
} from "./endpoint.ts";
import type { Part } from "./exchange.ts";
import { knownError } from "./failures.ts";

/** Records that the parts of a batch may write together: a commit of so many takes some ten milliseconds. */
const MAX_RECORDS = 1000;

/** A request of a batch, and the endpoint that it goes to. */
export interface Asked {
  readonly endpoint: Endpoint;
  /** @param idOf The id of the record that an earlier part makes, by the number of the part. */
  request(idOf: (n: number) => string): InnerRequest;
}

/** Why a batch was not committed: the part at fault, from 0, if it was one. */
export class BatchRefused extends Error {
  override readonly name = "BatchRefused";
  constructor(readonly error: ApiError, readonly index: number) {
    super("The batch is refused");
  }
}

/** What the parts are told that were not at fault; nobody is shown it. */
const ABANDONED = () => new ApiError("CONFLICT", "Another part of the batch has failed");

const NOTHING = () => null;

type Caller = Pick<Call, "inside" | "context" | "store" | "transact">;

/**
 * Asks all, in their order, and commits once. What only reads is asked when that is done.
 *
 * @returns Gives the answers in order, each as soon as it is asked for.
 * @throws {BatchRefused} Nothing is written.
 */
export async function commitTogether(
  call: Caller,
  asked: readonly Asked[],
): Promise<AsyncIterable<InnerAnswer>> {
  const parts: WaitingPart[] = asked.map((one) =>
    new WaitingPart(call, one, (n) => madeBy(parts[n]))
  );
  const run = new Run(call, parts);
  let outcomes: readonly Outcome[] = [];
  try {
    const writes = asked.some(({ endpoint }) => commitsOf(endpoint) !== "never");
    if (writes) outcomes = await call.transact((tx) => run.plan(tx));
    else await run.arrivals();
  } catch (thrown) {
    throw await run.refusal(thrown);
  }
  return answers(parts, outcomes);
}

/** What a part planned, kept with an Idempotency-Key: the parts are then asked without being planned. */
interface Outcome {
  readonly result: unknown;
  readonly made: string | null;
}

/** @throws {ApiError} CONFLICT when it has made nothing. */
function madeBy(part: WaitingPart | undefined): string {
  if (part?.made) return part.made;
  throw conflict("An operation that another one refers to has made no record");
}

async function* answers(
  parts: readonly WaitingPart[],
  outcomes: readonly Outcome[],
): AsyncIterable<InnerAnswer> {
  for (const [n, part] of parts.entries()) {
    yield await part.proceed(outcomes[n]);
    await nextTurn();
  }
}

class Run {
  /** The part that is being planned. */
  #at = -1;
  #unit: UnitOfWork | null = null;

  constructor(readonly call: Caller, readonly parts: readonly WaitingPart[]) {}

  /** The plan of the whole; it may run several times, but the parts are asked once. */
  async plan(tx: Transaction): Promise<readonly Outcome[]> {
    const unit = this.#unit = new UnitOfWork(tx);
    const outcomes: Outcome[] = [];
    for (const [n, part] of this.parts.entries()) {
      this.#at = n;
      await part.arrive();
      if (unit.size >= MAX_RECORDS) throw tooMuch();
      // A step for each, so that steps and parts have the same numbers.
      const result = await unit.step(part.plan ?? NOTHING, part.ids) ?? null;
      outcomes.push({ result, made: part.made });
      await nextTurn();
    }
    this.#at = -1;
    return outcomes;
  }

  /** Lets all parts come as far as they do without a commit. */
  async arrivals(): Promise<void> {
    for (const [n, part] of this.parts.entries()) {
      this.#at = n;
      await part.arrive();
      await nextTurn();
    }
  }

  /** Ends the parts that wait, and finds out which of them is at fault. */
  async refusal(thrown: unknown): Promise<unknown> {
    const index = await this.#culprit(thrown);
    let own: ApiError | undefined;
    for (const [n, part] of this.parts.entries()) {
      // A handler may put the error of its commit in its own words.
      const answer = await part.abandon(n === index ? thrown : ABANDONED());
      if (n === index) own = answer?.refusal;
    }
    const error = own ?? knownError(thrown);
    return error === null ? thrown : new BatchRefused(error, index);
  }

  async #culprit(thrown: unknown): Promise<number> {
    if (this.#at >= 0 || !(thrown instanceof UniqueConflict) || !this.#unit) return this.#at;
    return await this.#unit.culpritOf(thrown, this.call.store);
  }
}

/** One request of a batch: under way, and waiting for the commit of the batch. */
class WaitingPart implements Part {
  /** What it is to commit, once it has come so far. */
  plan: ((tx: Transaction) => Awaitable<unknown>) | null = null;
  readonly ids: GivenIds = new Map();
  readonly #arrived = Promise.withResolvers<void>();
  readonly #settled = Promise.withResolvers<unknown>();
  #answer: Promise<InnerAnswer> | null = null;
  #made: string | null = null;
  /** Set when it answers without having waited. */
  #early: InnerAnswer | null = null;

  /** @param idOf See `Asked`. */
  constructor(readonly call: Caller, readonly asked: Asked, readonly idOf: (n: number) => string) {
    this.#settled.promise.catch(() => {});
  }

  transact<R>(plan: (tx: Transaction) => Awaitable<R>): Promise<R> {
    if (this.plan) throw new Error("A part of a batch has one commit");
    this.plan = plan;
    this.#arrived.resolve();
    return this.#settled.promise as Promise<R>;
  }

  async committed(): Promise<void> {
    this.#arrived.resolve();
    await this.#settled.promise;
  }

  /**
   * Asks, the first time, and resolves when the request has come to its commit.
   *
   * @throws {BatchRefused} It was refused before.
   */
  async arrive(): Promise<void> {
    if (!this.#answer) {
      const { inside, context } = this.call;
      this.#answer = inside.ask(context, this.asked.request(this.idOf), this);
      this.#answer.then((answer) => {
        this.#early = answer;
        this.#arrived.resolve();
      }, this.#arrived.reject);
    }
    await this.#arrived.promise;
    const refusal = this.#early?.refusal;
    if (refusal) throw refusal;
  }

  /** The id of the record that it makes. */
  get made(): string | null {
    const { makes } = this.asked.endpoint;
    return this.#made ?? this.ids.get(makes ?? "")?.[0] ?? null;
  }

  /** Goes on after the commit of the batch. @param outcome Of its plan, if anything was planned. */
  async proceed(outcome: Outcome | undefined): Promise<InnerAnswer> {
    this.#made = outcome?.made ?? null;
    // A repetition by Idempotency-Key finds the batch committed before it has asked anything.
    await this.arrive().catch(() => {});
    this.#settled.resolve(outcome?.result);
    return await this.#answer!;
  }

  /** Ends it without a commit. */
  async abandon(why: unknown): Promise<InnerAnswer | null> {
    this.#settled.reject(why);
    return await this.#answer;
  }
}

function tooMuch(): ApiError {
  return new ApiError(
    "PAYLOAD_TOO_LARGE",
    `The operations change more than ${MAX_RECORDS} records together: send them in several batches`,
  );
}

// Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a repeated POST gets the first answer again.
//
// The use of a key is recorded in the commit of the request's work, with what its plan gave; once the answer is made,
// it is kept instead of that. Whatever dies in between, a repetition finds either nothing, and does the work, or what
// the plan gave, and only makes the answer (and the mails that follow) from it.
import { getLogger } from "@logtape/logtape";
import type { Context } from "hono";
import { ApiError, conflict, invalid } from "../core/errors.ts";
import { createSealer, type Sealer } from "../core/sealing.ts";
import { createKeyedDigest } from "../core/signing.ts";
import { type IdempotentAnswer, idempotentAnswers } from "../models/idempotency.ts";
import type { Principal } from "../services/access/access.ts";
import { utf8Length } from "../core/text.ts";
import { sha256 } from "../core/hashing.ts";
import { seesNow } from "../services/events/sights.ts";
import type { Services } from "../services/services.ts";
import type { Transaction } from "../storage/port.ts";
import type { Awaitable } from "../core/awaitable.ts";
import { addressAsked } from "./address.ts";
import { exchangeOf } from "./exchange.ts";
import { recallOutcome, RecordingTransaction } from "./outcome.ts";
import { DAY } from "../core/units.ts";

/** Milliseconds that an answer is remembered. */
const REMEMBERED = DAY;
/** Longer answers, in characters, are not kept: they are made anew from what the plan gave. */
const MAX_ANSWER = 100_000;
/** Bytes of a record beside what was given or answered, roughly. */
const RECORD_BYTES = 512;

const log = getLogger(["quarterdeck", "http"]);

/** The key of this request was used before, and the answer is kept. */
export class Repeated extends Error {
  override readonly name = "Repeated";
  constructor(readonly answer: IdempotentAnswer) {
    super("The request is a repetition");
  }
}

/** The use of a key by one request. */
export class KeyUse {
  #requestHash: string | null = null;
  /** This request's own commit, or what an earlier try of it committed, stands recorded under the key. */
  #recorded = false;
  #repeated = false;

  /** @param id SHA-256, hex, of caller, path and key. @param search The query of the request. */
  constructor(
    readonly id: string,
    readonly principal: Principal,
    readonly search: string,
    readonly secrets: { readonly sealer: Sealer; readonly digestOf: (text: string) => string },
  ) {}

  /** True when `within` gave what an earlier try of the same request has done. */
  get repeated(): boolean {
    return this.#repeated;
  }

  get recorded(): boolean {
    return this.#recorded;
  }

  /** @param body What was sent, or a digest of it. A password may be in it, so that no plain digest of it is kept. */
  identify(body: string): void {
    // An API key opens less than its owner: it is shown no answer that was made for them, or for another key.
    const caller = this.principal.key ? `${this.principal.key.id}\n` : "";
    this.#requestHash = this.secrets.digestOf(`${caller}${this.search}\n${body}`);
  }

  /**
   * What is kept of the key, if anything.
   *
   * @throws {ApiError} IDEMPOTENCY_KEY_REUSED: it was for another request.
   */
  known(kept: IdempotentAnswer | null, now: string): IdempotentAnswer | null {
    const used = kept && (kept.status ?? kept.outcome) !== undefined;
    if (!used || kept.expiresAt <= now) return null;
    if (kept.requestHash !== this.#requestHash) throw new ApiError("IDEMPOTENCY_KEY_REUSED");
    return kept;
  }

  /**
   * Runs the plan and records in its commit that it has run, with what it gave.
   *
   * @throws {Repeated} The key is used, and the answer is kept.
   */
  async within<R>(tx: Transaction, plan: (tx: Transaction) => Awaitable<R>): Promise<R> {
    if (this.#recorded) throw new Error("A request with an Idempotency-Key has one commit");
    const requestHash = this.#requestHash;
    if (requestHash === null) throw new Error("The request has not been identified");
    const kept = await tx.from(idempotentAnswers).get(this.id);
    const known = this.known(kept, tx.now);
    this.#repeated = known !== null;
    if (known?.status !== undefined) throw new Repeated(known);
    if (known) return await this.#recall(tx, known.outcome!) as R;

    const recording = new RecordingTransaction(tx);
    const result = await plan(recording);
    const outcome = this.secrets.sealer.seal(recording.keep(result));
    const expiresAt = new Date(Date.parse(tx.now) + REMEMBERED).toISOString();
    const size = RECORD_BYTES + outcome.length;
    const userId = this.principal.user.id;
    const fields = { userId, requestHash, outcome, size, expiresAt };
    if (kept) tx.update(idempotentAnswers, kept, { ...NO_ANSWER, ...fields });
    else tx.insert(idempotentAnswers, { id: this.id, ...fields });
    return result;
  }

  /** To be called when the commit of `within` is durable. */
  done(): void {
    this.#recorded = true;
  }

  async #recall(tx: Transaction, outcome: string): Promise<unknown> {
    const text = this.secrets.sealer.open(outcome);
    if (text !== null) {
      return await recallOutcome(tx, text, (all) => seesNow(tx, this.principal, all, tx.now));
    }
    throw conflict("The request with this Idempotency-Key is done, but its answer is lost");
  }

  /**
   * Keeps the answer in place of what the plan gave, where the quota of the caller has room for it. The request is done,
   * whatever becomes of this.
   */
  async keep({ store, quotas, outages }: Services, answer: Response): Promise<void> {
    const body = await answer.clone().text();
    if (body.length > MAX_ANSWER) return;
    const { status, headers } = answer;
    const etag = headers.get("etag") ?? undefined;
    const location = headers.get("location") ?? undefined;
    const size = RECORD_BYTES + utf8Length(body);
    const plan = async (tx: Transaction) => {
      const kept = await tx.from(idempotentAnswers).get(this.id);
      if (kept?.requestHash !== this.#requestHash || kept.status !== undefined) return;
      const fields = { status, body, etag, location, size };
      tx.update(idempotentAnswers, kept, { ...NO_ANSWER, ...fields });
    };
    try {
      await quotas.within(
        this.principal,
        (charged) => store.transact({ userId: null }, (tx) => charged(tx, plan)),
      );
    } catch (error) {
      if (error instanceof ApiError || outages.counts(error)) return;
      log.warn("Cannot keep the answer to an Idempotency-Key: {error}", { error });
    }
  }
}

const NO_ANSWER = {
  outcome: undefined,
  status: undefined,
  body: undefined,
  etag: undefined,
  location: undefined,
};

interface Keyed {
  readonly context: Context;
  readonly principal: Principal;
  /** What was sent; null when the handler reads it and tells of it by `identify`. */
  readonly body: string | null;
}

/** The use of Idempotency-Keys in one application. */
export class IdempotencyKeys {
  /** Ids of the keys whose requests are being handled by this process. */
  readonly #running = new Set<string>();
  readonly #secrets: KeyUse["secrets"];

  constructor(readonly services: Services) {
    const { access } = services.settings.secrets;
    this.#secrets = {
      sealer: createSealer(access, "Idempotency-Key outcomes"),
      digestOf: createKeyedDigest(access, "Idempotency-Key requests"),
    };
  }

  /**
   * Runs the request once per caller and key.
   *
   * @param run Makes the answer; what it throws is not remembered, so that the client may try again.
   */
  async once(
    { context: c, principal, body }: Keyed,
    run: (use: KeyUse | null) => Awaitable<Response>,
  ): Promise<Response> {
    const key = c.req.raw.headers.get("idempotency-key");
    // Not awaited here: what this function holds need not wait too.
    if (key === null) return run(null);
    if (key.length === 0 || key.length > 255) {
      throw invalid("Idempotency-Key", "Idempotency-Key must have 1 to 255 characters");
    }
    const id = sha256(`${principal.user.id}\n${c.req.path}\n${key}`);
    if (this.#running.has(id)) {
      throw conflict("A request with this Idempotency-Key is still running");
    }
    this.#running.add(id);
    try {
      const use = new KeyUse(id, principal, addressAsked(c).search, this.#secrets);
      return await this.#answer(c, use, body, run);
    } catch (error) {
      if (error instanceof Repeated) return replay(c, error.answer);
      throw error;
    } finally {
      this.#running.delete(id);
    }
  }

  async #answer(
    c: Context,
    use: KeyUse,
    body: string | null,
    run: (use: KeyUse) => Awaitable<Response>,
  ): Promise<Response> {
    const { store, clock } = this.services;
    if (body !== null) {
      use.identify(body);
      const kept = await store.from(idempotentAnswers).get(use.id);
      const known = use.known(kept, clock().toISOString());
      if (known?.status !== undefined) return replay(c, known);
    }
    const answer = await run(use);
    if (use.recorded) await use.keep(this.services, answer);
    if (use.repeated) answer.headers.set("idempotency-replayed", "true");
    return answer;
  }
}

function replay(c: Context, answer: IdempotentAnswer): Response {
  return new Response(answer.body ?? "", {
    status: answer.status ?? 200,
    headers: {
      "content-type": "application/json",
      "cache-control": "private, no-cache",
      ...exchangeOf(c).headers,
      ...(answer.etag ? { etag: answer.etag } : {}),
      ...(answer.location ? { location: answer.location } : {}),
      "idempotency-replayed": "true",
    },
  });
}

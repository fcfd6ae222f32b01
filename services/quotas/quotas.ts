// What one user may leave in the store: records, bytes, and changes a day.
//
// No counter is stored. What a user has is counted by the existing indexes, and a part of what is left is then granted
// in advance, so that few writes have to count. A stored counter would make all concurrent writes of a user wait for
// one record, and every deletion would have to update it.
//
// In one process nobody passes a quota. Processes that share a store each count for themselves, and see what the others
// wrote two seconds later at most. So who writes to several of them at once may pass a quota, for each further process,
// by a grant (MAX_GRANT) and by what is written there until the first sees it.
import { permits, type Principal } from "../access/access.ts";
import { limited } from "../accounts/limit_headers.ts";
import { Windows } from "../accounts/windows.ts";
import { overQuota, quotaFor, usedBytes } from "../content/storage_usage.ts";
import { ApiError, conflict } from "../../core/errors.ts";
import type { Store, Transaction } from "../../storage/port.ts";
import type { Awaitable } from "../../core/awaitable.ts";
import { DAY, MIB } from "../../core/units.ts";
import { type Amount, CountedTransaction, NOTHING } from "./counted_transaction.ts";
import { ownedRecords } from "./owned_records.ts";

interface Account {
  /** What plans are to write that were let through and are not yet committed. */
  readonly inFlight: Amount;
  /** What may be written without counting again. */
  grant: Amount & { readonly until: number };
  /** Settles when a count that is under way is done: one at a time, and nothing is let through meanwhile. */
  counting: Promise<void> | null;
}

/** The part of what is left that one grant covers. */
const GRANTED = 1 / 8;
/** The most that one grant covers: several processes on one store pass a quota by no more than one each. */
const MAX_GRANT: Amount = { records: 1000, bytes: MIB };
/** Milliseconds that a grant is good for. */
const GRANT_LIFETIME = 60_000;
/** Accounts in memory. When there are more, those without a plan in flight are forgotten. */
const MAX_ACCOUNTS = 10_000;

export interface QuotaOptions {
  readonly store: Store;
  /** Records a user may have, and changes a user may make in a day. */
  readonly records: number;
  /** Bytes a user may store. */
  readonly bytes: number;
  /** Milliseconds, monotonic. */
  readonly elapsed: () => number;
  /** Whether changes a day are limited. */
  readonly rateLimits: boolean;
}

export class Quotas {
  readonly #options: QuotaOptions;
  readonly #accounts = new Map<string, Account>();
  readonly #changes: Windows;

  constructor(options: QuotaOptions) {
    this.#options = options;
    const { elapsed } = options;
    this.#changes = new Windows({ name: "changes a day", length: DAY, elapsed });
  }

  /**
   * Commits within the quotas of a caller. Those who may create users have none, since they could simply create another
   * account.
   *
   * @param commit Runs a plan by the function it gets, which holds what the plan writes until the commit is settled.
   * @throws {ApiError} RATE_LIMITED when the caller has made all changes of a day; CONFLICT, PAYLOAD_TOO_LARGE.
   */
  within<R>(principal: Principal, commit: (run: RunPlan) => Promise<R>): Promise<R> {
    if (permits(principal.permissions, "users:create")) return commit((tx, plan) => plan(tx));
    return this.#charged(principal, commit);
  }

  async #charged<R>(principal: Principal, commit: (run: RunPlan) => Promise<R>): Promise<R> {
    this.#assertChangesLeft(principal);
    const charge = new Charge(this, principal);
    try {
      const result = await commit((tx, plan) => charge.run(tx, plan));
      charge.settle();
      return result;
    } finally {
      charge.release();
    }
  }

  #assertChangesLeft({ user: { id } }: Principal): void {
    const { records, rateLimits } = this.#options;
    if (rateLimits && this.#changes.count(id) >= records) {
      const seconds = Math.ceil(this.#changes.remaining(id) / 1000);
      throw limited(
        { policy: "changes", quota: records, window: DAY / 1000, seconds },
        `You have made ${records} changes, as many as in a day`,
      );
    }
  }

  /**
   * Counts changes before they are committed: many at once pass no more than one after the other.
   *
   * @returns Gives them back: to be called when they will not be committed.
   * @throws {ApiError} RATE_LIMITED
   */
  spend(principal: Principal, changes: number): () => void {
    const { id } = principal.user;
    if (changes === 0) return () => {};
    this.#assertChangesLeft(principal);
    this.#changes.add(id, changes);
    return () => this.#changes.subtract(id, changes);
  }

  /**
   * Holds an amount for a user.
   *
   * @param quota Bytes.
   * @returns Lets go of it: to be called once it is committed, or will not be.
   * @throws {ApiError} CONFLICT, PAYLOAD_TOO_LARGE when the user would have more than the quota.
   */
  async hold(userId: string, asked: Amount, quota: number): Promise<() => void> {
    const account = this.#accountOf(userId);
    // A grant is a part of the whole quota, of which those with whom something is shared have less.
    const whole = quota === this.#options.bytes;
    while (!(whole && takeFrom(account, asked, this.#options.elapsed()))) {
      if (account.counting) await account.counting;
      else {
        await this.#count(userId, account, asked, quota);
        break;
      }
    }
    return () => add(account.inFlight, { records: -asked.records, bytes: -asked.bytes });
  }

  /** Counts what the user has, holds the amount, and grants a part of what is left. */
  async #count(userId: string, account: Account, asked: Amount, quota: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    account.counting = promise;
    account.grant = { ...NOTHING, until: 0 };
    try {
      const left = await this.#leftBeside(userId, account, asked, quota);
      if (asked.records > Math.max(0, left.records)) throw tooMany(this.#options.records);
      if (asked.bytes > Math.max(0, left.bytes)) throw overQuota(asked.bytes, left.bytes, quota);
      add(account.inFlight, asked);
      account.grant = {
        records: granted(left.records - asked.records, MAX_GRANT.records),
        bytes: granted(left.bytes - asked.bytes, MAX_GRANT.bytes),
        until: this.#options.elapsed() + GRANT_LIFETIME,
      };
    } finally {
      account.counting = null;
      resolve();
    }
  }

  /** What is left beside all that is in flight; at least what is asked for, where that is left. */
  async #leftBeside(
    userId: string,
    { inFlight }: Account,
    asked: Amount,
    quota: number,
  ): Promise<Amount> {
    for (;;) {
      const held = { ...inFlight };
      const { records, bytes } = await this.#left(userId, quota);
      const left = { records: records - held.records, bytes: bytes - held.bytes };
      const enough = left.records >= asked.records && left.bytes >= asked.bytes;
      // What was committed during the count may be counted twice: then once more. Nothing new is let through meanwhile.
      if (enough || held.records === inFlight.records && held.bytes === inFlight.bytes) return left;
    }
  }

  async #left(userId: string, quota: number): Promise<Amount> {
    const { store } = this.#options;
    const records = await ownedRecords(store, userId);
    const bytes = await usedBytes(store, userId);
    return { records: this.#options.records - records, bytes: quota - bytes };
  }

  /** The quota in bytes that holds for a caller who adds to what this owner has; see `quotaFor`. */
  quotaOf(principal: Principal, ownerId: string): number {
    return quotaFor(principal, ["documents", "files"], ownerId, this.#options.bytes);
  }

  #accountOf(userId: string): Account {
    let account = this.#accounts.get(userId);
    if (account) return account;
    if (this.#accounts.size >= MAX_ACCOUNTS) this.#forgetIdle();
    account = { inFlight: { ...NOTHING }, grant: { ...NOTHING, until: 0 }, counting: null };
    this.#accounts.set(userId, account);
    return account;
  }

  #forgetIdle(): void {
    for (const [id, { inFlight, counting }] of this.#accounts) {
      if (!counting && inFlight.records === 0 && inFlight.bytes === 0) this.#accounts.delete(id);
    }
  }
}

/** Takes an amount from the grant. @returns Whether it covers the amount. */
function takeFrom({ inFlight, grant }: Account, asked: Amount, now: number): boolean {
  if (grant.until <= now || grant.records < asked.records || grant.bytes < asked.bytes) {
    return false;
  }
  grant.records -= asked.records;
  grant.bytes -= asked.bytes;
  add(inFlight, asked);
  return true;
}

function add(sum: Amount, { records, bytes }: Amount): void {
  sum.records += records;
  sum.bytes += bytes;
}

function granted(left: number, most: number): number {
  return Math.min(most, Math.max(0, Math.floor(left * GRANTED)));
}

function tooMany(limit: number): ApiError {
  return conflict(`You have ${limit} records, as many as one user may have: delete some first`);
}

/** Runs a plan, and holds what it writes. */
export type RunPlan = <R>(tx: Transaction, plan: (tx: Transaction) => Awaitable<R>) => Awaitable<R>;

/** What one commit writes: held while its plan is committed. */
class Charge {
  #held: (() => void)[] = [];
  /** Gives back the changes that are counted. */
  #unspend: () => void = () => {};

  constructor(readonly quotas: Quotas, readonly principal: Principal) {}

  /** Runs a plan and holds what it writes. When the plan runs again, what the run before held is released first. */
  async run<R>(tx: Transaction, plan: (tx: Transaction) => Awaitable<R>): Promise<R> {
    this.release();
    const counted = new CountedTransaction(tx, this.principal.user.id);
    const result = await plan(counted);
    for (const [userId, { records, bytes }] of counted.amounts) {
      if (records <= 0 && bytes <= 0) continue;
      // What goes makes room once it is committed: a plan that fails must not have given any.
      const amount = { records: Math.max(0, records), bytes: Math.max(0, bytes) };
      const quota = this.quotas.quotaOf(this.principal, userId);
      this.#held.push(await this.quotas.hold(userId, amount, quota));
    }
    this.#unspend = this.quotas.spend(this.principal, counted.changes);
    return result;
  }

  /** To be called when the plan is committed: its changes stay counted. */
  settle(): void {
    this.#unspend = () => {};
  }

  /** To be called when the plan is committed or has failed. */
  release(): void {
    for (const letGo of this.#held) letGo();
    this.#held = [];
    this.#unspend();
    this.settle();
  }
}

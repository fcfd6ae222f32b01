// What one user may leave in the store: records, bytes of documents beside those of files, and changes a day.
//
// No counter is stored. What a user has is counted by the existing indexes, and a part of what is left is then granted
// in advance, so that few writes have to count. A stored counter would make all concurrent writes of a user wait for
// one record, and every deletion would have to update it.
import { permits, type Principal } from "./access/access.ts";
import { Windows } from "./accounts/windows.ts";
import { documentBytes, quotaFor } from "./content/storage_usage.ts";
import { ApiError, conflict } from "../core/errors.ts";
import { events, reminders } from "../models/calendar.ts";
import type { CollectionDeclaration, Entity } from "../models/collection.ts";
import { tasks } from "../models/dashboard.ts";
import { type Document, documents } from "../models/documents.ts";
import { fileVersions, storageUsage } from "../models/files.ts";
import { folders } from "../models/folders.ts";
import { conversations, messages } from "../models/messages.ts";
import { shares } from "../models/shares.ts";
import { snippets } from "../models/snippets.ts";
import { teams } from "../models/teams.ts";
import type { NewRecord, Reader, Store, Transaction, Where } from "../storage/port.ts";
import type { Awaitable } from "../core/awaitable.ts";
import { DAY } from "../core/units.ts";

/**
 * The collections whose records count, and the field with the id of the user they count for. Whatever else a user makes
 * belongs to one of these records, in a limited number each: attendees, members, tags, receipts. Old notifications and
 * tags of no document are removed by the sweep.
 */
const owned = new Map<string, (store: Pick<Store, "from">, userId: string) => Awaitable<number>>([
  counting(documents, "ownerId"),
  counting(events, "ownerId"),
  counting(folders, "ownerId"),
  counting(fileVersions, "createdBy"),
  counting(messages, "senderId"),
  counting(conversations, "createdBy"),
  counting(teams, "ownerId"),
  counting(shares, "createdBy"),
  counting(reminders, "userId"),
  counting(snippets, "userId"),
  counting(tasks, "createdBy"),
]);

function counting<T extends Entity>(collection: CollectionDeclaration<T>, field: keyof T & string) {
  const count = (store: Pick<Store, "from">, userId: string) =>
    store.from(collection).count({ [field]: userId } as Where<T>);
  return [collection.name, count] as const;
}

/** Whether a user has any record that counts. */
export async function ownsRecords(store: Pick<Store, "from">, userId: string): Promise<boolean> {
  for (const count of owned.values()) if (await count(store, userId) > 0) return true;
  return false;
}

interface Amount {
  records: number;
  /** Bytes of documents; those of files are counted in contents.ts. */
  bytes: number;
}

interface Account {
  /** What plans would write that are not yet committed. */
  readonly inFlight: Amount;
  /** What may be written without counting again. */
  grant: Amount & { readonly until: number };
}

/** The part of what is left that one grant covers. Small, so that several processes together hardly pass a quota. */
const GRANTED = 1 / 8;
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
   * Opens the charge of one request. Null for those who may create users: no quota holds them, since they could simply
   * create another account.
   *
   * @throws {ApiError} RATE_LIMITED when the caller has made all changes of a day.
   */
  open(principal: Principal): Charge | null {
    if (permits(principal.permissions, "users:create")) return null;
    const { id } = principal.user;
    const { records, rateLimits } = this.#options;
    if (rateLimits && this.#changes.count(id) >= records) {
      const seconds = Math.ceil(this.#changes.remaining(id) / 1000);
      throw new ApiError("RATE_LIMITED", `You have made ${records} changes, as many as in a day`, {
        headers: { "retry-after": String(seconds) },
      });
    }
    return new Charge(this, principal);
  }

  /** Counts changes that were made. */
  spend(userId: string, changes: number): void {
    if (changes > 0) this.#changes.add(userId, changes);
  }

  /** Ends the user's grant, so that the next write counts again. */
  endGrant(userId: string): void {
    this.#accountOf(userId).grant.records = 0;
    this.#accountOf(userId).grant.bytes = 0;
  }

  /** Releases an amount that `hold` holds. */
  release(userId: string, { records, bytes }: Amount): void {
    const { inFlight } = this.#accountOf(userId);
    inFlight.records -= records;
    inFlight.bytes -= bytes;
  }

  /**
   * Holds an amount for a user until it is released.
   *
   * @param quota Bytes, of documents and files.
   * @throws {ApiError} CONFLICT, PAYLOAD_TOO_LARGE when the user would have more than the quota.
   */
  async hold(userId: string, asked: Amount, quota: number): Promise<void> {
    const account = this.#accountOf(userId);
    const { inFlight, grant } = account;
    inFlight.records += asked.records;
    inFlight.bytes += asked.bytes;
    const now = this.#options.elapsed();
    if (grant.until > now && grant.records >= asked.records && grant.bytes >= asked.bytes) {
      grant.records -= asked.records;
      grant.bytes -= asked.bytes;
      return;
    }
    const left = await this.#left(userId, quota);
    const records = left.records - inFlight.records;
    const bytes = left.bytes - inFlight.bytes;
    if (asked.records > 0 && records < 0) throw tooMany(this.#options.records);
    if (asked.bytes > 0 && bytes < 0) throw tooLarge(asked.bytes, quota);
    account.grant = {
      records: Math.max(0, Math.floor(records * GRANTED)),
      bytes: Math.max(0, Math.floor(bytes * GRANTED)),
      until: now + GRANT_LIFETIME,
    };
  }

  async #left(userId: string, quota: number): Promise<Amount> {
    const { store } = this.#options;
    const counts = await Promise.all([...owned.values()].map((count) => count(store, userId)));
    const records = counts.reduce((sum, count) => sum + count, 0);
    const files = (await store.from(storageUsage).get(userId))?.used ?? 0;
    const bytes = files + await documentBytes(store, userId);
    return { records: this.#options.records - records, bytes: quota - bytes };
  }

  /** The quota in bytes that holds for a caller who adds to what this owner has; see `quotaFor`. */
  quotaOf(principal: Principal, ownerId: string): number {
    return quotaFor(principal, "documents", ownerId, this.#options.bytes);
  }

  #accountOf(userId: string): Account {
    let account = this.#accounts.get(userId);
    if (account) return account;
    if (this.#accounts.size >= MAX_ACCOUNTS) this.#forgetIdle();
    const none = { records: 0, bytes: 0 };
    account = { inFlight: { ...none }, grant: { ...none, until: 0 } };
    this.#accounts.set(userId, account);
    return account;
  }

  #forgetIdle(): void {
    for (const [id, { inFlight }] of this.#accounts) {
      if (inFlight.records === 0 && inFlight.bytes === 0) this.#accounts.delete(id);
    }
  }
}

function tooMany(limit: number): ApiError {
  return conflict(`You have ${limit} records, as many as one user may have: delete some first`);
}

function tooLarge(bytes: number, quota: number): ApiError {
  return new ApiError(
    "PAYLOAD_TOO_LARGE",
    `Cannot store ${bytes} bytes more: with it documents and files are over the storage quota of ${quota}`,
  );
}

/** What one request writes: held while its plan is committed, and then counted. */
export class Charge {
  #held: (readonly [userId: string, amount: Amount])[] = [];
  #changes = 0;
  #stored: ReadonlySet<string> = new Set();

  constructor(readonly quotas: Quotas, readonly principal: Principal) {}

  /** Runs a plan and holds what it writes. When the plan runs again, what the run before held is released first. */
  async run<R>(tx: Transaction, plan: (tx: Transaction) => Awaitable<R>): Promise<R> {
    this.#release();
    const counted = new CountedTransaction(tx, this.principal.user.id);
    const result = await plan(counted);
    this.#changes = counted.changes;
    this.#stored = counted.stored;
    for (const [userId, { records, bytes }] of counted.amounts) {
      if (records <= 0 && bytes <= 0) continue;
      const amount = { records, bytes: Math.max(0, bytes) };
      this.#held.push([userId, amount]);
      await this.quotas.hold(userId, amount, this.quotas.quotaOf(this.principal, userId));
    }
    return result;
  }

  /** To be called when the plan is committed. */
  done(): void {
    this.quotas.spend(this.principal.user.id, this.#changes);
    for (const userId of this.#stored) this.quotas.endGrant(userId);
  }

  /** To be called when the plan is committed or has failed. */
  close(): void {
    this.#release();
  }

  #release(): void {
    for (const [userId, amount] of this.#held) this.quotas.release(userId, amount);
    this.#held = [];
  }
}

/** A plan in progress whose writes are counted: records for who writes them, bytes of documents for their owners. */
class CountedTransaction implements Transaction {
  readonly amounts = new Map<string, Amount>();
  /** Users whose files take more or fewer bytes after this plan. Their quota of files is checked in contents.ts. */
  readonly stored = new Set<string>();
  changes = 0;

  constructor(readonly inner: Transaction, readonly userId: string) {}

  get now(): string {
    return this.inner.now;
  }

  from<T extends Entity>(collection: CollectionDeclaration<T>): Reader<T> {
    return this.inner.from(collection);
  }

  insert<T extends Entity>(collection: CollectionDeclaration<T>, record: NewRecord<T>): T {
    const inserted = this.inner.insert(collection, record);
    this.changes++;
    if (owned.has(collection.name)) this.#amountOf(this.userId).records++;
    this.#countBytes(collection, null, inserted);
    return inserted;
  }

  update<T extends Entity>(
    collection: CollectionDeclaration<T>,
    before: T,
    patch: Partial<Omit<T, keyof Entity>>,
  ): T {
    this.changes++;
    const updated = this.inner.update(collection, before, patch);
    this.#countBytes(collection, before, updated);
    return updated;
  }

  remove<T extends Entity>(collection: CollectionDeclaration<T>, before: T): void {
    this.changes++;
    this.inner.remove(collection, before);
  }

  #countBytes({ name }: { name: string }, before: Entity | null, after: Entity): void {
    if (name === storageUsage.name) this.stored.add(after.id);
    if (name !== documents.name) return;
    const { ownerId, size } = after as Document;
    this.#amountOf(ownerId).bytes += size - ((before as Document | null)?.size ?? 0);
  }

  #amountOf(userId: string): Amount {
    let amount = this.amounts.get(userId);
    if (!amount) this.amounts.set(userId, amount = { records: 0, bytes: 0 });
    return amount;
  }
}

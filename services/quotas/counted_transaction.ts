// A plan in progress whose writes are counted for the quotas.
import type { CollectionDeclaration, Entity } from "../../models/collection.ts";
import { idempotentAnswers } from "../../models/idempotency.ts";
import type { NewRecord, Reader, Transaction } from "../../storage/port.ts";
import { measureOf } from "../content/storage_usage.ts";
import { owned, recordsIn } from "./owned_records.ts";

/** What is in the store, or is to be. */
export interface Amount {
  records: number;
  bytes: number;
}

export const NOTHING: Amount = { records: 0, bytes: 0 };

/** A plan in progress whose writes are counted: records for who writes them, bytes for those whose they are. */
export class CountedTransaction implements Transaction {
  readonly amounts = new Map<string, Amount>();
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
    this.#countRecords(collection, inserted, recordsIn(collection, inserted));
    this.#countBytes(collection, inserted, 1);
    return inserted;
  }

  update<T extends Entity>(
    collection: CollectionDeclaration<T>,
    before: T,
    patch: Partial<Omit<T, keyof Entity>>,
  ): T {
    // An answer that takes the place of an outcome is a part of the change before it.
    if (collection.name !== idempotentAnswers.name) this.changes++;
    // First: a record that the plan has written already is changed in place.
    this.#countBytes(collection, before, -1);
    const records = recordsIn(collection, before);
    const updated = this.inner.update(collection, before, patch);
    this.#countRecords(collection, updated, recordsIn(collection, updated) - records);
    this.#countBytes(collection, updated, 1);
    return updated;
  }

  /** What goes makes room for what comes in its place: what is moved into the trash counts as before. */
  remove<T extends Entity>(collection: CollectionDeclaration<T>, before: T): void {
    this.changes++;
    this.#countRecords(collection, before, -recordsIn(collection, before));
    this.#countBytes(collection, before, -1);
    this.inner.remove(collection, before);
  }

  /** What a plan adds counts for who writes it until it is counted for whose it is. */
  #countRecords({ name }: { name: string }, record: Entity, records: number): void {
    const counted = owned.get(name);
    if (!counted || records === 0) return;
    const isOwn = counted.of(record).userId === this.userId;
    // What others have made is only ever put back, from the trash, and counts for them again.
    const isNew = records > 0 && !counted.byMaker;
    if (isOwn || isNew) this.#amountOf(this.userId).records += records;
  }

  #countBytes({ name }: { name: string }, record: Entity, sign: 1 | -1): void {
    const { userId, bytes } = measureOf.get(name)?.of(record) ?? {};
    if (userId && bytes) this.#amountOf(userId).bytes += sign * bytes;
  }

  #amountOf(userId: string): Amount {
    let amount = this.amounts.get(userId);
    if (!amount) this.amounts.set(userId, amount = { ...NOTHING });
    return amount;
  }
}

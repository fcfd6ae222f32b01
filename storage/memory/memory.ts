// What a store holds of one collection in memory, and the one way it changes.
import type { CollectionDeclaration, Entity, Scalar } from "../port.ts";
import { BULK, Projection, type RowChange } from "./projection.ts";
import { Records, type RecordsBudget } from "./records.ts";

/** Unique values whose record is remembered, per collection. */
const MAX_UNIQUES = 20_000;
/** The share of all bytes that the newest records of a collection may take which is read seldom. */
const NEWEST_SHARE = 1 / 512;
/** So many are taken out of the list of the newest at once. */
const MANY_DROPPED = 1000;

/** A committed change. */
export interface Applied<T extends Entity> extends RowChange<T> {
  /** The version given by the commit: later ones sort after it. */
  readonly rev: string;
  /** Its JSON, if that is at hand. */
  readonly text: string | null;
  /** Bytes of its JSON in memory; 0 when it is gone, or is one of more than `BULK`. */
  readonly bytes: number;
  /**
   * Of one of more than `BULK`: whether memory has nothing of it, or what was read of it once it was there. That was seen
   * to beforehand, since to look for thousands of ids holds the event loop. @default false
   */
  readonly isNew?: boolean;
}

/** A read of a record on its way. A commit of the same record meanwhile makes it stale: it must not fill the cache. */
export interface PendingRead<T> {
  stale: boolean;
  promise: Promise<T | null>;
}

export class Memory<T extends Entity> {
  readonly records: Records<T>;
  readonly pending = new Map<string, PendingRead<T>>();
  projection: Projection<T> | null = null;
  /** While a projection is filled by a scan: what was committed since the scan began. */
  building: Map<string, Applied<T>> | null = null;
  /** True when key order is not creation order. */
  unordered = false;
  /** Rises with every commit to the collection. */
  version = 0;
  readonly #uniques = new Map<string, string>();
  /** Of a collection that is read seldom, what was written last: the oldest first. */
  #newest: { readonly id: string; readonly bytes: number }[] = [];
  /** How many of these are dropped already. */
  #dropped = 0;
  #newestBytes = 0;

  constructor(readonly declaration: CollectionDeclaration<T>, readonly budget: RecordsBudget) {
    this.records = new Records(budget, declaration.row === undefined);
  }

  /** Takes a commit into memory, so that no read sees half of it. The records of a large one are read when they are asked for. */
  apply(changes: readonly Applied<T>[]): void {
    this.version++;
    const keeps = changes.length <= BULK;
    for (const change of changes) {
      if (this.pending.size > 0) this.forget(change.id);
      this.building?.set(change.id, change);
      if (!change.record || !keeps) {
        if (!change.isNew) this.records.delete(change.id);
      } else if (this.declaration.readSeldom) this.#keepNewest(change.record, change.bytes);
      else this.records.set(change.record, change.bytes, change.text);
    }
    this.projection?.apply(changes);
  }

  /** Keeps a record until some others were written: lists of the newest show it. */
  #keepNewest(record: T, bytes: number): void {
    this.#newest.push({ id: record.id, bytes });
    this.#newestBytes += bytes;
    this.records.set(record, bytes);
    while (this.#newestBytes > NEWEST_SHARE * this.budget.maxBytes) {
      const oldest = this.#newest[this.#dropped++]!;
      this.#newestBytes -= oldest.bytes;
      this.records.delete(oldest.id);
    }
    if (this.#dropped < MANY_DROPPED) return;
    this.#newest.splice(0, this.#dropped);
    this.#dropped = 0;
  }

  /** Makes reads of the record that are under way stale, so that they do not fill the cache. */
  forget(id: string): void {
    const pending = this.pending.get(id);
    if (!pending) return;
    pending.stale = true;
    this.pending.delete(id);
  }

  /** Forgets everything, so that it is read again. */
  reset(): void {
    this.version++;
    for (const id of [...this.pending.keys()]) this.forget(id);
    this.records.clear();
    this.#uniques.clear();
    this.#newest = [];
    this.#dropped = this.#newestBytes = 0;
    this.projection?.texts?.close();
    this.projection = null;
    this.building = null;
  }

  /** The id that had a unique value when last seen; the caller has to verify it by the record. */
  recall(unique: string, values: readonly Scalar[]): string | undefined {
    return this.#uniques.get(uniqueText(unique, values));
  }

  remember(unique: string, values: readonly Scalar[], id: string): void {
    this.#uniques.set(uniqueText(unique, values), id);
    if (this.#uniques.size > MAX_UNIQUES) {
      this.#uniques.delete(this.#uniques.keys().next().value!);
    }
  }
}

function uniqueText(unique: string, values: readonly Scalar[]): string {
  return values.length === 1 ? `${unique}\0${values[0]}` : `${unique}\0${values.join("\0")}`;
}

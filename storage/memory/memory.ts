// What a store holds of one collection in memory, and the one way it changes.
import type { CollectionDeclaration, Entity, Scalar } from "../store.ts";
import { type CacheBudget, RecordCache } from "../cache.ts";
import { Projection, type RowChange } from "./projection.ts";

/** Unique values whose record is remembered, per collection. */
const MAX_UNIQUES = 20_000;

/** A committed change. */
export interface Applied<T extends Entity> extends RowChange<T> {
  /** Versionstamp of the commit. */
  readonly rev: string;
  /** Memory that the record takes, in bytes; 0 when it is gone. */
  readonly size: number;
}

/** A read from KV on its way. A commit of the same record meanwhile makes it stale: it must not fill the cache. */
export interface PendingRead<T> {
  stale: boolean;
  promise: Promise<T | null>;
}

export class Memory<T extends Entity> {
  readonly cache: RecordCache<T & object>;
  readonly pending = new Map<string, PendingRead<T>>();
  projection: Projection<T> | null = null;
  /** While a projection is filled by a scan: what was committed since the scan began. */
  building: Map<string, Applied<T>> | null = null;
  /** True when key order is not creation order. */
  unordered = false;
  /** Changes with every commit to the collection. */
  version = 0;
  readonly #uniques = new Map<string, string>();

  constructor(readonly declaration: CollectionDeclaration<T>, budget: CacheBudget) {
    this.cache = new RecordCache(budget);
  }

  /** Commits reach memory here, all rows of one in one turn. */
  apply(changes: readonly Applied<T>[]): void {
    this.version++;
    for (const change of changes) {
      this.forget(change.id);
      this.building?.set(change.id, change);
      if (change.record) this.cache.set(change.id, change.record, change.size);
      else this.cache.delete(change.id);
    }
    this.projection?.apply(changes);
  }

  /** Reads of the record that are on their way no longer count. */
  forget(id: string): void {
    const pending = this.pending.get(id);
    if (!pending) return;
    pending.stale = true;
    this.pending.delete(id);
  }

  /** Everything is read again. */
  reset(): void {
    this.version++;
    for (const id of [...this.pending.keys()]) this.forget(id);
    this.cache.clear();
    this.#uniques.clear();
    this.projection = null;
    this.building = null;
  }

  /** The id that a unique value had when last seen: to be verified. */
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

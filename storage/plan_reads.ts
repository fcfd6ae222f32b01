// What a plan reads: by id or unique key it is checked at the commit, lists and counts are not.
import type { Awaitable } from "../core/awaitable.ts";
import type { Keys } from "../core/keys.ts";
import {
  type AggregateQuery,
  type Change,
  type CollectionDeclaration,
  type Entity,
  type Group,
  type ListQuery,
  type Page,
  type Reader,
  type RowPage,
  type Scalar,
  UniqueConflict,
  VersionConflict,
  type Where,
} from "./port.ts";

/** A record that was read, or was not there. */
type Check = Change & { readonly kind: "check" };

export class PlanReads {
  readonly #reads = new Map<string, Check>();
  /** The unique keys that the plan looked up a value of and found none: `collection/key`. */
  #missed: Set<string> | null = null;

  /** @throws {VersionConflict} It was at another version when it was read before. */
  add(collection: string, id: string, rev: string | null): void {
    const key = keyOf(collection, id);
    const read = this.#reads.get(key);
    if (!read) this.#reads.set(key, { kind: "check", collection, id, rev });
    else if (read.rev !== rev) throw new VersionConflict(collection, id);
  }

  /** A miss needs no check: a record that takes the value meanwhile makes the commit fail by its unique key. */
  miss(collection: string, unique: string): void {
    (this.#missed ??= new Set()).add(keyOf(collection, unique));
  }

  /** Whether the value now taken is one that the plan looked up and did not find: a second run would find it. */
  wereMisled(error: unknown): error is UniqueConflict {
    return error instanceof UniqueConflict &&
      (this.#missed?.has(keyOf(error.collection, error.key)) ?? false);
  }

  /** Adds a check of each record that was read, but for those that are written: these are checked anyway. */
  addChecks(changes: Change[], written: ReadonlyMap<string, unknown>): void {
    this.#reads.forEach((read, key) => {
      if (!written.has(key)) changes.push(read);
    });
  }
}

/** A reader that tells a plan what it has read. */
export class PlanReader<T extends Entity> implements Reader<T> {
  constructor(
    readonly collection: CollectionDeclaration<T>,
    readonly reader: Reader<T>,
    readonly reads: PlanReads,
  ) {}

  get(id: string): Awaitable<T | null> {
    const found = this.reader.get(id);
    return found instanceof Promise
      ? found.then((record) => this.#saw(id, record))
      : this.#saw(id, found);
  }

  getMany(ids: readonly string[]): Awaitable<readonly (T | null)[]> {
    const found = this.reader.getMany(ids);
    return found instanceof Promise
      ? found.then((records) => this.#sawAll(ids, records))
      : this.#sawAll(ids, found);
  }

  findBy(unique: string, ...values: Scalar[]): Awaitable<T | null> {
    const found = this.reader.findBy(unique, ...values);
    return found instanceof Promise
      ? found.then((record) => this.#found(unique, record))
      : this.#found(unique, found);
  }

  list(query?: ListQuery<T>): Awaitable<Page<T>> {
    return this.reader.list(query);
  }

  listRows(query?: ListQuery<T>, keys?: readonly (keyof T & string)[]): Awaitable<RowPage> {
    return this.reader.listRows(query, keys);
  }

  rowsOf(ids: Keys): Awaitable<readonly (string | null)[]> {
    return this.reader.rowsOf(ids);
  }

  count(where?: Where<T>): Awaitable<number> {
    return this.reader.count(where);
  }

  aggregate(query: AggregateQuery<T>): Awaitable<readonly Group[]> {
    return this.reader.aggregate(query);
  }

  generation(): number | null {
    return this.reader.generation();
  }

  scan(): AsyncIterable<T> {
    return this.reader.scan();
  }

  #saw(id: string, record: T | null): T | null {
    this.reads.add(this.collection.name, id, record?.rev ?? null);
    return record;
  }

  #sawAll(ids: readonly string[], records: readonly (T | null)[]): readonly (T | null)[] {
    ids.forEach((id, index) => this.#saw(id, records[index] ?? null));
    return records;
  }

  #found(unique: string, record: T | null): T | null {
    if (record !== null) return this.#saw(record.id, record);
    this.reads.miss(this.collection.name, unique);
    return null;
  }
}

/** By which a plan knows a record, or a unique key. */
export function keyOf(collection: string, name: string): string {
  return `${collection}/${name}`;
}

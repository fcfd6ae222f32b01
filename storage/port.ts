// The storage port: what routes and services may ask of an engine. Types, and the errors they share.
import type { Awaitable } from "../core/awaitable.ts";
import type { CollectionDeclaration, Entity, Scalar } from "../models/collection.ts";
import type { ByKey, Keys } from "../core/keys.ts";

export type { CollectionDeclaration, Entity, RecordOf, Scalar } from "../models/collection.ts";

/** Bounds on a field; all that are given must hold. An absent value is within no bounds. */
export interface Range {
  readonly gt?: string | number;
  readonly gte?: string | number;
  readonly lt?: string | number;
  readonly lte?: string | number;
}

/** What must hold of one field, together. */
export interface FieldWhere extends Range {
  /** Any of these. */
  readonly in?: readonly Scalar[];
  /** None of these; an absent value is none of them, unless null is among them. */
  readonly ne?: Scalar | readonly Scalar[];
}

/**
 * Conditions that must all hold, on declared filter or sort fields. A list means any of its values, an empty
 * list matches nothing, and null means the field is absent. At least one branch of `any` must hold, and each of `all`.
 */
export type Where<T> =
  & { readonly [F in keyof T]?: Scalar | readonly Scalar[] | FieldWhere }
  & { readonly any?: readonly Where<T>[]; readonly all?: readonly Where<T>[] };

export interface ListQuery<T> {
  readonly where?: Where<T>;
  /** Case-insensitive substring, looked for in each of the declared search fields. */
  readonly search?: string;
  /**
   * Declared sort fields, parted by commas, each descending with a leading minus. Ties are broken by id, in the
   * direction of the last field. A field that is named again decides nothing. Absent values are the lowest; text is
   * compared by its code units, upper case first.
   *
   * @default "-createdAt"
   */
  readonly sort?: string;
  /** From 1. Ignored when a cursor is given. @default 1 */
  readonly page?: number;
  /** @default 10 */
  readonly limit?: number;
  /** `nextCursor` of the page before. It carries the position only: repeat where, search and sort. */
  readonly cursor?: string;
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** How many records match, on all pages. */
  readonly total: number;
  /** Where the next page starts; null on the last. */
  readonly nextCursor: string | null;
}

/** A page of rows. */
export interface RowPage extends Page<string> {
  /**
   * The values of the fields that were asked for, one of each row: others are found by them without reading what the rows
   * show. Absent where the rows do not come from memory at once.
   */
  readonly keys?: readonly Keys[];
}

export interface AggregateQuery<T> {
  /** A declared filter field, or `day` / `month` of the date field `on`. Without it there is one group, "". */
  readonly by?: "day" | "month" | (keyof T & string);
  /** The timestamp or date field for `day` and `month`. @default "createdAt" */
  readonly on?: keyof T & string;
  /** Declared number fields to add up. */
  readonly sum?: readonly (keyof T & string)[];
  readonly where?: Where<T>;
}

export interface Group {
  /** The field's value as text (absent: ""), `2026-11-21` for day, `2026-11` for month. */
  readonly key: string;
  readonly count: number;
  /** The sums asked for, by field. */
  readonly sums: Readonly<Record<string, number>>;
}

/** Reads of one collection. Records are frozen. A miss is null. */
export interface Reader<T extends Entity> {
  get(id: string): Awaitable<T | null>;
  /** In the order of `ids`; null where there is none. */
  getMany(ids: readonly string[]): Awaitable<readonly (T | null)[]>;
  /** By a declared unique key: one value per field of the key, in its order. */
  findBy(unique: string, ...values: Scalar[]): Awaitable<T | null>;
  list(query?: ListQuery<T>): Awaitable<Page<T>>;
  /**
   * `list`, but each record as its row, for collections that declare one.
   *
   * @param keys `id` and filter fields that are texts, to be told as keys.
   */
  listRows(query?: ListQuery<T>, keys?: readonly (keyof T & string)[]): Awaitable<RowPage>;
  /**
   * The rows of records, in the order of `ids`; null where there is none, or another process has made it in the last two
   * seconds. A plan's commit does not check them.
   */
  rowsOf(ids: Keys): Awaitable<readonly (string | null)[]>;
  count(where?: Where<T>): Awaitable<number>;
  /**
   * The records that have each of these texts in a filter field, where a list of them would come from memory at once; else
   * null: they are to be listed then. A plan's commit does not check them. Absent where nothing is in memory.
   */
  held?(field: string, keys: Keys): ByKey<T> | null;
  /** Groups in ascending order of their key. */
  aggregate(query: AggregateQuery<T>): Awaitable<readonly Group[]>;
  /**
   * A higher number whenever a record may have changed since, for remembering what was computed from all of them.
   * Null: memory cannot tell.
   */
  generation(): number | null;
  /** Every record in id order, streamed; for copies and sweeps, not for requests. */
  scan(): AsyncIterable<T>;
}

/** Who does something, for the journal and the audit log. */
export interface Actor {
  /** Null for the server itself. */
  readonly userId: string | null;
  readonly ip?: string;
  readonly requestId?: string;
  /** The span that it was a part of, as a `traceparent` of W3C Trace Context, where anything is traced. */
  readonly traceparent?: string;
  /** Who acts as the user; for the audit log. */
  readonly impersonatorId?: string;
  /** The API key that the user came with; for the audit log. */
  readonly apiKeyId?: string;
}

/** A planned write. `rev` of what was read is checked at commit. */
export type Change =
  | { readonly kind: "insert"; readonly collection: string; readonly after: Entity }
  | {
    readonly kind: "update";
    readonly collection: string;
    readonly before: Entity;
    readonly after: Entity;
  }
  | { readonly kind: "remove"; readonly collection: string; readonly before: Entity }
  /** Nothing is written: the record must still be at `rev`; null: there must still be none. */
  | {
    readonly kind: "check";
    readonly collection: string;
    readonly id: string;
    readonly rev: string | null;
  };

/** The fields a caller gives for a new record; the rest is stamped. An id may be given. */
export type NewRecord<T extends Entity> =
  & Omit<T, keyof Entity>
  & Partial<Pick<T, "id" | "createdAt">>;

/**
 * A plan in progress. What it reads by id or unique key is checked at commit; lists, counts and aggregates are
 * not. Reads do not see the plan's own writes.
 */
export interface Transaction {
  from<T extends Entity>(collection: CollectionDeclaration<T>): Reader<T>;
  /** The time of this plan, the same for every record it writes. ISO 8601. */
  readonly now: string;
  /** Returns the record as it will be stored; its `rev` is set by the commit. */
  insert<T extends Entity>(collection: CollectionDeclaration<T>, record: NewRecord<T>): T;
  /** `patch` holds the fields to change; undefined removes an optional field. `updatedAt` is stamped. */
  update<T extends Entity>(
    collection: CollectionDeclaration<T>,
    before: T,
    patch: Partial<Omit<T, keyof Entity>>,
  ): T;
  remove<T extends Entity>(collection: CollectionDeclaration<T>, before: T): void;
}

export interface JournalEntry {
  /** Position; entries are in ascending string order of it. */
  readonly seq: string;
  /** ISO 8601. */
  readonly at: string;
  readonly actor: Actor;
  readonly changes: readonly JournalChange[];
}

/** What was made of the records that one commit has inserted. */
export interface Made<R> {
  /** Position of the commit in the journal. */
  readonly seq: string;
  readonly made: readonly R[];
}

/** What this process inserts into a collection, as it is needed by somebody who follows it. */
export interface Tail<R> {
  /**
   * The commits after a position and up to another that have inserted something, in their order; what is not later is
   * forgotten. Null where not all is known: others may have written, it was long ago, or much at once. The journal tells.
   */
  take(after: string, upTo: string): readonly Made<R>[] | null;
}

/** The values of a record's traits, as far as it has them. */
export type Traits = Readonly<Record<string, string>>;

export interface JournalChange {
  readonly collection: string;
  readonly id: string;
  readonly op: "insert" | "update" | "remove";
  /** After the change, or as the removed record had them. Absent in entries of the first releases. */
  readonly traits?: Traits;
  /** Before an update that changed them. */
  readonly were?: Traits;
}

/** Bytes, streamed in chunks. Metadata is committed last, by the caller; bytes without an owner are swept. */
export interface Blobs {
  /**
   * Stores a stream.
   *
   * @throws {VersionConflict | ReferenceConflict} It was removed meanwhile: what was put of it is gone too.
   * @param maxBytes When the stream is longer, what was written is removed and `TooLarge` is thrown.
   * @param id For copies: of a blob that the store does not hold. @default a new id
   */
  put(
    stream: ReadableStream<Uint8Array>,
    options: { readonly maxBytes: number; readonly id?: string },
  ): Promise<{ readonly id: string; readonly size: number; readonly sha256: string }>;
  /**
   * The bytes from `start` (default 0) up to, not including, `end` (default: the size). Null when there is no such blob;
   * the stream fails with `BlobRemoved` when there is none any more.
   */
  get(
    id: string,
    range?: { readonly start?: number; readonly end?: number },
  ): Promise<ReadableStream<Uint8Array> | null>;
  /** @param putBefore Milliseconds since the epoch: what was begun or completed since then stays. */
  remove(id: string, putBefore?: number): Promise<void>;
  /** Ids of all blobs, with the time each was completed, or else begun, in milliseconds since the epoch. */
  list(): AsyncIterable<{ readonly id: string; readonly putAt: number }>;
}

/** How a store fares, for people. */
export interface StoreFacts {
  /** Of the database; null where it tells none. */
  readonly version: string | null;
  /** Of what is stored. */
  readonly layout: string;
  /** Bytes on disk; null where nobody can tell. */
  readonly size: number | null;
  /** Bytes of records in memory, and how many may be. */
  readonly memory: { readonly bytes: number; readonly maxBytes: number };
  /** When the oldest entry was written that the journal still has, ISO 8601; null where it has none. */
  readonly journalSince: string | null;
}

/** Short texts that a store says of itself, by name, beside its records. Neither journalled nor copied. */
export interface Notes {
  get(name: string): Promise<string | null>;
  /** @param text At most 64,000 characters of ASCII: Deno KV has no longer values. */
  set(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Those whose names begin so. */
  list(prefix: string): Promise<readonly Note[]>;
}

export interface Note {
  readonly name: string;
  readonly text: string;
}

export interface Store {
  /** For people and logs: `Deno KV (data/quarterdeck.kv)`. Holds no password. */
  readonly engine: string;
  /** Whether other processes may use it at the same time. */
  readonly shared: boolean;
  readonly blobs: Blobs;
  readonly notes: Notes;
  from<T extends Entity>(collection: CollectionDeclaration<T>): Reader<T>;
  /**
   * Applies all changes or none.
   *
   * @returns The position of its entry in the journal; of the newest entry where there was nothing to write.
   * @throws {VersionConflict} A record is not at the version it was read at.
   * @throws {UniqueConflict} A unique value is taken.
   * @throws {TooLarge} A record is over 512 KiB.
   */
  commit(changes: readonly Change[], options: { readonly actor: Actor }): Promise<string>;
  /**
   * Reads, plans and commits, with an audit record for every audited change. On `VersionConflict` and
   * `ReferenceConflict` the plan runs again, up to 8 times in all, jittered: `plan` must have no effect of its own.
   *
   * @param committed Told the position of the commit, if there was anything to write.
   */
  transact<R>(
    actor: Actor,
    plan: (tx: Transaction) => Awaitable<R>,
    committed?: (position: string) => void,
  ): Promise<R>;
  /**
   * Inserts many records fast, in batches that are each atomic: for seeds and copies. Not audited. Records keep
   * the ids and timestamps they come with.
   */
  load<T extends Entity>(
    collection: CollectionDeclaration<T>,
    records: Iterable<Omit<T, "rev">> | AsyncIterable<Omit<T, "rev">>,
  ): Promise<number>;
  /** The journal after `seq` (default: from now on), as it grows; ends when the store closes or the signal aborts. */
  changes(
    options?: { readonly after?: string; readonly signal?: AbortSignal },
  ): AsyncIterable<JournalEntry>;
  /**
   * Begins to make something of each record that this process inserts into a collection, soon after its commit.
   *
   * @param make Takes some microseconds, has no effect and does not throw.
   */
  tail<T extends Entity, R>(
    collection: CollectionDeclaration<T>,
    make: (record: T) => R,
  ): Tail<R>;
  /**
   * The position in the journal up to which this process knows the store: what is committed after this call has a later
   * one. Empty where nothing was ever committed.
   */
  position(): string;
  /** The entry at a position; null where there is none, or where it is not kept any more. */
  entry(position: string): Promise<JournalEntry | null>;
  /** How many records were met that cannot be read, and are left out. */
  unreadable(): number;
  /** Looks at little: it may be asked for at any time. @throws {StoreUnavailable} */
  facts(): Promise<StoreFacts>;
  /**
   * What is wrong with what the engine keeps beside the records: indexes, unique values, bytes; a sentence each. For
   * `deno task verify`, while nobody writes.
   */
  check(): AsyncIterable<string>;
  /**
   * Begins to read into memory what lists need, behind all requests. Without it the first list that needs a whole
   * collection waits for that one, or the database answers it.
   *
   * @returns Resolves when it has been read, or cannot be: that is reported by the lists that need it.
   */
  warmUp(): Promise<void>;
  /**
   * @throws {StoreUnavailable} The store cannot be reached.
   * @throws {StoreFull} It answers, but has lately found no room for a write.
   */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** A record is not at the version it was read at. */
export class VersionConflict extends Error {
  override readonly name = "VersionConflict";
  constructor(readonly collection: string, readonly id: string) {
    super(`Cannot commit: ${collection} ${id} was changed by someone else`);
  }
}

/** A unique value is taken. */
export class UniqueConflict extends Error {
  override readonly name = "UniqueConflict";
  /** @param key The name of the unique key, as declared. */
  constructor(readonly collection: string, readonly key: string) {
    super(`Cannot commit: another record of ${collection} has the same ${key}`);
  }
}

/** A stored record cannot be read: its bytes are not what was written. */
export class RecordDamaged extends Error {
  override readonly name = "RecordDamaged";
  constructor(collection: string, id: string, field: string, options?: ErrorOptions) {
    super(`Cannot read ${collection} ${id}: its ${field} is damaged`, options);
  }
}

/** Bytes that were removed while they were read, or of which some are lost. */
export class BlobRemoved extends Error {
  override readonly name = "BlobRemoved";
  constructor(id: string) {
    super(`Cannot read blob ${id}: it was removed`);
  }
}

/** A record or a blob is over its limit. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
  /** @param limit In bytes. */
  constructor(what: string, readonly limit: number) {
    super(`Cannot store ${what}: it is over ${limit} bytes`);
  }
}

/** The store cannot be reached now; the same call may succeed later. */
export class StoreUnavailable extends Error {
  override readonly name: string = "StoreUnavailable";
}

/** The disk of the store is full: it reads and removes, and writes again once there is room. */
export class StoreFull extends StoreUnavailable {
  override readonly name: string = "StoreFull";
  constructor(options?: ErrorOptions) {
    super("Cannot write to the store: its disk is full", options);
  }
}

/** A record refers to another that does not exist, on engines that hold foreign keys. */
export class ReferenceConflict extends Error {
  override readonly name = "ReferenceConflict";
  constructor(readonly collection: string) {
    super(`Cannot commit: a record of ${collection} refers to one that does not exist`);
  }
}

/** A list, count or aggregate asks for a field that is not declared for it, or has a bad cursor. */
export class InvalidQuery extends Error {
  override readonly name = "InvalidQuery";
  /** The part of a list's query that is at fault, where callers write it; the message is about its value then. */
  readonly part: "sort" | "cursor" | undefined;
  constructor(message: string, options: ErrorOptions & { part?: "sort" | "cursor" } = {}) {
    super(message, options);
    this.part = options.part;
  }
}

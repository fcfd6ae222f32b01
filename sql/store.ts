// The relational engine: SQLite or Postgres behind the storage port.
import { allCollections } from "../models/all.ts";
import {
  type Actor,
  type Change,
  type CollectionDeclaration,
  type Entity,
  type JournalEntry,
  type Reader,
  type Store,
  type StoreFacts,
  type Tail,
  UniqueConflict,
  VersionConflict,
} from "../storage/port.ts";
import { lockFile } from "../storage/lock.ts";
import { Room } from "../storage/room.ts";
import { Tails } from "../storage/tail.ts";
import { createTransact } from "../storage/transact.ts";
import { type ReadChunks, SqlBlobs } from "./blobs.ts";
import { Committer } from "./committer.ts";
import { type CompiledQuery, sql } from "kysely";
import { type Connection, postgresDialect, sqliteDialect } from "./dialect.ts";
import { Engine } from "./engine.ts";
import { Feed, type FeedOptions, positionOf } from "./feed.ts";
import { Indexed } from "./indexed.ts";
import { IndexedMemory } from "./indexed_memory.ts";
import type { ReadCommitted } from "./index_source.ts";
import { loadRecords } from "./load.ts";
import { migrate, migrations } from "./migrate.ts";
import { SqlNotes } from "./notes.ts";
import type { OpenPostgres, PoolOptions, Unhurried } from "./postgres.ts";
import { type Table, tableOf } from "./tables.ts";
import { DEFAULT_CACHE_BYTES } from "../storage/limits.ts";

export interface SqlOptions {
  /** `sqlite:path`, `sqlite::memory:`, `postgres://…` or `postgresql://…`. */
  readonly url: string;
  readonly clock?: () => Date;
  /** How many bytes of records and answers are kept in memory. @default 96 MiB */
  readonly cacheMaxBytes?: number;
  /** For Postgres only. */
  readonly pool?: PoolOptions;
  /** For SQLite only: see OpenOptions of storage/open.ts. */
  readonly lazy?: boolean;
  /** As lazy. */
  readonly alone?: boolean;
}

/** Milliseconds between looks at a file that other processes may write. */
const SQLITE_INTERVAL = 500;
/** Milliseconds between looks at the journal, in case a notification was lost. */
const POSTGRES_INTERVAL = 1000;
/** Records loaded after which statistics are brought up to date. */
const ANALYZE_FROM = 1000;

const systemClock = () => new Date();

/**
 * @throws {StoreLocked} Another process has the file of SQLite for itself.
 * @throws {StoreUnavailable} Postgres cannot be reached.
 */
export async function openSqlStore(options: SqlOptions): Promise<Store> {
  if (!options.url.startsWith("sqlite:")) return await openDatabase(options);
  const path = options.url.slice("sqlite:".length);
  const lock = options.alone && path !== ":memory:" ? await lockFile(path, false) : null;
  try {
    return await openFile(path, lock, options);
  } catch (error) {
    lock?.close();
    throw error;
  }
}

async function openFile(
  path: string,
  lock: Deno.FsFile | null,
  { clock = systemClock, cacheMaxBytes = DEFAULT_CACHE_BYTES, lazy }: SqlOptions,
): Promise<Store> {
  const { openSqlite } = await import("./sqlite.ts");
  const { LOG_BYTES } = await import("./sqlite_file.ts");
  const database = openSqlite(path, { lazy });
  const { db, dataVersion } = database;
  const memory = new IndexedMemory(cacheMaxBytes, allCollections, "whole");
  // The log may grow to twice what it is taken in from, and once more while that is done; the file by as much.
  const room = new Room(path, 6 * LOG_BYTES, lock !== null);
  const engine = new Engine(db, sqliteDialect, memory, clock, tables(), room, undefined, database);
  let seen = NaN;
  const changed = () => seen !== (seen = dataVersion());
  const interval = path === ":memory:" ? null : SQLITE_INTERVAL;
  const indexed = new Indexed(engine, memory, (query) => {
    engine.noteRead();
    return database.committed(query);
  });
  const own = { indexed, shared: false, lock };
  return await SqlStore.open(engine, `SQLite (${path})`, { interval, changed }, own);
}

async function openDatabase(
  { url, clock = systemClock, cacheMaxBytes = DEFAULT_CACHE_BYTES, pool }: SqlOptions,
): Promise<Store> {
  // Loaded where it is used: the client of Postgres takes as long as much else of a start.
  const { openPostgres } = await import("./postgres.ts");
  const { db, pipelined, description, ...own } = openPostgres(url, pool);
  const memory = new IndexedMemory(cacheMaxBytes, allCollections, "sized");
  const engine = new Engine(db, postgresDialect, memory, clock, tables(), new Room(), pipelined);
  const read: ReadCommitted = async <R>(query: CompiledQuery) =>
    await pipelined.ask(query.sql, query.parameters) as R[];
  const indexed = new Indexed(engine, memory, read);
  const feed = { interval: POSTGRES_INTERVAL, changed: () => true };
  return await SqlStore.open(engine, `Postgres (${description})`, feed, {
    ...own,
    indexed,
    shared: true,
    lock: null,
  });
}

function tables(): Map<string, Table> {
  return new Map(allCollections.map((of) => [of.name, tableOf(of)]));
}

/** Migrates without a time limit: making an index on a large table, or waiting for a process that does, takes long. */
async function migrateUnhurried(engine: Engine, unhurried?: () => Unhurried): Promise<void> {
  const db: Connection = unhurried?.().db ?? engine.db;
  try {
    await engine.guard(() => migrate(db, engine.dialect));
    await engine.sqlite?.log?.sync();
    // The pages that the first start has made the tables in: 2.7 MiB, which would stay in SQLite's cache.
    if (engine.sqlite) await sql`pragma shrink_memory`.execute(engine.db);
  } finally {
    if (db !== engine.db) await db.destroy();
  }
}

/** How the journal is followed. */
type Followed = Omit<FeedOptions, "committing">;

interface Own extends Partial<Omit<OpenPostgres, "db" | "pipelined" | "description">> {
  readonly indexed: Indexed;
  readonly shared: boolean;
  /** Keeps other processes from the file. */
  readonly lock: Deno.FsFile | null;
}

class SqlStore implements Store {
  readonly blobs: SqlBlobs;
  readonly notes: SqlNotes;
  readonly transact: Store["transact"];
  readonly #committer: Committer;
  readonly #feed: Feed;
  readonly #tails = new Tails();
  #listener: { close(): Promise<void> } | null = null;

  private constructor(
    readonly own: Engine,
    readonly engine: string,
    readonly shared: boolean,
    readonly indexed: Indexed,
    readonly lock: Deno.FsFile | null,
    feed: Followed,
    readChunks?: ReadChunks,
  ) {
    this.blobs = new SqlBlobs(own, readChunks);
    this.notes = new SqlNotes(own);
    this.#committer = new Committer(
      own,
      (changes, version, keep) => this.#applied(changes, version, keep),
      (changes, version) => indexed.memory.prepare(changes, version),
    );
    this.#feed = new Feed(own, { ...feed, committing: () => this.#committer.committing });
    indexed.latest = () => this.#feed.sync();
    this.transact = createTransact(this, own.clock);
  }

  static async open(
    engine: Engine,
    description: string,
    feed: Followed,
    { listen, unhurried, readChunks, indexed, shared, lock }: Own,
  ): Promise<SqlStore> {
    const store = new SqlStore(engine, description, shared, indexed, lock, feed, readChunks);
    try {
      await migrateUnhurried(engine, unhurried);
      await store.#feed.start();
    } catch (error) {
      await engine.end();
      throw error;
    }
    store.#listener = listen?.((origin) => {
      if (origin !== engine.origin) store.#feed.sync().catch(() => {});
    }) ?? null;
    return store;
  }

  from<T extends Entity>(collection: CollectionDeclaration<T>): Reader<T> {
    return this.indexed.reader(collection.name) as unknown as Reader<T>;
  }

  async commit(changes: readonly Change[], { actor }: { actor: Actor }): Promise<string> {
    this.own.room.admit(changes);
    if (changes.length === 0) return this.position();
    try {
      return positionOf(await this.#committer.commit(changes, actor));
    } catch (error) {
      // Memory may have been behind: the next try must not plan with the same old state.
      const old = error instanceof VersionConflict || error instanceof UniqueConflict;
      if (old) await this.#feed.sync();
      throw error;
    }
  }

  async load<T extends Entity>(
    collection: CollectionDeclaration<T>,
    records: Iterable<Omit<T, "rev">> | AsyncIterable<Omit<T, "rev">>,
  ): Promise<number> {
    const loaded = await loadRecords(this.#committer, collection, records);
    if (loaded >= ANALYZE_FROM) {
      const { name } = this.own.tableOf(collection.name);
      await this.own.guard(() => this.own.dialect.analyze(this.own.db, name));
    }
    return loaded;
  }

  changes(
    options: { readonly after?: string; readonly signal?: AbortSignal } = {},
  ): AsyncIterable<JournalEntry> {
    return this.#feed.changes(options);
  }

  tail<T extends Entity, R>(
    { name }: CollectionDeclaration<T>,
    make: (record: T) => R,
  ): Tail<R> {
    return this.#tails.begin(name, make);
  }

  position(): string {
    return this.#feed.end;
  }

  entry(position: string): Promise<JournalEntry | null> {
    return this.#feed.entry(position);
  }

  /** Always 0: the columns' types keep out what could not be read as a record. */
  unreadable(): number {
    return 0;
  }

  async facts(): Promise<StoreFacts> {
    const { dialect, memory } = this.own;
    const [[facts], since] = await Promise.all([
      this.own.rows<{ version: string; size: number | string }>(dialect.facts),
      this.#feed.since(),
    ]);
    return {
      version: facts?.version ?? null,
      layout: Object.keys(migrations).at(-1)!,
      size: facts ? Number(facts.size) : null,
      memory: memory.held,
      journalSince: since,
    };
  }

  async *check(): AsyncIterable<string> {
    for (const finding of await this.own.guard(() => this.own.dialect.check(this.own.db))) {
      yield finding;
    }
  }

  warmUp(): Promise<void> {
    return this.indexed.warmUp();
  }

  async ping(): Promise<void> {
    await this.own.ping();
  }

  async close(): Promise<void> {
    if (this.own.closed) return;
    await this.#committer.idle();
    this.own.closed = true;
    await this.#listener?.close();
    await this.#feed.close();
    await this.indexed.close();
    await this.own.end();
    this.lock?.close();
  }

  #applied(changes: readonly Change[], version: number, keep: boolean): void {
    const late = this.#feed.position >= version;
    this.indexed.memory.committed({ changes, version, keep, late });
    this.#tails.add(positionOf(version - 1), positionOf(version), insertedBy(changes));
    this.#feed.committed(version);
  }
}

/** What a commit inserts into a collection. */
function insertedBy(changes: readonly Change[]): (collection: string) => Iterable<Entity> {
  return function* (name) {
    for (const change of changes) {
      if (change.kind === "insert" && change.collection === name) yield change.after;
    }
  };
}

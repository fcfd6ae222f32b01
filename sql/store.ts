// The relational engine: SQLite or Postgres behind the storage port.
import { allCollections } from "../models/all.ts";
import type {
  Actor,
  Change,
  CollectionDeclaration,
  Entity,
  JournalEntry,
  Reader,
  Store,
} from "../store.ts";
import { createTransact } from "../transact.ts";
import { SqlBlobs } from "./blobs.ts";
import { Committer } from "./committer.ts";
import { postgresDialect, sqliteDialect } from "./dialect.ts";
import { Engine } from "./engine.ts";
import { Feed, type FeedOptions } from "./feed.ts";
import { Memory } from "./memory.ts";
import { migrate } from "./migrate.ts";
import { openPostgres, type PoolOptions } from "./postgres.ts";
import { SqlReader } from "./reader.ts";
import { openSqlite } from "./sqlite.ts";
import { memoryOf, tableOf } from "./tables.ts";

export interface SqlOptions {
  /** `sqlite:path`, `sqlite::memory:`, `postgres://…` or `postgresql://…`. */
  readonly url: string;
  readonly clock?: () => Date;
  /** Of records and answers in memory, in bytes. @default 64 MiB */
  readonly cacheMaxBytes?: number;
  /** Of Postgres. */
  readonly pool?: PoolOptions;
}

const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;
/** Milliseconds between looks at a file that other processes may write. */
const SQLITE_INTERVAL = 500;
/** Milliseconds between looks at the journal, beside notifications. */
const POSTGRES_INTERVAL = 1000;
/** Records, and bytes of them, in one commit of `load`. */
const LOAD_BATCH = { records: 1000, bytes: 8 * 1024 * 1024 };
/** Records loaded after which statistics are brought up to date. */
const ANALYZE_FROM = 1000;

const SERVER: Actor = { userId: null };

/** @throws {StoreUnavailable} Postgres cannot be reached. */
export async function openSqlStore(options: SqlOptions): Promise<Store> {
  const { url, clock = () => new Date(), cacheMaxBytes = DEFAULT_CACHE_BYTES } = options;
  const tables = new Map(allCollections.map((of) => [of.name, tableOf(of)]));
  const memory = new Memory(cacheMaxBytes);
  if (url.startsWith("sqlite:")) {
    const path = url.slice("sqlite:".length);
    const { db, dataVersion } = openSqlite(path);
    const engine = new Engine(db, sqliteDialect, memory, clock, tables);
    let seen = NaN;
    const changed = () => seen !== (seen = dataVersion());
    const interval = path === ":memory:" ? null : SQLITE_INTERVAL;
    return await SqlStore.open(engine, `SQLite (${path})`, { interval, changed });
  }
  const { db, description, listen } = openPostgres(url, options.pool);
  const engine = new Engine(db, postgresDialect, memory, clock, tables);
  const feed = { interval: POSTGRES_INTERVAL, changed: () => true };
  return await SqlStore.open(engine, `Postgres (${description})`, feed, listen);
}

/** Calls back with the origin of each commit, and with null when some may have been missed. */
export type Listen = (
  onCommit: (origin: string | null) => void,
) => { close(): Promise<void> };

class SqlStore implements Store {
  readonly blobs: SqlBlobs;
  readonly transact: Store["transact"];
  readonly #readers = new Map<string, SqlReader<Entity>>();
  readonly #committer: Committer;
  readonly #feed: Feed;
  #listener: { close(): Promise<void> } | null = null;

  private constructor(readonly own: Engine, readonly engine: string, feed: FeedOptions) {
    this.blobs = new SqlBlobs(own);
    this.#feed = new Feed(own, feed);
    this.#committer = new Committer(
      own,
      (changes, version, keep) => this.#applied(changes, version, keep),
    );
    this.transact = createTransact(this, own.clock);
  }

  static async open(
    engine: Engine,
    description: string,
    feed: FeedOptions,
    listen?: Listen,
  ): Promise<SqlStore> {
    const store = new SqlStore(engine, description, feed);
    try {
      await engine.guard(() => migrate(engine.db, engine.dialect));
      await store.#feed.start();
    } catch (error) {
      await engine.db.destroy();
      throw error;
    }
    store.#listener = listen?.((origin) => {
      if (origin !== engine.origin) store.#feed.sync().catch(() => {});
    }) ?? null;
    return store;
  }

  from<T extends Entity>(collection: CollectionDeclaration<T>): Reader<T> {
    let reader = this.#readers.get(collection.name);
    if (!reader) {
      reader = new SqlReader(this.own, this.own.tableOf(collection.name));
      this.#readers.set(collection.name, reader);
    }
    return reader as unknown as Reader<T>;
  }

  async commit(changes: readonly Change[], { actor }: { actor: Actor }): Promise<void> {
    if (changes.length > 0) await this.#committer.commit(changes, actor);
  }

  async load<T extends Entity>(
    collection: CollectionDeclaration<T>,
    records: Iterable<Omit<T, "rev">> | AsyncIterable<Omit<T, "rev">>,
  ): Promise<number> {
    let loaded = 0;
    let bytes = 0;
    let batch: Change[] = [];
    const flush = async () => {
      if (batch.length > 0) await this.#committer.commit(batch, SERVER, false);
      loaded += batch.length;
      batch = [];
      bytes = 0;
    };
    for await (const record of records) {
      const after = { ...record, rev: "" } as unknown as Entity;
      batch.push({ kind: "insert", collection: collection.name, after });
      bytes += memoryOf(after);
      if (batch.length >= LOAD_BATCH.records || bytes >= LOAD_BATCH.bytes) await flush();
    }
    await flush();
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

  async ping(): Promise<void> {
    await this.own.ping();
  }

  async close(): Promise<void> {
    if (this.own.closed) return;
    await this.#committer.idle();
    this.own.closed = true;
    await this.#listener?.close();
    await this.#feed.close();
    await this.own.db.destroy();
  }

  #applied(changes: readonly Change[], version: number, wanted: boolean): void {
    // When the feed is past this commit, another may have written the same since: then memory only forgets.
    const keep = wanted && this.#feed.position < version;
    for (const change of changes) {
      if (change.kind === "check") continue;
      const memory = this.own.memory.of(change.collection);
      if (change.kind === "remove") memory.forget(change.before.id);
      else memory.written(change.after, String(version), keep);
    }
    this.#feed.committed(version);
  }
}

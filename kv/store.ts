// The Deno KV engine: a Store on a local file, in memory, on a KV Connect server or on Deno Deploy.
import { allCollections } from "../models/all.ts";
import { fileProblem, makePrivateFile } from "../core/private_files.ts";
import {
  type CollectionDeclaration,
  type Entity,
  type JournalEntry,
  type Reader,
  type Store,
  type StoreFacts,
  StoreUnavailable,
  type Tail,
  UniqueConflict,
  VersionConflict,
} from "../storage/port.ts";
import { Room } from "../storage/room.ts";
import { Tails } from "../storage/tail.ts";
import { createTransact } from "../storage/transact.ts";
import { Access } from "./access.ts";
import { KvBlobs } from "./blobs.ts";
import { checkKeys } from "./check.ts";
import { Client, unavailable } from "./client.ts";
import { Commits, type Committed, insertedBy } from "./commits.ts";
import { Feed } from "./feed.ts";
import { Follower } from "./follower.ts";
import { Gate } from "./gate.ts";
import { Journal } from "./journal.ts";
import { RESERVED_NAMES } from "./keys.ts";
import { LargeCommits } from "./large_commit.ts";
import { loadRecords } from "./load.ts";
import { lockFile } from "../storage/lock.ts";
import { Filling } from "../storage/memory/filling.ts";
import { Memory } from "../storage/memory/memory.ts";
import { MemoryReader } from "../storage/memory/reader.ts";
import { RecordsBudget } from "../storage/memory/records.ts";
import { holdLayout, KvNotes, LAYOUT } from "./notes.ts";
import { RemoteKv } from "./remote.ts";
import { KvSource } from "./source.ts";
import { Unreadable } from "./unreadable.ts";
import { DEFAULT_CACHE_BYTES } from "../storage/limits.ts";

export interface KvOptions {
  /** A file, `:memory:`, or the URL of a KV Connect server. Absent: the database that Deno Deploy binds. */
  readonly path?: string;
  /** @default the system's time */
  readonly clock?: () => Date;
  /** How many bytes of records are kept in memory. @default 96 MiB */
  readonly cacheMaxBytes?: number;
  /** @default every collection of the product */
  // deno-lint-ignore no-explicit-any -- a list of collections of different records
  readonly collections?: readonly CollectionDeclaration<any>[];
  /** Whether other processes may use it too. @default false for files and memory, else true */
  readonly shared?: boolean;
  /** See storage/room.ts. @default false */
  readonly serves?: boolean;
}

const NO_KV =
  "Cannot open the store: this runtime offers no Deno KV. On Deno Deploy, bind a KV database to the " +
  "application; elsewhere run with --unstable-kv. Or set DATABASE_URL, as in " +
  "DATABASE_URL=postgres://user:password@host/database";

/**
 * Opens the store. A local file is locked for this process, unless it is shared; directories above it are created.
 *
 * @throws {StoreLocked} Another process has the file.
 * @throws {StoreUnavailable}
 * @throws {Error} The store has the layout of a newer program.
 * @throws {Error} The file cannot be used: it says why, and what helps.
 */
export async function openKvStore(options: KvOptions = {}): Promise<Store> {
  const { path } = options;
  const remote = path !== undefined && /^https?:\/\//.test(path);
  const local = path !== undefined && !remote;
  const shared = options.shared ?? !local;
  const lock = local && path !== ":memory:" ? await lockFile(path, shared) : null;
  try {
    if (lock) makePrivateFile(path!);
    const kv = await openKv(path, remote);
    const client = new Client(kv, new Room(lock ? path : undefined, undefined, options.serves));
    return await KvStore.open(client, lock, { ...options, shared });
  } catch (error) {
    lock?.close();
    throw lock && error instanceof StoreUnavailable ? fileProblem(path!, error) : error;
  }
}

/** Opens KV, which Deno has only with a flag; on Deno Deploy it is the database bound to the application. */
export async function openKv(
  path: string | undefined,
  remote: boolean,
): Promise<Deno.Kv | RemoteKv> {
  if (typeof Deno.openKv !== "function") throw new StoreUnavailable(NO_KV);
  try {
    return await (remote ? RemoteKv.open(path!) : Deno.openKv(path));
  } catch (error) {
    throw path === undefined ? new StoreUnavailable(NO_KV, { cause: error }) : unavailable(error);
  }
}

/** Exported for tests that stand between the engine and KV. */
export class KvStore implements Store {
  readonly blobs: KvBlobs;
  readonly notes: KvNotes;
  readonly transact: Store["transact"];
  readonly #memories = new Map<string, Memory<Entity>>();
  readonly #readers = new Map<string, MemoryReader<Entity>>();
  readonly #tails = new Tails();
  readonly #filling = new Filling();
  readonly #budget: RecordsBudget;
  readonly #access: Access;
  readonly #commits: Commits;
  readonly #feed: Feed;
  readonly #follower: Follower | null;

  static async open(
    client: Client,
    lock: Deno.FsFile | null,
    options: KvOptions & { readonly shared: boolean },
  ): Promise<KvStore> {
    await holdLayout(new KvNotes(client));
    const journal = new Journal(client);
    const large = new LargeCommits(client, options.shared);
    await (options.shared ? large.settled() : large.recover());
    return new KvStore(client, lock, options, large, new Feed(journal, await journal.last()));
  }

  private constructor(
    readonly client: Client,
    readonly lock: Deno.FsFile | null,
    readonly options: KvOptions & { readonly shared: boolean },
    large: LargeCommits,
    feed: Feed,
  ) {
    const { shared, clock = () => new Date(), collections = allCollections } = options;
    const gate = new Gate();
    this.#budget = new RecordsBudget(options.cacheMaxBytes ?? DEFAULT_CACHE_BYTES);
    for (const declaration of collections) {
      if (RESERVED_NAMES.has(declaration.name)) {
        throw new Error(`Cannot open the store: no collection may be named ${declaration.name}`);
      }
      this.#memories.set(declaration.name, new Memory<Entity>(declaration, this.#budget));
    }
    this.#feed = feed;
    this.#access = new Access(client, gate, large, shared, new Unreadable(collections));
    this.#follower = shared
      ? new Follower(feed.journal, feed, this.#access, this.#memories, this.#tails)
      : null;
    const declarations = new Map(collections.map((item) => [item.name, item]));
    this.#commits = new Commits(client, gate, large, declarations, {
      shared,
      clock,
      journal: feed.journal,
      position: () => feed.position,
      onCommit: (committed) => this.#follow(committed),
      onLost: () => this.#forgetAll(),
    });
    this.blobs = new KvBlobs(client, clock);
    this.notes = new KvNotes(client);
    this.transact = createTransact(this, clock);
  }

  get engine(): string {
    return `Deno KV (${describeKv(this.options.path)})`;
  }

  get shared(): boolean {
    return this.options.shared;
  }

  from<T extends Entity>(collection: CollectionDeclaration<T>): Reader<T> {
    return this.#reader(collection.name) as unknown as Reader<T>;
  }

  /** Does nothing for a remote database, which may charge for what is read. */
  async warmUp(): Promise<void> {
    if (this.client.remote || this.options.path === undefined) return;
    await this.#filling.start([...this.#memories.keys()].map((name) => this.#reader(name)));
  }

  #reader(name: string): MemoryReader<Entity> {
    let reader = this.#readers.get(name);
    if (!reader) {
      const memory = this.#memories.get(name);
      if (!memory) throw new Error(`Cannot read ${name}: there is no such collection`);
      const follower = this.#follower;
      const latest = () => follower!.catchUp();
      const following = follower && { fresh: true, current: false, catchUp: latest, latest };
      const source = new KvSource(memory, this.#access);
      reader = new MemoryReader<Entity>(memory, source, following, this.#filling);
      this.#readers.set(name, reader);
    }
    return reader;
  }

  async commit(...[changes, { actor }]: Parameters<Store["commit"]>): Promise<string> {
    this.client.room.admit(changes);
    try {
      const committed = await this.#commits.commit(changes, actor);
      if (committed) await this.#follower?.follow(committed);
      return committed?.seq ?? this.position();
    } catch (error) {
      // Memory may have been behind: the next try must not plan with the same old state.
      const old = error instanceof VersionConflict || error instanceof UniqueConflict;
      if (old) await this.#follower?.catchUp();
      throw error;
    }
  }

  load<T extends Entity>(
    collection: CollectionDeclaration<T>,
    records: Iterable<Omit<T, "rev">> | AsyncIterable<Omit<T, "rev">>,
  ): Promise<number> {
    return loadRecords(this, collection, records, this.client.maxChecks);
  }

  changes(options?: Parameters<Store["changes"]>[0]): ReturnType<Store["changes"]> {
    return this.#feed.changes(options);
  }

  tail<T extends Entity, R>(
    { name }: CollectionDeclaration<T>,
    make: (record: T) => R,
  ): Tail<R> {
    return this.#tails.begin(name, make);
  }

  position(): string {
    return this.#feed.position;
  }

  entry(position: string): Promise<JournalEntry | null> {
    return this.#feed.journal.entry(position);
  }

  unreadable(): number {
    return this.#access.unreadable.count;
  }

  async facts(): Promise<StoreFacts> {
    return {
      version: null,
      layout: String(LAYOUT),
      size: await this.#size(),
      memory: { bytes: this.#budget.bytes, maxBytes: this.#budget.maxBytes },
      journalSince: await this.#feed.journal.since(),
    };
  }

  /** Of the file, with what SQLite keeps beside it. */
  async #size(): Promise<number | null> {
    const { path } = this.options;
    if (this.lock === null || path === undefined) return null;
    const sizes = await Promise.all(
      [path, `${path}-wal`].map((file) => Deno.stat(file).then(({ size }) => size, () => 0)),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  check(): AsyncIterable<string> {
    return checkKeys(this.client, this.#access, this.options.collections ?? allCollections);
  }

  async ping(): Promise<void> {
    await this.client.get(["ping"]);
    this.client.room.assert();
  }

  async close(): Promise<void> {
    this.#follower?.close();
    this.#feed.close();
    // What is under way when Deno KV is closed fails, or is never answered. Another machine may keep a commit waiting.
    if (!this.client.remote) await this.#commits.idle();
    this.client.close();
    this.lock?.close();
    await this.#filling.close();
  }

  /** Memory takes the commit at once where this process has the store alone; on a shared store, from the journal. */
  #follow(committed: Committed): void {
    if (this.#follower) return;
    const { seq, changes } = committed;
    changes.forEach((applied, collection) => this.#memories.get(collection)!.apply(applied));
    this.#tails.add(this.#feed.position, seq, insertedBy(committed));
    this.#feed.advance(seq);
  }

  /** It is not known what KV holds now, so memory forgets everything and reads it again. */
  async #forgetAll(): Promise<void> {
    for (const memory of this.#memories.values()) memory.reset();
    this.#feed.advance(await this.#feed.journal.last());
  }
}

/** For people; without a password. */
export function describeKv(path: string | undefined): string {
  if (path === undefined) return "Deno Deploy";
  if (path === ":memory:") return "memory";
  const url = URL.parse(path);
  return url?.protocol.startsWith("http") ? url.origin : path;
}

// The Deno KV engine: a Store on a local file, in memory, on a KV Connect server or on Deno Deploy.
import { allCollections } from "../models/all.ts";
import {
  type CollectionDeclaration,
  type Entity,
  type Reader,
  type Store,
  VersionConflict,
} from "../store.ts";
import { createTransact } from "../transact.ts";
import { Access } from "./access.ts";
import { KvBlobs } from "./blobs.ts";
import { CacheBudget } from "../cache.ts";
import { Client, unavailable } from "./client.ts";
import { Commits, type Committed } from "./commits.ts";
import { Feed } from "./feed.ts";
import { Follower } from "./follower.ts";
import { Gate } from "./gate.ts";
import { Journal } from "./journal.ts";
import { RESERVED_NAMES } from "./keys.ts";
import { LargeCommits } from "./large_commit.ts";
import { loadRecords } from "./load.ts";
import { lockFile } from "./lock.ts";
import { Memory } from "./memory.ts";
import { KvReader } from "./reader.ts";

export interface KvOptions {
  /** A file, `:memory:`, or the URL of a KV Connect server. Absent: the database that Deno Deploy binds. */
  readonly path?: string;
  /** @default the system's time */
  readonly clock?: () => Date;
  /** For decoded records, in bytes. @default 64 MiB */
  readonly cacheMaxBytes?: number;
  /** @default every collection of the product */
  // deno-lint-ignore no-explicit-any -- a list of collections of different records
  readonly collections?: readonly CollectionDeclaration<any>[];
  /** Whether other processes may use it too. @default false for files and memory, else true */
  readonly shared?: boolean;
}

const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;

/**
 * Opens the store. A local file is locked for this process, unless it is shared; directories above it are created.
 *
 * @throws {StoreLocked} Another process has the file.
 * @throws {StoreUnavailable}
 */
export async function openKvStore(options: KvOptions = {}): Promise<Store> {
  const { path } = options;
  const remote = path !== undefined && /^https?:\/\//.test(path);
  const local = path !== undefined && !remote;
  const shared = options.shared ?? !local;
  const lock = local && path !== ":memory:" ? await lockFile(path, shared) : null;
  try {
    const kv = await Deno.openKv(path).catch((error) => {
      throw unavailable(error);
    });
    return await KvStore.open(new Client(kv, remote), lock, { ...options, shared });
  } catch (error) {
    lock?.close();
    throw error;
  }
}

/** Exported for tests that stand between the engine and KV. */
export class KvStore implements Store {
  readonly blobs: KvBlobs;
  readonly transact: Store["transact"];
  readonly #memories = new Map<string, Memory<Entity>>();
  readonly #readers = new Map<string, KvReader<Entity>>();
  readonly #access: Access;
  readonly #commits: Commits;
  readonly #feed: Feed;
  readonly #follower: Follower | null;

  static async open(
    client: Client,
    lock: Deno.FsFile | null,
    options: KvOptions & { readonly shared: boolean },
  ): Promise<KvStore> {
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
    const budget = new CacheBudget(options.cacheMaxBytes ?? DEFAULT_CACHE_BYTES);
    for (const declaration of collections) {
      if (RESERVED_NAMES.has(declaration.name)) {
        throw new Error(`Cannot open the store: no collection may be named ${declaration.name}`);
      }
      this.#memories.set(declaration.name, new Memory<Entity>(declaration, budget));
    }
    this.#feed = feed;
    this.#access = new Access(client, gate, large, shared);
    this.#follower = shared ? new Follower(feed.journal, feed, this.#access, this.#memories) : null;
    const declarations = new Map(collections.map((item) => [item.name, item]));
    this.#commits = new Commits(client, gate, large, declarations, {
      shared,
      clock,
      onCommit: (committed) => this.#follow(committed),
      onLost: () => this.#forgetAll(),
    });
    this.blobs = new KvBlobs(client, clock);
    this.transact = createTransact(this, clock);
  }

  get engine(): string {
    return `Deno KV (${describe(this.options.path)})`;
  }

  from<T extends Entity>(collection: CollectionDeclaration<T>): Reader<T> {
    let reader = this.#readers.get(collection.name);
    if (!reader) {
      const memory = this.#memories.get(collection.name);
      if (!memory) throw new Error(`Cannot read ${collection.name}: there is no such collection`);
      const follower = this.#follower;
      const catchUp = follower && (() => follower.catchUp());
      reader = new KvReader<Entity>(memory, this.#access, catchUp);
      this.#readers.set(collection.name, reader);
    }
    return reader as unknown as Reader<T>;
  }

  async commit(...[changes, { actor }]: Parameters<Store["commit"]>): Promise<void> {
    try {
      const committed = await this.#commits.commit(changes, actor);
      if (committed) await this.#follower?.follow(committed);
    } catch (error) {
      // The next try must not plan with the same old state.
      if (error instanceof VersionConflict) await this.#follower?.catchUp();
      throw error;
    }
  }

  load<T extends Entity>(
    collection: CollectionDeclaration<T>,
    records: Iterable<Omit<T, "rev">> | AsyncIterable<Omit<T, "rev">>,
  ): Promise<number> {
    return loadRecords(this, collection, records);
  }

  changes(options?: Parameters<Store["changes"]>[0]): ReturnType<Store["changes"]> {
    return this.#feed.changes(options);
  }

  async ping(): Promise<void> {
    await this.client.get(["ping"]);
  }

  async close(): Promise<void> {
    this.#follower?.close();
    this.#feed.close();
    this.client.close();
    this.lock?.close();
    await Promise.resolve();
  }

  /** On a store of this process alone memory follows at once; on a shared one by the journal. */
  #follow({ seq, changes }: Committed): void {
    if (this.#follower) return;
    for (const [collection, applied] of changes) this.#memories.get(collection)!.apply(applied);
    this.#feed.advance(seq);
  }

  /** What KV holds now is not known: everything is read again. */
  async #forgetAll(): Promise<void> {
    for (const memory of this.#memories.values()) memory.reset();
    this.#feed.advance(await this.#feed.journal.last());
  }
}

function describe(path: string | undefined): string {
  if (path === undefined) return "Deno Deploy";
  if (path === ":memory:") return "memory";
  const url = URL.parse(path);
  return url?.protocol.startsWith("http") ? url.origin : path;
}

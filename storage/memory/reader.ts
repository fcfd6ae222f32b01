// Reads of one collection: at once from memory where that is enough, else from KV.
import { type ParsedQuery, parseQuery, parseWhere } from "../query.ts";
import type {
  AggregateQuery,
  Awaitable,
  CollectionDeclaration,
  Entity,
  Group,
  ListQuery,
  Page,
  Reader,
  Scalar,
  Where,
} from "../store.ts";
import { type Access, SCAN_BATCH } from "./access.ts";
import { readHead } from "./head.ts";
import { countKey, MAX_ID_LENGTH, uniqueKey } from "./keys.ts";
import type { Applied, Memory, PendingRead } from "./memory.ts";
import { Projection } from "./projection.ts";

/** How often a page is composed anew because its records changed while they were read. */
const MAX_PAGE_TRIES = 5;
/** How often a unique key and its record are read again because they disagree. */
const MAX_FIND_TRIES = 20;
/** First pages read from KV before the projection is filled in the background. */
const HEADS_BEFORE_PROJECTION = 2;

export class KvReader<T extends Entity> implements Reader<T> {
  readonly #declaration: CollectionDeclaration<T>;
  readonly #name: string;
  #filling: Promise<Projection<T>> | null = null;
  #heads = 0;

  /** @param catchUp Brings memory up to date with other processes; null when there are none. */
  constructor(
    readonly memory: Memory<T>,
    readonly access: Access,
    readonly catchUp: (() => Promise<void>) | null,
  ) {
    this.#declaration = memory.declaration;
    this.#name = memory.declaration.name;
  }

  get(id: string): Awaitable<T | null> {
    const cached = this.memory.cache.get(id);
    if (cached !== undefined) return cached;
    if (this.memory.projection && !this.memory.projection.has(id)) return null;
    return this.#read(id);
  }

  getMany(ids: readonly string[]): Awaitable<readonly (T | null)[]> {
    const records = ids.map((id) => this.get(id));
    return records.some((record) => record instanceof Promise)
      ? Promise.all(records)
      : records as (T | null)[];
  }

  findBy(unique: string, ...values: Scalar[]): Awaitable<T | null> {
    const fields = this.#declaration.unique[unique];
    if (!fields) throw new Error(`Cannot find in ${this.#name}: there is no unique key ${unique}`);
    if (values.length !== fields.length || values.includes(null)) return null;
    const id = this.memory.recall(unique, values);
    const record = id === undefined ? undefined : this.memory.cache.get(id);
    if (record && hasValues(record, fields, values)) return record;
    return this.#find(unique, fields, values);
  }

  list(query?: ListQuery<T>): Awaitable<Page<T>> {
    const parsed = parseQuery(this.#declaration, query);
    return this.#current(() => this.#list(parsed));
  }

  count(where?: Where<T>): Awaitable<number> {
    const filter = parseWhere(this.#declaration, where);
    const all = filter.all.length === 0 && !filter.any;
    return this.#current(() => {
      if (this.memory.projection) return this.memory.projection.count(filter);
      if (all) return this.#storedCount();
      return this.#projection().then((projection) => projection.count(filter));
    });
  }

  generation(): number {
    return this.memory.version;
  }

  aggregate(query: AggregateQuery<T>): Awaitable<readonly Group[]> {
    const filter = parseWhere(this.#declaration, query.where);
    return this.#current(() =>
      this.memory.projection?.aggregate(query, filter) ??
        this.#projection().then((projection) => projection.aggregate(query, filter))
    );
  }

  async *scan(): AsyncIterable<T> {
    for (let last = "";;) {
      const batch = await this.access.scan<T>(this.#name, last, SCAN_BATCH);
      for (const { record } of batch) yield record;
      if (batch.length < SCAN_BATCH) return;
      last = batch.at(-1)!.record.id;
    }
  }

  /** Answers once memory is current. */
  #current<R>(answer: () => Awaitable<R>): Awaitable<R> {
    return this.catchUp ? this.catchUp().then(answer) : answer();
  }

  #read(id: string): Awaitable<T | null> {
    if (id.length > MAX_ID_LENGTH) return null;
    const known = this.memory.pending.get(id);
    if (known) return known.promise;
    const read: PendingRead<T> = { stale: false, promise: Promise.resolve(null) };
    this.memory.pending.set(id, read);
    read.promise = this.#readStored(id, read);
    return read.promise;
  }

  async #readStored(id: string, read: PendingRead<T>): Promise<T | null> {
    try {
      const stored = await this.access.record<T>(this.#name, id);
      if (stored && !read.stale) this.memory.cache.set(id, stored.record, stored.size);
      return stored && stored.record;
    } finally {
      if (!read.stale) this.memory.pending.delete(id);
    }
  }

  /** The key and the record are two reads: when they disagree, something changed between, and both are read again. */
  async #find(
    unique: string,
    fields: readonly string[],
    values: readonly Scalar[],
  ): Promise<T | null> {
    for (let tries = 0; tries < MAX_FIND_TRIES; tries++) {
      const [entry] = await this.access.read([uniqueKey(this.#name, unique, values)]);
      if (typeof entry!.value !== "string") return null;
      const record = await this.get(entry!.value);
      if (record && hasValues(record, fields, values)) {
        this.memory.remember(unique, values, record.id);
        return record;
      }
      this.memory.cache.delete(entry!.value);
      this.memory.forget(entry!.value);
    }
    return null;
  }

  async #storedCount(): Promise<number> {
    const [entry] = await this.access.read([countKey(this.#name)]);
    return Number((entry!.value as Deno.KvU64 | null)?.value ?? 0);
  }

  #list(query: ParsedQuery): Awaitable<Page<T>> {
    return this.memory.projection ? this.#page(this.memory.projection, query) : this.#cold(query);
  }

  async #cold(query: ParsedQuery): Promise<Page<T>> {
    const head = await readHead(this.memory, this.access, query);
    if (!head) return await this.#page(await this.#projection(), query);
    if (++this.#heads >= HEADS_BEFORE_PROJECTION) this.#projection().catch(() => {});
    return head;
  }

  #page(projection: Projection<T>, query: ParsedQuery): Awaitable<Page<T>> {
    const { ids, total, nextCursor } = projection.list(query);
    const rows: T[] = [];
    for (const id of ids) {
      const record = this.memory.cache.get(id);
      if (record === undefined) return this.#readPage(query, MAX_PAGE_TRIES);
      rows.push(record);
    }
    return { rows, total, nextCursor };
  }

  /** A page of which some records are not in memory; composed anew when commits come between. */
  async #readPage(query: ParsedQuery, tries: number): Promise<Page<T>> {
    const { version } = this.memory;
    const { ids, total, nextCursor } = (await this.#projection()).list(query);
    const records = await Promise.all(ids.map((id) => this.get(id)));
    if (version !== this.memory.version && tries > 1) return await this.#readPage(query, tries - 1);
    return { rows: records.filter((record) => record !== null), total, nextCursor };
  }

  #projection(): Promise<Projection<T>> {
    if (this.memory.projection) return Promise.resolve(this.memory.projection);
    this.#filling ??= this.#fill().finally(() => this.#filling = null);
    return this.#filling;
  }

  /** One scan of the collection. What is committed meanwhile is added at the end, unless the scan saw it. */
  async #fill(): Promise<Projection<T>> {
    const building = new Map<string, Applied<T>>();
    const projection = new Projection(this.#declaration);
    this.memory.building = building;
    for (let last = "";;) {
      const batch = await this.access.scan<T>(this.#name, last, SCAN_BATCH);
      const rows = batch.map(({ record }) => ({ id: record.id, record }));
      projection.apply(rows.filter(({ id, record }) => record.rev > (building.get(id)?.rev ?? "")));
      if (batch.length < SCAN_BATCH) break;
      last = batch.at(-1)!.record.id;
    }
    // The scan may have seen commits of other processes that memory has not followed yet.
    await this.catchUp?.();
    // Memory was reset meanwhile: begin again.
    if (this.memory.building !== building) return await this.#fill();
    projection.apply([...building.values()]);
    this.memory.building = null;
    return this.memory.projection = projection;
  }
}

function hasValues(record: object, fields: readonly string[], values: readonly Scalar[]): boolean {
  return fields.every((field, n) => (record as Record<string, Scalar>)[field] === values[n]);
}

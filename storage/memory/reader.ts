// Reads of one collection: at once from memory where that is enough, else from the engine's source.
import { getLogger } from "@logtape/logtape";
import { type ParsedQuery, parseQuery, parseWhere } from "../query.ts";
import type { ByKey, Keys } from "../../core/keys.ts";
import type {
  AggregateQuery,
  CollectionDeclaration,
  Entity,
  Group,
  ListQuery,
  Page,
  Reader,
  RowPage,
  Scalar,
  Where,
} from "../port.ts";
import { allOf, type Awaitable } from "../../core/awaitable.ts";
import { nextTurn } from "../../core/delay.ts";
import type { Filling } from "./filling.ts";
import type { Following } from "./following.ts";
import type { Applied, Memory, PendingRead } from "./memory.ts";
import { Misses } from "./misses.ts";
import { Projection } from "./projection.ts";
import { textBytes } from "./records.ts";
import { RowReader } from "./row_reader.ts";
import { FILL_BATCH, type Source, type Stored } from "./source.ts";
import { UniqueMisses } from "./unique_misses.ts";

/** How often a page is composed anew because its records changed while they were read. */
const MAX_PAGE_TRIES = 5;
/** How often a unique key and its record are read again because they disagree. */
const MAX_FIND_TRIES = 20;
/** First pages read from the source before the projection is filled in the background. */
const HEADS_BEFORE_PROJECTION = 2;
/** Records that a scan for a copy or a sweep reads at a time: few enough when all are as long as they may be. */
const SCAN_BATCH = 100;
/** A request that waits longer than this for its collection to be read is logged: milliseconds. */
const LONG_WAIT = 1000;

const log = getLogger(["quarterdeck", "store"]);

export class MemoryReader<T extends Entity> implements Reader<T> {
  readonly #declaration: CollectionDeclaration<T>;
  readonly #name: string;
  readonly #misses: Misses<Stored<T>>;
  readonly #ids: UniqueMisses<string>;
  #underWay: Promise<Projection<T>> | null = null;
  readonly #rows: RowReader<T>;
  #heads = 0;

  /** @param following Null when no other process writes. */
  constructor(
    readonly memory: Memory<T>,
    readonly source: Source<T>,
    readonly following: Following | null,
    readonly filling: Filling,
  ) {
    this.#declaration = memory.declaration;
    this.#name = memory.declaration.name;
    this.#misses = new Misses((ids) => source.records(ids));
    this.#ids = new UniqueMisses((unique, all) => source.idsOf(unique, all));
    this.#rows = new RowReader(memory, {
      fetch: async (id) =>
        source.canHold(id) ? (await this.#misses.fetch(id))?.record ?? null : null,
      projection: () => this.#projection(),
    });
  }

  get(id: string): Awaitable<T | null> {
    if (this.following && !this.following.fresh) return this.#current(() => this.#get(id));
    return this.#get(id);
  }

  #get(id: string): Awaitable<T | null> {
    const { records, projection } = this.memory;
    const held = records.get(id);
    if (held !== undefined) return held;
    const whole = projection?.whole(id);
    if (whole) {
      records.set(whole.record, whole.bytes);
      return whole.record;
    }
    if (!this.#lacks(id)) return this.#read(id);
    return this.following ? this.#getLate(id, this.following) : null;
  }

  /** What memory does not know another process may have made a moment ago. */
  async #getLate(id: string, following: Following): Promise<T | null> {
    await following.latest();
    return this.memory.records.get(id) ?? (this.#lacks(id) ? null : await this.#read(id));
  }

  /** Whether all records are known, and this is none of them. */
  #lacks(id: string): boolean {
    return this.memory.projection?.lacks(id) ?? false;
  }

  getMany(ids: readonly string[]): Awaitable<readonly (T | null)[]> {
    const records = ids.map((id) => this.get(id));
    return allOf(records);
  }

  findBy(unique: string, ...values: Scalar[]): Awaitable<T | null> {
    const fields = this.#declaration.unique[unique];
    if (!fields) throw new Error(`Cannot find in ${this.#name}: there is no unique key ${unique}`);
    if (values.length !== fields.length || values.includes(null)) return null;
    if (this.following && !this.following.fresh) {
      return this.#current(() => this.#find(unique, fields, values));
    }
    const id = this.memory.recall(unique, values);
    const record = id === undefined ? undefined : this.memory.records.get(id);
    if (record && hasValues(record, fields, values)) return record;
    return this.#find(unique, fields, values);
  }

  list(query?: ListQuery<T>): Awaitable<Page<T>> {
    const parsed = parseQuery(this.#declaration, query);
    return this.#current(() => this.#list(parsed));
  }

  listRows(query?: ListQuery<T>, keys: readonly string[] = []): Awaitable<RowPage> {
    const parsed = parseQuery(this.#declaration, query);
    return this.#current(() => {
      const { projection } = this.memory;
      if (projection) return this.#rows.page(projection, parsed, keys);
      return this.#cold(parsed).then(({ rows, ...page }) => ({
        ...page,
        rows: rows.map((record) => this.#rows.rowOf(record)),
      }));
    });
  }

  rowsOf(ids: Keys): Awaitable<readonly (string | null)[]> {
    if (this.following && !this.following.fresh) return this.#current(() => this.#rows.rowsOf(ids));
    return this.#rows.rowsOf(ids);
  }

  count(where?: Where<T>): Awaitable<number> {
    const filter = parseWhere(this.#declaration, where);
    const all = filter.all.length === 0 && !filter.any;
    return this.#current(() => {
      if (this.memory.projection) return this.memory.projection.count(filter);
      const counted = () => this.#projection().then((projection) => projection.count(filter));
      return all ? this.source.count().then((count) => count ?? counted()) : counted();
    });
  }

  held(field: string, keys: Keys): ByKey<T> | null {
    if (this.following && !this.following.current) return null;
    const { projection, records } = this.memory;
    const slots = projection?.slotsByKey(field, keys);
    if (!slots) return null;
    const found: (T[] | undefined)[] = [];
    for (let n = 0; n < slots.length; n++) {
      for (const slot of slots[n] ?? []) {
        const record = records.get(projection!.idOf(slot));
        if (record === undefined) return null;
        (found[n] ??= []).push(record);
      }
    }
    return found;
  }

  generation(): number | null {
    return this.following && !this.following.fresh ? null : this.memory.version;
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
      const batch = await this.source.scan(last, SCAN_BATCH);
      for (const { record } of batch) yield record;
      if (batch.length < SCAN_BATCH) return;
      last = batch.at(-1)!.record.id;
      await nextTurn();
    }
  }

  /** Reads what lists need into memory, where it is not yet. */
  async fill(): Promise<void> {
    if (!this.memory.projection) await (this.#underWay ??= this.#fillOnce());
  }

  /** Gives the answer as soon as memory has followed other processes' writes. */
  #current<R>(answer: () => Awaitable<R>): Awaitable<R> {
    return this.following?.catchUp()?.then(answer) ?? answer();
  }

  #read(id: string): Awaitable<T | null> {
    if (!this.source.canHold(id)) return null;
    const known = this.memory.pending.get(id);
    if (known) return known.promise;
    const read: PendingRead<T> = { stale: false, promise: Promise.resolve(null) };
    this.memory.pending.set(id, read);
    read.promise = this.#readStored(id, read);
    return read.promise;
  }

  async #readStored(id: string, read: PendingRead<T>): Promise<T | null> {
    try {
      const stored = await this.#misses.fetch(id);
      if (stored && !read.stale) {
        const { record, text } = stored;
        this.memory.records.set(record, textBytes(text), text);
      }
      return stored && stored.record;
    } finally {
      if (!read.stale) this.memory.pending.delete(id);
    }
  }

  /**
   * The key and the record are two reads: when they disagree, something changed between, or memory is behind another
   * process, and both are read again.
   */
  async #find(
    unique: string,
    fields: readonly string[],
    values: readonly Scalar[],
  ): Promise<T | null> {
    for (let tries = 0; tries < MAX_FIND_TRIES; tries++) {
      const id = await this.#ids.fetch(unique, values);
      if (id === null) return null;
      const record = await (tries === 0 ? this.get(id) : this.#read(id));
      if (record && hasValues(record, fields, values)) {
        this.memory.remember(unique, values, record.id);
        return record;
      }
      this.memory.records.delete(id);
      this.memory.forget(id);
    }
    return null;
  }

  #list(query: ParsedQuery): Awaitable<Page<T>> {
    return this.memory.projection ? this.#page(this.memory.projection, query) : this.#cold(query);
  }

  async #cold(query: ParsedQuery): Promise<Page<T>> {
    const head = await this.source.firstPage(query);
    if (!head) return await this.#page(await this.#projection(), query);
    if (++this.#heads >= HEADS_BEFORE_PROJECTION) this.fill().catch(() => {});
    return head;
  }

  #page(projection: Projection<T>, query: ParsedQuery): Awaitable<Page<T>> {
    return projection.list(query, (page) => {
      const { total, nextCursor } = page;
      const rows: T[] = [];
      for (const id of page.ids()) {
        const record = this.memory.records.get(id);
        if (record === undefined) return this.#readPage(query, MAX_PAGE_TRIES);
        rows.push(record);
      }
      return { rows, total, nextCursor };
    });
  }

  /** A page of which some records are not in memory; composed anew when commits come between. */
  async #readPage(query: ParsedQuery, tries: number): Promise<Page<T>> {
    const projection = await this.#projection();
    return await projection.list(query, async (page) => {
      const { total, nextCursor } = page;
      const { version } = this.memory;
      const records = await Promise.all(page.ids().map((id) => this.get(id)));
      if (version !== this.memory.version && tries > 1) {
        return await this.#readPage(query, tries - 1);
      }
      return { rows: records.filter((record) => record !== null), total, nextCursor };
    });
  }

  /** The projection for a request, which waits for its own collection only. */
  async #projection(): Promise<Projection<T>> {
    if (this.memory.projection) return this.memory.projection;
    const startedAt = performance.now();
    this.filling.hurry(this);
    const projection = await (this.#underWay ??= this.#fillOnce());
    const waited = performance.now() - startedAt;
    if (waited >= LONG_WAIT) {
      log.info("A list of {collection} waited {seconds} s for them to be read into memory", {
        collection: this.#name,
        seconds: Number((waited / 1000).toFixed(1)),
      });
    }
    return projection;
  }

  #fillOnce(): Promise<Projection<T>> {
    return this.#fill().finally(() => {
      this.#underWay = null;
      this.filling.ended(this);
    });
  }

  async #fill(): Promise<Projection<T>> {
    for (;;) {
      const building = new Map<string, Applied<T>>();
      const projection = new Projection(this.#declaration, this.memory.budget);
      this.memory.building = building;
      let filled = false;
      try {
        filled = await this.#fillBy(projection, building);
      } finally {
        if (!filled) projection.texts?.close();
        // Where it fails, nobody waits for what is committed from now on.
        if (this.memory.building === building) this.memory.building = null;
      }
      if (filled) return projection;
    }
  }

  /**
   * Fills a projection by one scan. Commits meanwhile are added at the end, whether or not the scan saw them.
   *
   * @returns False when memory was reset meanwhile, so that it has to begin again.
   */
  async #fillBy(
    projection: Projection<T>,
    building: Map<string, Applied<T>>,
  ): Promise<boolean> {
    const { fillBatch } = this.source;
    for (let last = "";;) {
      const batch = await this.source.scan(last, fillBatch);
      if (this.memory.building !== building) return false;
      const current = building.size === 0
        ? batch
        : batch.filter(({ record }) => record.rev > (building.get(record.id)?.rev ?? ""));
      projection.apply(current.map(({ record }) => ({ id: record.id, record })));
      if (!this.#declaration.readSeldom) {
        for (const stored of current) {
          if (!building.has(stored.record.id)) this.memory.records.offer(stored);
        }
      }
      if (batch.length < fillBatch) break;
      last = batch.at(-1)!.record.id;
      await nextTurn();
      await this.filling.turn(this);
    }
    // The scan may have seen commits of other processes that memory has not followed yet.
    await this.following?.latest();
    if (this.memory.building !== building) return false;
    while (building.size > FILL_BATCH) {
      const some = [...building.values().take(FILL_BATCH)];
      projection.apply(some);
      for (const { id } of some) building.delete(id);
      await nextTurn();
      if (this.memory.building !== building) return false;
    }
    projection.apply([...building.values()]);
    // In the same turn, so that no commit is missed.
    this.memory.building = null;
    this.memory.projection = projection;
    projection.indexTexts();
    return true;
  }
}

function hasValues(record: object, fields: readonly string[], values: readonly Scalar[]): boolean {
  return fields.every((field, n) => (record as Record<string, Scalar>)[field] === values[n]);
}

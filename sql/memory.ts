// What the engine keeps in memory: decoded records, ids by unique key, and answers to queries. Follows the journal.
import { CacheBudget, RecordCache } from "../storage/memory/cache.ts";
import type { Change, Entity, JournalEntry } from "../storage/port.ts";
import { memoryOf } from "./tables.ts";
import { FollowedValues } from "./followed.ts";
import { seal } from "../storage/records.ts";

/** Milliseconds within which this process must see what another one has written. */
const MAX_STALENESS = 2000;
/** Bytes that a remembered id takes beside its text. */
const KEY_SIZE = 200;
/** Bytes that a row of a list takes beside its text. */
const ROW_SIZE = 250;
/** How much memory the process takes for what V8 keeps: its heap grows by half before it is collected, and has gaps. */
const HEAP = 2;
/** In a text of one such character each takes two bytes. */
const WIDE = /[^\0-\xff]/;

/** The most totals and figures of a collection that are followed, and the most lists. */
const MAX_FOLLOWED = { values: 200, lists: 100 };
/** Of how many changes it is known which records they changed. */
const MAX_RECENT = 1000;

/** A commit of this process. */
export interface OwnCommit {
  readonly changes: readonly Change[];
  /** Where it stands in the journal. */
  readonly version: number;
  /** Whether its records are likely to be read soon. */
  readonly keep: boolean;
  /** Whether the journal was followed beyond it before: others may have changed the same records since. */
  readonly late: boolean;
}

/** A commit of another process, as the journal tells of it. */
export interface OtherCommit {
  readonly changes: JournalEntry["changes"];
  readonly version: number;
}

/** What lists show of a record, at a version of it. */
export interface KeptRow {
  readonly id: string;
  readonly rev: number;
  readonly text: string;
  /** The values by which lists are sorted, as JSON; see rows.ts. */
  readonly sorted: string;
}

export class Memory {
  readonly #collections = new Map<string, CollectionMemory>();
  #freshUntil = 0;
  /** The newest journal entry that was followed, and those after it that are commits of this process. */
  #followed = 0;
  readonly #own = new Set<number>();

  /**
   * @param maxBytes Of all that is kept, roughly.
   * @param budget That counts them. @default one of its own
   */
  constructor(readonly maxBytes: number, readonly budget = new CacheBudget(maxBytes)) {}

  /** What is held, and how much may be, in bytes. */
  get held(): { readonly bytes: number; readonly maxBytes: number } {
    return { bytes: this.budget.bytes, maxBytes: this.maxBytes };
  }

  /** False when what others wrote may have been missed: then nothing may be answered from here. */
  get fresh(): boolean {
    return performance.now() < this.#freshUntil;
  }

  /** @param asOf The `performance.now()` up to which the journal was followed. */
  confirm(asOf: number): void {
    this.#freshUntil = asOf + MAX_STALENESS;
  }

  /** Whether memory has heard of a commit. */
  knows(version: number): boolean {
    return version <= this.#followed || this.#own.has(version);
  }

  /** To be called when a commit of this process is durable. */
  committed({ changes, version, keep, late }: OwnCommit): void {
    if (version > this.#followed) this.#own.add(version);
    if (changes.length > MAX_RECENT) {
      // What memory has of these collections takes less to be read anew than to be told of each change.
      const written = changes.filter(({ kind }) => kind !== "check");
      for (const collection of new Set(written.map(({ collection }) => collection))) {
        this.of(collection).clear();
      }
      return;
    }
    for (const change of changes) {
      if (change.kind === "check") continue;
      const keeps = keep && !late && this.keepsWritten(change.collection);
      this.of(change.collection).changed(change, version, keeps);
    }
  }

  /** Whether records of the collection are kept as they are written. */
  keepsWritten(_collection: string): boolean {
    return true;
  }

  /** To be called when the journal was followed up to an entry. */
  reached(version: number): void {
    this.#followed = version;
    for (const own of this.#own) if (own <= version) this.#own.delete(own);
  }

  of(collection: string): CollectionMemory {
    let memory = this.#collections.get(collection);
    if (!memory) {
      memory = new CollectionMemory(this, this.budget);
      this.#collections.set(collection, memory);
    }
    return memory;
  }

  /** Forgets what other processes have changed. */
  follow(commits: readonly OtherCommit[]): void | Promise<void> {
    for (const { changes, version } of commits) {
      for (const { collection, id } of changes) this.of(collection).forget(id, version);
    }
  }

  /** Forgets a record that may be out of date, so that it is read anew. */
  doubt(collection: string, id: string): void {
    this.of(collection).doubt(id);
  }
}

export class CollectionMemory {
  /** Rises with every change: what was read under a lower number is not kept. */
  generation = 0;
  readonly #records: RecordCache<Entity>;
  readonly #rows: RecordCache<KeptRow>;
  readonly #ids: RecordCache<{ readonly id: string }>;
  readonly #answers: RecordCache<object>;
  /** Totals and figures. */
  readonly followed: FollowedValues;
  readonly lists: FollowedValues;
  /** The generation in which each of the records that changed lately did so the last time. */
  readonly #recent = new Map<string, number>();
  /** The generation before the first of these changes. */
  #recentFrom = 0;

  constructor(readonly memory: Memory, budget: CacheBudget) {
    this.#records = new RecordCache(budget);
    this.#rows = new RecordCache(budget);
    this.#ids = new RecordCache(budget);
    this.#answers = new RecordCache(budget);
    this.followed = new FollowedValues(budget, MAX_FOLLOWED.values);
    this.lists = new FollowedValues(budget, MAX_FOLLOWED.lists);
  }

  record<T extends Entity>(id: string): T | undefined {
    return this.memory.fresh ? this.#records.get(id) as T | undefined : undefined;
  }

  /** The record as it was read, in the form that is already in memory when it has not changed since. */
  adopt<T extends Entity>(id: string, rev: string, read: () => T, generation: number): T {
    const known = this.#records.get(id);
    if (known?.rev === rev) return known as T;
    const record = read();
    if (this.#isCurrent(id, generation)) this.#records.set(id, record, HEAP * memoryOf(record));
    return record;
  }

  /** The row of a record, as it is now. */
  row(id: string): KeptRow | undefined {
    return this.memory.fresh ? this.#rows.get(id) : undefined;
  }

  /** The row of a record as it was read: that in memory when the record has not changed since, else a new one. */
  adoptRow(id: string, rev: number, make: () => KeptRow, generation: number): KeptRow {
    const known = this.#rows.get(id);
    if (known?.rev === rev) return known;
    const row = make();
    if (this.#isCurrent(id, generation)) {
      const size = row.text.length + row.sorted.length;
      this.#rows.set(id, row, HEAP * (ROW_SIZE + (WIDE.test(row.text) ? 2 : 1) * size));
    }
    return row;
  }

  /** The id that a unique key had when it was last looked up. */
  idOf(key: string): string | undefined {
    return this.memory.fresh ? this.#ids.get(key)?.id : undefined;
  }

  rememberId(key: string, id: string): void {
    this.#ids.set(key, { id }, HEAP * (KEY_SIZE + key.length + id.length));
  }

  answer<A extends object>(query: string): A | undefined {
    return this.memory.fresh ? this.#answers.get(query) as A | undefined : undefined;
  }

  /** @param size Bytes. */
  rememberAnswer(query: string, answer: object, size: number, generation: number): void {
    if (generation === this.generation) {
      this.#answers.set(query, answer, HEAP * (400 + query.length + size));
    }
  }

  /** To be called after a commit of this process. */
  changed(change: Exclude<Change, { kind: "check" }>, version: number, keep: boolean): void {
    if (change.kind === "remove") this.#removed(change.before, version);
    else {
      const before = change.kind === "update" ? change.before : null;
      this.#written(before, change.after, version, keep);
    }
  }

  #written(before: Entity | null, record: Entity, version: number, keep: boolean): void {
    this.#changed(record.id);
    this.followed.follow(before, record, version);
    this.lists.follow(before, record, version);
    const sealed = seal(record, String(version));
    this.#rows.delete(sealed.id);
    if (keep) this.#records.set(sealed.id, sealed, HEAP * memoryOf(sealed));
    else this.#records.delete(sealed.id);
  }

  #removed(record: Entity, version: number): void {
    this.#changed(record.id);
    this.followed.follow(record, null, version);
    this.lists.follow(record, null, version);
    this.#drop(record.id);
  }

  /** What is followed stays: the journal will tell of the commit that made the record out of date. */
  doubt(id: string): void {
    this.#changed(id);
    this.#drop(id);
  }

  /** @param version That of the commit that changed the record. */
  forget(id: string, version: number): void {
    this.#changed(id);
    this.followed.lose(version);
    this.lists.lose(version);
    this.#drop(id);
  }

  /** Forgets all. */
  clear(): void {
    this.generation++;
    for (const cache of [this.#records, this.#rows, this.#ids, this.#answers]) cache.clear();
    this.followed.lose(Infinity);
    this.lists.lose(Infinity);
    this.#recent.clear();
    this.#recentFrom = this.generation;
  }

  #drop(id: string): void {
    this.#records.delete(id);
    this.#rows.delete(id);
  }

  #changed(id: string): void {
    this.generation++;
    this.#answers.clear();
    if (this.#recent.size < MAX_RECENT) this.#recent.set(id, this.generation);
    else {
      this.#recent.clear();
      this.#recentFrom = this.generation;
    }
  }

  /** Whether a record is still as it was read. @param generation That of the collection before it was read. */
  #isCurrent(id: string, generation: number): boolean {
    return generation >= this.#recentFrom && (this.#recent.get(id) ?? 0) <= generation;
  }
}

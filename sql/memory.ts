// What the engine keeps in memory: decoded records, ids by unique key, and answers to queries. Follows the journal.
import { CacheBudget, RecordCache } from "../storage/memory/cache.ts";
import type { Entity, JournalEntry } from "../storage/port.ts";
import { memoryOf } from "./tables.ts";
import { FollowedValues } from "./followed.ts";
import { seal } from "../storage/records.ts";

/** Milliseconds within which this process must see what another one has written. */
export const MAX_STALENESS = 2000;
/** Bytes that a remembered id takes beside its text. */
const KEY_SIZE = 200;
/** Bytes that a row of a list takes beside its text. */
const ROW_SIZE = 250;
/** In a text of one such character each takes two bytes. */
const WIDE = /[^\0-\xff]/;

/** What lists show of a record, at a version of it. */
export interface KeptRow {
  readonly rev: string;
  readonly text: string;
}

export class Memory {
  readonly #budget: CacheBudget;
  readonly #collections = new Map<string, CollectionMemory>();
  #freshUntil = 0;

  /** @param maxBytes Of all that is kept, roughly. */
  constructor(readonly maxBytes: number) {
    this.#budget = new CacheBudget(maxBytes);
  }

  /** False when what others wrote may have been missed: then nothing may be answered from here. */
  get fresh(): boolean {
    return performance.now() < this.#freshUntil;
  }

  /** @param asOf The `performance.now()` up to which the journal was followed. */
  confirm(asOf: number): void {
    this.#freshUntil = asOf + MAX_STALENESS;
  }

  of(collection: string): CollectionMemory {
    let memory = this.#collections.get(collection);
    if (!memory) {
      memory = new CollectionMemory(this, this.#budget);
      this.#collections.set(collection, memory);
    }
    return memory;
  }

  /** Forgets what another process has changed. @param version Where its commit stands in the journal. */
  follow(changes: JournalEntry["changes"], version: number): void | Promise<void> {
    for (const { collection, id } of changes) this.of(collection).forget(id, version);
  }

  /** Forgets a record that may be out of date, so that it is read anew. */
  doubt(collection: string, id: string): void {
    this.of(collection).doubt(id);
  }

  clear(): void {
    for (const memory of this.#collections.values()) memory.clear();
  }
}

export class CollectionMemory {
  /** Rises with every change: what was read under a lower number is not kept. */
  generation = 0;
  readonly #records: RecordCache<Entity>;
  readonly #rows: RecordCache<KeptRow>;
  readonly #ids: RecordCache<{ readonly id: string }>;
  readonly #answers: RecordCache<object>;
  readonly followed: FollowedValues;

  constructor(readonly memory: Memory, budget: CacheBudget) {
    this.#records = new RecordCache(budget);
    this.#rows = new RecordCache(budget);
    this.#ids = new RecordCache(budget);
    this.#answers = new RecordCache(budget);
    this.followed = new FollowedValues(budget);
  }

  record<T extends Entity>(id: string): T | undefined {
    return this.memory.fresh ? this.#records.get(id) as T | undefined : undefined;
  }

  /** The record as it was read, in the form that is already in memory when it has not changed since. */
  adopt<T extends Entity>(id: string, rev: string, read: () => T, generation: number): T {
    const known = this.#records.get(id);
    if (known?.rev === rev) return known as T;
    const record = read();
    if (generation === this.generation) this.#records.set(id, record, memoryOf(record));
    return record;
  }

  /** The row of a record, as it is now. */
  row(id: string): string | undefined {
    return this.memory.fresh ? this.#rows.get(id)?.text : undefined;
  }

  /** The row of a record as it was read: that in memory when the record has not changed since, else a new one. */
  adoptRow(id: string, rev: string, make: () => string, generation: number): string {
    const known = this.#rows.get(id);
    if (known?.rev === rev) return known.text;
    const text = make();
    if (generation === this.generation) {
      this.#rows.set(id, { rev, text }, ROW_SIZE + (WIDE.test(text) ? 2 : 1) * text.length);
    }
    return text;
  }

  /** The id that a unique key had when it was last looked up. */
  idOf(key: string): string | undefined {
    return this.memory.fresh ? this.#ids.get(key)?.id : undefined;
  }

  rememberId(key: string, id: string): void {
    this.#ids.set(key, { id }, KEY_SIZE + 2 * (key.length + id.length));
  }

  answer<A extends object>(query: string): A | undefined {
    return this.memory.fresh ? this.#answers.get(query) as A | undefined : undefined;
  }

  /** @param size Bytes. */
  rememberAnswer(query: string, answer: object, size: number, generation: number): void {
    if (generation === this.generation) {
      this.#answers.set(query, answer, 400 + 2 * query.length + size);
    }
  }

  /** To be called after a commit of this process. @param before Null for a new record. */
  written<T extends Entity>(before: T | null, record: T, version: number, keep: boolean): void {
    this.#changed();
    this.followed.follow(before, record, version);
    const sealed = seal(record, String(version));
    this.#rows.delete(sealed.id);
    if (keep) this.#records.set(sealed.id, sealed, memoryOf(sealed));
    else this.#records.delete(sealed.id);
  }

  /** To be called after a commit of this process. */
  removed(record: Entity, version: number): void {
    this.#changed();
    this.followed.follow(record, null, version);
    this.#drop(record.id);
  }

  /** What is followed stays: the journal will tell of the commit that made the record out of date. */
  doubt(id: string): void {
    this.#changed();
    this.#drop(id);
  }

  /** @param version That of the commit that changed the record. */
  forget(id: string, version: number): void {
    this.#changed();
    this.followed.lose(version);
    this.#drop(id);
  }

  clear(): void {
    this.#changed();
    this.followed.lose(Infinity);
    this.#records.clear();
    this.#rows.clear();
    this.#ids.clear();
  }

  #drop(id: string): void {
    this.#records.delete(id);
    this.#rows.delete(id);
  }

  #changed(): void {
    this.generation++;
    this.#answers.clear();
  }
}

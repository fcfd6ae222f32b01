// What the engine keeps in memory: decoded records, ids by unique key, and answers to queries. Follows the journal.
import { CacheBudget, RecordCache } from "../cache.ts";
import type { Entity, JournalEntry } from "../store.ts";
import { seal } from "../transact.ts";
import { memoryOf } from "./tables.ts";

/** Milliseconds after which what another process has written must be seen. */
export const MAX_STALENESS = 2000;
/** Bytes of a remembered id. */
const KEY_SIZE = 200;

export class Memory {
  readonly #budget: CacheBudget;
  readonly #collections = new Map<string, CollectionMemory>();
  #freshUntil = 0;

  /** @param maxBytes Of all that is kept, roughly. */
  constructor(maxBytes: number) {
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

  forget(changes: JournalEntry["changes"]): void {
    for (const { collection, id } of changes) this.of(collection).forget(id);
  }

  clear(): void {
    for (const memory of this.#collections.values()) memory.clear();
  }
}

export class CollectionMemory {
  /** Grows with every change: what was read under an older one is not kept. */
  generation = 0;
  readonly #records: RecordCache<Entity>;
  readonly #ids: RecordCache<{ readonly id: string }>;
  readonly #answers: RecordCache<object>;

  constructor(readonly memory: Memory, budget: CacheBudget) {
    this.#records = new RecordCache(budget);
    this.#ids = new RecordCache(budget);
    this.#answers = new RecordCache(budget);
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

  /** After a commit of this process. */
  written<T extends Entity>(record: T, rev: string, keep: boolean): void {
    this.#changed();
    const sealed = seal(record, rev);
    if (keep) this.#records.set(sealed.id, sealed, memoryOf(sealed));
    else this.#records.delete(sealed.id);
  }

  forget(id: string): void {
    this.#changed();
    this.#records.delete(id);
  }

  clear(): void {
    this.#changed();
    this.#records.clear();
    this.#ids.clear();
  }

  #changed(): void {
    this.generation++;
    this.#answers.clear();
  }
}

// Reads of a collection on Postgres: from memory while its index is there and can be trusted, else from the database, at once.
import type { ByKey, Keys } from "../core/keys.ts";
import type { AggregateQuery, Entity, ListQuery, Reader, Scalar, Where } from "../storage/port.ts";
import type { MemoryReader } from "../storage/memory/reader.ts";
import type { Source } from "../storage/memory/source.ts";
import { MINUTE, SECOND } from "../core/units.ts";
import type { IndexedMemory } from "./indexed_memory.ts";
import type { SqlReader } from "./reader.ts";

/** Milliseconds before a collection that was too large for memory is tried again, and one that could not be read. */
const RETRY = { large: 10 * MINUTE, failed: 10 * SECOND };

interface Readers<T extends Entity> {
  readonly database: SqlReader<T>;
  readonly index: MemoryReader<T>;
  readonly source: Source<T>;
}

export class SizedReader<T extends Entity> implements Reader<T> {
  readonly #name: string;
  /** Whether it was filled once: what memory gave up is then filled again. */
  #wanted = false;
  #filling: Promise<void> | null = null;
  #retryAt = 0;

  constructor(readonly memory: IndexedMemory, readonly readers: Readers<T>) {
    this.#name = readers.index.memory.declaration.name;
  }

  get(id: string): ReturnType<Reader<T>["get"]> {
    return this.#reader().get(id);
  }

  getMany(ids: readonly string[]): ReturnType<Reader<T>["getMany"]> {
    return this.#reader().getMany(ids);
  }

  findBy(unique: string, ...values: Scalar[]): ReturnType<Reader<T>["findBy"]> {
    return this.#reader().findBy(unique, ...values);
  }

  list(query?: ListQuery<T>): ReturnType<Reader<T>["list"]> {
    return this.#reader().list(query);
  }

  listRows(
    query?: ListQuery<T>,
    keys?: readonly (keyof T & string)[],
  ): ReturnType<Reader<T>["listRows"]> {
    return this.#reader().listRows(query, keys);
  }

  rowsOf(ids: Keys): ReturnType<Reader<T>["rowsOf"]> {
    return this.#reader().rowsOf(ids);
  }

  count(where?: Where<T>): ReturnType<Reader<T>["count"]> {
    return this.#reader().count(where);
  }

  held(field: string, keys: Keys): ByKey<T> | null {
    return this.#reader().held?.(field, keys) ?? null;
  }

  aggregate(query: AggregateQuery<T>): ReturnType<Reader<T>["aggregate"]> {
    return this.#reader().aggregate(query);
  }

  /** Rises with every change, whichever of the two answers: each of their numbers does. */
  generation(): number | null {
    const { database, index } = this.readers;
    const generation = database.generation();
    return generation === null ? null : generation + index.memory.version;
  }

  scan(): AsyncIterable<T> {
    return this.readers.database.scan();
  }

  /** Reads the collection into memory, unless it is too large for that. */
  async fill(): Promise<void> {
    this.#wanted = true;
    await (this.#filling ??= this.#fill().finally(() => this.#filling = null));
  }

  async #fill(): Promise<void> {
    this.#retryAt = performance.now() + RETRY.failed;
    const rows = await this.readers.source.count() ?? Infinity;
    if (this.memory.rows + rows > this.memory.maxRows) {
      this.#retryAt = performance.now() + RETRY.large;
      return;
    }
    await this.readers.index.fill();
    this.memory.of(this.#name).clear();
  }

  #reader(): Reader<T> {
    const { database, index } = this.readers;
    if (!this.memory.fresh) return database;
    if (index.memory.projection) return index;
    if (this.#wanted && !this.#filling && performance.now() > this.#retryAt) {
      this.fill().catch(() => {});
    }
    return database;
  }
}

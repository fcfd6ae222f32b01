// Lists that memory answers: on SQLite all, since one process answers for the file; on Postgres those of collections that are
// not too large.
import { sql } from "kysely";
import type { Entity, Reader } from "../storage/port.ts";
import { Filling } from "../storage/memory/filling.ts";
import type { Following } from "../storage/memory/following.ts";
import { MemoryReader } from "../storage/memory/reader.ts";
import type { Engine } from "./engine.ts";
import type { IndexedMemory } from "./indexed_memory.ts";
import { IndexSource, type ReadCommitted } from "./index_source.ts";
import { SqlReader } from "./reader.ts";
import { SizedReader } from "./sized_reader.ts";

type Indexing = Reader<Entity> & { fill(): Promise<void> };

export class Indexed {
  /** Follows what other processes had written before the call. */
  latest: () => Promise<void> = () => Promise.resolve();
  readonly #readers = new Map<string, Indexing>();
  readonly #filling = new Filling();

  constructor(readonly engine: Engine, readonly memory: IndexedMemory, read: ReadCommitted) {
    const following: Following = {
      get fresh() {
        return memory.fresh;
      },
      get current() {
        return memory.fresh;
      },
      catchUp: () => memory.fresh ? null : this.latest(),
      latest: () => this.latest(),
    };
    for (const [name, table] of engine.tables) {
      const source = new IndexSource<Entity>(engine, table, read);
      memory.readFrom(name, source);
      const index = new MemoryReader(memory.recordsOf(name), source, following, this.#filling);
      if (memory.coverage === "whole") this.#readers.set(name, index);
      else {
        const database = new SqlReader<Entity>(engine, table);
        this.#readers.set(name, new SizedReader(memory, { database, index, source }));
      }
    }
  }

  reader(name: string): Reader<Entity> {
    const reader = this.#readers.get(name);
    if (!reader) throw new Error(`Cannot read ${name}: there is no such collection`);
    return reader;
  }

  warmUp(): Promise<void> {
    return this.#filling.start(
      this.memory.coverage === "whole" ? [...this.#readers.values()] : this.#bySize(),
    );
  }

  /** The smallest first: so the most of them have room. */
  async #bySize(): Promise<readonly Indexing[]> {
    const { engine } = this;
    const counts = await engine.rows<{ name: string; size: number }>(
      sql`select collection_table as name, "rows" as size from counts`,
    ).catch(() => []);
    const sizes = new Map(counts.map(({ name, size }) => [name, size]));
    const sizeOf = (name: string) => sizes.get(engine.tableOf(name).name) ?? 0;
    return [...this.#readers].sort(([a], [b]) => sizeOf(a) - sizeOf(b)).map(([, reader]) => reader);
  }

  /** To be called when the engine is closed: then filling memory stops at its next read, which fails. */
  async close(): Promise<void> {
    await this.#filling.close();
  }
}

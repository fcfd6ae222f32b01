// SQLite used by one process: lists are answered from memory, which reads from the file what it lacks.
import type { Entity } from "../storage/port.ts";
import { Filling } from "../storage/memory/filling.ts";
import type { Following } from "../storage/memory/following.ts";
import { MemoryReader } from "../storage/memory/reader.ts";
import type { Engine } from "./engine.ts";
import type { LocalMemory } from "./local_memory.ts";
import { LocalSource } from "./local_source.ts";
import type { OpenSqlite } from "./sqlite.ts";

export class Local {
  /** Follows what other processes, such as the command line, had written before the call. */
  latest: () => Promise<void> = () => Promise.resolve();
  readonly #readers = new Map<string, MemoryReader<Entity>>();
  readonly #filling = new Filling();

  constructor(
    readonly engine: Engine,
    readonly memory: LocalMemory,
    database: Pick<OpenSqlite, "committed">,
  ) {
    const following: Following = {
      get fresh() {
        return memory.fresh;
      },
      catchUp: () => memory.fresh ? null : this.latest(),
      latest: () => this.latest(),
    };
    for (const [name, table] of engine.tables) {
      const source = new LocalSource<Entity>(engine, table, database);
      memory.readFrom(name, source);
      this.#readers.set(name, new MemoryReader(memory.recordsOf(name), source, following));
    }
  }

  reader(name: string): MemoryReader<Entity> {
    const reader = this.#readers.get(name);
    if (!reader) throw new Error(`Cannot read ${name}: there is no such collection`);
    return reader;
  }

  warmUp(): void {
    this.#filling.start([...this.#readers.values()]);
  }

  /** To be called when the engine is closed: then filling memory stops at its next read, which fails. */
  async close(): Promise<void> {
    await this.#filling.close();
  }
}

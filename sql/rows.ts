// What lists show of records, as text: read without what it does not need, made once, and kept until the record changes.
import { type RawBuilder, sql } from "kysely";
import type { Awaitable } from "../core/awaitable.ts";
import { Misses } from "../storage/memory/misses.ts";
import type { CollectionDeclaration, Entity } from "../storage/port.ts";
import type { Engine } from "./engine.ts";
import type { CollectionMemory } from "./memory.ts";
import { recordIn, type Row, type Table } from "./tables.ts";

export class Rows {
  /** What is read of a record. */
  readonly columns: RawBuilder<unknown>;
  readonly #memory: CollectionMemory;
  readonly #misses: Misses<string>;

  constructor(readonly engine: Engine, readonly table: Table) {
    const { notInRow, name } = table.declaration;
    const read = table.columns.filter(({ field }) => !notInRow.includes(field));
    this.columns = sql.join([...read.map((column) => column.name), "row_version"].map(sql.ref));
    this.#memory = engine.memory.of(name);
    this.#misses = new Misses((ids) => this.#fetch(ids));
  }

  /** In the order of the ids; null where there is no record. What one turn of the event loop asks for is one read. */
  of(ids: readonly string[]): Awaitable<readonly (string | null)[]> {
    const known = ids.map((id) => this.#memory.row(id));
    if (!known.includes(undefined)) return known as string[];
    return Promise.all(ids.map((id, n) => known[n] ?? this.#misses.fetch(id)));
  }

  /** @param rows What was read, with `columns` in it, under the generation. */
  from(rows: readonly Row[], generation: number): string[] {
    const { table, engine: { dialect } } = this;
    const row = this.#make();
    return rows.map((read) =>
      this.#memory.adoptRow(
        read.id as string,
        String(read.row_version),
        () => row(recordIn(table, dialect, read)),
        generation,
      )
    );
  }

  #make(): (record: Entity) => string {
    const { row, name } = this.table.declaration as unknown as CollectionDeclaration<Entity>;
    if (!row) throw new Error(`Cannot show ${name}: the collection declares no row`);
    return row;
  }

  async #fetch(ids: readonly string[]): Promise<(string | null)[]> {
    const { dialect } = this.engine;
    const held = ids.filter((id) => dialect.canHold(id));
    if (held.length === 0) return ids.map(() => null);
    const { generation } = this.#memory;
    const read = await this.engine.rows<Row & { id: string }>(
      sql`select ${this.columns} from ${sql.table(this.table.name)}
        where ${dialect.oneOf(sql.ref("id"), "text", held)}`,
    );
    const texts = this.from(read, generation);
    const textOf = new Map(read.map(({ id }, n) => [id, texts[n]!]));
    return ids.map((id) => textOf.get(id) ?? null);
  }
}

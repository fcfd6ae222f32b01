// What lists show of records, as text: read without what it does not need, made once, and kept until the record changes.
import { type RawBuilder, sql } from "kysely";
import { andThen, type Awaitable } from "../core/awaitable.ts";
import { Misses } from "../storage/memory/misses.ts";
import type { CollectionDeclaration, Entity, Scalar } from "../storage/port.ts";
import type { Position, Sort } from "../storage/query.ts";
import { valueOf } from "../storage/searched.ts";
import type { Engine } from "./engine.ts";
import type { Shown } from "./listed.ts";
import type { CollectionMemory, KeptRow } from "./memory.ts";
import { recordIn, type Row, type Table } from "./tables.ts";

export class Rows implements Shown<KeptRow, string> {
  /** What is read of a record. */
  readonly columns: RawBuilder<unknown>;
  readonly #memory: CollectionMemory;
  readonly #misses: Misses<KeptRow>;
  /** The fields by which lists are sorted, beside the id. */
  readonly #sorting: readonly string[];

  constructor(readonly engine: Engine, readonly table: Table) {
    const { notInRow, name, sort } = table.declaration;
    const read = table.columns.filter(({ field }) => !notInRow.includes(field));
    this.columns = sql.join([...read.map((column) => column.name), "row_version"].map(sql.ref));
    this.#memory = engine.memory.of(name);
    this.#misses = new Misses((ids) => this.#fetch(ids));
    this.#sorting = ["createdAt", "updatedAt", ...sort];
  }

  /** In the order of the ids; null where there is no record. */
  of(ids: readonly string[]): Awaitable<readonly (string | null)[]> {
    return andThen(this.read(ids), (rows) => rows.map((row) => row && row.text));
  }

  held(id: string): KeptRow | undefined {
    return this.#memory.row(id);
  }

  /** What one turn of the event loop asks for is one read. */
  read(ids: readonly string[]): Awaitable<readonly (KeptRow | null)[]> {
    const known = ids.map((id) => this.#memory.row(id));
    if (!known.includes(undefined)) return known as KeptRow[];
    return Promise.all(ids.map((id, n) => known[n] ?? this.#misses.fetch(id)));
  }

  positionOf(sort: Sort, { id, sorted }: KeptRow): Position {
    const values = JSON.parse(sorted) as Scalar[];
    return sort.map(({ field }) => field === "id" ? id : values[this.#sorting.indexOf(field)]!);
  }

  revOf({ rev }: KeptRow): number {
    return rev;
  }

  show({ text }: KeptRow): string {
    return text;
  }

  /** @param rows What was read, with `columns` in it, under the generation; null: they are not kept. */
  from(rows: readonly Row[], generation: number | null): string[] {
    if (generation !== null) return this.#kept(rows, generation).map(({ text }) => text);
    const { table, engine: { dialect } } = this;
    const textOf = this.#textOf();
    return rows.map((row) => textOf(recordIn<Entity>(table, dialect, row)));
  }

  #kept(rows: readonly Row[], generation: number): KeptRow[] {
    const { table, engine: { dialect } } = this;
    const textOf = this.#textOf();
    return rows.map((row) => {
      const id = row.id as string, rev = Number(row.row_version);
      const make = () => {
        const record = recordIn<Entity>(table, dialect, row);
        const sorted = JSON.stringify(this.#sorting.map((field) => valueOf(record, field)));
        return { id, rev, text: textOf(record), sorted };
      };
      return this.#memory.adoptRow(id, rev, make, generation);
    });
  }

  #textOf(): (record: Entity) => string {
    const { row, name } = this.table.declaration as unknown as CollectionDeclaration<Entity>;
    if (!row) throw new Error(`Cannot show ${name}: the collection declares no row`);
    return row;
  }

  async #fetch(ids: readonly string[]): Promise<(KeptRow | null)[]> {
    const { dialect } = this.engine;
    const held = ids.filter((id) => dialect.canHold(id));
    if (held.length === 0) return ids.map(() => null);
    const { generation } = this.#memory;
    const read = await this.engine.rows<Row>(
      sql`select ${this.columns} from ${sql.table(this.table.name)}
        where ${dialect.oneOf(sql.ref("id"), "text", held)}`,
    );
    const rows = new Map(this.#kept(read, generation).map((row) => [row.id, row]));
    return ids.map((id) => rows.get(id) ?? null);
  }
}

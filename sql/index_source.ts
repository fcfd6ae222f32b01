// How memory reads from the database what it lacks of one collection, where lists are answered from memory.
import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import type { Entity, Page, Scalar } from "../storage/port.ts";
import type { ParsedQuery } from "../storage/query.ts";
import { MAX_SKIPPED, type Source, type Stored } from "../storage/memory/source.ts";
import type { Engine } from "./engine.ts";
import { SqlReader } from "./reader.ts";
import { fromRow, type Row, type Table } from "./tables.ts";
import { and, canHold, parameter } from "./where.ts";

/** Reads what is committed: memory must not keep what may yet be rolled back. */
export type ReadCommitted = <R>(query: CompiledQuery) => Promise<readonly R[]>;

export class IndexSource<T extends Entity> implements Source<T> {
  readonly #name: RawBuilder<unknown>;

  constructor(
    readonly engine: Engine,
    readonly table: Table,
    readonly reader: SqlReader<T>,
    readonly read: ReadCommitted,
  ) {
    this.#name = sql.table(table.name);
  }

  canHold(id: string): boolean {
    return this.engine.dialect.canHold(id);
  }

  async records(ids: readonly string[]): Promise<readonly (Stored<T> | null)[]> {
    const some = this.engine.dialect.oneOf(sql.ref("id"), "text", ids);
    const found = new Map(
      (await this.#select(sql`where ${some}`)).map((stored) => [stored.record.id, stored]),
    );
    return ids.map((id) => found.get(id) ?? null);
  }

  scan(after: string, limit: number): Promise<readonly Stored<T>[]> {
    return this.#select(sql`where id > ${after} order by id limit ${sql.lit(limit)}`);
  }

  async idOf(unique: string, values: readonly Scalar[]): Promise<string | null> {
    const { dialect } = this.engine;
    const columns = this.table.unique.get(unique)!;
    if (columns.some((column, n) => !canHold(dialect, column, values[n]!))) return null;
    const where = and(
      columns.map((column, n) =>
        sql`${sql.ref(column.name)} = ${parameter(dialect, column, values[n]!)}`
      ),
    );
    const [row] = await this.#rows<{ id: string }>(
      sql`select id from ${this.#name} where ${where}`,
    );
    return row?.id ?? null;
  }

  async count(): Promise<number> {
    const [row] = await this.#rows<{ total: number }>(
      sql`select "rows" as total from counts where collection_table = ${this.table.name}`,
    );
    return row?.total ?? 0;
  }

  /** Only for lists of all records by age, which an index answers; other queries would hold up those that wait for memory. */
  async firstPage(query: ParsedQuery): Promise<Page<T> | null> {
    const { filter, search, sort, offset, after } = query;
    const isAll = !search && filter.all.length === 0 && !filter.any;
    const isNear = !after && offset <= MAX_SKIPPED;
    const isByAge = sort[0]!.field === "createdAt" && sort.length === 2 &&
      sort[0]!.descending === sort[1]!.descending;
    return isAll && isByAge && isNear ? await this.reader.page(query) : null;
  }

  async #select(rest: RawBuilder<unknown>): Promise<Stored<T>[]> {
    const rows = await this.#rows<Row>(sql`select * from ${this.#name} ${rest}`);
    return rows.map((row) => {
      const record = fromRow<T>(this.table, this.engine.dialect, row);
      return { record, text: JSON.stringify({ ...record, rev: undefined }) };
    });
  }

  async #rows<R>(query: RawBuilder<unknown>): Promise<readonly R[]> {
    return await this.engine.guard(() => this.read<R>(query.compile(this.engine.db)));
  }
}

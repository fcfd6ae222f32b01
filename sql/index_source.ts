// How memory reads from the database what it lacks of one collection, where lists are answered from memory.
import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import type { Entity, Page } from "../storage/port.ts";
import { encodeCursor, type ParsedQuery, positionOf, type Sort } from "../storage/query.ts";
import { MAX_SKIPPED, type Source, type Stored } from "../storage/memory/source.ts";
import type { UniqueValues } from "../storage/memory/unique_misses.ts";
import { readByUnique } from "./by_unique.ts";
import type { Engine } from "./engine.ts";
import type { Query } from "./statements.ts";
import { fromRow, type Row, type Table } from "./tables.ts";

/** Reads what is committed: memory must not keep what may yet be rolled back. */
export type ReadCommitted = <R>(query: CompiledQuery) => Promise<readonly R[]>;

export class IndexSource<T extends Entity> implements Source<T> {
  readonly #name: RawBuilder<unknown>;

  constructor(
    readonly engine: Engine,
    readonly table: Table,
    readonly read: ReadCommitted,
  ) {
    this.#name = sql.table(table.name);
  }

  get fillBatch(): number {
    return this.engine.dialect.fillBatch;
  }

  canHold(id: string): boolean {
    return this.engine.dialect.canHold(id);
  }

  async records(ids: readonly string[]): Promise<readonly (Stored<T> | null)[]> {
    const make = () => {
      const some = this.engine.dialect.oneOf(sql.ref("id"), "text", ids);
      return sql`select * from ${this.#name} where ${some}`;
    };
    const { statements } = this.engine;
    const query = ids.length === 1
      ? statements.of(`record of ${this.table.name}`, ids, make)
      : make();
    const found = new Map(
      (await this.#stored(query)).map((stored) => [stored.record.id, stored]),
    );
    return ids.map((id) => found.get(id) ?? null);
  }

  scan(after: string, limit: number): Promise<readonly Stored<T>[]> {
    return this.#stored(
      sql`select * from ${this.#name} where id > ${after} order by id limit ${sql.lit(limit)}`,
    );
  }

  async idsOf(
    unique: string,
    all: readonly UniqueValues[],
  ): Promise<readonly (string | null)[]> {
    const columns = this.table.unique.get(unique)!;
    const fields = columns.map(({ name, field }) => sql`${sql.ref(name)} as ${sql.ref(field)}`);
    const select = (where: RawBuilder<unknown>) =>
      this.#rows<{ readonly id: string }>(
        sql`select id, ${sql.join(fields)} from ${this.#name} where ${where}`,
      );
    const found = await readByUnique(this.engine.dialect, columns, all, select);
    return found.map((one) => one && one.id);
  }

  async count(): Promise<number> {
    const [row] = await this.#rows<{ total: number }>(
      sql`select "rows" as total from counts where collection_table = ${this.table.name}`,
    );
    return row?.total ?? 0;
  }

  /** Of all records by age, which an index has; other queries would hold up those that wait for memory. */
  async firstPage(query: ParsedQuery): Promise<Page<T> | null> {
    const { filter, search, sort, limit, offset, after } = query;
    const isAll = !search && filter.all.length === 0 && !filter.any;
    if (!isAll || after || offset > MAX_SKIPPED || !isByAge(sort)) return null;
    const direction = sort[0]!.descending ? sql`desc` : sql`asc`;
    // In one statement, so that rows and total are of one moment.
    const rows = await this.#rows<Row & { total: number }>(
      sql`select *, (select "rows" from counts where collection_table = ${this.table.name}) as total
        from ${this.#name} order by created_at ${direction}, id ${direction}
        limit ${sql.lit(limit + 1)} offset ${sql.lit(offset)}`,
    );
    if (rows.length === 0) return null;
    const records = rows.slice(0, limit).map((row) => this.#record(row));
    const last = rows.length > limit ? records.at(-1) : undefined;
    const nextCursor = last ? encodeCursor(sort, positionOf(sort, last)) : null;
    return { rows: records, total: rows[0]!.total, nextCursor };
  }

  async #stored(query: Query): Promise<Stored<T>[]> {
    const rows = await this.#rows<Row>(query);
    return rows.map((row) => new StoredRecord(this.#record(row)));
  }

  #record(row: Row): T {
    return fromRow<T>(this.table, this.engine.dialect, row);
  }

  async #rows<R>(query: Query): Promise<readonly R[]> {
    const { engine } = this;
    return await engine.guard(() => this.read<R>(engine.statements.compile(query)));
  }
}

/** Its text is made when it is asked for: where rows are kept in place of records, nobody does. */
class StoredRecord<T extends Entity> implements Stored<T> {
  constructor(readonly record: T) {}

  get text(): string {
    return JSON.stringify({ ...this.record, rev: undefined });
  }
}

/** Whether a list has the oldest or the newest records first. */
function isByAge([first, second, ...rest]: Sort): boolean {
  return first!.field === "createdAt" && rest.length === 0 &&
    first!.descending === second?.descending;
}

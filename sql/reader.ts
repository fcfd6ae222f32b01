// Reads of one collection on Postgres: of what memory remembers while that is fresh, else by one statement or two.
import { type RawBuilder, sql } from "kysely";
import { type Keys, textsOf } from "../core/keys.ts";
import { parseQuery, parseWhere, positionOf } from "../storage/query.ts";
import {
  type AggregateQuery,
  type Entity,
  type Group,
  InvalidQuery,
  type ListQuery,
  type Page,
  type Reader,
  type Scalar,
  type Where,
} from "../storage/port.ts";
import { Aggregates } from "./aggregates.ts";
import { readByUnique } from "./by_unique.ts";
import type { Engine } from "./engine.ts";
import { type Counted, Extent } from "./extent.ts";
import type { CollectionMemory } from "./memory.ts";
import type { Conditions } from "./page_statements.ts";
import { type Form, isWalk, Pages } from "./pages.ts";
import { Rows } from "./rows.ts";
import { fromRow, memoryOf, type Row, type Table } from "./tables.ts";
import { Ties } from "./ties.ts";
import { filterSql } from "./where.ts";
import type { Awaitable } from "../core/awaitable.ts";
import { Misses } from "../storage/memory/misses.ts";
import { UniqueMisses } from "../storage/memory/unique_misses.ts";
import { deepFreeze } from "../storage/records.ts";

/** Records that a scan reads at a time: few enough when all are as long as they may be. */
const SCAN_BATCH = 100;
/** Ids in one statement. */
const ID_BATCH = 1000;

export class SqlReader<T extends Entity> implements Reader<T> {
  readonly #memory: CollectionMemory;
  readonly #name: RawBuilder<unknown>;
  readonly #extent: Extent;
  readonly #aggregates: Aggregates;
  readonly #misses: Misses<T>;
  readonly #uniqueMisses: UniqueMisses<T>;
  readonly #rows: Rows;
  readonly #pages: Pages;
  readonly #ties: Ties;
  /** Whole records. */
  readonly #form: Form<T, T> = {
    columns: sql`*`,
    from: (rows, generation) =>
      rows.map((row) =>
        generation === null
          ? fromRow<T>(this.table, this.engine.dialect, row)
          : this.#adopt(row, generation)
      ),
    held: (id) => this.#memory.record<T>(id),
    read: (ids) => this.getMany(ids),
    positionOf,
    revOf: ({ rev }) => Number(rev),
    show: (record) => record,
  };
  /** Queries under way, by their text, each with the generation of the collection when it was asked. */
  readonly #asked = new Map<string, { readonly generation: number; answer: Promise<object> }>();

  constructor(readonly engine: Engine, readonly table: Table) {
    this.#memory = engine.memory.of(table.declaration.name);
    this.#name = sql.table(table.name);
    this.#extent = new Extent(engine, table);
    this.#aggregates = new Aggregates(engine, table, this.#extent);
    this.#misses = new Misses((ids) => this.#fetch(ids));
    this.#uniqueMisses = new UniqueMisses((unique, all) => {
      const columns = table.unique.get(unique)!;
      return readByUnique(engine.dialect, columns, all, (where) => this.#selectWhere(where));
    });
    this.#rows = new Rows(engine, table);
    this.#pages = new Pages(
      engine,
      table,
      this.#extent,
      (counted, conditions) => this.#total(counted, conditions),
    );
    this.#ties = new Ties(engine, table);
  }

  get(id: string): Awaitable<T | null> {
    return this.#memory.record<T>(id) ?? this.#misses.fetch(id);
  }

  getMany(ids: readonly string[]): Awaitable<readonly (T | null)[]> {
    const known = ids.map((id) => this.#memory.record<T>(id));
    const missing = [...new Set(ids.filter((_, index) => known[index] === undefined))];
    if (missing.length === 0) return known as T[];
    return this.#fetch(missing).then((records) => {
      const fetched = new Map(missing.map((id, index) => [id, records[index]!]));
      return ids.map((id, index) => known[index] ?? fetched.get(id) ?? null);
    });
  }

  findBy(unique: string, ...values: Scalar[]): Awaitable<T | null> {
    const columns = this.table.unique.get(unique);
    if (!columns || columns.length !== values.length) {
      const { name } = this.table.declaration;
      const problem = `'${unique}' is no unique key of ${values.length} fields`;
      return Promise.reject(new InvalidQuery(`Cannot find ${name}: ${problem}`));
    }
    if (values.some((value) => value === null || value === undefined)) return null;
    const key = JSON.stringify([unique, ...values]);
    const id = this.#memory.idOf(key);
    const known = id === undefined ? undefined : this.#memory.record<T>(id);
    // The remembered id may be old: the record itself shows whether it still has these values.
    const holds = (record: T) =>
      columns.every(({ field }, index) => record[field as keyof T] === values[index]);
    if (known && holds(known)) return known;
    return this.#uniqueMisses.fetch(unique, values).then((record) => {
      if (record) this.#memory.rememberId(key, record.id);
      return record;
    });
  }

  list(query: ListQuery<T> = {}): Awaitable<Page<T>> {
    const parsed = parseQuery(this.table.declaration, query);
    const held = this.#pages.held(parsed, this.#form);
    if (held) return held;
    const ask = () => this.#pages.ask(parsed, this.#form);
    return isWalk(parsed) ? ask() : this.#remembered("list", query, ask);
  }

  listRows(query: ListQuery<T> = {}): Awaitable<Page<string>> {
    const parsed = parseQuery(this.table.declaration, query);
    const held = this.#pages.held(parsed, this.#rows);
    if (held) return held;
    const ask = () => this.#pages.ask(parsed, this.#rows);
    return isWalk(parsed) ? ask() : this.#remembered("rows", query, ask);
  }

  rowsOf(ids: Keys): Awaitable<readonly (string | null)[]> {
    return this.#rows.of(textsOf(ids));
  }

  count(where: Where<T> = {}): Awaitable<number> {
    const tied = this.#ties.count(where);
    if (tied) return tied;
    const counted = this.#remembered("count", where, async () => {
      const filter = parseWhere(this.table.declaration, where);
      const conditions = filterSql(this.engine.dialect, this.table, filter);
      return { total: await this.#total({ filter, search: "" }, conditions) };
    });
    return counted instanceof Promise ? counted.then(({ total }) => total) : counted.total;
  }

  generation(): number | null {
    return this.#memory.memory.fresh ? this.#memory.generation : null;
  }

  aggregate(query: AggregateQuery<T>): Awaitable<readonly Group[]> {
    return this.#remembered("aggregate", query, () => this.#aggregates.ask(query));
  }

  async *scan(): AsyncIterable<T> {
    let last = "";
    while (true) {
      const records = await this.#selectWhere(
        sql`id > ${last} order by id limit ${sql.lit(SCAN_BATCH)}`,
        { keep: false },
      );
      yield* records;
      if (records.length < SCAN_BATCH) return;
      last = records.at(-1)!.id;
    }
  }

  async #total(counted: Counted, conditions: Conditions): Promise<number> {
    if (this.#extent.matches(counted)) return await this.#extent.total(counted, conditions);
    const ask = () => this.#extent.count(conditions);
    return (await this.#remembered("total", [counted.filter, counted.search], ask)).total;
  }

  /** In the order of the ids. */
  async #fetch(ids: readonly string[]): Promise<(T | null)[]> {
    const records = new Map<string, T>();
    for (let at = 0; at < ids.length; at += ID_BATCH) {
      const batch = ids.slice(at, at + ID_BATCH).filter((id) => this.engine.dialect.canHold(id));
      if (batch.length === 0) continue;
      const some = this.engine.dialect.oneOf(sql.ref("id"), "text", batch);
      for (const record of await this.#selectWhere(some)) records.set(record.id, record);
    }
    return ids.map((id) => records.get(id) ?? null);
  }

  #selectWhere(rest: RawBuilder<unknown>, options?: { keep: boolean }): Promise<T[]> {
    return this.#select(sql`select * from ${this.#name} where ${rest}`, options);
  }

  async #select(query: RawBuilder<unknown>, { keep } = { keep: true }): Promise<T[]> {
    const { generation } = this.#memory;
    const rows = await this.engine.rows<Row>(query);
    return keep
      ? this.#form.from(rows, generation)
      : rows.map((row) => fromRow<T>(this.table, this.engine.dialect, row));
  }

  #adopt(row: Row, generation: number): T {
    const read = () => fromRow<T>(this.table, this.engine.dialect, row);
    return this.#memory.adopt(row.id as string, String(row.row_version), read, generation);
  }

  /** An earlier answer, or one under way, as long as nothing in the collection has changed since it was asked. */
  #remembered<A extends object>(
    kind: string,
    query: object,
    ask: () => Promise<A>,
  ): Awaitable<A> {
    const key = kind + JSON.stringify(query);
    const known = this.#memory.answer<A>(key);
    if (known) return known;
    const { generation } = this.#memory;
    const asked = this.#memory.memory.fresh ? this.#asked.get(key) : undefined;
    if (asked?.generation === generation) return asked.answer as Promise<A>;
    const answer = ask().then((answer) => {
      this.#memory.rememberAnswer(key, deepFreeze(answer), sizeOf(answer), generation);
      return answer;
    }).finally(() => {
      if (this.#asked.get(key)?.answer === answer) this.#asked.delete(key);
    });
    this.#asked.set(key, { generation, answer });
    return answer;
  }
}

/** Memory of an answer, in bytes, its records counted: they may leave the record cache before it. */
function sizeOf(answer: object): number {
  if ("rows" in answer) {
    return (answer.rows as (Entity | string)[]).reduce(
      (size, row) => size + (typeof row === "string" ? 2 * row.length : memoryOf(row)),
      0,
    );
  }
  return Array.isArray(answer) ? 150 * answer.length : 50;
}

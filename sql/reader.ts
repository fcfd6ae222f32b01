// Reads of one collection: from memory where that is fresh, else by one statement or two.
import { setImmediate } from "node:timers";
import { type RawBuilder, sql } from "kysely";
import {
  encodeCursor,
  type ParsedQuery,
  parseQuery,
  parseWhere,
  positionOf,
} from "../storage/query.ts";
import {
  type AggregateQuery,
  type CollectionDeclaration,
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
import type { Engine } from "./engine.ts";
import { type Counted, Extent } from "./extent.ts";
import type { CollectionMemory } from "./memory.ts";
import { type Conditions, pageSql } from "./page_statements.ts";
import { fromRow, memoryOf, type Row, type Table } from "./tables.ts";
import { and, canHold, filterSql, parameter, querySql } from "./where.ts";
import { andThen, type Awaitable } from "../core/awaitable.ts";
import { Misses } from "../storage/memory/misses.ts";
import { deepFreeze } from "../storage/records.ts";

/** Up to this many matches of a search are looked up and sorted; with more, the table is read in the list's order. */
const FEW_MATCHES = 500;
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
  readonly #rows = new WeakMap<T, string>();
  /** Queries under way, by their text, each with the generation of the collection when it was asked. */
  readonly #asked = new Map<string, { readonly generation: number; answer: Promise<object> }>();

  constructor(readonly engine: Engine, readonly table: Table) {
    this.#memory = engine.memory.of(table.declaration.name);
    this.#name = sql.table(table.name);
    this.#extent = new Extent(engine, table);
    this.#aggregates = new Aggregates(engine, table, this.#extent);
    this.#misses = new Misses((ids) => this.#fetch(ids));
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
    const { dialect } = this.engine;
    if (columns.some((column, index) => !canHold(dialect, column, values[index]!))) return null;
    const where = and(
      columns.map((column, index) =>
        sql`${sql.ref(column.name)} = ${parameter(dialect, column, values[index]!)}`
      ),
    );
    return this.#selectWhere(sql`${where}`).then(([record]) => {
      if (record) this.#memory.rememberId(key, record.id);
      return record ?? null;
    });
  }

  list(query: ListQuery<T> = {}): Awaitable<Page<T>> {
    return this.#remembered(
      "list",
      query,
      () => this.page(parseQuery(this.table.declaration, query)),
    );
  }

  listRows(query?: ListQuery<T>): Awaitable<Page<string>> {
    return andThen(this.list(query), ({ rows, total, nextCursor }) => ({
      rows: rows.map((record) => this.#rowOf(record)),
      total,
      nextCursor,
    }));
  }

  rowsOf(ids: readonly string[]): Awaitable<readonly (string | null)[]> {
    return andThen(
      this.getMany(ids),
      (records) => records.map((record) => record && this.#rowOf(record)),
    );
  }

  /** The row of a record, made once for as long as the record is in memory. */
  #rowOf(record: T): string {
    const known = this.#rows.get(record);
    if (known !== undefined) return known;
    const { row, name } = this.table.declaration as unknown as CollectionDeclaration<T>;
    if (!row) throw new Error(`Cannot show ${name}: the collection declares no row`);
    const made = row(record);
    this.#rows.set(record, made);
    return made;
  }

  count(where: Where<T> = {}): Awaitable<number> {
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
      // SQLite answers at once: without this, nothing else would run until the end.
      await new Promise<void>((resolve) => setImmediate(resolve));
      last = records.at(-1)!.id;
    }
  }

  /** Asks the database for a page, whatever is remembered. */
  async page(query: ParsedQuery): Promise<Page<T>> {
    const { dialect } = this.engine;
    const { sort, limit } = query;
    const known = this.#extent.known(query);
    if (known !== null && query.offset >= known && !query.after) {
      return { rows: [], total: known, nextCursor: null };
    }
    const matching = querySql(dialect, this.table, query, await this.#fewMatches(query.search));
    const place = query.after
      ? { position: query.after, skip: 0 }
      : await this.#extent.place(query, matching);
    const found = await this.#select(pageSql(dialect, this.table, query, matching, place));
    // Asked for again: a commit may have come meanwhile.
    const total = this.#extent.known(query) ?? lengthOf(query, found.length) ??
      await this.#total(query, matching);
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1)! : null;
    return { rows, total, nextCursor: last && encodeCursor(sort, positionOf(sort, last)) };
  }

  /** The row keys of all matches of a search; null where they are many, or the planner itself finds out how many. */
  async #fewMatches(search: string): Promise<readonly number[] | null> {
    if (search === "") return null;
    const first = this.engine.dialect.firstMatches(this.table.name, search, FEW_MATCHES + 1);
    if (!first) return null;
    const rows = await this.engine.rows<{ row_id: number }>(first);
    return rows.length > FEW_MATCHES ? null : rows.map((row) => row.row_id);
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
    return rows.map((row) => {
      const read = () => fromRow<T>(this.table, this.engine.dialect, row);
      return keep
        ? this.#memory.adopt(row.id as string, String(row.row_version), read, generation)
        : read();
    });
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

/** How many records match, where that shows in how many a page has; else null. @param found One more than the limit: there are more. */
function lengthOf({ offset, limit, after }: ParsedQuery, found: number): number | null {
  const isLast = found <= limit && (found > 0 || offset === 0);
  return isLast && !after ? offset + found : null;
}

/** Memory of an answer, in bytes, its records counted: they may leave the record cache before it. */
function sizeOf(answer: object): number {
  if ("rows" in answer) {
    return (answer.rows as Entity[]).reduce((size, record) => size + memoryOf(record), 0);
  }
  return Array.isArray(answer) ? 150 * answer.length : 50;
}

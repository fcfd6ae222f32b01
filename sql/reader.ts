// Reads of one collection: from memory where that is fresh, else by one statement or two.
import { setImmediate } from "node:timers";
import { type RawBuilder, sql } from "kysely";
import {
  checkAggregate,
  encodeCursor,
  type ParsedQuery,
  parseQuery,
  parseWhere,
} from "../query.ts";
import {
  type AggregateQuery,
  type Awaitable,
  type Entity,
  type Group,
  InvalidQuery,
  type ListQuery,
  type Page,
  type Reader,
  type Scalar,
  type Where,
} from "../store.ts";
import { deepFreeze } from "../transact.ts";
import type { Engine } from "./engine.ts";
import type { CollectionMemory } from "./memory.ts";
import { fromRow, memoryOf, type Row, type Table } from "./tables.ts";
import { afterSql, and, canHold, filterSql, orderSql, parameter, querySql } from "./where.ts";

/** From this offset on, the rows of a page are first found in the index, then read. */
const DEEP_OFFSET = 100;
/** Records that a scan reads at a time: few enough when all are as long as they may be. */
const SCAN_BATCH = 100;
/** Ids in one statement. */
const ID_BATCH = 1000;

export class SqlReader<T extends Entity> implements Reader<T> {
  readonly #memory: CollectionMemory;
  readonly #name: RawBuilder<unknown>;

  constructor(readonly engine: Engine, readonly table: Table) {
    this.#memory = engine.memory.of(table.declaration.name);
    this.#name = sql.table(table.name);
  }

  get(id: string): Awaitable<T | null> {
    return this.#memory.record<T>(id) ?? this.#fetch([id]).then(([record]) => record ?? null);
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
    // A record that has another value by now shows so itself.
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
    return this.#select(sql`where ${where}`).then(([record]) => {
      if (record) this.#memory.rememberId(key, record.id);
      return record ?? null;
    });
  }

  list(query: ListQuery<T> = {}): Awaitable<Page<T>> {
    return this.#remembered(
      "list",
      query,
      async () => await this.#list(parseQuery(this.table.declaration, query)),
    );
  }

  count(where: Where<T> = {}): Awaitable<number> {
    const counted = this.#remembered("count", where, async () => {
      const filter = parseWhere(this.table.declaration, where);
      return { total: await this.#total(filterSql(this.engine.dialect, this.table, filter)) };
    });
    return counted instanceof Promise ? counted.then(({ total }) => total) : counted.total;
  }

  generation(): number | null {
    return this.#memory.memory.fresh ? this.#memory.generation : null;
  }

  aggregate(query: AggregateQuery<T>): Awaitable<readonly Group[]> {
    return this.#remembered("aggregate", query, () => this.#aggregate(query));
  }

  async *scan(): AsyncIterable<T> {
    let last = "";
    while (true) {
      const records = await this.#select(
        sql`where id > ${last} order by id limit ${sql.lit(SCAN_BATCH)}`,
        { keep: false },
      );
      yield* records;
      if (records.length < SCAN_BATCH) return;
      // SQLite answers at once: without this, nothing else would run until the end.
      await new Promise<void>((resolve) => setImmediate(resolve));
      last = records.at(-1)!.id;
    }
  }

  async #list(query: ParsedQuery): Promise<Page<T>> {
    const { dialect } = this.engine;
    const { sort, limit, offset } = query;
    const matching = querySql(dialect, this.table, query);
    const conditions = query.after
      ? [...matching, afterSql(dialect, this.table, sort, query.after)]
      : matching;
    const order = orderSql(dialect, this.table, sort);
    // One more than asked for tells whether there is a next page.
    const part = sql`where ${and(conditions)} order by ${order}
      limit ${limit + 1} offset ${offset}`;
    const finding = this.#select(
      offset < DEEP_OFFSET
        ? part
        : sql`where id in (select id from ${this.#name} ${part}) order by ${order}`,
    );
    const count = () =>
      this.#remembered("total", [query.filter, query.search], async () => ({
        total: await this.#total(matching),
      }));
    // A search is dear, and mostly finds no more than a page: then that is the total.
    const [found, counted] = query.search === ""
      ? await Promise.all([finding, count()])
      : [await finding, null];
    const isAll = offset === 0 && !query.after && found.length <= limit;
    const total = counted ?? (isAll ? { total: found.length } : await count());
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1)! : null;
    const value = (last?.[sort.field as keyof T] ?? null) as Scalar;
    return {
      rows,
      total: total.total,
      nextCursor: last && encodeCursor(sort, { value, id: last.id }),
    };
  }

  /** Of all records without a condition the number is known: commits keep it. */
  async #total(conditions: readonly RawBuilder<unknown>[]): Promise<number> {
    const rows = await this.engine.rows<{ total: number }>(
      conditions.length === 0
        ? sql`select "rows" as total from counts where collection_table = ${this.table.name}`
        : sql`select count(*) as total from ${this.#name} where ${
          sql.join(conditions, sql` and `)
        }`,
    );
    return rows[0]?.total ?? 0;
  }

  async #aggregate(query: AggregateQuery<T>): Promise<readonly Group[]> {
    const { declaration, byField } = this.table;
    checkAggregate(declaration, query);
    const { dialect } = this.engine;
    const conditions = filterSql(dialect, this.table, parseWhere(declaration, query.where));
    const sums = (query.sum ?? []).map((field, index) =>
      sql`, sum(${sql.ref(byField.get(field)!.name)}) as ${sql.ref(`sum${index}`)}`
    );
    const key = query.by === undefined ? null : this.#groupKey(query.by, query.on);
    const rows = await this.engine.rows<Row & { key?: unknown; total: number }>(
      sql`select ${key ? sql`${key} as "key", ` : sql``}count(*) as total${sql.join(sums, sql``)}
        from ${this.#name} where ${and(conditions)} ${key ? sql`group by 1` : sql``}`,
    );
    // Without a key there is one row even of nothing.
    return rows.filter(({ total }) => total > 0).map((row) => ({
      key: this.#keyText(query.by, row.key),
      count: row.total,
      sums: Object.fromEntries(
        (query.sum ?? []).map((field, index) => [field, Number(row[`sum${index}`] ?? 0)]),
      ),
    })).sort((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
  }

  #groupKey(by: string, on = "createdAt"): RawBuilder<unknown> {
    const { byField } = this.table;
    if (by !== "day" && by !== "month") return sql.ref(byField.get(by)!.name);
    const column = byField.get(on)!;
    return this.engine.dialect.period(sql.ref(column.name), column.kind, by);
  }

  #keyText(by: string | undefined, value: unknown): string {
    if (value === null || value === undefined) return "";
    const column = by === undefined ? undefined : this.table.byField.get(by);
    return String(column ? this.engine.dialect.decode(column.kind, value) : value);
  }

  /** In the order of the ids, which are all different. */
  async #fetch(ids: readonly string[]): Promise<(T | null)[]> {
    const records = new Map<string, T>();
    for (let at = 0; at < ids.length; at += ID_BATCH) {
      const batch = ids.slice(at, at + ID_BATCH).filter((id) => this.engine.dialect.canHold(id));
      if (batch.length === 0) continue;
      const some = this.engine.dialect.oneOf(sql.ref("id"), "text", batch);
      for (const record of await this.#select(sql`where ${some}`)) records.set(record.id, record);
    }
    return ids.map((id) => records.get(id) ?? null);
  }

  async #select(
    rest: RawBuilder<unknown>,
    { keep = true }: { keep?: boolean } = {},
  ): Promise<T[]> {
    const { generation } = this.#memory;
    const rows = await this.engine.rows<Row>(sql`select * from ${this.#name} ${rest}`);
    return rows.map((row) => {
      const read = () => fromRow<T>(this.table, this.engine.dialect, row);
      return keep
        ? this.#memory.adopt(row.id as string, String(row.row_version), read, generation)
        : read();
    });
  }

  /** The answer that was given before, while nothing in the collection has changed since. */
  #remembered<A extends object>(
    kind: string,
    query: object,
    ask: () => Promise<A>,
  ): Awaitable<A> {
    const key = kind + JSON.stringify(query);
    const known = this.#memory.answer<A>(key);
    if (known) return known;
    const { generation } = this.#memory;
    return ask().then((answer) => {
      this.#memory.rememberAnswer(key, deepFreeze(answer), sizeOf(answer), generation);
      return answer;
    });
  }
}

/** Memory of an answer, in bytes, its records counted: they may leave the record cache before it. */
function sizeOf(answer: object): number {
  if ("rows" in answer) {
    return (answer.rows as Entity[]).reduce((size, record) => size + memoryOf(record), 0);
  }
  return Array.isArray(answer) ? 150 * answer.length : 50;
}

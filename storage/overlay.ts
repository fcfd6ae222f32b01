// Reads of one collection that see what is planned beside what is stored.
import { andThen, type Awaitable } from "../core/awaitable.ts";
import { type Keys, textsOf } from "../core/keys.ts";
import { compareScalars, meets } from "./memory/column.ts";
import type {
  AggregateQuery,
  CollectionDeclaration,
  Entity,
  Group,
  ListQuery,
  Page,
  Reader,
  Scalar,
  Where,
} from "./port.ts";
import {
  encodeCursor,
  type Filter,
  type ParsedQuery,
  parseQuery,
  parseWhere,
  type Position,
  positionOf,
  type Sort,
} from "./query.ts";
import { isSearchable, searchText, valueOf } from "./searched.ts";

/** A record that is to be written, and is not yet. */
export interface Planned<T extends Entity = Entity> {
  /** What is stored now; null where it is new. */
  readonly stored: T | null;
  /** As it will be; null where it is to be removed. */
  readonly shown: T | null;
}

/** What is planned of one collection. */
export interface PlannedRecords<T extends Entity = Entity> {
  readonly byId: ReadonlyMap<string, Planned<T>>;
  /** The id of the planned record that takes a unique value. */
  idOf(unique: string, values: readonly Scalar[]): string | undefined;
}

/** @param planned Not empty. */
export class OverlayReader<T extends Entity> implements Reader<T> {
  constructor(
    readonly declaration: CollectionDeclaration<T>,
    readonly inner: Reader<T>,
    readonly planned: PlannedRecords<T>,
  ) {}

  get(id: string): Awaitable<T | null> {
    const planned = this.planned.byId.get(id);
    return planned ? planned.shown : this.inner.get(id);
  }

  getMany(ids: readonly string[]): Awaitable<readonly (T | null)[]> {
    const { byId } = this.planned;
    const others = ids.filter((id) => !byId.has(id));
    return andThen(this.inner.getMany(others), (found) => {
      let next = 0;
      return ids.map((id) => {
        const planned = byId.get(id);
        return planned ? planned.shown : found[next++] ?? null;
      });
    });
  }

  findBy(unique: string, ...values: Scalar[]): Awaitable<T | null> {
    const id = this.planned.idOf(unique, values);
    if (id !== undefined) return this.planned.byId.get(id)!.shown;
    return andThen(
      this.inner.findBy(unique, ...values),
      (found) => found && this.planned.byId.has(found.id) ? null : found,
    );
  }

  async list(query: ListQuery<T> = {}): Promise<Page<T>> {
    const { byId } = this.planned;
    const parsed = parseQuery(this.declaration, query);
    const wanted = tester(this.declaration, parsed.filter, parsed.search);
    const last = parsed.offset + parsed.limit;
    // As many more as may be left out of them; from the first page on, since it is not known where the planned ones go.
    const stored = await this.inner.list({ ...query, page: 1, limit: last + byId.size });
    const rows = [
      ...stored.rows.filter(({ id }) => !byId.has(id)),
      ...this.#shown().filter((record) => wanted(record) && isAfter(parsed, record)),
    ].sort((a, b) => compare(parsed.sort, positionOf(parsed.sort, a), positionOf(parsed.sort, b)));
    const more = rows.length > last || stored.nextCursor !== null;
    const page = rows.slice(parsed.offset, last);
    const end = page.at(-1);
    return {
      rows: page,
      total: stored.total + this.#growth(wanted),
      nextCursor: more && end ? encodeCursor(parsed.sort, positionOf(parsed.sort, end)) : null,
    };
  }

  async listRows(query?: ListQuery<T>): Promise<Page<string>> {
    const page = await this.list(query);
    return { ...page, rows: page.rows.map((record) => this.declaration.row!(record)) };
  }

  async rowsOf(ids: Keys): Promise<readonly (string | null)[]> {
    const records = await this.getMany(textsOf(ids));
    return records.map((record) => record && this.declaration.row!(record));
  }

  async count(where?: Where<T>): Promise<number> {
    const wanted = tester(this.declaration, parseWhere(this.declaration, where));
    return await this.inner.count(where) + this.#growth(wanted);
  }

  async aggregate(query: AggregateQuery<T>): Promise<readonly Group[]> {
    const wanted = tester(this.declaration, parseWhere(this.declaration, query.where));
    const groups = new Map<string, { count: number; sums: Record<string, number> }>();
    for (const { key, count, sums } of await this.inner.aggregate(query)) {
      groups.set(key, { count, sums: { ...sums } });
    }
    const add = (record: T | null, sign: 1 | -1) => {
      if (!record || !wanted(record)) return;
      const key = keyOf(record, query);
      const group = groups.get(key) ?? { count: 0, sums: {} };
      groups.set(key, group);
      group.count += sign;
      for (const field of query.sum ?? []) {
        group.sums[field] = (group.sums[field] ?? 0) + sign * Number(valueOf(record, field) ?? 0);
      }
    };
    for (const { stored, shown } of this.planned.byId.values()) {
      add(stored, -1);
      add(shown, 1);
    }
    return [...groups].filter(([, { count }]) => count > 0)
      .map(([key, group]) => ({ key, ...group }))
      .sort((a, b) => compareScalars(a.key, b.key));
  }

  /** What is planned is nothing to remember. */
  generation(): null {
    return null;
  }

  async *scan(): AsyncIterable<T> {
    for await (const record of this.inner.scan()) {
      if (!this.planned.byId.has(record.id)) yield record;
    }
    yield* this.#shown();
  }

  #shown(): T[] {
    return [...this.planned.byId.values()].flatMap(({ shown }) => shown ?? []);
  }

  /** How many more of the records that are wanted there will be. */
  #growth(wanted: (record: T) => boolean): number {
    let growth = 0;
    for (const { stored, shown } of this.planned.byId.values()) {
      growth += Number(shown !== null && wanted(shown)) - Number(stored !== null && wanted(stored));
    }
    return growth;
  }
}

/** A page of records that are in no store. @throws {InvalidQuery} */
export function pageOf<T extends Entity>(
  declaration: CollectionDeclaration<T>,
  records: readonly T[],
  query: ListQuery<T>,
): Promise<Page<T>> {
  const nothing: Page<T> = { rows: [], total: 0, nextCursor: null };
  const empty = { list: () => nothing } as unknown as Reader<T>;
  const byId = new Map(records.map((shown) => [shown.id, { stored: null, shown }]));
  return new OverlayReader(declaration, empty, { byId, idOf: () => undefined }).list(query);
}

function tester<T extends Entity>(
  declaration: CollectionDeclaration<T>,
  filter: Filter,
  search = "",
): (record: T) => boolean {
  return (record) =>
    holds(filter, record) && (search === "" ||
      isSearchable(search) && searchText(declaration, record).includes(search));
}

function holds({ all, any }: Filter, record: Entity): boolean {
  return all.every((condition) => meets(condition, valueOf(record, condition.field))) &&
    (any === null || any.some((branch) => holds(branch, record)));
}

function isAfter({ after, sort }: ParsedQuery, record: Entity): boolean {
  return after === null || compare(sort, positionOf(sort, record), after) > 0;
}

function compare(sort: Sort, a: Position, b: Position): number {
  for (const [n, { descending }] of sort.entries()) {
    const compared = compareScalars(a[n] ?? null, b[n] ?? null);
    if (compared !== 0) return descending ? -compared : compared;
  }
  return 0;
}

function keyOf<T extends Entity>(
  record: T,
  { by, on = "createdAt" }: AggregateQuery<T>,
): string {
  if (by === undefined) return "";
  if (by === "day") return String(valueOf(record, on) ?? "").slice(0, 10);
  if (by === "month") return String(valueOf(record, on) ?? "").slice(0, 7);
  return String(valueOf(record, by) ?? "");
}

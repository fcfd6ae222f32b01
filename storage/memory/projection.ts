// The index of one collection in memory: answers which records a list shows, how many there are, and their sums.
import { andThen, type Awaitable } from "../../core/awaitable.ts";
import { type Slices, slices as ofProcess, waitFor, type Work } from "../../core/slices.ts";
import {
  checkAggregate,
  encodeCursor,
  type Filter,
  type ParsedQuery,
  reversed,
  type Sort,
  sortText,
} from "../query.ts";
import type { AggregateQuery, CollectionDeclaration, Entity, Group } from "../port.ts";
import { Backlog } from "./backlog.ts";
import { Build, Builds, pick } from "./build.ts";
import { Changes } from "./changes.ts";
import { compareScalars, type Test } from "./column.ts";
import { DictionaryColumn } from "./dictionary.ts";
import { compile, type Predicate } from "./filter.ts";
import { filterKey } from "./filter_key.ts";
import { Kept } from "./kept.ts";
import { ALL_FIELDS, type Live, Order } from "./order.ts";
import type { RecordsBudget } from "./records.ts";
import { RowTexts } from "./row_texts.ts";
import { Rows } from "./rows.ts";
import { comparison, type SortColumn, sortSlots } from "./sorting.ts";
import { Tally } from "./tally.ts";

/** The most filtered lists kept at a time, and the most tallies. Each costs a test or two at every write, some 0.1 µs. */
const MAX_LISTS = 256;
const MAX_TALLIES = 64;
/** A list of so few rows, of so few candidates, is made anew each time, at once: that takes less than to keep it. */
const FEW = 64;
const MAX_PROBED = 2048;
/**
 * Rows that filtered lists may hold together, at four bytes each: so many where the collection is small, else so many
 * times its rows. Enough for every declared sort of two long lists: what is dropped has to be made anew.
 */
const MIN_FILTERED = 1 << 21;
const MAX_FILTERED_SHARE = 8;
/**
 * More changes than this at once are taken in slices. All lists and tallies are then derived anew, which is cheaper than to
 * adjust them.
 */
export const BULK = 500;
/** A list of one row in so many is sorted by itself; a longer one is picked from the sorted list of all rows. */
const RARE = 32;

/** After each so many changes a list may catch up with those it has missed. */
const CATCH_UP_EVERY = 8;
/** From so many on, changes are forgotten that no list has missed. */
const MAX_CHANGES = 4096;

/** A record as it is now, or null when it is gone. */
export interface RowChange<T> {
  readonly id: string;
  readonly record: T | null;
}

/** Which records a page shows. */
export interface PageOfIds {
  readonly slots: readonly number[];
  /** Of the records, in the same order; made when they are asked for. */
  readonly ids: readonly string[];
  readonly total: number;
  readonly nextCursor: string | null;
}

export class Projection<T extends Entity> {
  readonly #rows: Rows<T>;
  readonly #changes: Changes;
  /** Lists of all rows, each sorted by one field. */
  readonly #orders = new Map<string, Order>();
  /** Lists that are filtered or sorted by several fields. */
  readonly #lists = new Kept<Order>(MAX_LISTS);
  readonly #tallies = new Kept<Tally<T>>(MAX_TALLIES);
  readonly #builds: Builds;
  readonly #backlog: Backlog<RowChange<T>>;

  /** Null where the collection declares no row. */
  readonly texts: RowTexts<T> | null;

  /** @param budget What the rows that are kept as text share with others. @default none are kept */
  constructor(
    readonly declaration: CollectionDeclaration<T>,
    budget?: RecordsBudget,
    slices: Slices = ofProcess,
  ) {
    this.#rows = new Rows(declaration);
    this.#changes = new Changes((slot) => this.#rows.holds(slot));
    this.#builds = new Builds(declaration.name, slices);
    this.#backlog = new Backlog(slices, (change) => this.#take(change));
    const { row } = declaration;
    this.texts = row && budget ? new RowTexts(row, budget) : null;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Whether changes are on their way into the rows: what is known of single rows may be out of date. */
  get isBehind(): boolean {
    return this.#backlog.taken !== null;
  }

  has(id: string): boolean {
    const late = this.#backlog.get(id);
    return late ? late.record !== null : this.#rows.has(id);
  }

  idOf(slot: number): string {
    return this.#rows.idOf(slot);
  }

  slotOf(id: string): number | undefined {
    if (this.isBehind) return undefined;
    const slot = this.#rows.slotOf(id);
    return slot < 0 ? undefined : slot;
  }

  /**
   * A page: at once where the list is there, or is soon made; else it is made in slices, and what changes meanwhile is
   * in it. Of many changes at once it has all or none.
   *
   * @param show Called with the page at the moment of which it is: later its slots may hold other records.
   */
  list<R>(query: ParsedQuery, show: (page: PageOfIds) => Awaitable<R>): Awaitable<R> {
    return this.#whole(
      () => this.#matching(query),
      (order) => show(this.#page(order, query)),
    );
  }

  count(filter: Filter): Awaitable<number> {
    return this.#whole(() => this.#counted(filter), (count) => count());
  }

  /** @returns What gives the number as it is at the time. */
  #counted(filter: Filter): Awaitable<() => number> {
    const [condition] = filter.all;
    if (filter.all.length === 1 && !filter.any && condition!.kind === "in") {
      const column = condition!.field === "id" ? null : this.#rows.column(condition!.field);
      if (column instanceof DictionaryColumn) return () => column.countOf(condition!.values);
    }
    const predicate = compile(this.#rows, filter, "");
    if (!predicate) return () => this.#rows.size;
    return andThen(this.#tally(filter, predicate, {}), (tally) => () => tally.total);
  }

  aggregate(query: AggregateQuery<T>, filter: Filter): Awaitable<readonly Group[]> {
    checkAggregate(this.declaration, query);
    return this.#whole(
      () => this.#tally(filter, compile(this.#rows, filter, ""), query),
      (tally) => tally.groups(),
    );
  }

  /** Rows that come or change, or go. */
  apply(changes: readonly RowChange<T>[]): void {
    if (changes.length > BULK) {
      for (const live of [this.#orders, this.#lists, this.#tallies]) live.clear();
    }
    if (changes.length > BULK || this.isBehind) this.#backlog.add(changes);
    else for (const change of changes) this.#take(change);
  }

  #take({ id, record }: RowChange<T>): void {
    // Before anything changes: a new row may take the place of one that a list has not yet heard is gone.
    if (this.#changes.end % CATCH_UP_EVERY === 0) this.#catchUp();
    if (record) {
      const slot = this.#upsert(record);
      this.texts?.offer(slot, record);
    } else this.#remove(id);
  }

  /** Answers from what is made while no changes are on their way, neither before nor meanwhile. */
  #whole<M, R>(make: () => Awaitable<M>, answer: (made: M) => Awaitable<R>): Awaitable<R> {
    const { taken } = this.#backlog;
    if (taken) return taken.then(() => this.#whole(make, answer));
    return andThen(make(), (made) => this.isBehind ? this.#whole(make, answer) : answer(made));
  }

  /** Indexes the searched texts, behind everything else, so that no search has to look at all of them. */
  indexTexts(): void {
    const { search } = this.#rows;
    if (search?.stale) void this.#builds.run("search index", search.build());
  }

  /** The slot of the record. */
  #upsert(record: T): number {
    const slot = this.#rows.slotOf(record.id);
    if (slot < 0) {
      const added = this.#rows.add(record);
      const told = this.#told(added, ALL_FIELDS, true);
      for (const live of told) live.enter(added, ALL_FIELDS);
      return added;
    }
    const changed = this.#rows.changed(slot, record);
    if (changed.size === 0) return slot;
    const fields = this.#rows.maskOf(changed);
    const told = this.#told(slot, fields);
    for (const live of told) live.leave(slot, fields);
    this.#rows.update(slot, record, changed);
    for (const live of told) live.enter(slot, fields);
    return slot;
  }

  #remove(id: string): void {
    const slot = this.#rows.slotOf(id);
    if (slot < 0) return;
    for (const live of this.#told(slot, ALL_FIELDS)) live.leave(slot, ALL_FIELDS);
    this.texts?.drop(slot);
    this.#rows.remove(slot);
  }

  /** What depends on one of the fields in which a row changes, and has to be told of it. */
  #told(slot: number, fields: number, isNew = false): Live[] {
    const concerned = (live: Live) => fields === ALL_FIELDS || (live.fields & fields) !== 0;
    const told: Live[] = [];
    for (const orders of [this.#orders.values(), this.#lists.values()]) {
      for (const order of orders) if (concerned(order) && order.listens()) told.push(order);
    }
    for (const lives of [this.#tallies.values(), this.#builds.live()]) {
      for (const live of lives) if (concerned(live)) told.push(live);
    }
    this.#changes.add(slot, fields, isNew);
    return told;
  }

  /** Lists that nobody asks for are late at about the same time: one at a time, so that none has to wait for all. */
  #catchUp(): void {
    const orders = [...this.#orders.values(), ...this.#lists.values()];
    orders.find((order) => order.isLate)?.catchUp();
    if (this.#changes.size < MAX_CHANGES) return;
    const missed = orders.reduce((most, order) => Math.max(most, order.missed), 0);
    this.#changes.forget(this.#changes.end - missed);
  }

  #page(order: Order, query: ParsedQuery): PageOfIds {
    const { length: total } = order;
    const { descending } = query.sort[0]!;
    const start = query.after ? this.#rankAfter(order, query) : query.offset;
    const end = Math.min(start + query.limit, total);
    // The order of a sort that begins with a descending field is kept in reverse.
    const slots = descending
      ? order.slice(Math.max(total - end, 0), total - start).reverse()
      : order.slice(start, end);
    const last = slots.at(-1);
    const nextCursor = last === undefined || end >= total ? null : encodeCursor(
      query.sort,
      query.sort.map(({ field }) => this.#rows.get(last, field)),
    );
    const rows = this.#rows;
    const ids = () => slots.map((slot) => rows.idOf(slot));
    return {
      slots,
      total,
      nextCursor,
      get ids() {
        return ids();
      },
    };
  }

  /** The rows that match, in the order of the sort, or the reverse of it where that begins with a descending field. */
  #matching(query: ParsedQuery): Awaitable<Order> {
    const { filter, search } = query;
    const sort = upward(query.sort);
    if (filter.all.length === 0 && !filter.any && !search) return this.#sorted(sort);
    const key = `${sortText(sort)} ${filterKey(filter)}${search}`;
    const known = this.#lists.get(key) ?? this.#builds.get<Order>(key);
    if (known) return known;
    if (search) this.indexTexts();
    const predicate = compile(this.#rows, filter, search);
    if (!predicate) return this.#sorted(sort);
    const few = this.#few(predicate, sort);
    if (few) return few;
    const fields = this.#rows.maskOf(predicate.fields) | this.#fieldsOf(sort);
    const build = new Build(this.#rows, fields);
    return this.#builds.make(key, build, this.#select(build, predicate, sort), (order) => {
      this.#lists.set(key, order);
      this.#shrink(order);
    });
  }

  /** A list that is as it is now, and is not told of changes; null where it may be a longer one. */
  #few({ candidates, test }: Predicate, sort: Sort): Order | null {
    if (!candidates || candidates.count > MAX_PROBED) return null;
    const matching = Array.from(candidates.list()).filter(test);
    if (matching.length > FEW) return null;
    const compare = comparison(this.#columns(sort));
    return new Order(Uint32Array.from(matching.sort(compare)), compare, test, 0, 0, null);
  }

  /** All rows, sorted. Lists by one field are kept for good; by several fields there are too many, so they may go. */
  #sorted(sort: Sort): Awaitable<Order> {
    const byOne = sort.length <= 2 && sort.every(({ descending }) => !descending);
    const key = byOne ? sort[0]!.field : sortText(sort);
    const known = byOne ? this.#orders.get(key) : this.#lists.get(key);
    if (known) return known;
    const made = this.#builds.get<Order>(`all ${key}`);
    if (made) return made;
    const build = new Build(this.#rows, this.#fieldsOf(sort));
    return this.#builds.make(
      `all ${key}`,
      build,
      this.#sort(build, this.#rows.all(), sort),
      (order) => {
        if (byOne) this.#orders.set(key, order);
        else {
          this.#lists.set(key, order);
          this.#shrink(order);
        }
      },
    );
  }

  *#sort(
    build: Build<T>,
    slots: Uint32Array,
    sort: Sort,
    test: Test | null = null,
  ): Work<Order> {
    yield* sortSlots(slots, this.#columns(sort));
    return build.complete(this.#order(build, slots, sort, test));
  }

  *#select(build: Build<T>, { candidates, test }: Predicate, sort: Sort): Work<Order> {
    let wanted = test;
    if (candidates && candidates.count * 2 <= this.#rows.size) {
      const matching = yield* pick(candidates.list(), test);
      if (matching.length * RARE <= this.#rows.size) {
        return yield* this.#sort(build, matching, sort, test);
      }
      const marks = new Uint8Array(this.#rows.capacity);
      for (const slot of matching) marks[slot] = 1;
      wanted = (slot) => marks[slot] === 1;
    }
    const all = (yield* waitFor(this.#sorted(sort))).all();
    return build.complete(this.#order(build, yield* pick(all, wanted), sort, test));
  }

  /** @param slots Sorted. */
  #order(build: Build<T>, slots: Uint32Array, sort: Sort, test: Test | null): Order {
    const compare = comparison(this.#columns(sort));
    const sorted = this.#fieldsOf(sort);
    return new Order(
      build.unchanged(slots),
      compare,
      test,
      build.fields,
      sorted,
      this.#changes,
    );
  }

  /** Drops filtered lists, the least recently used first, while together they are too long. */
  #shrink(last: Order): void {
    let length = 0;
    for (const order of this.#lists.values()) length += order.size;
    for (const [key, order] of this.#lists) {
      if (
        order === last || length <= Math.max(MIN_FILTERED, MAX_FILTERED_SHARE * this.#rows.size)
      ) return;
      length -= order.size;
      this.#lists.delete(key);
    }
  }

  #columns(sort: Sort): SortColumn[] {
    return sort.map(({ field, descending }) => ({
      column: this.#rows.sortable(field),
      descending,
    }));
  }

  #fieldsOf(sort: Sort): number {
    return this.#rows.maskOf(sort.map(({ field }) => field));
  }

  /** How many rows of the list come before and at a cursor. */
  #rankAfter(order: Order, { after, sort }: ParsedQuery): number {
    /** Below zero: the row comes before the cursor. */
    const compareToCursor = (slot: number) => {
      for (const [n, { field, descending }] of sort.entries()) {
        const compared = compareScalars(this.#rows.get(slot, field), after![n]!);
        if (compared !== 0) return descending ? -compared : compared;
      }
      return 0;
    };
    return sort[0]!.descending
      ? order.length - order.rank((slot) => compareToCursor(slot) > 0)
      : order.rank((slot) => compareToCursor(slot) <= 0);
  }

  #tally(
    filter: Filter,
    predicate: Predicate | null,
    query: AggregateQuery<T>,
  ): Awaitable<Tally<T>> {
    const key = JSON.stringify([query.by, query.on, query.sum]) + filterKey(filter);
    const known = this.#tallies.get(key);
    if (known && !known.stale) return known;
    const made = this.#builds.get<Tally<T>>(key);
    if (made) return made;
    const tally = new Tally(this.#rows, predicate, query);
    return this.#builds.make(key, tally, tally.fill(), () => this.#tallies.set(key, tally));
  }
}

/** The same order, or its reverse, beginning with an ascending field: lists up and down share one. */
function upward(sort: Sort): Sort {
  if (!sort[0]!.descending) return sort;
  return reversed(sort);
}

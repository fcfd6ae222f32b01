// The index of one collection in memory: answers which records a list shows, how many there are, and their sums.
import { andThen, type Awaitable } from "../../core/awaitable.ts";
import { type Slices, slices as ofProcess } from "../../core/slices.ts";
import { checkAggregate, type Filter, type ParsedQuery } from "../query.ts";
import type { Keys } from "../../core/keys.ts";
import type { AggregateQuery, CollectionDeclaration, Entity, Group } from "../port.ts";
import { Backlog } from "./backlog.ts";
import { Builds } from "./build.ts";
import { Changes } from "./changes.ts";
import { DictionaryColumn } from "./dictionary.ts";
import { compile, type Predicate } from "./filter.ts";
import { filterKey } from "./filter_key.ts";
import { Kept } from "./kept.ts";
import { PackedKeys } from "./keys.ts";
import { Lists } from "./lists.ts";
import { ALL_FIELDS, type Live } from "./order.ts";
import { pageOf, type PageOfIds } from "./pages.ts";
import type { RecordsBudget } from "./records.ts";
import { RowTexts } from "./row_texts.ts";
import { Rows } from "./rows.ts";
import { Tally } from "./tally.ts";

/** The most tallies kept at a time: each costs every write some 0.1 µs. */
const MAX_TALLIES = 64;
/**
 * More changes than this at once are taken in slices. All lists and tallies are then derived anew, which is cheaper than to
 * adjust them.
 */
export const BULK = 500;
/** After each so many changes lists that are late are seen to. */
const CATCH_UP_EVERY = 8;
/** From so many on, changes are forgotten that no list has missed. */
const MAX_CHANGES = 4096;

/** A record as it is now, or null when it is gone. */
export interface RowChange<T> {
  readonly id: string;
  readonly record: T | null;
}

export class Projection<T extends Entity> {
  readonly #rows: Rows<T>;
  readonly #changes: Changes;
  readonly #lists: Lists<T>;
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
    this.#lists = new Lists(this.#rows, this.#changes, this.#builds, () => this.indexTexts());
    this.#backlog = new Backlog(slices, (change) => this.#take(change));
    const { row, whole } = declaration;
    this.texts = row && budget ? new RowTexts({ row, whole }, budget) : null;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Whether changes are on their way into the rows: what is known of single rows may be out of date. */
  get isBehind(): boolean {
    return this.#backlog.taken !== null;
  }

  /** Whether there is surely no such record. */
  lacks(id: string): boolean {
    return !this.isBehind && !this.#rows.has(id);
  }

  idOf(slot: number): string {
    return this.#rows.idOf(slot);
  }

  slotOf(id: string): number | undefined {
    if (this.isBehind) return undefined;
    const slot = this.#rows.slotOf(id);
    return slot < 0 ? undefined : slot;
  }

  /** The record as it is now, as of `RowTexts`; null where not all of it is kept. */
  whole(id: string): ReturnType<RowTexts<T>["whole"]> {
    if (!this.declaration.whole || this.texts === null) return null;
    const slot = this.slotOf(id);
    return slot === undefined ? null : this.texts.whole(slot);
  }

  /** In the order of the ids; below zero: there is no such record. To be called while no changes are on their way. */
  slotsOf(ids: Keys): readonly number[] {
    return this.#rows.slotsOf(ids);
  }

  /** The values that rows have in a field, to find other records by. */
  keysOf(slots: readonly number[], field: string): Keys {
    return this.#rows.keysOf(slots, field);
  }

  /**
   * A page: at once where the list is there, or is soon made; else it is made in slices, and what changes meanwhile is
   * in it. Of many changes at once it has all or none.
   *
   * @param show Called with the page at the moment of which it is: later its slots may hold other records.
   */
  list<R>(query: ParsedQuery, show: (page: PageOfIds) => Awaitable<R>): Awaitable<R> {
    return this.#whole(
      () => this.#lists.matching(query),
      (order) => show(pageOf(this.#rows, order, query)),
    );
  }

  count(filter: Filter): Awaitable<number> {
    if (this.size === 0 && !this.isBehind) return 0;
    return this.#whole(() => this.#counted(filter), (count) => count());
  }

  /**
   * The rows that have each of the texts in a field whose values recur, by the place of the text; empty where none has any.
   * Null for another field, or while changes are on their way.
   */
  slotsByKey(field: string, keys: Keys): readonly (readonly number[] | undefined)[] | null {
    if (this.isBehind) return null;
    return this.#dictionary(field)?.slotsByKey(PackedKeys.of(keys)) ?? null;
  }

  /** Null where the field is no column of that kind. */
  #dictionary(field: string): DictionaryColumn | null {
    const column = field === "id" ? null : this.#rows.column(field);
    return column instanceof DictionaryColumn ? column : null;
  }

  /** @returns What gives the number as it is at the time. */
  #counted(filter: Filter): Awaitable<() => number> {
    const [condition] = filter.all;
    if (filter.all.length === 1 && !filter.any && condition!.kind === "in") {
      const column = this.#dictionary(condition!.field);
      if (column) return () => column.countOf(condition!.values);
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
      this.#lists.clear();
      this.#tallies.clear();
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
    const told: Live[] = [];
    for (const lists of this.#lists.values) {
      for (const list of lists) if (concerns(list, fields) && list.listens()) told.push(list);
    }
    for (const tally of this.#tallies.values()) if (concerns(tally, fields)) told.push(tally);
    for (const build of this.#builds.live) if (concerns(build, fields)) told.push(build);
    this.#changes.add(slot, fields, isNew);
    return told;
  }

  #catchUp(): void {
    this.#lists.catchUp();
    if (this.#changes.size >= MAX_CHANGES) {
      this.#changes.forget(this.#changes.end - this.#lists.missed);
    }
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

function concerns(live: Live, fields: number): boolean {
  return fields === ALL_FIELDS || (live.fields & fields) !== 0;
}

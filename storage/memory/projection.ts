// The index of one collection in memory: answers which records a list shows, how many there are, and their sums.
import {
  checkAggregate,
  encodeCursor,
  type Filter,
  type ParsedQuery,
  type Sort,
  sortText,
} from "../query.ts";
import type { AggregateQuery, CollectionDeclaration, Entity, Group } from "../port.ts";
import { compareScalars, type Test } from "./column.ts";
import { DictionaryColumn } from "./dictionary.ts";
import { compile, type Predicate } from "./filter.ts";
import { type Compare, type Live, Order, sortedBy } from "./order.ts";
import type { RecordsBudget } from "./records.ts";
import { RowTexts } from "./row_texts.ts";
import { Rows } from "./rows.ts";
import { Tally } from "./tally.ts";

/** The most filtered lists, and tallies, kept at a time. Each costs a test or two at every write. */
const MAX_LIVE = 64;
/** The number of rows that filtered lists may always hold together, even where the collection is small. */
const MIN_FILTERED = 1 << 18;
/** Characters of a query's description beyond which its list is not kept. */
const MAX_KEY_LENGTH = 4096;
/** With more changes than this at once it is cheaper to derive all lists and tallies anew. */
const BULK = 500;

/** A record as it is now, or null when it is gone. */
export interface RowChange<T> {
  readonly id: string;
  readonly record: T | null;
}

/** Which records a page shows. */
export interface PageOfIds {
  readonly ids: readonly string[];
  /** The slots of the records, in the same order. */
  readonly slots: readonly number[];
  readonly total: number;
  readonly nextCursor: string | null;
}

export class Projection<T extends Entity> {
  readonly #rows: Rows<T>;
  /** Lists of all rows, each sorted by one field. */
  readonly #orders = new Map<string, Order>();
  /** Lists that are filtered or sorted by several fields, the most recently used last. */
  readonly #filtered = new Map<string, Order>();
  readonly #tallies = new Map<string, Tally<T>>();

  /** Null where the collection declares no row. */
  readonly texts: RowTexts<T> | null;

  /** @param budget What the rows that are kept as text share with others. @default none are kept */
  constructor(readonly declaration: CollectionDeclaration<T>, budget?: RecordsBudget) {
    this.#rows = new Rows(declaration);
    const { row } = declaration;
    this.texts = row && budget ? new RowTexts(row, budget) : null;
  }

  get size(): number {
    return this.#rows.size;
  }

  has(id: string): boolean {
    return this.#rows.has(id);
  }

  slotOf(id: string): number | undefined {
    return this.#rows.slotOf(id);
  }

  list(query: ParsedQuery): PageOfIds {
    const order = this.#matching(query);
    const { descending } = query.sort[0]!;
    const total = order.length;
    const start = query.after ? this.#rankAfter(order, query) : query.offset;
    const end = Math.min(start + query.limit, total);
    const slots: number[] = [];
    for (let i = start; i < end; i++) slots.push(order.at(descending ? total - 1 - i : i));
    const last = slots.at(-1);
    const nextCursor = last === undefined || end >= total ? null : encodeCursor(
      query.sort,
      query.sort.map(({ field }) => this.#rows.get(last, field)),
    );
    return { ids: slots.map((slot) => this.#rows.idOf(slot)), slots, total, nextCursor };
  }

  count(filter: Filter): number {
    const predicate = compile(this.#rows, filter, "");
    if (!predicate) return this.#rows.size;
    const [condition] = filter.all;
    if (filter.all.length === 1 && !filter.any && condition!.kind === "in") {
      const column = condition!.field === "id" ? null : this.#rows.column(condition!.field);
      if (column instanceof DictionaryColumn) return column.countOf(condition!.values);
    }
    return this.#tally(filter, predicate, {}).total;
  }

  aggregate(query: AggregateQuery<T>, filter: Filter): readonly Group[] {
    checkAggregate(this.declaration, query);
    return this.#tally(filter, compile(this.#rows, filter, ""), query).groups();
  }

  /** Rows that come or change, or go. */
  apply(changes: readonly RowChange<T>[]): void {
    if (changes.length > BULK) {
      for (const live of [this.#orders, this.#filtered, this.#tallies]) live.clear();
    }
    for (const { id, record } of changes) {
      if (record) {
        this.#upsert(record);
        this.texts?.offer(this.#rows.slotOf(id)!, record);
      } else this.#remove(id);
    }
  }

  #upsert(record: T): void {
    const slot = this.#rows.slotOf(record.id);
    if (slot === undefined) {
      const added = this.#rows.add(record);
      for (const live of this.#live()) live.enter(added);
      return;
    }
    const fields = this.#rows.changed(slot, record);
    if (fields.size === 0) return;
    const concerned = [...this.#live()].filter((live) => !live.fields.isDisjointFrom(fields));
    for (const live of concerned) live.leave(slot);
    this.#rows.update(slot, record, fields);
    for (const live of concerned) live.enter(slot);
  }

  #remove(id: string): void {
    const slot = this.#rows.slotOf(id);
    if (slot === undefined) return;
    for (const live of this.#live()) live.leave(slot);
    this.texts?.drop(slot);
    this.#rows.remove(slot);
  }

  *#live(): Iterable<Live> {
    yield* this.#orders.values();
    yield* this.#filtered.values();
    yield* this.#tallies.values();
  }

  /** The rows that match, in the order of the sort, or the reverse of it where that begins with a descending field. */
  #matching(query: ParsedQuery): Order {
    const { filter, search } = query;
    const sort = upward(query.sort);
    if (filter.all.length === 0 && !filter.any && !search) return this.#order(sort);
    const key = JSON.stringify([sortText(sort), search, filter]);
    const known = this.#filtered.get(key);
    if (known) return keep(this.#filtered, key, known);
    const predicate = compile(this.#rows, filter, search);
    return predicate ? this.#keep(key, this.#select(predicate, sort)) : this.#order(sort);
  }

  #keep(key: string, order: Order): Order {
    keep(this.#filtered, key, order);
    this.#shrink(order);
    return order;
  }

  /** Drops filtered lists, the least recently used first, while together they are too long. */
  #shrink(last: Order): void {
    let length = 0;
    for (const order of this.#filtered.values()) length += order.length;
    for (const [key, order] of this.#filtered) {
      if (order === last || length <= Math.max(MIN_FILTERED, 4 * this.#rows.size)) return;
      length -= order.length;
      this.#filtered.delete(key);
    }
  }

  #select(predicate: Predicate, sort: Sort): Order {
    const fields = new Set([...predicate.fields, ...namesOf(sort)]);
    const order = (slots: Uint32Array) =>
      new Order(slots, this.#compare(sort), predicate.test, fields);
    const { candidates } = predicate;
    if (!candidates || candidates.count * 2 > this.#rows.size) {
      return order(filterSlots(this.#order(sort).slots, predicate.test));
    }
    const matching = Uint32Array.from(candidates.list().filter(predicate.test));
    // Few matches are sorted; with many it is cheaper to pick them from the sorted list of all rows.
    if (matching.length * 64 < this.#rows.size) return order(matching);
    const wanted = new Uint8Array(this.#rows.capacity);
    for (const slot of matching) wanted[slot] = 1;
    return order(filterSlots(this.#order(sort).slots, (slot) => wanted[slot] === 1));
  }

  /** All rows, sorted. Lists by one field are kept for good; by several fields there are too many, so they may go. */
  #order(sort: Sort): Order {
    if (sort.length > 2 || sort.some(({ descending }) => descending)) return this.#combined(sort);
    return this.#orderBy(sort[0]!.field);
  }

  /** All rows by one field, ties by id. */
  #orderBy(field: string): Order {
    let order = this.#orders.get(field);
    if (!order) {
      const names = field === "id" ? ["id"] : [field, "id"];
      const compare = this.#compare(names.map((name) => ({ field: name, descending: false })));
      order = new Order(this.#rows.all(), compare, null, new Set([field]));
      this.#orders.set(field, order);
    }
    return order;
  }

  /** Sorts by several fields from the lists by each field alone: one pass over the rows a field, and no comparisons. */
  #combined(sort: Sort): Order {
    const key = sortText(sort);
    const known = this.#filtered.get(key);
    if (known) return keep(this.#filtered, key, known);
    // A list by one field breaks ties by id: where both go in the same direction, the id needs no pass of its own.
    const [before, last] = sort.slice(-2);
    const deciding = before!.descending === last!.descending ? sort.slice(0, -1) : sort;
    const keys = deciding.map(({ field, descending }) => ({
      order: this.#orderBy(field),
      isTie: this.#isTie(field),
      descending,
    }));
    const slots = sortedBy(keys, this.#rows.capacity);
    return this.#keep(key, new Order(slots, this.#compare(sort), null, new Set(namesOf(sort))));
  }

  #isTie(field: string): (a: number, b: number) => boolean {
    if (field === "id") return () => false;
    const column = this.#rows.column(field);
    return (a, b) => column.compare(a, b) === 0;
  }

  #compare(sort: Sort): Compare {
    const [compare, ...others] = sort.map(({ field, descending }) => {
      const ascending: Compare = field === "id"
        ? (a, b) => this.#rows.compareIds(a, b)
        : this.#compareField(field);
      return descending ? (a: number, b: number) => -ascending(a, b) : ascending;
    });
    return others.reduce<Compare>((first, then) => (a, b) => first(a, b) || then(a, b), compare!);
  }

  #compareField(field: string): Compare {
    const column = this.#rows.column(field);
    return (a, b) => column.compare(a, b);
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
    // The order of a sort that begins with a descending field is kept in reverse.
    return sort[0]!.descending
      ? order.length - order.search((slot) => compareToCursor(slot) > 0)
      : order.search((slot) => compareToCursor(slot) <= 0);
  }

  #tally(filter: Filter, predicate: Predicate | null, query: AggregateQuery<T>): Tally<T> {
    const key = JSON.stringify([filter, query.by, query.on, query.sum]);
    let tally = this.#tallies.get(key);
    if (!tally || tally.stale) tally = new Tally(this.#rows, predicate, query);
    return keep(this.#tallies, key, tally);
  }
}

/** The same order, or its reverse, beginning with an ascending field: lists up and down share one. */
function upward(sort: Sort): Sort {
  if (!sort[0]!.descending) return sort;
  return sort.map(({ field, descending }) => ({ field, descending: !descending }));
}

function namesOf(sort: Sort): string[] {
  return sort.map(({ field }) => field).filter((field) => field !== "id");
}

function filterSlots(slots: Uint32Array, test: Test): Uint32Array {
  const found = new Uint32Array(slots.length);
  let length = 0;
  for (const slot of slots) {
    if (test(slot)) found[length++] = slot;
  }
  return found.slice(0, length);
}

/** Puts a value last in a map of bounded size; the first one is dropped when there are too many. */
function keep<V>(map: Map<string, V>, key: string, value: V): V {
  map.delete(key);
  if (key.length > MAX_KEY_LENGTH) return value;
  map.set(key, value);
  if (map.size > MAX_LIVE) map.delete(map.keys().next().value!);
  return value;
}

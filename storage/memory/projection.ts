// The index of one collection in memory: answers which records a list shows, how many there are, and their sums.
import { checkAggregate, encodeCursor, type Filter, type ParsedQuery } from "../query.ts";
import type { AggregateQuery, CollectionDeclaration, Entity, Group } from "../store.ts";
import { compareScalars, type Test } from "./column.ts";
import { DictionaryColumn } from "./dictionary.ts";
import { compile, type Predicate } from "./filter.ts";
import { type Compare, type Live, Order } from "./order.ts";
import { Rows } from "./rows.ts";
import { Tally } from "./tally.ts";

/** Derived lists and tallies kept at a time. Each costs a test or two a write. */
const MAX_LIVE = 64;
/** Rows that filtered lists may hold together, also where the collection is small. */
const MIN_FILTERED = 1 << 18;
/** Longer descriptions of a query are not worth keeping. In characters. */
const MAX_KEY_LENGTH = 4096;
/** Changes at once from which it is cheaper to derive everything anew. */
const BULK = 500;

/** A record as it is now, or null when it is gone. */
export interface RowChange<T> {
  readonly id: string;
  readonly record: T | null;
}

/** Which records a page shows. */
export interface PageOfIds {
  readonly ids: readonly string[];
  readonly total: number;
  readonly nextCursor: string | null;
}

export class Projection<T extends Entity> {
  readonly #rows: Rows<T>;
  /** All rows by sort field. */
  readonly #orders = new Map<string, Order>();
  /** Filtered lists, the most recently used last. */
  readonly #filtered = new Map<string, Order>();
  readonly #tallies = new Map<string, Tally<T>>();

  constructor(readonly declaration: CollectionDeclaration<T>) {
    this.#rows = new Rows(declaration);
  }

  get size(): number {
    return this.#rows.size;
  }

  has(id: string): boolean {
    return this.#rows.has(id);
  }

  list(query: ParsedQuery): PageOfIds {
    const order = this.#matching(query);
    const { field, descending } = query.sort;
    const total = order.length;
    const start = query.after ? this.#rankAfter(order, query) : query.offset;
    const end = Math.min(start + query.limit, total);
    const slots: number[] = [];
    for (let i = start; i < end; i++) slots.push(order.at(descending ? total - 1 - i : i));
    const last = slots.at(-1);
    const nextCursor = last === undefined || end >= total ? null : encodeCursor(query.sort, {
      value: this.#rows.get(last, field),
      id: this.#rows.idOf(last),
    });
    return { ids: slots.map((slot) => this.#rows.idOf(slot)), total, nextCursor };
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
      if (record) this.#upsert(record);
      else this.#remove(id);
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
    this.#rows.remove(slot);
  }

  *#live(): Iterable<Live> {
    yield* this.#orders.values();
    yield* this.#filtered.values();
    yield* this.#tallies.values();
  }

  /** The rows that match, in ascending order of the sort. */
  #matching(query: ParsedQuery): Order {
    const { filter, search, sort } = query;
    if (filter.all.length === 0 && !filter.any && !search) return this.#order(sort.field);
    const key = JSON.stringify([sort.field, search, filter]);
    const known = this.#filtered.get(key);
    if (known) return keep(this.#filtered, key, known);
    const predicate = compile(this.#rows, filter, search);
    if (!predicate) return this.#order(sort.field);
    const selected = keep(this.#filtered, key, this.#select(predicate, sort.field));
    this.#shrink(selected);
    return selected;
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

  #select(predicate: Predicate, field: string): Order {
    const fields = new Set([...predicate.fields, field]);
    const order = (slots: Uint32Array) =>
      new Order(slots, this.#compare(field), predicate.test, fields);
    const { candidates } = predicate;
    if (!candidates || candidates.count * 2 > this.#rows.size) {
      return order(filterSlots(this.#order(field).slots, predicate.test));
    }
    const matching = Uint32Array.from(candidates.list().filter(predicate.test));
    // Few rows are sorted; many are taken from the sorted list of all.
    if (matching.length * 64 < this.#rows.size) return order(matching);
    const wanted = new Uint8Array(this.#rows.capacity);
    for (const slot of matching) wanted[slot] = 1;
    return order(filterSlots(this.#order(field).slots, (slot) => wanted[slot] === 1));
  }

  #order(field: string): Order {
    let order = this.#orders.get(field);
    if (!order) {
      order = new Order(this.#rows.all(), this.#compare(field), null, new Set([field]));
      this.#orders.set(field, order);
    }
    return order;
  }

  #compare(field: string): Compare {
    if (field === "id") return (a, b) => this.#rows.compareIds(a, b);
    const column = this.#rows.column(field);
    return (a, b) => column.compare(a, b) || this.#rows.compareIds(a, b);
  }

  /** How many rows of the list come before and at a cursor. */
  #rankAfter(order: Order, { after, sort }: ParsedQuery): number {
    const { value, id } = after!;
    const compareTo = (slot: number) =>
      compareScalars(this.#rows.get(slot, sort.field), value) ||
      compareScalars(this.#rows.idOf(slot), id);
    return sort.descending
      ? order.length - order.search((slot) => compareTo(slot) < 0)
      : order.search((slot) => compareTo(slot) <= 0);
  }

  #tally(filter: Filter, predicate: Predicate | null, query: AggregateQuery<T>): Tally<T> {
    const key = JSON.stringify([filter, query.by, query.on, query.sum]);
    let tally = this.#tallies.get(key);
    if (!tally || tally.stale) tally = new Tally(this.#rows, predicate, query);
    return keep(this.#tallies, key, tally);
  }
}

function filterSlots(slots: Uint32Array, test: Test): Uint32Array {
  const found = new Uint32Array(slots.length);
  let length = 0;
  for (const slot of slots) {
    if (test(slot)) found[length++] = slot;
  }
  return found.slice(0, length);
}

/** Puts a value last in a map of bounded size, of which the first goes. */
function keep<V>(map: Map<string, V>, key: string, value: V): V {
  map.delete(key);
  if (key.length > MAX_KEY_LENGTH) return value;
  map.set(key, value);
  if (map.size > MAX_LIVE) map.delete(map.keys().next().value!);
  return value;
}

// The lists of one collection in memory: made when they are first asked for, and kept in order as rows change.
import type { Awaitable } from "../../core/awaitable.ts";
import { waitFor, type Work } from "../../core/slices.ts";
import type { Entity } from "../port.ts";
import { type Filter, type ParsedQuery, reversed, type Sort, sortText } from "../query.ts";
import { Build, type Builds, pick, pickMarked } from "./build.ts";
import type { Changes } from "./changes.ts";
import type { Test } from "./column.ts";
import { compile, type Predicate } from "./filter.ts";
import { filterKey } from "./filter_key.ts";
import { Kept } from "./kept.ts";
import { Order } from "./order.ts";
import type { Rows } from "./rows.ts";
import { Scratch } from "./scratch.ts";
import { comparison, type SortColumn, sortSlots } from "./sorting.ts";

/** The most lists kept at a time that are filtered or sorted by several fields: each costs every write some 0.1 µs. */
const MAX_LISTS = 256;
/** A list of so few rows, of so few candidates, is made anew each time, at once: that takes less than to keep it. */
const FEW = 64;
const MAX_PROBED = 2048;
/**
 * Rows that filtered lists may hold together, at four bytes each: so many where the collection is small, else so many
 * times its rows. Enough for every declared sort of two long lists: what is dropped has to be made anew.
 */
const MIN_FILTERED = 1 << 21;
const MAX_FILTERED_SHARE = 8;
/** A list of one row in so many is sorted by itself; a longer one is picked from the sorted list of all rows. */
const RARE = 32;

export class Lists<T extends Entity> {
  /** Of all rows, each sorted by one field. */
  readonly #orders = new Map<string, Order>();
  #ofAll: readonly Order[] = [];
  /** Filtered, or sorted by several fields. */
  readonly #chosen = new Kept<Order>(MAX_LISTS);
  readonly #scratch = new Scratch();

  /** @param indexTexts Called when texts are searched. */
  constructor(
    readonly rows: Rows<T>,
    readonly changes: Changes,
    readonly builds: Builds,
    readonly indexTexts: () => void,
  ) {}

  /** Those of all rows, and the others: arrays that are the same until a list comes or goes. */
  get values(): readonly [ofAll: readonly Order[], chosen: readonly Order[]] {
    return [this.#ofAll, this.#chosen.values()];
  }

  /** The most changes that one of them has missed. */
  get missed(): number {
    return this.values.flat().reduce((most, list) => Math.max(most, list.missed), 0);
  }

  /**
   * Sees to those that are late because nobody asks for them. A filtered one goes: to pick it anew takes as long as to take
   * what it has missed some four times. The others, which have to be sorted anew, take what they have missed, one at a time:
   * they are late at about the same time, and nobody should have to wait for all.
   */
  catchUp(): void {
    for (const [key, list] of this.#chosen) {
      if (list.isLate && list.test !== null) this.#chosen.delete(key);
    }
    this.values.flat().find((list) => list.isLate)?.catchUp();
  }

  /** Drops all, to be made anew. */
  clear(): void {
    this.#orders.clear();
    this.#ofAll = [];
    this.#chosen.clear();
  }

  /** The rows that match, in the order of the sort, or the reverse of it where that begins with a descending field. */
  matching(query: ParsedQuery): Awaitable<Order> {
    const { filter, search } = query;
    const sort = upward(query.sort);
    if (filter.all.length === 0 && !filter.any && !search) return this.#sorted(sort);
    // Whoever asks this once is answered before its key is made.
    const rare = search || Object.isFrozen(filter) ? null : this.#rare(filter, sort);
    if (rare) return rare;
    const key = `${sortText(sort)} ${filterKey(filter)}${search}`;
    const known = this.#chosen.get(key) ?? this.builds.get<Order>(key);
    if (known) return known;
    if (search) this.indexTexts();
    const predicate = compile(this.rows, filter, search);
    if (!predicate) return this.#sorted(sort);
    const few = this.#few(predicate, sort);
    if (few) return few;
    const fields = this.rows.maskOf(predicate.fields) | this.#fieldsOf(sort);
    const build = new Build(this.rows, fields);
    return this.builds.make(key, build, this.#select(build, predicate, sort), (order) => {
      this.#chosen.set(key, order);
      this.#shrink(order);
    });
  }

  /** The list, where the filter alone tells that it is short. */
  #rare(filter: Filter, sort: Sort): Order | null {
    const predicate = compile(this.rows, filter, "");
    const candidates = predicate?.candidates;
    return candidates && candidates.count <= FEW ? this.#few(predicate!, sort) : null;
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
    const known = byOne ? this.#orders.get(key) : this.#chosen.get(key);
    if (known) return known;
    const made = this.builds.get<Order>(`all ${key}`);
    if (made) return made;
    const build = new Build(this.rows, this.#fieldsOf(sort));
    return this.builds.make(
      `all ${key}`,
      build,
      this.#sort(build, this.rows.all(), sort),
      (order) => {
        if (byOne) {
          this.#orders.set(key, order);
          this.#ofAll = [...this.#orders.values()];
        } else {
          this.#chosen.set(key, order);
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
    let matching: Uint32Array | null = null;
    if (candidates && candidates.count * 2 <= this.rows.size) {
      matching = yield* pick(new Uint32Array(candidates.list()), test);
      if (matching.length * RARE <= this.rows.size) {
        return yield* this.#sort(build, matching, sort, test);
      }
    }
    const all = yield* waitFor(this.#sorted(sort));
    const copy = this.#scratch.take(all.length);
    all.copyTo(copy);
    const picked = matching ? pickMarked(copy, this.#marked(matching)) : pick(copy, test);
    const order = this.#order(build, yield* picked, sort, test);
    this.#scratch.giveBack(copy);
    return build.complete(order);
  }

  /** By slot: 1 for those that are given. */
  #marked(slots: Uint32Array): Uint8Array {
    const marks = new Uint8Array(this.rows.capacity);
    for (const slot of slots) marks[slot] = 1;
    return marks;
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
      this.changes,
    );
  }

  /** Drops filtered lists, the least recently used first, while together they are too long. */
  #shrink(last: Order): void {
    let length = 0;
    for (const order of this.#chosen.values()) length += order.size;
    for (const [key, order] of this.#chosen) {
      if (
        order === last || length <= Math.max(MIN_FILTERED, MAX_FILTERED_SHARE * this.rows.size)
      ) return;
      length -= order.size;
      this.#chosen.delete(key);
    }
  }

  #columns(sort: Sort): SortColumn[] {
    return sort.map(({ field, descending }) => ({
      column: this.rows.sortable(field),
      descending,
    }));
  }

  #fieldsOf(sort: Sort): number {
    return this.rows.maskOf(sort.map(({ field }) => field));
  }
}

/** The same order, or its reverse, beginning with an ascending field: lists up and down share one. */
function upward(sort: Sort): Sort {
  return sort[0]!.descending ? reversed(sort) : sort;
}

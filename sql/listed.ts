// Long lists of which memory has the order: read once when somebody pages far into one, then followed. Pages of them are
// composed of rows in memory, or of those that one read by id brings.
import type { Awaitable } from "../core/awaitable.ts";
import { nextTurn } from "../core/delay.ts";
import { semaphore } from "../core/semaphore.ts";
import { slices, type Work } from "../core/slices.ts";
import { filterKey } from "../storage/memory/filter_key.ts";
import type { Entity, Page, Scalar } from "../storage/port.ts";
import {
  encodeCursor,
  type ParsedQuery,
  type Position,
  positionOf,
  reversed,
  type Sort,
  sortText,
} from "../storage/query.ts";
import type { Engine } from "./engine.ts";
import type { Extent } from "./extent.ts";
import type { Followed } from "./followed.ts";
import { Ids } from "./ids.ts";
import type { CollectionMemory } from "./memory.ts";
import { type Conditions, type Part, type PartRow, partSql } from "./page_statements.ts";
import { type Block, compare, type Place, Places, type Reading, stepOf } from "./places.ts";
import type { Kind, Table } from "./tables.ts";

/** From this offset on, the order of a list is read, so that the database need not skip all rows before a page. */
const DEEP_OFFSET = 100;
/** From this offset on, a page waits for that where many have not. */
const FAR_OFFSET = 1000;
/** How many pages of a list are read without its order while that is: to skip rows is faster for a few, not for many. */
const MAX_AHEAD = 8;
/**
 * A page counts as so many as it skips times this number of rows: in a list of a million it takes the database up to a
 * quarter of a second, in which others wait behind it.
 */
const AHEAD_ROWS = 50_000;
/** The longest list whose ids are kept, at 16 bytes each; of longer ones every so-many-th position is. */
const MAX_IDS = 1 << 17;
/** How many lists are read at a time: more at once are slower, and long ones would take longer than a statement may. */
const MAX_LEARNING = 2;
/** Positions in one slice of work. */
const PIECE = 256;
/** How often a page is composed anew because the list changed while its rows were read. */
const MAX_TRIES = 3;

/** What is kept of a record, and what a page shows of it. */
export interface Shown<K, R> {
  /** What memory has of a record; undefined: nothing. */
  held(id: string): K | undefined;
  /** In the order of the ids; null where there is no record. */
  read(ids: readonly string[]): Awaitable<readonly (K | null)[]>;
  positionOf(sort: Sort, kept: K): Position;
  /** The journal entry of the commit that wrote the record. */
  revOf(kept: K): number;
  show(kept: K): R;
}

/** The order of a list, and whether a query asks for its reverse. */
interface Order {
  readonly places: Places;
  readonly backwards: boolean;
}

export class Listed {
  readonly #memory: CollectionMemory;
  readonly #inTurn = semaphore(MAX_LEARNING);
  /** How many pages of lists whose order is being read have not waited for it. */
  readonly #ahead = new Map<string, number>();

  constructor(readonly engine: Engine, readonly table: Table, readonly extent: Extent) {
    this.#memory = engine.memory.of(table.declaration.name);
  }

  /** A page that memory has all of. */
  held<K, R>(query: ParsedQuery, shown: Shown<K, R>): Page<R> | null {
    const order = this.#orderOf(query);
    const ids = order && this.#idsOf(order, query, shown);
    if (!Array.isArray(ids)) return null;
    const kept: K[] = [];
    for (const id of ids as readonly string[]) {
      const known = shown.held(id);
      if (known === undefined) return null;
      kept.push(known);
    }
    return this.#knowsAll(kept, shown) ? this.#page(order!, query, kept, shown) : null;
  }

  /**
   * A page whose ids are known once `learn` has been waited for; null where they are not.
   *
   * @param conditions Those of the query.
   */
  async page<K, R>(
    query: ParsedQuery,
    shown: Shown<K, R>,
    conditions: Conditions,
  ): Promise<Page<R> | null> {
    // What comes after a cursor is a walk of an index; of ids it would be as many look-ups.
    if (query.after) return null;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const order = this.#orderOf(query);
      const ids = order && this.#idsOf(order, query, shown);
      if (!ids) return null;
      if (!Array.isArray(ids)) {
        await this.#readBlock(query, order!.places, ids as Block, conditions);
        continue;
      }
      const kept = await shown.read(ids);
      if (!this.#isStill(query, ids, shown)) continue;
      const found = kept.filter((one) => one !== null);
      // Another process has changed the list, and memory has not heard of it yet.
      if (found.length < ids.length || !this.#knowsAll(found, shown)) return null;
      return this.#page(this.#orderOf(query)!, query, found, shown);
    }
    return null;
  }

  /** Reads the order of a list, when a page is so far down that this is worth it. @returns Null when there is no need to wait. */
  learn(query: ParsedQuery, conditions: Conditions): Promise<Places> | null {
    if (query.after || query.offset < DEEP_OFFSET || this.#orderOf(query)) return null;
    const matches = this.extent.matches(query);
    if (!matches) return null;
    const { sort, key } = canonical(query);
    const reading = this.#memory.lists.read(key, async () => {
      const total = await this.extent.total(query, conditions);
      const step = stepOf(total);
      const part = { after: null, until: null, count: total, step, withIds: total <= MAX_IDS };
      const read = await this.#inTurn(() => this.#read(sort, conditions, part));
      // Of a long list this takes some milliseconds again.
      await nextTurn();
      return { value: new Places(matches, sort, step, read), asOf: read.asOf };
    });
    const before = this.#ahead.get(key), ahead = (before ?? 0) + this.#weightOf(query);
    // The first goes ahead wherever it is.
    if (query.offset >= FAR_OFFSET && before !== undefined && ahead > MAX_AHEAD) return reading;
    this.#ahead.set(key, ahead);
    // Of each, since it may be another reading than the last one: whose failure would be nobody's.
    const end = () => void this.#ahead.delete(key);
    reading.then(end, end);
    return null;
  }

  /** As how many pages one counts that is read without the order of its list. */
  #weightOf(query: ParsedQuery): number {
    // Rows are skipped from the end that is nearer, where that is known.
    const total = this.extent.known(query) ?? Infinity;
    return Math.max(1, Math.min(query.offset, total - query.offset) / AHEAD_ROWS);
  }

  /**
   * Where the database begins to read a page.
   *
   * @param learned The order as it was read just now: it is not kept when another process has written meanwhile.
   */
  place(query: ParsedQuery, learned: Places | null): Place {
    const { after, offset } = query;
    const places = after ? null : this.#orderOf(query)?.places ?? learned;
    if (!places) return { position: after, inclusive: false, skip: offset };
    const { backwards } = canonical(query);
    if (offset >= places.total) return { position: null, inclusive: false, skip: offset };
    const place = places.before(backwards ? places.total - 1 - offset : offset, backwards);
    if (places.isWide(place)) this.#memory.lists.delete(canonical(query).key);
    return place.skip < offset ? place : { position: null, inclusive: false, skip: offset };
  }

  #orderOf(query: ParsedQuery): Order | null {
    if (!this.engine.memory.fresh || this.#memory.lists.size === 0) return null;
    const { key, backwards } = canonical(query);
    const places = this.#memory.lists.get<Places>(key);
    return places ? { places, backwards } : null;
  }

  /** The ids of a page, or a block that has to be read before they are known; null where they cannot be. */
  #idsOf<K>(
    { places, backwards }: Order,
    query: ParsedQuery,
    shown: Shown<K, unknown>,
  ): readonly string[] | Block | null {
    if (!places.hasIds) return null;
    const { total } = places, { limit } = query;
    const offset = query.after ? this.#offsetAfter(places, query, backwards, shown) : query.offset;
    if (offset === null) return null;
    const end = Math.min(offset + limit, total);
    if (offset >= end) return [];
    if (!backwards) return places.ids(offset, end);
    const ids = places.ids(total - end, total - offset);
    return Array.isArray(ids) ? ids.toReversed() : ids;
  }

  /** How many rows come before the one after a cursor; null where memory cannot tell. */
  #offsetAfter<K>(
    places: Places,
    { after, sort }: ParsedQuery,
    backwards: boolean,
    shown: Shown<K, unknown>,
  ): number | null {
    const kept = shown.held(after!.at(-1) as string);
    // The row at the cursor may have gone elsewhere, but for its id.
    if (kept === undefined || compare(sort, shown.positionOf(sort, kept), after!) !== 0) {
      return null;
    }
    const rank = places.rankOf(after!);
    return rank < 0 ? null : backwards ? places.total - rank : rank + 1;
  }

  #isStill<K>(query: ParsedQuery, ids: readonly string[], shown: Shown<K, unknown>): boolean {
    const order = this.#orderOf(query);
    const now = order && this.#idsOf(order, query, shown);
    return Array.isArray(now) && now.length === ids.length && now.every((id, n) => id === ids[n]);
  }

  #knowsAll<K>(kept: readonly K[], shown: Shown<K, unknown>): boolean {
    return kept.every((one) => this.engine.memory.knows(shown.revOf(one)));
  }

  #page<K, R>(
    { places }: Order,
    query: ParsedQuery,
    kept: readonly K[],
    shown: Shown<K, R>,
  ): Page<R> {
    const { sort, limit } = query, { total } = places;
    const last = kept.at(-1);
    const position = last === undefined ? null : shown.positionOf(sort, last);
    const rows = kept.map((one) => shown.show(one));
    const more = position !== null && kept.length === limit &&
      !this.#endsWith(places, query, position);
    return { rows, total, nextCursor: more ? encodeCursor(sort, position) : null };
  }

  /** Whether a full page is the last one. */
  #endsWith(places: Places, { offset, limit, after, sort }: ParsedQuery, last: Position): boolean {
    if (!after) return offset + limit >= places.total;
    return places.rankOf(last) === (sort[0]!.descending ? 0 : places.total - 1);
  }

  async #readBlock(
    query: ParsedQuery,
    places: Places,
    block: Block,
    conditions: Conditions,
  ): Promise<void> {
    const until = places.endOf(block);
    if (until === undefined) return;
    const { sort, key } = canonical(query);
    const { after, count } = block;
    const part = { after, until, count, step: places.step, withIds: true };
    const name = `${key} ${JSON.stringify(after)}`;
    await this.#memory.lists.read(name, async () => {
      const reading = await this.#read(sort, conditions, part);
      const value = new BlockReading(places, { block, until, reading });
      return { value, asOf: reading.asOf };
    });
  }

  async #read(sort: Sort, conditions: Conditions, part: Part): Promise<Reading> {
    const { engine, table } = this;
    const statement = partSql(engine.dialect, table, sort, conditions, part);
    const isWhole = part.after === null && part.until === null;
    const [row] =
      await (isWhole ? engine.alone<PartRow>(statement) : engine.rows<PartRow>(statement));
    const count = row?.total ?? 0;
    // Of a long list what was read is a megabyte, and to parse it has taken this turn.
    if (isWhole) await nextTurn();
    const kinds = sort.map(({ field }) => table.byField.get(field)!.kind);
    const positions = await slices.run(positionsOf(row?.positions ?? [], kinds));
    const ids = part.withIds ? await Ids.read(row?.ids ?? "", count) : null;
    return { count, ids, positions, asOf: row?.as_of ?? 0 };
  }
}

function* positionsOf(
  read: NonNullable<PartRow["positions"]>,
  kinds: readonly Kind[],
): Work<Reading["positions"][number][]> {
  const positions: Reading["positions"][number][] = [];
  for (const [place, ...values] of read) {
    const position = values.map((value, n) =>
      kinds[n] === "timestamp" && value !== null
        ? new Date(value as string).toISOString()
        : value as Scalar
    );
    if (positions.push({ place, position }) % PIECE === 0) yield;
  }
  return positions;
}

/** What is read of a block, until the list takes it. */
class BlockReading implements Followed {
  /** It is a part of a list, and not kept by itself. */
  readonly bytes = Infinity;
  /** How many rows came into the block meanwhile, less those that went; null: none of either. */
  #added: number | null = null;

  constructor(
    readonly places: Places,
    readonly read: {
      readonly block: Block;
      readonly until: Position | null;
      readonly reading: Reading;
    },
  ) {}

  follow(before: Entity | null, after: Entity | null): void {
    if (before && this.#has(before)) this.#added = (this.#added ?? 0) - 1;
    if (after && this.#has(after)) this.#added = (this.#added ?? 0) + 1;
  }

  caughtUp(): void {
    const { block, until, reading } = this.read;
    this.places.put(block, until, reading, this.#added);
  }

  #has(record: Entity): boolean {
    const { places } = this;
    return places.matches(record) &&
      places.isIn(this.read.block, positionOf(places.sort, record));
  }
}

/** A list and its reverse are one: that of the two whose first field ascends. */
function canonical({ filter, search, sort }: ParsedQuery): {
  sort: Sort;
  key: string;
  backwards: boolean;
} {
  const backwards = sort[0]!.descending;
  const ascending = backwards ? reversed(sort) : sort;
  return {
    sort: ascending,
    key: `${filterKey(filter)}${search}\n${sortText(ascending)}`,
    backwards,
  };
}

// A long list in memory: the ids of its rows in order, in blocks, each with the position that it begins after. So a page
// anywhere is known by its ids, or is one short walk of an index from a position; and a commit changes one block or two.
import { compareScalars } from "../storage/memory/column.ts";
import type { Entity } from "../storage/port.ts";
import { type Position, positionOf, type Sort } from "../storage/query.ts";
import type { Followed } from "./followed.ts";
import { Ids } from "./ids.ts";
import type { Matches } from "./matching.ts";
import { Ranks } from "./ranks.ts";

/** The fewest rows of a block, and the most blocks that a list begins with. */
const MIN_STEP = 128;
const MAX_BLOCKS = 8192;
/** Blocks that have grown to so many steps are parted when they are read. */
const WIDE = 4;
/** Bytes of a block beside its position and ids. */
const BLOCK_BYTES = 150;

/** How many rows a block of a list of so many has. */
export function stepOf(total: number): number {
  return Math.max(MIN_STEP, Math.ceil(total / MAX_BLOCKS));
}

/** What was read of a list, or of a part of it: as the rows were when the newest journal entry was `asOf`. */
export interface Reading {
  readonly count: number;
  /** Null where they were not read, or cannot be kept. */
  readonly ids: Ids | null;
  /** The positions of rows number `step`, two times `step`, and so on, and of the last one. */
  readonly positions: readonly { readonly place: number; readonly position: Position }[];
  readonly asOf: number;
}

export interface Block {
  /** Its rows come after this position; null: it is the first block. */
  readonly after: Position | null;
  count: number;
  /** In order. Null: not known, since a row has come between them. */
  ids: Ids | null;
  /** Commits up to this journal entry are in it. */
  asOf: number;
}

/** Where a page begins, and how many rows after that come before it. */
export interface Place {
  /** Null: the first row. */
  readonly position: Position | null;
  /** Whether a row at the position itself is one of those that come after it. */
  readonly inclusive: boolean;
  readonly skip: number;
}

export class Places implements Followed {
  readonly bytes: number;
  /** Whether it has ids; where it has positions alone, pages are read from the nearest one. */
  readonly hasIds: boolean;
  #blocks: Block[];
  #ranks: Ranks;
  /** No row has a position after this one; null where none is known. */
  #last: Position | null;

  /** @param sort The order of the list, or its reverse: that of the two whose first field ascends. */
  constructor(
    readonly matches: Matches,
    readonly sort: Sort,
    readonly step: number,
    reading: Reading,
  ) {
    this.hasIds = reading.ids !== null;
    this.#blocks = this.#blocksOf(null, reading);
    this.#ranks = this.#ranked();
    this.#last = lastOf(reading);
    this.bytes = this.#blocks.reduce((sum, { after }) => sum + bytesOf(after), 0) +
      (reading.ids?.bytes ?? 0);
  }

  /** How many rows the list has. */
  get total(): number {
    return this.#ranks.total;
  }

  /** The ids of the rows from one rank up to another; null: those of the block are not known. */
  ids(from: number, to: number): readonly string[] | Block {
    const ids: string[] = [];
    for (let n = this.#ranks.blockOf(from); from < to && n < this.#blocks.length; n++) {
      const block = this.#blocks[n]!;
      if (block.count === 0) continue;
      if (!block.ids) return block;
      const begin = from - this.#ranks.before(n), end = Math.min(block.count, begin + to - from);
      for (let index = begin; index < end; index++) ids.push(block.ids.at(index));
      from += end - begin;
    }
    return ids;
  }

  /** The rank of a row that has a position in the list; -1: it is not known. */
  rankOf(position: Position): number {
    const n = this.#indexFor(position);
    const index = this.#blocks[n]!.ids?.indexOf(position.at(-1) as string) ?? -1;
    return index < 0 ? -1 : this.#ranks.before(n) + index;
  }

  /** Where to begin to read from a rank on. @param backwards In the reverse of the order. */
  before(rank: number, backwards: boolean): Place {
    const n = Math.min(this.#ranks.blockOf(rank), this.#blocks.length - 1);
    const begin = this.#ranks.before(n);
    if (!backwards) {
      return { position: this.#blocks[n]!.after, inclusive: false, skip: rank - begin };
    }
    const next = this.#blocks[n + 1];
    const end = begin + this.#blocks[n]!.count;
    return { position: next?.after ?? null, inclusive: true, skip: end - 1 - rank };
  }

  /** Whether a block has grown so much that a place in it is far from its beginning. */
  isWide({ skip }: Place): boolean {
    return skip > WIDE * this.step;
  }

  /** The position of the last row of a block, null for that of the last block; undefined: it is no block of the list. */
  endOf(block: Block): Position | null | undefined {
    const n = this.#blocks.indexOf(block);
    return n < 0 ? undefined : this.#blocks[n + 1]?.after ?? null;
  }

  /**
   * Takes what was read of a block, unless the list has another one there by now.
   *
   * @param end What `endOf` gave when it was read.
   * @param added How many rows came in since, less those that went; null: none of either.
   */
  put(block: Block, end: Position | null, reading: Reading, added: number | null): void {
    const n = this.#blocks.indexOf(block);
    if (n < 0 || (this.#blocks[n + 1]?.after ?? null) !== end) return;
    if (end === null && added === null) this.#last = lastOf(reading) ?? this.#last;
    if (added === null && reading.count >= WIDE * this.step) {
      this.#blocks.splice(n, 1, ...this.#blocksOf(block.after, reading));
      this.#ranks = this.#ranked();
      return;
    }
    const count = reading.count + (added ?? 0);
    this.#ranks.add(n, count - block.count);
    block.count = count;
    block.ids = added === null ? reading.ids : null;
    block.asOf = reading.asOf;
  }

  /** Whether a position is one of the block's. */
  isIn(block: Block, position: Position): boolean {
    return this.#blocks[this.#indexFor(position)] === block;
  }

  follow(before: Entity | null, after: Entity | null, version: number): void {
    const was = before && this.matches(before) ? positionOf(this.sort, before) : null;
    const is = after && this.matches(after) ? positionOf(this.sort, after) : null;
    if (was && is && compare(this.sort, was, is) === 0) return;
    if (was) this.#remove(was, version);
    if (is) this.#insert(is, version);
  }

  #remove(position: Position, version: number): void {
    const n = this.#indexFor(position), block = this.#blocks[n]!;
    if (version <= block.asOf) return;
    block.count--;
    this.#ranks.add(n, -1);
    if (!block.ids?.remove(position.at(-1) as string)) block.ids = null;
  }

  #insert(position: Position, version: number): void {
    const n = this.#indexFor(position), block = this.#blocks[n]!;
    if (version <= block.asOf) return;
    const isLast = n === this.#blocks.length - 1 && this.#last !== null &&
      compare(this.sort, position, this.#last) > 0;
    const end = this.#last;
    if (isLast) this.#last = position;
    if (isLast && block.count >= 2 * this.step) return this.#append(end!, position, block.asOf);
    block.count++;
    this.#ranks.add(n, 1);
    block.ids = isLast ? block.ids?.and(position.at(-1) as string) ?? null : null;
  }

  /** A new block, of one row. */
  #append(after: Position, position: Position, asOf: number): void {
    const ids = this.hasIds ? Ids.of(position.at(-1) as string) : null;
    this.#blocks.push({ after, count: 1, ids, asOf });
    this.#ranks = this.#ranked();
  }

  #blocksOf(after: Position | null, { count, ids, positions, asOf }: Reading): Block[] {
    const blocks: Block[] = [];
    let from = 0;
    const add = (to: number) => {
      blocks.push({ after, count: to - from, ids: ids && ids.part(from, to), asOf });
      from = to;
    };
    for (const { place, position } of positions) {
      if (place === count) break;
      add(place);
      after = position;
    }
    add(count);
    return blocks;
  }

  #ranked(): Ranks {
    return new Ranks(this.#blocks.map(({ count }) => count));
  }

  /** By bisection, the block that a position belongs to. */
  #indexFor(position: Position): number {
    let low = 1, high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(this.sort, this.#blocks[middle]!.after!, position) >= 0) high = middle;
      else low = middle + 1;
    }
    return low - 1;
  }
}

function lastOf({ count, positions }: Reading): Position | null {
  const last = positions.at(-1);
  return last?.place === count ? last.position : null;
}

function bytesOf(position: Position | null): number {
  return (position ?? []).reduce<number>(
    (sum, value) => sum + 24 + (typeof value === "string" ? 2 * value.length : 0),
    BLOCK_BYTES,
  );
}

/** As the database orders them: absent values lowest, texts by the bytes of their UTF-8. */
export function compare(sort: Sort, a: Position, b: Position): number {
  for (const [n, { descending }] of sort.entries()) {
    const order = compareScalars(a[n]!, b[n]!);
    if (order !== 0) return descending ? -order : order;
  }
  return 0;
}

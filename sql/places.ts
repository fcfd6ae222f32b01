// Positions of rows at regular steps in a long list, so that a page far down starts near one and needs no large OFFSET.
import type { Entity, Scalar } from "../storage/port.ts";
import { type Position, positionOf, type Sort } from "../storage/query.ts";
import type { Followed } from "./followed.ts";
import type { Matches } from "./matching.ts";

/** The fewest rows between two places, and the most places in one list. */
const MIN_STEP = 32;
const MAX_PLACES = 2048;

export function stepOf(total: number): number {
  return Math.max(MIN_STEP, Math.ceil(total / MAX_PLACES));
}

export class Places implements Followed {
  readonly bytes: number;
  /** How many rows the list has up to each position and at it; the row at the position may have been removed. */
  readonly #ranks: Float64Array;

  /** @param positions Those of the rows number `step`, two times `step`, and so on, in this order. */
  constructor(
    readonly matches: Matches,
    readonly sort: Sort,
    readonly step: number,
    readonly positions: readonly Position[],
  ) {
    this.#ranks = Float64Array.from(positions, (_, index) => (index + 1) * step);
    this.bytes = positions.reduce((sum, position) => sum + bytesOf(position), 0);
  }

  /** The last place before an offset, and how many rows lie between; null: from the beginning. */
  before(offset: number): { readonly position: Position | null; readonly skip: number } {
    const next = this.#firstIndex((index) => this.#ranks[index]! > offset);
    return next === 0
      ? { position: null, skip: offset }
      : { position: this.positions[next - 1]!, skip: offset - this.#ranks[next - 1]! };
  }

  follow(before: Entity | null, after: Entity | null): void {
    if (before && this.matches(before)) this.#shift(positionOf(this.sort, before), -1);
    if (after && this.matches(after)) this.#shift(positionOf(this.sort, after), 1);
  }

  #shift(position: Position, by: number): void {
    const from = this.#firstIndex((index) => this.#compare(this.positions[index]!, position) >= 0);
    for (let index = from; index < this.#ranks.length; index++) this.#ranks[index]! += by;
  }

  #compare(a: Position, b: Position): number {
    for (const [n, { descending }] of this.sort.entries()) {
      const order = compareStored(a[n]!, b[n]!);
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  }

  /** By bisection, the first index at which something holds that then holds for all later ones. */
  #firstIndex(holds: (index: number) => boolean): number {
    let low = 0, high = this.positions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (holds(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function bytesOf(position: Position): number {
  return position.reduce<number>(
    (sum, value) => sum + 24 + (typeof value === "string" ? 2 * value.length : 0),
    32,
  );
}

/** As the database orders one field: absent values lowest, texts by the bytes of their UTF-8. */
function compareStored(a: Scalar, b: Scalar): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  return a < b ? -1 : 1;
}

function compareTexts(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === end) return a.length - b.length;
  return utf8Rank(a.charCodeAt(at)) - utf8Rank(b.charCodeAt(at));
}

/** Ranks UTF-16 units as UTF-8 orders them: surrogates, which stand for characters beyond U+FFFF, come last. */
function utf8Rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

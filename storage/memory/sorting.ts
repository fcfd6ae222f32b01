// Sorts rows in slices. Values are turned into numbers, a few bytes of a text at a time, and the numbers are sorted
// beside the rows: comparing values where they lie, anywhere in memory, would take several times as long.
import type { Work } from "../../core/slices.ts";
import type { Sortable } from "./column.ts";
import { isLast, WINDOW } from "./texts.ts";

/** One field of a sort. */
export interface SortColumn {
  readonly column: Sortable;
  readonly descending: boolean;
}

/** Compares two rows; never 0 for two different ones, since the last field of every sort is the id. */
export type Compare = (a: number, b: number) => number;

/** Up to so many rows are compared where they lie. */
const FEW = 24;
/** Sorted runs that merging begins with. */
const RUN = 16;
/** Rows between two places where the work may be interrupted. */
const PIECE = 2048;

/** Rows that are equal in all that decides ahead of a field, and of a depth in its values. */
interface Tie {
  readonly start: number;
  readonly end: number;
  readonly field: number;
  readonly depth: number;
}

export function comparison(columns: readonly SortColumn[]): Compare {
  const compares = columns.map(({ column, descending }): Compare =>
    descending ? (a, b) => -column.compare(a, b) : (a, b) => column.compare(a, b)
  );
  return compares.reduceRight((rest, first) => (a, b) => first(a, b) || rest(a, b));
}

/**
 * Sorts the rows in place. Rows may change meanwhile: each change leaves the others in their order, and only the place
 * of the changed row undetermined.
 */
export function* sortSlots(slots: Uint32Array, columns: readonly SortColumn[]): Work<void> {
  // What decides from each field on.
  const compares = columns.map((_, field) => comparison(columns.slice(field)));
  const pairs = new Pairs(slots);
  const ties: Tie[] = [{ start: 0, end: slots.length, field: 0, depth: 0 }];
  let done = 0;
  for (let tie = ties.pop(); tie; tie = ties.pop()) {
    const { start, end, field } = tie;
    // Rows that went meanwhile are equal in all fields, their id included.
    if (field === columns.length) continue;
    done += end - start;
    if (done >= PIECE) {
      done = 0;
      yield;
    }
    if (end - start <= FEW) insert(slots, start, end, compares[field]!);
    else if (!(yield* isSorted(slots, start, end, compares[field]!))) {
      yield* split(pairs, tie, columns[field]!, ties);
    }
  }
}

/** Sorts rows by one part of one field, and adds those that are equal in it to the ties. */
function* split(pairs: Pairs, tie: Tie, by: SortColumn, ties: Tie[]): Work<void> {
  const { start, end, field, depth } = tie;
  const { windowed, key } = by.column.sortKeys();
  const sign = by.descending ? -1 : 1;
  pairs.reserve();
  const { slots, keys } = pairs;
  for (let i = start; i < end; i++) {
    keys[i] = sign * key(slots[i]!, depth);
    if ((i - start) % PIECE === PIECE - 1) yield;
  }
  yield* pairs.sort(start, end);
  for (let i = start; i < end;) {
    const first = i, value = keys[i];
    while (++i < end && keys[i] === value);
    if (i - first > 1) {
      const goesOn = windowed && !isLast(sign * value!);
      ties.push(
        goesOn
          ? { start: first, end: i, field, depth: depth + WINDOW }
          : { start: first, end: i, field: field + 1, depth: 0 },
      );
    }
    if (i - first > PIECE) yield;
  }
}

function* isSorted(
  slots: Uint32Array,
  start: number,
  end: number,
  compare: Compare,
): Work<boolean> {
  for (let i = start + 1; i < end; i++) {
    if (compare(slots[i - 1]!, slots[i]!) > 0) return false;
    if ((i - start) % PIECE === 0) yield;
  }
  return true;
}

function insert(slots: Uint32Array, start: number, end: number, compare: Compare): void {
  for (let i = start + 1; i < end; i++) {
    const slot = slots[i]!;
    let at = i;
    for (; at > start && compare(slots[at - 1]!, slot) > 0; at--) slots[at] = slots[at - 1]!;
    slots[at] = slot;
  }
}

/** Rows and their numbers, moved together: a merge sort, which leaves equal ones as they were. */
class Pairs {
  keys: Float64Array = new Float64Array(0);
  #otherKeys: Float64Array = new Float64Array(0);
  #otherSlots: Uint32Array = new Uint32Array(0);

  constructor(readonly slots: Uint32Array) {}

  reserve(): void {
    const { length } = this.slots;
    if (this.keys.length === length) return;
    this.keys = new Float64Array(length);
    this.#otherKeys = new Float64Array(length);
    this.#otherSlots = new Uint32Array(length);
  }

  *sort(start: number, end: number): Work<void> {
    for (let from = start; from < end; from += PIECE) {
      this.#insert(from, Math.min(from + PIECE, end));
      yield;
    }
    for (let width = RUN; width < end - start; width *= 2) {
      let done = 0;
      for (let from = start; from + width < end; from += 2 * width) {
        const middle = from + width, until = Math.min(middle + width, end);
        this.#merge(from, middle, until);
        done += until - from;
        if (done < PIECE) continue;
        done = 0;
        yield;
      }
    }
  }

  /** Sorts each run of `RUN` rows. */
  #insert(start: number, end: number): void {
    const { slots, keys } = this;
    for (let i = start; i < end; i++) {
      const slot = slots[i]!, key = keys[i]!, first = i - (i - start) % RUN;
      let at = i;
      for (; at > first && keys[at - 1]! > key; at--) {
        slots[at] = slots[at - 1]!;
        keys[at] = keys[at - 1]!;
      }
      slots[at] = slot;
      keys[at] = key;
    }
  }

  #merge(start: number, middle: number, end: number): void {
    const { slots, keys } = this, others = this.#otherSlots, otherKeys = this.#otherKeys;
    if (keys[middle - 1]! <= keys[middle]!) return;
    for (let i = start; i < middle; i++) {
      others[i] = slots[i]!;
      otherKeys[i] = keys[i]!;
    }
    for (let left = start, right = middle, to = start; left < middle; to++) {
      if (right < end && keys[right]! < otherKeys[left]!) {
        keys[to] = keys[right]!;
        slots[to] = slots[right++]!;
      } else {
        keys[to] = otherKeys[left]!;
        slots[to] = others[left++]!;
      }
    }
  }
}

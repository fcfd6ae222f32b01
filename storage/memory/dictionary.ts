// A column of values that recur: kept once each, with the rows that have them.
import type { Condition } from "../query.ts";
import type { Scalar } from "../port.ts";
import { type Column, compareScalars, grown, meets, type Test } from "./column.ts";

/** Values that recur: each is kept once, rows hold its code. The code of an absent value is 0, of no row -1. */
export class DictionaryColumn implements Column {
  #codes = new Int32Array(64);
  readonly #values: Scalar[] = [null];
  readonly #counts: number[] = [0];
  readonly #codeOf = new Map<Scalar, number>([[null, 0]]);
  readonly #free: number[] = [];
  /** The rows of each code, ascending; made for a code when it is first asked for. */
  readonly #postings = new Map<number, number[]>();
  /** One past the highest slot that was set. */
  #end = 0;
  /** Changes whenever a value gets or loses its code: tests then look their values up again. */
  #epoch = 0;

  get(slot: number): Scalar {
    return this.#values[this.#codes[slot]!]!;
  }

  set(slot: number, value: Scalar): void {
    this.clear(slot);
    let code = this.#codeOf.get(value);
    if (code === undefined) {
      code = this.#free.pop() ?? this.#values.length;
      this.#values[code] = value;
      this.#counts[code] = 0;
      this.#codeOf.set(value, code);
      this.#epoch++;
    }
    this.#codes[slot] = code;
    this.#counts[code]!++;
    const posting = this.#postings.get(code);
    if (posting) posting.splice(lowerBound(posting, slot), 0, slot);
  }

  /** Takes the row out of counts and postings. */
  clear(slot: number): void {
    this.#reach(slot);
    const code = this.#codes[slot]!;
    if (code < 0) return;
    this.#codes[slot] = -1;
    const posting = this.#postings.get(code);
    if (posting) posting.splice(lowerBound(posting, slot), 1);
    if (--this.#counts[code]! > 0 || code === 0) return;
    this.#postings.delete(code);
    this.#codeOf.delete(this.#values[code]!);
    this.#values[code] = null;
    this.#free.push(code);
    this.#epoch++;
  }

  compare(a: number, b: number): number {
    const x = this.#codes[a]!, y = this.#codes[b]!;
    return x === y ? 0 : compareScalars(this.#values[x]!, this.#values[y]!);
  }

  compareTo(slot: number, value: Scalar): number {
    return compareScalars(this.get(slot), value);
  }

  test(condition: Condition): Test {
    let epoch = -1;
    if (condition.kind === "in" && condition.values.length === 1) {
      let code = -2;
      return (slot) => {
        if (epoch !== this.#epoch) {
          epoch = this.#epoch;
          code = this.#codeOf.get(condition.values[0]!) ?? -2;
        }
        return this.#codes[slot] === code;
      };
    }
    let codes = new Set<number>();
    return (slot) => {
      if (epoch !== this.#epoch) {
        epoch = this.#epoch;
        codes = this.#codesOf(condition);
      }
      return codes.has(this.#codes[slot]!);
    };
  }

  /** How many rows have one of the values. */
  countOf(values: readonly Scalar[]): number {
    return this.#distinct(values).reduce((sum, code) => sum + this.#counts[code]!, 0);
  }

  /** The rows that have one of the values, in no order. */
  slotsOf(values: readonly Scalar[]): number[] {
    const lists = this.#distinct(values).map((code) => this.#posting(code));
    return lists.length === 1 ? lists[0]!.slice() : lists.flat();
  }

  #distinct(values: readonly Scalar[]): number[] {
    return [...new Set(values)].flatMap((value) => this.#codeOf.get(value) ?? []);
  }

  #codesOf(condition: Condition): Set<number> {
    if (condition.kind === "in") return new Set(this.#distinct(condition.values));
    const codes = new Set<number>();
    for (const [value, code] of this.#codeOf) {
      if (meets(condition, value)) codes.add(code);
    }
    return codes;
  }

  #posting(code: number): number[] {
    let posting = this.#postings.get(code);
    if (!posting) {
      posting = [];
      for (let slot = 0; slot < this.#end; slot++) {
        if (this.#codes[slot] === code) posting.push(slot);
      }
      this.#postings.set(code, posting);
    }
    return posting;
  }

  #reach(slot: number): void {
    if (slot >= this.#codes.length) this.#codes = grown(this.#codes, slot, Int32Array);
    if (slot >= this.#end) {
      this.#codes.fill(-1, this.#end, slot + 1);
      this.#end = slot + 1;
    }
  }
}

function lowerBound(sorted: readonly number[], slot: number): number {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < slot) low = middle + 1;
    else high = middle;
  }
  return low;
}

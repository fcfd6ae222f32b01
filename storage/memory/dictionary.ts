// A column of values that recur: kept once each, with the rows that have them.
import type { Condition } from "../query.ts";
import type { Scalar } from "../port.ts";
import { ABSENT_KEY, type Column, grown, meets, type SortKeys, type Test } from "./column.ts";
import { Interned } from "./interned.ts";
import type { PackedKeys } from "./keys.ts";
import { plainBytes } from "./text_bytes.ts";
import type { Texts } from "./texts.ts";

/** The codes of values that are no texts; those of texts follow. */
const ABSENT = 0;
const FALSE = 1;
const TRUE = 2;
const FIRST_TEXT = 3;
/** The code of a slot without a row. */
const NO_ROW = -1;
/** Of values that more than one row in so many has, the rows are found by looking at all of them. */
const COMMON = 16;

const NONE: readonly never[] = [];

interface Found {
  readonly values: readonly Scalar[];
  readonly epoch: number;
  readonly codes: readonly number[];
}

/** Values that recur: each is kept once, rows hold its code. */
export class DictionaryColumn implements Column {
  readonly #values: Interned;
  #codes: Int32Array = new Int32Array(64).fill(NO_ROW);
  /** Rows by code. */
  #counts: Uint32Array = new Uint32Array(FIRST_TEXT + 1);
  /** The rows of each code as a list linked both ways; made when rows of a rare value are first asked for. */
  #links: Links | null = null;
  /** One past the highest slot that was set. */
  #end = 0;
  /** Changes whenever a value gets or loses its code: tests then look their values up again. */
  #epoch = 0;
  /** The values that were looked up last, which never change: a list counts its rows, finds them, then tests them. */
  #found: Found = { values: [], epoch: -1, codes: [] };

  constructor(readonly texts: Texts) {
    this.#values = new Interned(texts);
  }

  get(slot: number): Scalar {
    return this.#valueOf(this.#codes[slot]!);
  }

  set(slot: number, value: Scalar): void {
    this.clear(slot);
    const code = this.#codeFor(value);
    this.#codes[slot] = code;
    this.#counts[code]!++;
    this.#links?.enter(code, slot);
  }

  clear(slot: number): void {
    this.#reach(slot);
    const code = this.#codes[slot]!;
    if (code === NO_ROW) return;
    this.#codes[slot] = NO_ROW;
    this.#links?.leave(code, slot);
    if (--this.#counts[code]! > 0 || code < FIRST_TEXT) return;
    this.#values.remove(code - FIRST_TEXT);
    this.#epoch++;
  }

  has(slot: number, value: Scalar): boolean {
    return this.#codes[slot] === this.#codeOf(value);
  }

  compare(a: number, b: number): number {
    const x = this.#codes[a]!, y = this.#codes[b]!;
    return x < FIRST_TEXT || y < FIRST_TEXT
      ? x - y
      : this.#values.compare(x - FIRST_TEXT, y - FIRST_TEXT);
  }

  sortKeys(): SortKeys {
    const key = (slot: number, depth: number) => {
      const code = this.#codes[slot]!;
      if (code >= FIRST_TEXT) {
        return this.texts.window(this.#values.refOf(code - FIRST_TEXT), depth);
      }
      // False and true never stand beside texts; both are complete.
      return code === TRUE ? 257 : code === FALSE ? 0 : ABSENT_KEY;
    };
    return { windowed: true, key };
  }

  test(condition: Condition): Test {
    if (condition.kind === "range") return this.#rangeTest(condition);
    const codes = new Set<number>(), isIn = condition.kind === "in";
    let epoch = -1, only = NO_ROW;
    const lookUp = () => {
      epoch = this.#epoch;
      codes.clear();
      for (const code of this.#distinct(condition.values)) codes.add(code);
      only = codes.size === 1 ? [...codes][0]! : NO_ROW;
    };
    return (slot) => {
      if (epoch !== this.#epoch) lookUp();
      const code = this.#codes[slot]!;
      return (only === NO_ROW ? codes.has(code) : code === only) === isIn;
    };
  }

  /** The texts of these rows, to find other records by. */
  keysOf(slots: readonly number[]): PackedKeys {
    return this.#values.keysOf(slots.map((slot) => this.#codes[slot]! - FIRST_TEXT));
  }

  /** The rows that have each of these texts, in no order, by the place of the text among them; empty where none has any. */
  slotsByKey(keys: PackedKeys): readonly (readonly number[] | undefined)[] {
    const numbers = this.#values.findAll(keys);
    let slots: number[][] | null = null;
    for (let n = 0; n < numbers.length; n++) {
      if (numbers[n]! < 0) continue;
      slots ??= [];
      slots[n] = this.#linked.of(numbers[n]! + FIRST_TEXT);
    }
    return slots ?? NONE;
  }

  /** How many rows have one of the values. */
  countOf(values: readonly Scalar[]): number {
    return this.#distinct(values).reduce((sum, code) => sum + this.#counts[code]!, 0);
  }

  /** The rows that have one of the values, ascending. */
  slotsOf(values: readonly Scalar[]): Uint32Array {
    const codes = this.#distinct(values);
    const count = codes.reduce((sum, code) => sum + this.#counts[code]!, 0);
    const slots = new Uint32Array(count);
    if (count === 0) return slots;
    if (count * COMMON > this.#end) {
      const wanted = new Uint8Array(this.#counts.length);
      for (const code of codes) wanted[code] = 1;
      for (let slot = 0, n = 0; n < count; slot++) {
        const code = this.#codes[slot]!;
        if (code !== NO_ROW && wanted[code] === 1) slots[n++] = slot;
      }
      return slots;
    }
    let n = 0;
    for (const code of codes) n = this.#linked.list(code, slots, n);
    return slots.sort();
  }

  get #linked(): Links {
    return this.#links ??= new Links(this.#codes, this.#end, this.#counts.length);
  }

  #rangeTest(condition: Condition & { kind: "range" }): Test {
    const { gt, gte, lt, lte } = condition.range;
    const bounds = [gt, gte, lt, lte];
    if (bounds.some((bound) => bound !== undefined && typeof bound !== "string")) {
      return (slot) => meets(condition, this.get(slot));
    }
    const [above, from, below, upTo] = bounds.map((bound) =>
      bound === undefined ? null : plainBytes(bound as string)
    );
    return (slot) => {
      const code = this.#codes[slot]!;
      if (code < FIRST_TEXT) return false;
      const ref = this.#values.refOf(code - FIRST_TEXT), { texts } = this;
      return (!above || texts.compareTo(ref, above) > 0) &&
        (!from || texts.compareTo(ref, from) >= 0) &&
        (!below || texts.compareTo(ref, below) < 0) && (!upTo || texts.compareTo(ref, upTo) <= 0);
    };
  }

  #valueOf(code: number): Scalar {
    return code >= FIRST_TEXT
      ? this.#values.get(code - FIRST_TEXT)
      : code === ABSENT
      ? null
      : code === TRUE;
  }

  #codeFor(value: Scalar): number {
    if (value === null || typeof value === "boolean") return this.#codeOf(value);
    const { size } = this.#values;
    const code = FIRST_TEXT + this.#values.intern(String(value));
    if (size === this.#values.size) return code;
    if (code >= this.#counts.length) this.#counts = grown(this.#counts, code);
    this.#epoch++;
    return code;
  }

  /** Below zero: no row has the value. */
  #codeOf(value: Scalar): number {
    if (value === null) return ABSENT;
    if (typeof value === "boolean") return value ? TRUE : FALSE;
    const found = typeof value === "string" ? this.#values.find(value) : -1;
    return found < 0 ? -1 - FIRST_TEXT : found + FIRST_TEXT;
  }

  #distinct(values: readonly Scalar[]): readonly number[] {
    if (values === this.#found.values && this.#epoch === this.#found.epoch) {
      return this.#found.codes;
    }
    const codes: number[] = [];
    for (const value of values) {
      const code = this.#codeOf(value);
      if (code >= 0) codes.push(code);
    }
    // Numbers are told apart faster than texts.
    const found = codes.length < 2 ? codes : [...new Set(codes)];
    this.#found = { values, epoch: this.#epoch, codes: found };
    return found;
  }

  #reach(slot: number): void {
    if (slot >= this.#codes.length) {
      const { length } = this.#codes;
      this.#codes = grown(this.#codes, slot).fill(NO_ROW, length);
    }
    if (slot >= this.#end) this.#end = slot + 1;
  }
}

/** The rows of each code, in no order. */
class Links {
  #heads: Int32Array;
  #next: Int32Array;
  #before: Int32Array;

  constructor(codes: Int32Array, end: number, maxCode: number) {
    this.#heads = new Int32Array(maxCode).fill(NO_ROW);
    this.#next = new Int32Array(codes.length);
    this.#before = new Int32Array(codes.length);
    for (let slot = 0; slot < end; slot++) {
      if (codes[slot] !== NO_ROW) this.enter(codes[slot]!, slot);
    }
  }

  enter(code: number, slot: number): void {
    if (slot >= this.#next.length) {
      this.#next = grown(this.#next, slot);
      this.#before = grown(this.#before, slot);
    }
    if (code >= this.#heads.length) {
      const { length } = this.#heads;
      this.#heads = grown(this.#heads, code).fill(NO_ROW, length);
    }
    const head = this.#heads[code]!;
    this.#next[slot] = head;
    this.#before[slot] = NO_ROW;
    if (head !== NO_ROW) this.#before[head] = slot;
    this.#heads[code] = slot;
  }

  leave(code: number, slot: number): void {
    const next = this.#next[slot]!, before = this.#before[slot]!;
    if (before === NO_ROW) this.#heads[code] = next;
    else this.#next[before] = next;
    if (next !== NO_ROW) this.#before[next] = before;
  }

  /** The rows of a code. */
  of(code: number): number[] {
    const slots: number[] = [];
    this.list(code, slots, 0);
    return slots;
  }

  /** Writes the rows of a code into `slots` from `at` on; where they end. */
  list(code: number, slots: Uint32Array | number[], at: number): number {
    const head = this.#heads[code] ?? NO_ROW;
    for (let slot = head; slot !== NO_ROW; slot = this.#next[slot]!) slots[at++] = slot;
    return at;
  }
}

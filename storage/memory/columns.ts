// Columns of a projection: one value a row, compact, compared and tested without the record.
import { z } from "zod";
import type { Condition } from "../query.ts";
import type { CollectionDeclaration, Range, Scalar } from "../port.ts";
import {
  ABSENT_KEY,
  type Column,
  compareScalars,
  grown,
  meets,
  type SortKeys,
  type Test,
} from "./column.ts";
import { DictionaryColumn } from "./dictionary.ts";
import { type Ref, type Texts, windowOf } from "./texts.ts";

/** A column for a field: numbers and timestamps in typed arrays, text that is filtered by equality in a dictionary. */
export function createColumn(
  // deno-lint-ignore no-explicit-any -- only names and the schema are read
  declaration: CollectionDeclaration<any>,
  field: string,
  texts: Texts,
): Column {
  const type = typeOf(declaration, field);
  if (type === "number") return new NumberColumn();
  if (type === "timestamp") return new TimeColumn();
  if (type === "boolean" || declaration.filter.includes(field)) return new DictionaryColumn(texts);
  return new TextColumn(texts);
}

// deno-lint-ignore no-explicit-any -- only the schema is read
function typeOf(declaration: CollectionDeclaration<any>, field: string): string {
  const schema = declaration.schema.shape[field];
  if (!schema) return "string";
  const json = z.toJSONSchema(schema, { unrepresentable: "any" });
  if (json.format === "date-time") return "timestamp";
  return json.type === "integer" ? "number" : String(json.type ?? "string");
}

/** Text that lists are sorted by, but not filtered by equality. */
export class TextColumn implements Column {
  #refs: Uint32Array = new Uint32Array(64);

  constructor(readonly texts: Texts) {}

  /** 0: absent. */
  refOf(slot: number): Ref {
    return this.#refs[slot]!;
  }

  /** Whether it is written as ASCII, or absent. */
  isAscii(slot: number): boolean {
    const ref = this.#refs[slot]!;
    return ref === 0 || this.texts.isAscii(ref);
  }

  get(slot: number): Scalar {
    const ref = this.#refs[slot]!;
    return ref === 0 ? null : this.texts.get(ref);
  }

  set(slot: number, value: Scalar): void {
    if (slot >= this.#refs.length) this.#refs = grown(this.#refs, slot);
    this.texts.free(this.#refs[slot]!);
    this.#refs[slot] = value === null ? 0 : this.texts.put(String(value));
  }

  clear(slot: number): void {
    this.set(slot, null);
  }

  has(slot: number, value: Scalar): boolean {
    const ref = this.#refs[slot]!;
    return value === null || ref === 0
      ? value === null && ref === 0
      : this.texts.is(ref, String(value));
  }

  compare(a: number, b: number): number {
    const x: Ref = this.#refs[a]!, y: Ref = this.#refs[b]!;
    return x === 0 || y === 0 ? Math.sign(x) - Math.sign(y) : this.texts.compare(x, y);
  }

  sortKeys(): SortKeys {
    const key = (slot: number, depth: number) => {
      const ref = this.#refs[slot]!;
      return ref === 0 ? ABSENT_KEY : this.texts.window(ref, depth);
    };
    return { windowed: true, key };
  }

  test(condition: Condition): Test {
    return (slot) => meets(condition, this.get(slot));
  }
}

/** Numbers; absent is NaN, which no stored number is. */
class NumberColumn implements Column {
  protected values: Float64Array = new Float64Array(64);

  get(slot: number): Scalar {
    const value = this.values[slot]!;
    return Number.isNaN(value) ? null : value;
  }

  set(slot: number, value: Scalar): void {
    if (slot >= this.values.length) this.values = grown(this.values, slot);
    this.values[slot] = typeof value === "number" ? value : NaN;
  }

  clear(slot: number): void {
    this.set(slot, null);
  }

  has(slot: number, value: Scalar): boolean {
    return this.get(slot) === value;
  }

  compare(a: number, b: number): number {
    return compareNumbers(this.values[a]!, this.values[b]!);
  }

  sortKeys(): SortKeys {
    const key = (slot: number) => {
      const value = this.values[slot]!;
      return Number.isNaN(value) ? -Infinity : value;
    };
    return { windowed: false, key };
  }

  test(condition: Condition): Test {
    return (slot) => meets(condition, this.get(slot));
  }
}

/** `2026-11-21T08:00:00.000Z`: what `Date` writes, so that its order is the order of its milliseconds. */
const CANONICAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MS_PER_DAY = 86_400_000;

/** Timestamps as milliseconds; the few that are written in another form are kept as text. */
export class TimeColumn extends NumberColumn {
  readonly #odd = new Map<number, string>();
  readonly #days = new Map<number, string>();

  override get(slot: number): Scalar {
    const odd = this.#odd.get(slot);
    if (odd !== undefined) return odd;
    const ms = this.values[slot]!;
    return Number.isNaN(ms) ? null : this.day(slot) + timeOfDay(ms);
  }

  override set(slot: number, value: Scalar): void {
    this.#odd.delete(slot);
    const ms = milliseconds(value);
    super.set(slot, ms);
    if (value !== null && ms === null) this.#odd.set(slot, String(value));
  }

  override has(slot: number, value: Scalar): boolean {
    const ms = milliseconds(value);
    if (ms === null || this.#odd.has(slot)) return this.get(slot) === value;
    return this.values[slot] === ms;
  }

  override compare(a: number, b: number): number {
    if (this.#odd.size > 0 && (this.#odd.has(a) || this.#odd.has(b))) {
      return compareScalars(this.get(a), this.get(b));
    }
    return compareNumbers(this.values[a]!, this.values[b]!);
  }

  override sortKeys(): SortKeys {
    if (this.#odd.size === 0) return super.sortKeys();
    const key = (slot: number, depth: number) => {
      const value = this.get(slot);
      return value === null ? ABSENT_KEY : windowOf(String(value), depth);
    };
    return { windowed: true, key };
  }

  override test(condition: Condition): Test {
    const exact: Test = (slot) => meets(condition, this.get(slot));
    const numeric = numericCondition(condition);
    if (!numeric) return exact;
    return (slot) => {
      if (this.#odd.size > 0 && this.#odd.has(slot)) return exact(slot);
      const ms = this.values[slot]!;
      return meets(numeric, Number.isNaN(ms) ? null : ms);
    };
  }

  /** `2026-11-21`, in UTC; empty when absent. */
  day(slot: number): string {
    const ms = this.values[slot]!;
    if (Number.isNaN(ms)) return this.#odd.get(slot)?.slice(0, 10) ?? "";
    const number = Math.floor(ms / MS_PER_DAY);
    let day = this.#days.get(number);
    if (day === undefined) {
      day = new Date(number * MS_PER_DAY).toISOString().slice(0, 10);
      this.#days.set(number, day);
    }
    return day;
  }
}

const ZERO = 0x30, COLON = 0x3a, DOT = 0x2e, T = 0x54, Z = 0x5a;
/** The characters of a number below a hundred. */
const tens = (number: number) => ZERO + Math.floor(number / 10);
const ones = (number: number) => ZERO + number % 10;

/** `T08:00:00.000Z`, in UTC. */
function timeOfDay(time: number): string {
  const ms = time - MS_PER_DAY * Math.floor(time / MS_PER_DAY), fraction = ms % 1000;
  const s = Math.floor(ms / 1000) % 60, m = Math.floor(ms / 60_000) % 60;
  const h = Math.floor(ms / 3_600_000), hundreds = ZERO + Math.floor(fraction / 100);
  // deno-fmt-ignore
  return String.fromCharCode(
    T, tens(h), ones(h), COLON, tens(m), ones(m), COLON, tens(s), ones(s),
    DOT, hundreds, tens(fraction % 100), ones(fraction), Z,
  );
}

/** The last time that was read: what is written at once mostly has one time in all of its fields. */
let last: { readonly text: string; readonly ms: number | null } = { text: "", ms: null };

function milliseconds(value: Scalar): number | null {
  if (typeof value !== "string") return null;
  if (value === last.text) return last.ms;
  const ms = CANONICAL_TIME.test(value) ? Date.parse(value) : NaN;
  last = { text: value, ms: Number.isNaN(ms) ? null : ms };
  return last.ms;
}

/** The same condition on milliseconds; null when a value of it is no canonical timestamp. */
function numericCondition(condition: Condition): Condition | null {
  const converted = (value: Scalar | undefined) =>
    value === undefined || value === null ? value : milliseconds(value) ?? NaN;
  if (condition.kind !== "range") {
    const values = condition.values.map(converted) as Scalar[];
    return values.some(Number.isNaN) ? null : { ...condition, values };
  }
  const { gt, gte, lt, lte } = condition.range;
  const range = { gt: converted(gt), gte: converted(gte), lt: converted(lt), lte: converted(lte) };
  return Object.values(range).some(Number.isNaN) ? null : { ...condition, range: range as Range };
}

/** NaN is the lowest. */
function compareNumbers(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return a === b ? 0 : Number(Number.isNaN(b)) - Number(Number.isNaN(a));
}

// Counts and sums of groups of rows, kept current as rows come, change and go.
import type { Work } from "../../core/slices.ts";
import type { AggregateQuery, Entity, Group } from "../port.ts";
import { compareScalars } from "./column.ts";
import { TimeColumn } from "./columns.ts";
import type { Predicate } from "./filter.ts";
import type { Live } from "./order.ts";
import type { Rows } from "./rows.ts";

/** Rows between two places where counting may be interrupted. */
const PIECE = 256;

export class Tally<T extends Entity> implements Live {
  readonly fields: number;
  readonly #groups = new Map<string, { count: number; sums: number[] }>();
  readonly #keyOf: (slot: number) => string;
  readonly #sums: readonly string[];
  #answer: readonly Group[] | null = null;
  /** Rows up to this one are counted; all, once it is filled. */
  #counted = -1;
  /** Rows that have changed while it was filled: they are counted at its end. */
  #changed: Set<number> | null = new Set();
  /** Set when a sum can no longer be kept by adding and subtracting: fractions would drift. */
  stale = false;

  /** It is to be filled before it is asked, and told of all changes from now on. */
  constructor(
    readonly rows: Rows<T>,
    readonly predicate: Predicate | null,
    query: AggregateQuery<T>,
  ) {
    const on = query.on ?? "createdAt";
    this.#sums = query.sum ?? [];
    this.#keyOf = keyReader(rows, query.by, on);
    const dated = query.by === "day" || query.by === "month";
    const by = query.by === undefined ? [] : [dated ? on : query.by];
    this.fields = rows.maskOf([...predicate?.fields ?? [], ...by, ...this.#sums]);
  }

  *fill(): Work<this> {
    const { candidates } = this.predicate ?? {};
    const slots = candidates ? Uint32Array.from(candidates.list()).sort() : this.rows.all();
    const changed = this.#changed!;
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i]!;
      if (!changed.has(slot)) this.#count(slot, 1);
      this.#counted = slot;
      if (i % PIECE === PIECE - 1) yield;
    }
    this.#changed = null;
    for (const slot of changed) if (this.rows.holds(slot)) this.#count(slot, 1);
    if (changed.size === 0) this.stale = false;
    return this;
  }

  leave(slot: number): void {
    if (this.#changed?.has(slot)) return;
    if (!this.#changed || slot <= this.#counted) this.#count(slot, -1);
    this.#changed?.add(slot);
  }

  enter(slot: number): void {
    if (this.#changed) this.#changed.add(slot);
    else this.#count(slot, 1);
  }

  /** How many rows all groups have together. */
  get total(): number {
    let total = 0;
    for (const { count } of this.#groups.values()) total += count;
    return total;
  }

  /** In ascending order of their keys; the same array until a row comes, changes or goes. */
  groups(): readonly Group[] {
    return this.#answer ??= this.#sorted();
  }

  #sorted(): readonly Group[] {
    const groups = [...this.#groups].map(([key, { count, sums }]) => ({
      key,
      count,
      sums: Object.fromEntries(this.#sums.map((field, index) => [field, sums[index]!])),
    }));
    return groups.sort((a, b) => compareScalars(a.key, b.key));
  }

  #count(slot: number, sign: 1 | -1): void {
    if (this.predicate && !this.predicate.test(slot)) return;
    this.#answer = null;
    const key = this.#keyOf(slot);
    let group = this.#groups.get(key);
    if (!group) this.#groups.set(key, group = { count: 0, sums: this.#sums.map(() => 0) });
    group.count += sign;
    for (const [index, field] of this.#sums.entries()) {
      const value = Number(this.rows.column(field).get(slot) ?? 0);
      if (!Number.isSafeInteger(value)) this.stale = true;
      group.sums[index]! += sign * value;
    }
    if (group.count === 0) this.#groups.delete(key);
  }
}

function keyReader<T extends Entity>(
  rows: Rows<T>,
  by: string | undefined,
  on: string,
): (slot: number) => string {
  if (by === undefined) return () => "";
  if (by !== "day" && by !== "month") return (slot) => String(rows.get(slot, by) ?? "");
  const length = by === "day" ? 10 : 7;
  const column = rows.column(on);
  return column instanceof TimeColumn
    ? (slot) => column.day(slot).slice(0, length)
    : (slot) => String(column.get(slot) ?? "").slice(0, length);
}

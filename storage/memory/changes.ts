// The rows of a collection that changed lately: lists that nobody asks for learn from it what they have missed.
import type { Test } from "./column.ts";

/** Rows that have changed. */
export interface Changed {
  readonly slots: ReadonlySet<number>;
  /** Those among them that were there before. */
  readonly old: readonly number[];
}

export class Changes {
  /** Below zero, the complement of its slot: a new row. */
  #slots: number[] = [];
  #fields: number[] = [];
  /** How many were forgotten. */
  #start = 0;

  /** @param holds Whether there is a row at a slot. */
  constructor(readonly holds: Test) {}

  /** How many there were ever. */
  get end(): number {
    return this.#start + this.#slots.length;
  }

  /** How many are remembered. */
  get size(): number {
    return this.#slots.length;
  }

  /** @param fields Those in which the row changes, by `Rows.maskOf`. */
  add(slot: number, fields: number, isNew = false): void {
    this.#slots.push(isNew ? ~slot : slot);
    this.#fields.push(fields);
  }

  /** The rows that came, went, or changed in one of the fields, since there were so many changes. */
  since(count: number, fields: number): Changed {
    const slots = new Set<number>(), old: number[] = [];
    for (let at = count - this.#start; at < this.#slots.length; at++) {
      if ((this.#fields[at]! & fields) === 0) continue;
      const slot = this.#slots[at]!;
      if (slot >= 0 && !slots.has(slot)) old.push(slot);
      slots.add(slot < 0 ? ~slot : slot);
    }
    return { slots, old };
  }

  /** Forgets those that were there when there were so many. */
  forget(count: number): void {
    this.#slots = this.#slots.slice(count - this.#start);
    this.#fields = this.#fields.slice(count - this.#start);
    this.#start = count;
  }
}

// What the demo is made with: a seeded generator, a moment that everything is relative to, and the records so far.
import { idAt } from "../../core/ids.ts";
import { allCollections } from "../../models/all.ts";
import type { CollectionDeclaration, Entity } from "../../storage/port.ts";
import { DAY } from "../../core/units.ts";

/** The same numbers each time: sfc32, by Chris Doty-Humphrey (PractRand). Not for secrets. */
class Random {
  #a = 0x9e3779b9;
  #b = 0x243f6a88;
  #c = 0xb7e15162;
  #counter = 1;

  /** 32 bits. */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** From 0 to 1, without 1. */
  fraction(): number {
    return this.next() / 2 ** 32;
  }

  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(0, list.length - 1)]!;
  }

  /** Some of the list, in its order. */
  sample<T>(list: readonly T[], count: number): T[] {
    const left = [...list];
    while (left.length > count) left.splice(this.int(0, left.length - 1), 1);
    return left;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.next() & 0xff);
  }
}

/** The records of one collection; those that refer to others come after them. */
export interface Batch {
  // deno-lint-ignore no-explicit-any -- batches of different records in one list
  readonly collection: CollectionDeclaration<any>;
  readonly records: readonly Omit<Entity, "rev">[];
}

type Fields<T extends Entity> = Omit<T, keyof Entity> & { readonly id?: string };
export type Stored<T> = Omit<T, "rev">;

/** Grows while the demo is made. */
export class World {
  readonly random = new Random();
  readonly #batches = new Map<string, { collection: Batch["collection"]; records: Entity[] }>();

  /** @param now Milliseconds since the epoch: nothing is made later. */
  constructor(readonly now: number) {}

  /** The first moment of the day, in UTC, so many days from today. */
  midnight(days: number): number {
    return this.now - this.now % DAY + days * DAY;
  }

  /** `2026-11-21` */
  date(days: number): string {
    return new Date(this.midnight(days)).toISOString().slice(0, 10);
  }

  iso(ms: number): string {
    return new Date(ms).toISOString();
  }

  /**
   * Adds a record as created at a moment, which is not after now.
   *
   * @param at Milliseconds since the epoch.
   */
  add<T extends Entity>(
    collection: CollectionDeclaration<T>,
    at: number,
    fields: Fields<T>,
  ): Stored<T> {
    const moment = Math.min(Math.floor(at), this.now);
    const id = fields.id ?? idAt(moment, this.random.bytes(16));
    const createdAt = this.iso(moment);
    const record = present({ ...fields, id, createdAt, updatedAt: createdAt });
    let batch = this.#batches.get(collection.name);
    if (!batch) this.#batches.set(collection.name, batch = { collection, records: [] });
    batch.records.push(record as unknown as Entity);
    return record as unknown as Stored<T>;
  }

  /** What was added, referenced collections first. */
  get batches(): readonly Batch[] {
    return allCollections.flatMap(({ name }) => this.#batches.get(name) ?? []);
  }
}

/** Absent fields are absent, not undefined. */
function present<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
}

// What memory asks of an engine, for one collection: the engine reads, memory answers.
import type { Entity, Page } from "../port.ts";
import type { ParsedQuery } from "../query.ts";
import type { UniqueValues } from "./unique_misses.ts";

/** A frozen record, and its JSON without `rev`. */
export interface Stored<T> {
  readonly record: T;
  readonly text: string;
}

/** Rows that a source skips at most to read a page by itself: further pages are left to the projection. */
export const MAX_SKIPPED = 200;

/** Records that filling memory reads at a time as a rule: some 3 ms of work, between which everybody else gets a turn. */
export const FILL_BATCH = 250;

export interface Source<T extends Entity> {
  /** How many records filling memory reads at a time; `FILL_BATCH` at most. */
  readonly fillBatch: number;
  /** False for an id that no record can have. */
  canHold(id: string): boolean;
  /** In the order of the ids; null where there is none. */
  records(ids: readonly string[]): Promise<readonly (Stored<T> | null)[]>;
  /** Records in the order of their ids, from after one; an empty text: from the first. Fewer than `limit` are the last. */
  scan(after: string, limit: number): Promise<readonly Stored<T>[]>;
  /**
   * The ids of the records that have some values of a unique key, in the order of these; null where there is none. They
   * may have others by the time the records are read.
   */
  idsOf(unique: string, all: readonly UniqueValues[]): Promise<readonly (string | null)[]>;
  /** How many records there are, without reading them; null when only reading them would tell. */
  count(): Promise<number | null>;
  /** A page that can be read by itself; null when only the whole collection would tell what is on it. */
  firstPage(query: ParsedQuery): Promise<Page<T> | null>;
}

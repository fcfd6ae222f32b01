// What memory asks of an engine, for one collection: the engine reads, memory answers.
import type { Entity, Page, Scalar } from "../port.ts";
import type { ParsedQuery } from "../query.ts";

/** A frozen record, and its JSON without `rev`. */
export interface Stored<T> {
  readonly record: T;
  readonly text: string;
}

/** Rows that a source skips at most to read a page by itself: further pages are left to the projection. */
export const MAX_SKIPPED = 200;

export interface Source<T extends Entity> {
  /** False for an id that no record can have. */
  canHold(id: string): boolean;
  /** In the order of the ids; null where there is none. */
  records(ids: readonly string[]): Promise<readonly (Stored<T> | null)[]>;
  /** Records in the order of their ids, from after one; an empty text: from the first. Fewer than `limit` are the last. */
  scan(after: string, limit: number): Promise<readonly Stored<T>[]>;
  /** The id of the record with the unique value; that may have changed by the time the record is read. */
  idOf(unique: string, values: readonly Scalar[]): Promise<string | null>;
  /** How many records there are, without reading them; null when only reading them would tell. */
  count(): Promise<number | null>;
  /** A page that can be read by itself; null when only the whole collection would tell what is on it. */
  firstPage(query: ParsedQuery): Promise<Page<T> | null>;
}

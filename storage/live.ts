// A store that others write to while it is copied: what a copy as of one position of its journal asks of it.
import type { Blobs, CollectionDeclaration, Entity, JournalEntry } from "./port.ts";

// deno-lint-ignore no-explicit-any -- collections of different records are handled alike
export type AnyCollection = CollectionDeclaration<any>;

/** Nothing of it comes from memory: what is asked for after a commit shows that commit, whoever made it. */
export interface LiveSource {
  /** For people; without a password. */
  readonly engine: string;
  readonly blobs: Blobs;
  /** Of the last entry of the journal; empty when there is none. */
  position(): Promise<string>;
  /** The journal's entries after a position, up to another; with fewer than `atLeast` the end was reached. */
  changes(after: string, atLeast: number, upTo: string): Promise<readonly JournalEntry[]>;
  /** Records in the order of their ids, from after one; with fewer than `limit` the end was reached. */
  scan(collection: AnyCollection, after: string, limit: number): Promise<readonly Entity[]>;
  /** In the order of `ids`; null where there is none. */
  records(collection: AnyCollection, ids: readonly string[]): Promise<readonly (Entity | null)[]>;
  /** Records that were met and cannot be read, a sentence each. */
  unreadable(): readonly string[];
  /**
   * Nobody commits while `work` runs, in no process. It has to be short, for they wait.
   *
   * @returns Null: it took so long that others have gone on, and what `work` saw is of no one position.
   */
  hold<R>(work: () => Promise<R>): Promise<R | null>;
}

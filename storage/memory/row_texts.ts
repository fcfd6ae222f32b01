// The rows of one collection as ready text, by the slot that each record has in the index, and where its declaration says
// how, what makes a row the whole record again. They share the bytes of all records in memory.
import type { CollectionDeclaration, Entity } from "../port.ts";
import { deepFreeze } from "../records.ts";
import type { RecordsBudget } from "./records.ts";
import { TextLog } from "./text_log.ts";

/** The share of all bytes that what is beside rows may take: of 96 MiB 130,000 users. Lists need the rest. */
const REST_SHARE = 1 / 9;

type Texts<T extends Entity> = Pick<CollectionDeclaration<T>, "whole"> & {
  readonly row: (record: T) => string;
};

export class RowTexts<T extends Entity> {
  readonly #rows: TextLog;
  /** What rows do not tell: of the record that the row was made of, or not at all. */
  readonly #rests: TextLog;
  #closed = false;

  constructor(readonly declaration: Texts<T>, readonly budget: RecordsBudget) {
    this.#rows = new TextLog(budget.maxBytes);
    this.#rests = new TextLog(budget.maxBytes * REST_SHARE);
    budget.shareWith(this);
  }

  /** Bytes held now. */
  get bytes(): number {
    return this.#rows.bytes + this.#rests.bytes;
  }

  /** Null when it is not held. */
  get(slot: number): string | null {
    return this.#rows.get(slot);
  }

  /** In the order of the slots. */
  getAll(slots: readonly number[]): readonly (string | null)[] {
    return this.#rows.getAll(slots);
  }

  /** The record of a row, and about how many bytes its JSON takes; null when not all of it is held. */
  whole(slot: number): { readonly record: T; readonly bytes: number } | null {
    const { whole } = this.declaration;
    if (!whole) return null;
    const rest = this.#rests.get(slot), row = this.#rows.get(slot);
    if (rest === null || row === null) return null;
    return { record: deepFreeze(whole.of(row, rest)) as T, bytes: row.length + rest.length };
  }

  /** The row of a record as it is now, kept in place of others that are used less. */
  keep(slot: number, record: T): string {
    const row = this.declaration.row(record);
    // It may be of an older state: a change made of both would undo what came between.
    this.#rests.drop(slot);
    this.#rows.set(slot, row);
    this.budget.shrink();
    return row;
  }

  /** Takes the row of a record that was written, or that a scan has met, while there is room. */
  offer(slot: number, record: T): void {
    this.drop(slot);
    if (this.#closed || !this.budget.hasRoomFor(0)) return;
    const { row, whole } = this.declaration;
    if (this.#offer(this.#rows, slot, row(record)) && whole) {
      this.#offerRest(slot, whole.rest(record));
    }
  }

  #offer(log: TextLog, slot: number, text: string): boolean {
    const hasRoom = this.budget.hasRoomFor(log.needs(text));
    if (hasRoom) log.set(slot, text);
    return hasRoom;
  }

  /** In place of others that are used less: what changes leave behind would else fill the share for good. */
  #offerRest(slot: number, text: string): void {
    const rests = this.#rests, most = REST_SHARE * this.budget.maxBytes;
    while (rests.bytes > 0 && rests.bytes + rests.needs(text) > most) rests.makeRoom();
    if (rests.bytes + rests.needs(text) <= most) this.#offer(rests, slot, text);
  }

  /** To be called when the record is gone. */
  drop(slot: number): void {
    this.#rows.drop(slot);
    this.#rests.drop(slot);
  }

  /** Drops what was not asked for lately, of what is beside rows first; there must be something. */
  makeRoom(): void {
    (this.#rests.bytes > 0 ? this.#rests : this.#rows).makeRoom();
  }

  /** Lets go of all rows, for good. */
  close(): void {
    this.#closed = true;
    this.#rows.clear();
    this.#rests.clear();
    this.budget.letGo(this);
  }
}

// The rows of one collection as ready text, by the slot that each record has in the index. They share the bytes of all
// records in memory.
import { type RecordsBudget, textBytes } from "./records.ts";

/** Bytes that a text takes beside its characters: its header, and its place here. */
const TEXT_BYTES = 32;

export class RowTexts<T> {
  readonly #texts: (string | null)[] = [];
  /** By slot: 1 when the row was asked for since the clock's hand last passed. */
  #used = new Uint8Array(64);
  #hand = 0;
  #bytes = 0;

  constructor(readonly rowOf: (record: T) => string, readonly budget: RecordsBudget) {
    budget.holdRows(this);
  }

  /** Bytes held now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Null when it is not held. */
  get(slot: number): string | null {
    this.#used[slot] = 1;
    return this.#texts[slot] ?? null;
  }

  /** The row of a record as it is now, kept in place of others that are used less. */
  keep(slot: number, record: T): string {
    const text = this.rowOf(record);
    this.#set(slot, text);
    this.budget.shrink();
    return text;
  }

  /** Takes the row of a record that was written, or that a scan has met, while there is room. */
  offer(slot: number, record: T): void {
    this.drop(slot);
    if (!this.budget.hasRoomFor(TEXT_BYTES)) return;
    const text = this.rowOf(record);
    if (this.budget.hasRoomFor(TEXT_BYTES + textBytes(text))) this.#set(slot, text);
  }

  /** To be called when the record is gone. */
  drop(slot: number): void {
    const text = this.#texts[slot];
    if (text === null || text === undefined) return;
    this.#bytes -= TEXT_BYTES + textBytes(text);
    this.#texts[slot] = null;
  }

  /** Drops a row that was not asked for lately; there must be one. */
  dropOne(): void {
    for (;; this.#hand++) {
      if (this.#hand >= this.#texts.length) this.#hand = 0;
      const slot = this.#hand;
      if (this.#texts[slot] === null || this.#texts[slot] === undefined) continue;
      if (this.#used[slot] === 0) return this.drop(slot);
      this.#used[slot] = 0;
    }
  }

  /** Lets go of all rows, for good. */
  close(): void {
    this.#texts.length = 0;
    this.#bytes = 0;
    this.budget.letGo(this);
  }

  #set(slot: number, text: string): void {
    this.drop(slot);
    // Slots are given in ascending order, so that the array stays without gaps.
    while (this.#texts.length < slot) this.#texts.push(null);
    this.#texts[slot] = text;
    if (slot >= this.#used.length) {
      const more = new Uint8Array(2 * slot);
      more.set(this.#used);
      this.#used = more;
    }
    this.#bytes += TEXT_BYTES + textBytes(text);
  }
}

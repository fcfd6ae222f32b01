// The rows of one collection as ready text, by the slot that each record has in the index. They share the bytes of all
// records in memory.
import type { RecordsBudget } from "./records.ts";
import { TextLog } from "./text_log.ts";

export class RowTexts<T> {
  readonly #texts: TextLog;
  #closed = false;

  constructor(readonly rowOf: (record: T) => string, readonly budget: RecordsBudget) {
    this.#texts = new TextLog(budget.maxBytes);
    budget.shareWith(this);
  }

  /** Bytes held now. */
  get bytes(): number {
    return this.#texts.bytes;
  }

  /** Null when it is not held. */
  get(slot: number): string | null {
    return this.#texts.get(slot);
  }

  /** In the order of the slots. */
  getAll(slots: readonly number[]): readonly (string | null)[] {
    return this.#texts.getAll(slots);
  }

  /** The row of a record as it is now, kept in place of others that are used less. */
  keep(slot: number, record: T): string {
    const text = this.rowOf(record);
    this.#texts.set(slot, text);
    this.budget.shrink();
    return text;
  }

  /** Takes the row of a record that was written, or that a scan has met, while there is room. */
  offer(slot: number, record: T): void {
    this.drop(slot);
    if (this.#closed || !this.budget.hasRoomFor(0)) return;
    const text = this.rowOf(record);
    if (this.budget.hasRoomFor(this.#texts.needs(text))) this.#texts.set(slot, text);
  }

  /** To be called when the record is gone. */
  drop(slot: number): void {
    this.#texts.drop(slot);
  }

  /** Drops rows that were not asked for lately; there must be some. */
  makeRoom(): void {
    this.#texts.makeRoom();
  }

  /** Lets go of all rows, for good. */
  close(): void {
    this.#closed = true;
    this.#texts.clear();
    this.budget.letGo(this);
  }
}

// What each row of a search index is searched by: the columns of the searched fields, or a text as a search compares it.
import { SEPARATOR } from "../searched.ts";
import { grown } from "./column.ts";
import type { TextColumn } from "./columns.ts";
import type { Located, Ref, Texts } from "./texts.ts";

/** In place of a text: the columns of the row are all ASCII, which is put in lower case as it is read. No text lies there. */
const IN_COLUMNS: Ref = 1;

export class SearchedTexts implements Located {
  /** By slot: its own text, with a separator between fields, or `IN_COLUMNS`; 0: no row. */
  #refs: Uint32Array = new Uint32Array(64);
  /** Where the text lies that was located last. */
  chunk: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;
  #joined = new Uint8Array(256);

  /** @param columns Of all searched fields, in their order; null where one of them has none. */
  constructor(readonly texts: Texts, readonly columns: readonly TextColumn[] | null) {}

  holds(slot: number): boolean {
    return slot < this.#refs.length && this.#refs[slot] !== 0;
  }

  /** @param text As a search compares it; asked for where the columns, which hold the row by now, do not do. */
  put(slot: number, text: () => string): void {
    if (slot >= this.#refs.length) this.#refs = grown(this.#refs, slot);
    const inColumns = this.columns?.every((column) => column.isAscii(slot)) ?? false;
    this.#refs[slot] = inColumns ? IN_COLUMNS : this.texts.put(text(), false);
  }

  drop(slot: number): void {
    if (!this.holds(slot)) return;
    const ref = this.#refs[slot]!;
    if (ref !== IN_COLUMNS) this.texts.free(ref);
    this.#refs[slot] = 0;
  }

  /** Whether the text of a row is this one, where there are no columns. */
  is(slot: number, text: string): boolean {
    return this.texts.is(this.#refs[slot]!, text, false);
  }

  /** Whether the row has these bytes in one of its fields. @param bytes Some, as a search compares them, without the separator. */
  includes(slot: number, bytes: Uint8Array): boolean {
    const ref = this.#refs[slot]!, { texts } = this;
    if (ref !== IN_COLUMNS) return texts.includes(ref, bytes);
    for (const column of this.columns!) {
      const field = column.refOf(slot);
      if (field !== 0 && texts.includesInLowerCase(field, bytes)) return true;
    }
    return false;
  }

  /** Sets `chunk`, `start` and `end` to the text of a row that is there. */
  locate(slot: number): void {
    const ref = this.#refs[slot]!, { texts } = this;
    if (ref === IN_COLUMNS) return this.#join(slot);
    texts.locate(ref);
    this.chunk = texts.chunk;
    this.start = texts.start;
    this.end = texts.end;
  }

  #join(slot: number): void {
    let end = 0;
    for (const [n, column] of this.columns!.entries()) {
      if (n > 0) this.#joined[end++] = SEPARATOR.charCodeAt(0);
      const ref = column.refOf(slot);
      if (ref === 0) continue;
      this.texts.locate(ref);
      // There is room for all further separators too.
      const most = end + this.texts.end - this.texts.start + this.columns!.length;
      if (most > this.#joined.length) this.#joined = grown(this.#joined, most);
      end = this.texts.copyInLowerCase(this.#joined, end);
    }
    this.chunk = this.#joined;
    this.start = 0;
    this.end = end;
  }
}

// The rows of a projection: the declared fields of every record of a collection, by slot.
import type { Keys } from "../../core/keys.ts";
import type { CollectionDeclaration, Entity, Scalar } from "../port.ts";
import { searchText, valueOf } from "../searched.ts";
import type { Column, Sortable } from "./column.ts";
import { createColumn, TextColumn } from "./columns.ts";
import { DictionaryColumn } from "./dictionary.ts";
import { Interned } from "./interned.ts";
import { PackedKeys } from "./keys.ts";
import { SearchIndex } from "./search.ts";
import { SearchedTexts } from "./searched_texts.ts";
import { Texts } from "./texts.ts";

/** In sets of fields, this name stands for all searched fields together. */
export const SEARCH = "search text";

export class Rows<T extends Entity> {
  readonly #texts = new Texts();
  /** The number of an id is the slot of its row. */
  readonly #ids = new Interned(this.#texts);
  readonly #columns = new Map<string, Column>();
  /** The number of each field that was asked for in a mask. */
  readonly #numbers = new Map<string, number>();
  readonly #declaration: CollectionDeclaration<T>;
  /** Null when the collection declares no search. */
  readonly search: SearchIndex | null;

  constructor(declaration: CollectionDeclaration<T>) {
    this.#declaration = declaration;
    const { filter, sort, sum } = declaration;
    for (const field of new Set<string>(["createdAt", "updatedAt", ...filter, ...sort, ...sum])) {
      this.#columns.set(field, createColumn(declaration, field, this.#texts));
    }
    const searched = new SearchedTexts(this.#texts, this.#textColumns(declaration.search));
    this.search = declaration.search.length > 0 ? new SearchIndex(searched) : null;
  }

  /** Null where one of the fields has no such column. */
  #textColumns(fields: readonly string[]): readonly TextColumn[] | null {
    const columns = fields.map((field) => this.#columns.get(field));
    return columns.every((column) => column instanceof TextColumn) ? columns : null;
  }

  get size(): number {
    return this.#ids.size;
  }

  /** One past the highest slot. */
  get capacity(): number {
    return this.#ids.end;
  }

  has(id: string): boolean {
    return this.#ids.find(id) >= 0;
  }

  /** Whether there is a row at the slot. */
  holds(slot: number): boolean {
    return this.#ids.has(slot);
  }

  /** Below zero: there is no such row. */
  slotOf(id: string): number {
    return this.#ids.find(id);
  }

  /** `slotOf` of several. */
  slotsOf(ids: Keys): number[] {
    return this.#ids.findAll(PackedKeys.of(ids));
  }

  /** The values of a field that is a text and recurs, or the ids. */
  keysOf(slots: readonly number[], field: string): PackedKeys {
    if (field === "id") return this.#ids.keysOf(slots);
    const column = this.column(field);
    if (column instanceof DictionaryColumn) return column.keysOf(slots);
    throw new Error(`Cannot look up by ${field}: it is no text that lists are filtered by`);
  }

  idOf(slot: number): string {
    return this.#ids.get(slot);
  }

  /** Every column but `id`. */
  column(field: string): Column {
    const column = this.#columns.get(field);
    if (!column) throw new Error(`Cannot read a projection: '${field}' is no column of it`);
    return column;
  }

  /** Also for `id`. */
  sortable(field: string): Sortable {
    return field === "id" ? this.#ids : this.column(field);
  }

  get(slot: number, field: string): Scalar {
    return field === "id" ? this.idOf(slot) : this.column(field).get(slot);
  }

  /**
   * Fields as bits, which are compared at once. Of more than 32 some share a bit: what is told of one of these is then
   * told of the others too.
   */
  maskOf(fields: Iterable<string>): number {
    let mask = 0;
    for (const field of fields) {
      let number = this.#numbers.get(field);
      if (number === undefined) this.#numbers.set(field, number = this.#numbers.size);
      mask |= 1 << (number & 31);
    }
    return mask;
  }

  /** Ascending. */
  all(): Uint32Array {
    const slots = new Uint32Array(this.size);
    for (let slot = 0, n = 0; n < slots.length; slot++) if (this.holds(slot)) slots[n++] = slot;
    return slots;
  }

  /** A new row; its slot. */
  add(record: T): number {
    const slot = this.#ids.intern(record.id);
    for (const [field, column] of this.#columns) column.set(slot, valueOf(record, field));
    this.search?.enter(slot, () => searchText(this.#declaration, record));
    return slot;
  }

  /** The fields in which the record differs from its row. */
  changed(slot: number, record: T): Set<string> {
    const fields = new Set<string>();
    for (const [field, column] of this.#columns) {
      if (!column.has(slot, valueOf(record, field))) fields.add(field);
    }
    if (this.#isSearchedAnew(slot, record, fields)) fields.add(SEARCH);
    return fields;
  }

  /** Whether the searched text may differ. @param fields Those that differ. */
  #isSearchedAnew(slot: number, record: T, fields: ReadonlySet<string>): boolean {
    if (!this.search) return false;
    const { searched } = this.search, { search } = this.#declaration;
    if (searched.columns) return search.some((field) => fields.has(field));
    return !searched.is(slot, searchText(this.#declaration, record));
  }

  update(slot: number, record: T, fields: ReadonlySet<string>): void {
    const search = fields.has(SEARCH) ? this.search : null;
    search?.leave(slot);
    for (const field of fields) {
      if (field !== SEARCH) this.column(field).set(slot, valueOf(record, field));
    }
    search?.enter(slot, () => searchText(this.#declaration, record));
  }

  remove(slot: number): void {
    this.search?.leave(slot);
    this.#ids.remove(slot);
    for (const column of this.#columns.values()) column.clear(slot);
  }
}

// The rows of a projection: the declared fields of every record of a collection, by slot.
import type { CollectionDeclaration, Entity, Scalar } from "../port.ts";
import { type Column, compareScalars, type Test } from "./column.ts";
import { createColumn } from "./columns.ts";
import { SearchIndex } from "./search.ts";

/** In sets of fields, this name stands for all searched fields together. */
export const SEARCH = "search text";

export class Rows<T extends Entity> {
  readonly #ids: (string | null)[] = [];
  readonly #slots = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #columns = new Map<string, Column>();
  readonly #declaration: CollectionDeclaration<T>;
  /** Null when the collection declares no search. */
  readonly search: SearchIndex | null;

  constructor(declaration: CollectionDeclaration<T>) {
    this.#declaration = declaration;
    const { filter, sort, sum } = declaration;
    for (const field of new Set<string>(["createdAt", "updatedAt", ...filter, ...sort, ...sum])) {
      this.#columns.set(field, createColumn(declaration, field));
    }
    this.search = declaration.search.length > 0 ? new SearchIndex() : null;
  }

  get size(): number {
    return this.#slots.size;
  }

  /** One past the highest slot. */
  get capacity(): number {
    return this.#ids.length;
  }

  has(id: string): boolean {
    return this.#slots.has(id);
  }

  slotOf(id: string): number | undefined {
    return this.#slots.get(id);
  }

  idOf(slot: number): string {
    return this.#ids[slot]!;
  }

  /** Every column but `id`. */
  column(field: string): Column {
    const column = this.#columns.get(field);
    if (!column) throw new Error(`Cannot read a projection: '${field}' is no column of it`);
    return column;
  }

  get(slot: number, field: string): Scalar {
    return field === "id" ? this.idOf(slot) : this.column(field).get(slot);
  }

  all(): Uint32Array {
    return Uint32Array.from(this.#slots.values());
  }

  compareIds(a: number, b: number): number {
    return compareScalars(this.#ids[a]!, this.#ids[b]!);
  }

  testId(wanted: ReadonlySet<Scalar>): Test {
    return (slot) => wanted.has(this.#ids[slot]!);
  }

  /** A new row; its slot. */
  add(record: T): number {
    const slot = this.#free.pop() ?? this.#ids.length;
    this.#ids[slot] = record.id;
    this.#slots.set(record.id, slot);
    for (const [field, column] of this.#columns) column.set(slot, valueOf(record, field));
    this.search?.set(slot, this.#textOf(record));
    return slot;
  }

  /** The fields in which the record differs from its row. */
  changed(slot: number, record: T): Set<string> {
    const fields = new Set<string>();
    for (const [field, column] of this.#columns) {
      if (column.compareTo(slot, valueOf(record, field)) !== 0) fields.add(field);
    }
    if (this.search && this.search.get(slot) !== this.#textOf(record)) fields.add(SEARCH);
    return fields;
  }

  update(slot: number, record: T, fields: ReadonlySet<string>): void {
    for (const field of fields) {
      if (field === SEARCH) this.search?.set(slot, this.#textOf(record));
      else this.column(field).set(slot, valueOf(record, field));
    }
  }

  remove(slot: number): void {
    this.#slots.delete(this.#ids[slot]!);
    this.#ids[slot] = null;
    for (const column of this.#columns.values()) column.clear(slot);
    this.search?.set(slot, "");
    this.#free.push(slot);
  }

  #textOf(record: T): string {
    return this.#declaration.search.map((field) => valueOf(record, field) ?? "").join("\0")
      .toLowerCase();
  }
}

function valueOf(record: Entity, field: string): Scalar {
  return (record as unknown as Record<string, Scalar | undefined>)[field] ?? null;
}

// Reads of the rows of one collection: ready where memory holds them, else made of records.
import type { Awaitable } from "../../core/awaitable.ts";
import type { Keys } from "../../core/keys.ts";
import type { Entity, Page, RowPage } from "../port.ts";
import type { ParsedQuery } from "../query.ts";
import type { Memory } from "./memory.ts";
import type { Projection } from "./projection.ts";

/** How often a page is composed anew because its records changed while they were read. */
const MAX_PAGE_TRIES = 5;

/** Where records are read that memory has no row of. */
interface RecordReader<T extends Entity> {
  /** The record as it is stored now. What is shown in lists alone does not take the place of records in use. */
  fetch(id: string): Promise<T | null>;
  projection(): Promise<Projection<T>>;
}

export class RowReader<T extends Entity> {
  constructor(readonly memory: Memory<T>, readonly reader: RecordReader<T>) {}

  rowOf(record: T): string {
    const { row, name } = this.memory.declaration;
    if (!row) throw new Error(`Cannot show ${name}: the collection declares no row`);
    return row(record);
  }

  /** A page, each record as its row. */
  page(
    projection: Projection<T>,
    query: ParsedQuery,
    keys: readonly string[],
  ): Awaitable<RowPage> {
    return projection.list(query, ({ slots, total, nextCursor }): Awaitable<RowPage> => {
      const rows = this.#heldRows(projection, slots);
      if (rows.includes(null)) return this.#readPage(query, MAX_PAGE_TRIES);
      const page = { rows: rows as readonly string[], total, nextCursor };
      if (keys.length === 0) return page;
      return { ...page, keys: keys.map((field) => projection.keysOf(slots, field)) };
    });
  }

  /** Rows that are in memory, or are made of what is. */
  #heldRows(projection: Projection<T>, slots: readonly number[]): readonly (string | null)[] {
    const rows = projection.texts?.getAll(slots) ?? slots.map(() => null);
    if (!rows.includes(null)) return rows;
    return rows.map((row, n) => {
      if (row !== null) return row;
      const record = this.memory.records.get(projection.idOf(slots[n]!));
      return record === undefined ? null : this.#keptRow(projection, slots[n]!, record);
    });
  }

  /** @param record As it is now. A page may name it again, after it was kept. */
  #keptRow(projection: Projection<T>, slot: number, record: T): string {
    const { texts } = projection;
    return texts?.get(slot) ?? texts?.keep(slot, record) ?? this.rowOf(record);
  }

  /** A page of which some rows are not in memory; composed anew when commits come between. */
  async #readPage(query: ParsedQuery, tries: number): Promise<Page<string>> {
    const projection = await this.reader.projection();
    return await projection.list(query, async (page) => {
      const { total, nextCursor } = page;
      const { version } = this.memory;
      const rows = await this.rowsOf(page.ids());
      if (version !== this.memory.version && tries > 1) {
        return await this.#readPage(query, tries - 1);
      }
      return { rows: rows.filter((row) => row !== null), total, nextCursor };
    });
  }

  /** In the order of the ids; null where there is none. */
  rowsOf(ids: Keys): Awaitable<readonly (string | null)[]> {
    const { projection } = this.memory;
    const none = () => new Array<null>(ids.length).fill(null);
    if (!projection || projection.isBehind) {
      return this.#readRows(ids, none(), [...none().keys()]);
    }
    if (projection.size === 0) return none();
    const slots = projection.slotsOf(ids);
    const there = slots.includes(-1) ? slots.filter((slot) => slot >= 0) : slots;
    const held = this.#heldRows(projection, there);
    if (there.length === ids.length && !held.includes(null)) return held;
    const missing: number[] = [];
    let at = 0;
    const rows = slots.map((slot, n) => {
      if (slot < 0) return null;
      const row = held[at++]!;
      if (row === null) missing.push(n);
      return row;
    });
    return missing.length === 0 ? rows : this.#readRows(ids, rows, missing);
  }

  /** @param missing The places of the rows that have to be read. */
  async #readRows(
    ids: Keys,
    held: readonly (string | null)[],
    missing: readonly number[],
  ): Promise<readonly (string | null)[]> {
    const { version } = this.memory;
    const { records: inUse } = this.memory;
    const read = missing.map((n) => {
      const id = ids.at(n);
      return id === undefined ? null : inUse.get(id) ?? this.reader.fetch(id);
    });
    const records = await Promise.all(read);
    const { projection } = this.memory;
    const rows = [...held];
    for (const [at, n] of missing.entries()) {
      const record = records[at];
      if (!record) continue;
      const slot = projection?.slotOf(record.id);
      // What was read before a commit may be out of date by now: it is shown, but not kept.
      const keeps = version === this.memory.version && slot !== undefined;
      rows[n] = keeps ? this.#keptRow(projection!, slot, record) : this.rowOf(record);
    }
    return rows;
  }
}

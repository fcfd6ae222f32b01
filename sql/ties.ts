// How many records refer to others, asked of the database together.
import { sql } from "kysely";
import { Misses } from "../storage/memory/misses.ts";
import type { Engine } from "./engine.ts";
import type { Table } from "./tables.ts";

/** The most ids of one question: the links of a page, not of a whole list. */
const MAX_IDS = 100;

/** Counts the records that refer to some of another collection; see `references` in models/collection.ts. */
export class Ties {
  readonly #counts = new Map<string, Misses<number>>();

  constructor(readonly engine: Engine, readonly table: Table) {}

  /**
   * How many records match a condition that is one field with a list of the ids it may refer to; null for other
   * conditions. Which ids a page has comes by chance: such counts are neither kept nor adjusted by commits.
   */
  count(where: object): Promise<number> | null {
    const [asked, ...others] = Object.entries(where);
    if (!asked || others.length > 0) return null;
    const [field, ids] = asked;
    const refers = field in this.table.declaration.references;
    if (!refers || !Array.isArray(ids) || ids.length === 0 || ids.length > MAX_IDS) return null;
    const { dialect } = this.engine;
    const held = new Set(ids);
    for (const id of held) if (typeof id !== "string" || !dialect.canHold(id)) return null;
    const misses = this.#countsBy(field);
    return Promise.all([...held].map((id) => misses.fetch(id))).then((counts) =>
      counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
    );
  }

  #countsBy(field: string): Misses<number> {
    let misses = this.#counts.get(field);
    if (!misses) this.#counts.set(field, misses = new Misses((ids) => this.#read(field, ids)));
    return misses;
  }

  async #read(field: string, ids: readonly string[]): Promise<(number | null)[]> {
    const { name, kind } = this.table.byField.get(field)!;
    const column = sql.ref(name);
    const rows = await this.engine.rows<{ id: string; records: number }>(
      sql`select ${column} as id, count(*) as records from ${sql.table(this.table.name)}
        where ${this.engine.dialect.oneOf(column, kind, ids)} group by 1`,
    );
    const counts = new Map(rows.map(({ id, records }) => [id, records]));
    return ids.map((id) => counts.get(id) ?? null);
  }
}

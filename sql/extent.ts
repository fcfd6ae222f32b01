// How long lists are, and where their pages begin: asked of the database once, then adjusted by each commit.
import { sql } from "kysely";
import type { Scalar } from "../storage/port.ts";
import type { Filter, ParsedQuery } from "../storage/query.ts";
import type { Engine } from "./engine.ts";
import { Total } from "./followed.ts";
import { matcher, type Matches } from "./matching.ts";
import type { CollectionMemory } from "./memory.ts";
import type { Conditions, Place } from "./page_statements.ts";
import { Places, stepOf } from "./places.ts";
import type { Row, Table } from "./tables.ts";
import { and, orderSql } from "./where.ts";

/** From this offset on, a page begins at a remembered place, instead of the database skipping all rows before it. */
const DEEP_OFFSET = 100;
/** From this offset on, a page waits for the places of its list while they are being read. */
const FAR_OFFSET = 1000;
/** How many steps two places may be apart, by rows inserted between them, before all places are read anew. */
const WIDE = 4;

/** The newest journal entry that the statement sees. */
const NEWEST = sql`(select max(seq) from journal)`;

/** What decides how many rows a list has. */
export interface Counted {
  readonly filter: Filter;
  readonly search: string;
}

export class Extent {
  readonly #memory: CollectionMemory;

  constructor(readonly engine: Engine, readonly table: Table) {
    this.#memory = engine.memory.of(table.declaration.name);
  }

  /** How many records match, where that is known. */
  known(counted: Counted): number | null {
    if (!this.matches(counted)) return null;
    return this.#memory.followed.get<Total>(totalKey(counted))?.total ?? null;
  }

  /** @returns How many records match: counted once, then adjusted by each commit. */
  async total(counted: Counted, conditions: Conditions): Promise<number> {
    const matches = this.matches(counted);
    if (!matches) return (await this.count(conditions)).total;
    const { followed } = this.#memory;
    const key = totalKey(counted);
    const known = followed.get<Total>(key) ?? await followed.read(key, async () => {
      const { total, asOf } = await this.count(conditions);
      return { value: new Total(matches, total), asOf };
    });
    return known.total;
  }

  /** Asks how many records match. Without conditions the table `counts` has the number, which commits keep current. */
  async count(conditions: Conditions): Promise<{ total: number; asOf: number }> {
    const { name } = this.table;
    type Counts = { total: number; as_of: number | null };
    const [row] = conditions.length === 0
      ? await this.engine.rows<Counts>(
        sql`select "rows" as total, ${NEWEST} as as_of from counts
          where collection_table = ${name}`,
      )
      : await this.engine.alone<Counts>(
        sql`select count(*) as total, ${NEWEST} as as_of from ${sql.table(name)}
          where ${and(conditions)}`,
      );
    return { total: row?.total ?? 0, asOf: row?.as_of ?? 0 };
  }

  /** A known position before the page, and how many rows to skip from there; null: to be skipped from the first row. */
  async place(query: ParsedQuery, conditions: Conditions): Promise<Place> {
    const { filter, search, sort, offset } = query;
    const matches = offset < DEEP_OFFSET ? null : this.matches(query);
    if (!matches) return { position: null, skip: offset };
    const { followed } = this.#memory;
    const key = `places${JSON.stringify([filter, search, sort])}`;
    const places = followed.get<Places>(key);
    const place = places?.before(offset) ?? { position: null, skip: offset };
    if (places && place.skip <= WIDE * places.step) return place;
    const reading = followed.read(key, () => this.#places(query, conditions, matches));
    // To skip the rows before a page costs as much as to find all places, and each such page would do so.
    if (!places && offset >= FAR_OFFSET) return (await reading).before(offset);
    reading.catch(() => {});
    return place;
  }

  async #places(
    query: ParsedQuery,
    conditions: Conditions,
    matches: Matches,
  ): Promise<{ value: Places; asOf: number }> {
    const { sort } = query;
    const step = stepOf(await this.total(query, conditions));
    const names = sort.map(({ field }) => this.table.byField.get(field)!.name);
    const columns = sql.join(names.map((name) => sql.ref(name)));
    const order = orderSql(this.engine.dialect, this.table, sort);
    const rows = await this.engine.alone<Row & { as_of: number }>(
      sql`select ${columns}, ${NEWEST} as as_of from (
          select ${columns}, row_number() over (order by ${order}) as place
          from ${sql.table(this.table.name)} where ${and(conditions)}
        ) as placed where place % ${sql.lit(step)} = 0 order by place`,
    );
    const positions = rows.map((row) => names.map((name) => row[name] as Scalar));
    return { value: new Places(matches, sort, step, positions), asOf: rows[0]?.as_of ?? 0 };
  }

  /** The test by which commits are counted; null where there is none, or memory may not be trusted or is turned off. */
  matches({ filter, search }: Counted): Matches | null {
    const { dialect, memory } = this.engine;
    if (dialect.name !== "postgres" || !memory.fresh || memory.maxBytes === 0) return null;
    return matcher(this.table, filter, search);
  }
}

function totalKey({ filter, search }: Counted): string {
  return `total${JSON.stringify([filter, search])}`;
}

// How long lists are: asked of the database once, then adjusted by each commit.
import { sql } from "kysely";
import { filterKey } from "../storage/memory/filter_key.ts";
import type { Filter } from "../storage/query.ts";
import type { Engine } from "./engine.ts";
import { Total } from "./followed.ts";
import { matcher, type Matches } from "./matching.ts";
import type { CollectionMemory } from "./memory.ts";
import { type Conditions, NEWEST } from "./page_statements.ts";
import type { Table } from "./tables.ts";
import { and } from "./where.ts";

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
    if (!this.engine.memory.fresh) return null;
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

  /** The test by which commits are counted; null where there is none, or memory may not be trusted or is turned off. */
  matches({ filter, search }: Counted): Matches | null {
    const { memory } = this.engine;
    if (!memory.fresh || memory.maxBytes === 0) return null;
    return matcher(this.table, filter, search);
  }
}

function totalKey({ filter, search }: Counted): string {
  return `total${filterKey(filter)}${search}`;
}

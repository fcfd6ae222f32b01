// Counts and sums of groups: asked of the database once, then adjusted by each commit where that is exact.
import { type RawBuilder, sql } from "kysely";
import { checkAggregate, parseWhere } from "../storage/query.ts";
import type { AggregateQuery, Entity, Group } from "../storage/port.ts";
import { deepFreeze } from "../storage/records.ts";
import { valueOf } from "../storage/searched.ts";
import type { Engine } from "./engine.ts";
import type { Extent } from "./extent.ts";
import type { Followed } from "./followed.ts";
import type { Matches } from "./matching.ts";
import type { Column, Row, Table } from "./tables.ts";
import { and, filterSql } from "./where.ts";

// deno-lint-ignore no-explicit-any -- only the names of fields are read, whatever the record
type Query = AggregateQuery<any>;

/** Bytes of a group in memory, about. */
const GROUP_BYTES = 200;
/** With more groups than these, as with one for each user, they are asked for each time. */
const MAX_GROUPS = 1000;

export class Aggregates {
  constructor(readonly engine: Engine, readonly table: Table, readonly extent: Extent) {}

  async ask(query: Query): Promise<readonly Group[]> {
    const { declaration } = this.table;
    checkAggregate(declaration, query);
    const filter = parseWhere(declaration, query.where);
    const matches = this.#isExact(query) ? this.extent.matches({ filter, search: "" }) : null;
    if (!matches) return (await this.#read(query)).groups;
    const { followed } = this.engine.memory.of(declaration.name);
    const { by, on, sum } = query;
    const key = `groups${JSON.stringify([filter, by, on, sum])}`;
    const known = followed.get<Groups>(key) ?? await followed.read(key, async () => {
      const { groups, asOf } = await this.#read(query);
      return { value: new Groups(matches, query, groups), asOf };
    });
    return known.list();
  }

  /** Sums of fractions would drift when they are added to and subtracted from. */
  #isExact({ sum = [] }: Query): boolean {
    return sum.every((field) => this.table.byField.get(field)!.kind === "integer");
  }

  async #read(query: Query): Promise<{ groups: readonly Group[]; asOf: number }> {
    const { declaration, byField, name } = this.table;
    const { dialect } = this.engine;
    const sum = query.sum ?? [];
    const conditions = filterSql(dialect, this.table, parseWhere(declaration, query.where));
    const sums = sum.map((field, index) =>
      sql`, sum(${sql.ref(byField.get(field)!.name)}) as ${sql.ref(`sum${index}`)}`
    );
    const key = query.by === undefined ? null : this.#groupKey(query.by, query.on);
    const rows = await this.engine.alone<Row & { key?: unknown; total: number; as_of: number }>(
      sql`select ${key ? sql`${key} as "key", ` : sql``}count(*) as total${sql.join(sums, sql``)},
          (select max(seq) from journal) as as_of
        from ${sql.table(name)} where ${and(conditions)} ${key ? sql`group by 1` : sql``}`,
    );
    // Without `group by` SQL gives one row even when no record matches.
    const groups = rows.filter(({ total }) => total > 0).map((row) => ({
      key: this.#keyText(query.by, row.key),
      count: row.total,
      sums: Object.fromEntries(
        sum.map((field, index) => [field, Number(row[`sum${index}`] ?? 0)]),
      ),
    }));
    return { groups: groups.sort(byKey), asOf: rows[0]?.as_of ?? 0 };
  }

  #groupKey(by: string, on = "createdAt"): RawBuilder<unknown> {
    const { byField } = this.table;
    if (by !== "day" && by !== "month") return sql.ref(byField.get(by)!.name);
    const column = byField.get(on)!;
    return periodSql(column, by);
  }

  #keyText(by: string | undefined, value: unknown): string {
    if (value === null || value === undefined) return "";
    const column = by === undefined ? undefined : this.table.byField.get(by);
    return String(column ? this.engine.dialect.decode(column.kind, value) : value);
  }
}

/** The UTC day or month of a column, as text. */
function periodSql({ name, kind }: Column, by: "day" | "month"): RawBuilder<unknown> {
  const utc = kind === "timestamp" ? sql`${sql.ref(name)} at time zone 'UTC'` : sql.ref(name);
  return sql`to_char(${utc}, ${sql.lit(by === "day" ? "YYYY-MM-DD" : "YYYY-MM")})`;
}

function byKey(a: Group, b: Group): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

export class Groups implements Followed {
  readonly bytes: number;
  readonly #groups = new Map<string, { count: number; sums: Record<string, number> }>();
  #list: readonly Group[] | null = null;

  constructor(readonly matches: Matches, readonly query: Query, groups: readonly Group[]) {
    // What has no bound is not kept; see followed.ts.
    this.bytes = groups.length > MAX_GROUPS ? Infinity : GROUP_BYTES * (groups.length + 1);
    for (const { key, count, sums } of groups) this.#groups.set(key, { count, sums: { ...sums } });
  }

  follow(before: Entity | null, after: Entity | null): void {
    if (before && this.matches(before)) this.#add(before, -1);
    if (after && this.matches(after)) this.#add(after, 1);
  }

  /** In ascending order of their keys; the same until a commit changes one of them. */
  list(): readonly Group[] {
    this.#list ??= deepFreeze(
      [...this.#groups].map(([key, { count, sums }]) => ({ key, count, sums: { ...sums } }))
        .sort(byKey),
    );
    return this.#list;
  }

  #add(record: Entity, by: 1 | -1): void {
    const key = keyOf(record, this.query);
    const { sum = [] } = this.query;
    const group = this.#groups.get(key) ??
      { count: 0, sums: Object.fromEntries(sum.map((field) => [field, 0])) };
    group.count += by;
    for (const field of sum) group.sums[field]! += by * Number(valueOf(record, field) ?? 0);
    if (group.count === 0) this.#groups.delete(key);
    else this.#groups.set(key, group);
    this.#list = null;
  }
}

/** As the database names the group of a record: days and months are those of UTC, as in the texts of times. */
function keyOf(record: Entity, { by, on = "createdAt" }: Query): string {
  if (by === undefined) return "";
  if (by !== "day" && by !== "month") return String(valueOf(record, by) ?? "");
  return String(valueOf(record, on) ?? "").slice(0, by === "day" ? 10 : 7);
}

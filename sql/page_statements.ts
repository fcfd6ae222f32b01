// The statements that read a page of a list.
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { ParsedQuery, Position, Sort } from "../storage/query.ts";
import type { Dialect } from "./dialect.ts";
import type { Place } from "./places.ts";
import type { Table } from "./tables.ts";
import { afterSql, and, betweenSql, or, orderSql } from "./where.ts";

export type Conditions = readonly RawBuilder<SqlBool>[];

/** With fewer rows to skip, whole rows are skipped; with more, their ids, which are fewer bytes. */
const FEW_SKIPPED = 100;

/**
 * The rows of a page, and one more, which tells whether there is a next page.
 *
 * @param columns What is read of them: the fields of the sort, and others.
 */
export function pageSql(
  dialect: Dialect,
  table: Table,
  query: ParsedQuery,
  columns: RawBuilder<unknown>,
  matching: Conditions,
  { position, inclusive, skip }: Place,
): RawBuilder<unknown> {
  const name = sql.table(table.name);
  const order = orderSql(dialect, table, query.sort);
  const limit = query.limit + 1;
  const after = position ? afterSql(dialect, table, query.sort, position, inclusive) : [];
  if (after.length > 0 && skip > 0 && matching.length === 0 && query.sort.length <= 2) {
    return nearSql(dialect, table, query.sort, columns, after, { skip, limit });
  }
  // No index has the order of several fields, so the database has to sort.
  if (skip >= FEW_SKIPPED || query.sort.length > 2) {
    const conditions = after.length > 0 ? [...matching, or(after)] : matching;
    return sql`select ${columns} from ${name} where id in (
        select id from ${name} where ${and(conditions)} order by ${order}
        limit ${limit} offset ${skip}
      ) order by ${order}`;
  }
  const rows = (conditions: Conditions, count: number) =>
    sql`select ${columns} from ${name} where ${and(conditions)} order by ${order} limit ${count}`;
  if (after.length <= 1) return sql`${rows([...matching, ...after], limit)} offset ${skip}`;
  // Each part is found by an index, which one condition of both would not be.
  const parts = after.map((part) =>
    sql`select * from (${rows([...matching, part], skip + limit)}) as part`
  );
  return sql`select * from (${sql.join(parts, sql` union all `)}) as parts
    order by ${order} limit ${limit} offset ${skip}`;
}

/** The fewest rows of an index that a page near a position is looked for among. */
const MIN_NEAR = 64;

/**
 * Rows of a list of all, some rows after a position. An index has the ids up to there, so that only what is shown is
 * looked up in the table. How far to go is a part of the text, rounded up: to a planner that does not know it, any number
 * of rows may be skipped, and it makes a plan for each page, which takes longer than the page.
 */
function nearSql(
  dialect: Dialect,
  table: Table,
  sort: Sort,
  columns: RawBuilder<unknown>,
  after: Conditions,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): RawBuilder<unknown> {
  const name = sql.table(table.name);
  const order = orderSql(dialect, table, sort);
  const sorted = sql.join(sort.map(({ field }) => sql.ref(table.byField.get(field)!.name)));
  const near = Math.max(MIN_NEAR, 2 ** Math.ceil(Math.log2(skip + limit)));
  const parts = after.map((part) =>
    sql`(select ${sorted} from ${name} where ${part} order by ${order} limit ${sql.lit(near)})`
  );
  return sql`select ${columns} from (
      select id as match from (${sql.join(parts, sql` union all `)}) as near
      order by ${order} limit ${limit} offset ${skip}
    ) as page join ${name} on id = match order by ${order}`;
}

/** Of how many rows at the beginning of a list a page is looked for, where many are likely to match: 1 to 2 ms. */
const FIRST_ROWS = 2000;

/** A page of those that match among the first rows of the list without any condition; fewer rows, where they are not enough. */
export function firstRowsSql(
  dialect: Dialect,
  table: Table,
  { sort, limit, offset }: ParsedQuery,
  columns: RawBuilder<unknown>,
  matching: Conditions,
): RawBuilder<unknown> {
  const order = orderSql(dialect, table, sort);
  return sql`select ${columns} from (
      select * from ${sql.table(table.name)} order by ${order} limit ${sql.lit(FIRST_ROWS)}
    ) as first_rows where ${and(matching)} order by ${order} limit ${limit + 1} offset ${offset}`;
}

/**
 * The same page by finding all that match before they are sorted, whatever the planner takes their number to be; with
 * this number in each row.
 *
 * @param byIds Whether their ids are found first: an index that covers the conditions has no other column.
 */
export function allMatchesSql(
  dialect: Dialect,
  table: Table,
  { sort, limit, offset }: ParsedQuery,
  columns: RawBuilder<unknown>,
  matching: Conditions,
  byIds: boolean,
): RawBuilder<unknown> {
  const name = sql.table(table.name);
  const order = orderSql(dialect, table, sort);
  const fields = new Set(["id", ...sort.map(({ field }) => field)]);
  const sorted = [...fields].map((field) => sql.ref(table.byField.get(field)!.name));
  // `offset 0` keeps the planner from looking for them in the order of the list.
  const found = byIds
    ? sql`id in (select id from ${name} where ${and(matching)} offset 0)`
    : and(matching);
  return sql`select ${columns}, matches from ${name} join (
      select id as match, matches from (
        select ${sql.join(sorted)}, count(*) over () as matches
        from ${name} where ${found} offset 0
      ) as found order by ${order} limit ${limit + 1} offset ${offset}
    ) as page on id = match order by ${order}`;
}

/** The newest journal entry that the statement sees. */
export const NEWEST = sql`(select max(seq) from journal)`;

/** A part of a list, and what is to be known of it. */
export interface Part {
  /** It begins after this position; null: with the first row. */
  readonly after: Position | null;
  /** It ends with this position; null: with the last row. */
  readonly until: Position | null;
  /** How many rows it has, as far as is known. */
  readonly count: number;
  readonly step: number;
  /** Whether the ids of its rows are read too, one a line. */
  readonly withIds: boolean;
}

/** What is read of a part of a list. */
export interface PartRow {
  readonly ids?: string | null;
  /** Of each row number `step`, two times `step`, …, and of the last: its number, and its position. */
  readonly positions: readonly (readonly [place: number, ...position: unknown[]])[] | null;
  readonly total: number | null;
  readonly as_of: number | null;
}

/** One row, whatever the length of the list: its ids are one text, its positions one value of JSON. */
export function partSql(
  dialect: Dialect,
  table: Table,
  sort: Sort,
  matching: Conditions,
  { after, until, count, step, withIds }: Part,
): RawBuilder<unknown> {
  const conditions = [...matching, ...betweenSql(dialect, table, sort, after, until)];
  const columns = sql.join(
    sort.map(({ field }) => sql.ref(table.byField.get(field)!.name)),
  );
  return sql`select ${withIds ? sql`string_agg(id, chr(10)) as ids, ` : sql``}
      json_agg(json_build_array(place, ${columns}))
        filter (where place % ${sql.lit(step)} = 0 or place = ${count}) as positions,
      max(place) as total, ${NEWEST} as as_of
    from (
      select ${columns}, row_number() over (order by ${orderSql(dialect, table, sort)}) as place
      from ${sql.table(table.name)} where ${and(conditions)}
    ) as placed`;
}

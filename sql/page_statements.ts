// The statements that read a page of a list.
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { ParsedQuery, Position } from "../storage/query.ts";
import type { Dialect } from "./dialect.ts";
import type { Table } from "./tables.ts";
import { afterSql, and, or, orderSql } from "./where.ts";

export type Conditions = readonly RawBuilder<SqlBool>[];

/** Where a page begins. */
export interface Place {
  /** Rows up to this one come before the page; null: none is known. */
  readonly position: Position | null;
  /** How many rows after it do, too. */
  readonly skip: number;
}

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
  { position, skip }: Place,
): RawBuilder<unknown> {
  const name = sql.table(table.name);
  const order = orderSql(dialect, table, query.sort);
  const limit = query.limit + 1;
  const after = position ? afterSql(dialect, table, query.sort, position) : [];
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

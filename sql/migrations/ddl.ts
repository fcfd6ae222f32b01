// How migrations spell tables: SQL names, with the dialect's types. Migrations stand on it, so what they make together of a
// definition must not change: of what SQLite is spared here, 0032 rids the files that have it.
import { sql } from "kysely";
import type { Connection, Dialect } from "../dialect.ts";
import type { Kind } from "../tables.ts";

export interface ColumnDefinition {
  readonly kind: Kind;
  readonly optional?: true;
  readonly values?: readonly string[];
}

export interface TableDefinition {
  /** Beside id, created_at, updated_at and row_version, which every table has. */
  readonly columns: Readonly<Record<string, ColumnDefinition>>;
  /** By name: the constraint is called `<table>_<name>_key`. */
  readonly unique?: Readonly<Record<string, readonly string[]>>;
  /** The table, or the table and its column, that a column refers to. */
  readonly references?: Readonly<Record<string, string | readonly [string, string]>>;
  readonly indexes: readonly (readonly string[])[];
  /** True when the table is searched: `search_text` holds the search fields, as a search compares them. */
  readonly search?: true;
}

export const text: ColumnDefinition = { kind: "text" };
export const timestamp: ColumnDefinition = { kind: "timestamp" };
export const date: ColumnDefinition = { kind: "date" };
export const boolean: ColumnDefinition = { kind: "boolean" };
export const integer: ColumnDefinition = { kind: "integer" };
export const double: ColumnDefinition = { kind: "double" };
/** A list of texts. */
export const list: ColumnDefinition = { kind: "list" };
export const oneOf = (...values: string[]): ColumnDefinition => ({ kind: "text", values });
export const optional = (column: ColumnDefinition) => ({ ...column, optional: true as const });

const quote = (name: string) => `"${name}"`;
const names = (columns: readonly string[]) => columns.map(quote).join(", ");

/** Creates a table with its constraints, indexes and row count. Foreign keys are checked at commit, so that a commit may write in any order. */
export async function createTable(
  db: Connection,
  dialect: Dialect,
  name: string,
  definition: TableDefinition,
): Promise<void> {
  const { unique = {}, references = {}, search } = definition;
  const rowKey = search ? dialect.searchRowKey : null;
  const parts = [
    ...(rowKey ? [rowKey] : []),
    `"id" ${dialect.columnType("text")} not null`,
    `"created_at" ${dialect.columnType("timestamp")} not null`,
    `"updated_at" ${dialect.columnType("timestamp")} not null`,
    `"row_version" ${dialect.columnType("integer")} not null`,
    ...Object.entries(definition.columns).map(([column, of]) => columnSql(dialect, column, of)),
    ...(search ? [`"search_text" ${dialect.columnType("text")} not null`] : []),
    ...Object.entries(unique).map(([key, columns]) =>
      `constraint "${name}_${key}_key" unique (${names(columns)})`
    ),
    ...Object.entries(references).map(([column, target]) => {
      const [table, key] = typeof target === "string" ? [target, "id"] : target;
      return `constraint "${name}_${column}_fkey" foreign key ("${column}") references "${table}" ("${key}") deferrable initially deferred`;
    }),
    // SQLite checks the last first: a taken id is reported before a taken unique value, as on Postgres.
    `constraint "${name}_pkey" ${rowKey ? "unique" : "primary key"} ("id")`,
  ];
  const indexes = dialect.name === "postgres"
    ? definition.indexes
    : definition.indexes.filter(isKeptOnSqlite(Object.keys(references)));
  const statements = [
    `create table "${name}" (\n  ${parts.join(",\n  ")}\n)`,
    ...indexes.map((columns) => indexSql(dialect, name, definition, columns)),
    ...(search ? dialect.searchIndex(name) : []),
    `insert into "counts" ("collection_table", "rows") values ('${name}', 0)`,
  ];
  // Postgres takes them in one round trip.
  const together = dialect.name === "postgres" ? [statements.join(";\n")] : statements;
  for (const statement of together) await run(db, statement);
}

/**
 * Where memory answers lists, a table needs the index of its newest rows, which are shown until memory has all of them,
 * and one that begins with each reference, by which rows that something refers to are not deleted.
 *
 * @param references The columns that refer to others.
 * @returns Whether an index stays, of those of a table in the order in which they are made.
 */
export function isKeptOnSqlite(
  references: readonly string[],
): (columns: readonly string[]) => boolean {
  const needed = new Set(["created_at", ...references]);
  return ([first]) => needed.delete(first!);
}

/** Adds an optional column: rows that are there have none of it. */
export async function addColumn(
  db: Connection,
  dialect: Dialect,
  table: string,
  name: string,
  column: ColumnDefinition & { readonly optional: true },
): Promise<void> {
  await run(db, `alter table "${table}" add column ${columnSql(dialect, name, column)}`);
}

/** Of `<table>_<columns>_idx`. The first column sorts absent values first, as lists do. */
function indexSql(
  dialect: Dialect,
  table: string,
  definition: TableDefinition,
  columns: readonly string[],
): string {
  const keys = columns.map((column) =>
    definition.columns[column]?.optional
      ? `"${column}" ${dialect.nullsFirst.ascending}`
      : quote(column)
  );
  return `create index "${indexName(table, columns)}" on "${table}" (${keys.join(", ")})`;
}

/** @returns A name within Postgres's 63 bytes. */
export function indexName(table: string, columns: readonly string[]): string {
  return `${table}_${columns.join("_")}_idx`;
}

function columnSql(dialect: Dialect, name: string, column: ColumnDefinition): string {
  const type = dialect.columnType(column.kind);
  const required = column.optional ? "" : " not null";
  const values = column.values?.map((value) => `'${value}'`).join(", ");
  return `"${name}" ${type}${required}${values ? ` check ("${name}" in (${values}))` : ""}`;
}

export async function run(db: Connection, statement: string): Promise<void> {
  await sql.raw(statement).execute(db);
}

// Every difference between SQLite and Postgres: column types, values, expressions, DDL of search, locks, errors.
import { type Kysely, type RawBuilder, sql, type SqlBool, type Transaction } from "kysely";
import { FILL_BATCH } from "../storage/memory/source.ts";
import { checkFile } from "./check.ts";
import type { Kind, Values } from "./tables.ts";

export type Database = Record<string, Record<string, unknown>>;
export type Connection = Kysely<Database>;

/** What a failed statement means. */
export type Failure =
  /** A unique constraint; `columns` stands in where the dialect does not name it. */
  | {
    readonly kind: "unique";
    readonly table: string;
    readonly constraint?: string;
    readonly columns?: readonly string[];
  }
  | { readonly kind: "reference"; readonly table: string }
  /** Another transaction was faster; this one may be tried again. */
  | { readonly kind: "conflict" }
  | { readonly kind: "unavailable" }
  /** The disk has no room. */
  | { readonly kind: "full" }
  /** A value that the column cannot hold. */
  | { readonly kind: "value" }
  | { readonly kind: "other" };

export interface Dialect extends Values {
  readonly name: "sqlite" | "postgres";
  /** The type of a column, for DDL. */
  columnType(kind: Kind | "bytes"): string;
  /** DDL of the row number that is the primary key of a searched table; null where `id` is. */
  readonly searchRowKey: string | null;
  /** DDL of the type of the journal's `seq`. */
  readonly journalKey: string;
  /** Ascending order that puts absent values first, in DDL and queries. Descending is its reverse. */
  readonly nullsFirst: { readonly ascending: string; readonly descending: string };
  /** How many parameters one statement may have. */
  readonly maxParameters: number;
  /** How many records filling memory reads at a time. */
  readonly fillBatch: number;
  /** Whether a text can be stored. */
  canHold(text: string): boolean;
  /** The column has one of the values, however many. */
  oneOf(column: RawBuilder<unknown>, kind: Kind, values: readonly unknown[]): RawBuilder<SqlBool>;
  /** Statements that make the search index of a table. */
  searchIndex(table: string): readonly string[];
  /** Keeps other processes from migrating until the transaction ends. */
  lockMigrations(tx: Transaction<Database>): Promise<void>;
  /**
   * Ends a `from` clause. Once it is evaluated, no other transaction commits before this one ends, so that the journal is
   * in commit order. Outside of a transaction there is then no row.
   */
  readonly commitLock: RawBuilder<unknown>;
  /** A `returning` expression that tells the other processes, at commit, that the journal has grown. */
  announcement(origin: string): RawBuilder<unknown>;
  /** Selects the version of the database, and the bytes it takes. */
  readonly facts: RawBuilder<{ version: string; size: number | string }>;
  /** Brings the statistics of a table up to date after many inserts. */
  analyze(db: Connection, table: string): Promise<void>;
  /** What is damaged in the database: a sentence each. */
  check(db: Connection): Promise<readonly string[]>;
  classify(error: unknown): Failure;
}

/** Numbers for `pg_advisory_lock`: arbitrary, but the same in every process. */
const MIGRATION_LOCK = 7_119_301;
const COMMIT_LOCK = 7_119_302;
/**
 * Begins a transaction of Postgres. Deferrable means nothing for one that writes, but tells that one has begun: outside
 * of it the setting is off. https://www.postgresql.org/docs/current/sql-set-transaction.html
 */
export const BEGIN = "begin deferrable";
export const JOURNAL_CHANNEL = "quarterdeck_journal";

const SQLITE_TYPES: Readonly<Record<Kind | "bytes", string>> = {
  text: "text",
  timestamp: "text",
  date: "text",
  boolean: "integer",
  integer: "integer",
  double: "real",
  list: "text",
  bytes: "blob",
};

export const sqliteDialect: Dialect = {
  name: "sqlite",
  columnType: (kind) => SQLITE_TYPES[kind],
  searchRowKey: "row_id integer primary key",
  journalKey: "integer primary key autoincrement",
  nullsFirst: { ascending: "asc", descending: "desc" },
  maxParameters: 30_000,
  fillBatch: FILL_BATCH,
  encode(kind, value) {
    if (value === undefined || value === null) return null;
    if (kind === "boolean") return value ? 1 : 0;
    return kind === "list" ? JSON.stringify(value) : value;
  },
  decode(kind, value) {
    if (kind === "boolean") return value === 1;
    return kind === "list" ? JSON.parse(value as string) : value;
  },
  canHold: () => true,
  oneOf: (column, _kind, values) =>
    values.length <= 100
      ? sql<SqlBool>`${column} in (${sql.join(values)})`
      : sql<SqlBool>`${column} in (select value from json_each(${JSON.stringify(values)}))`,
  // Memory answers searches.
  searchIndex: () => [],
  // No lock is needed: transactions begin as immediate ones, so that there is only one writer at a time.
  lockMigrations: () => Promise.resolve(),
  commitLock: sql``,
  announcement: () => sql`null`,
  facts: sql`select sqlite_version() as version,
    (select page_count from pragma_page_count()) * (select page_size from pragma_page_size()) as size`,
  async analyze(db, table) {
    await sql`analyze ${sql.table(table)}`.execute(db);
  },
  check: checkFile,
  classify(error) {
    const message = error instanceof Error ? error.message : "";
    const unique = /UNIQUE constraint failed: (.+)$/.exec(message)?.[1];
    if (unique) {
      const names = unique.split(", ").map((name) => name.split("."));
      return {
        kind: "unique",
        table: names[0]![0]!,
        columns: names.map(([, column]) => column!),
      };
    }
    if (/FOREIGN KEY constraint failed/.test(message)) {
      return { kind: "reference", table: (error as { table?: string }).table ?? "" };
    }
    if (/database or disk is full/.test(message)) return { kind: "full" };
    if (/database is locked|disk I\/O error/.test(message)) return { kind: "unavailable" };
    return { kind: /constraint failed|cannot store/.test(message) ? "value" : "other" };
  },
};

const POSTGRES_TYPES: Readonly<Record<Kind | "bytes", string>> = {
  // Bytewise order, as in SQLite and Deno KV.
  text: 'text collate "C"',
  timestamp: "timestamptz",
  date: "date",
  boolean: "boolean",
  integer: "bigint",
  double: "double precision",
  list: "jsonb",
  bytes: "bytea",
};

const ARRAY_TYPES: Readonly<Record<Kind, string>> = {
  text: "text[]",
  timestamp: "timestamptz[]",
  date: "date[]",
  boolean: "boolean[]",
  integer: "bigint[]",
  double: "double precision[]",
  list: "text[]",
};

/**
 * Lost connections, shutdowns, timeouts, waits for a lock, too many connections, a database that lets nobody in (55000),
 * and tables that a restore has yet to make. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE_STATES =
  /^(08...|57P0.|57014|55000|55P03|53...|58...|25P03|25006|XX001|28...|3D000|42P01)$/;
const CONNECTION_CODES =
  /^(E(CONN\w*|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|AI_AGAIN|NOTFOUND|HOSTDOWN)|ENOENT|ERR_TLS\w*|CERT\w*|DEPTH_ZERO\w*|SELF_SIGNED\w*|UNABLE_TO\w*)$/;
const CONNECTION_MESSAGES =
  /Connection terminated|timeout exceeded|timeout expired|[Qq]uery read timeout|Client has encountered a connection error|Client was closed|not queryable|connection (is )?closed|Cannot use a pool after|has been discarded|SSL connections|certificate/;

export const postgresDialect: Dialect = {
  name: "postgres",
  columnType: (kind) => POSTGRES_TYPES[kind],
  searchRowKey: null,
  journalKey: "bigint generated always as identity primary key",
  nullsFirst: { ascending: "asc nulls first", descending: "desc nulls last" },
  maxParameters: 60_000,
  // Fewer: a short answer the runtime copies out of the 64 KiB that it reads into; a long one takes them along until it is
  // collected, and up to 128 such buffers, 8 MiB, are then kept for good.
  fillBatch: 150,
  encode(kind, value) {
    if (value === undefined || value === null) return null;
    return kind === "list" ? JSON.stringify(value) : value;
  },
  canHold: (text) => !text.includes("\0"),
  // The client's parsers give what records hold; see postgres.ts.
  decode: (_kind, value) => value,
  oneOf: (column, kind, values) =>
    values.length === 1
      ? sql<SqlBool>`${column} = ${values[0]}`
      : sql<SqlBool>`${column} = any(${values}::${sql.raw(ARRAY_TYPES[kind])})`,
  // Where the extension is not to be had, searches read the table. The limit, in KiB, is of what waits to be put into
  // the index, which each search reads: it costs a search 0.1 ms, and a write as much.
  searchIndex: (table) => [
    `do $$ begin
      create extension if not exists pg_trgm;
    exception when others then
      raise notice 'pg_trgm is not available: %', sqlerrm;
    end $$`,
    `do $$ begin
      if exists (select from pg_extension where extname = 'pg_trgm') then
        create index "${table}_search_text_idx" on "${table}" using gin (search_text gin_trgm_ops)
          with (gin_pending_list_limit = 64);
      end if;
    end $$`,
  ],
  async lockMigrations(tx) {
    await sql`set local statement_timeout = 0`.execute(tx);
    await sql`set local lock_timeout = 0`.execute(tx);
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(tx);
  },
  commitLock: sql`, pg_advisory_xact_lock(${sql.lit(COMMIT_LOCK)})
    where current_setting('transaction_deferrable')::boolean`,
  announcement: (origin) => sql`pg_notify(${sql.lit(JOURNAL_CHANNEL)}, ${sql.lit(origin)})`,
  facts: sql`select current_setting('server_version') as version,
    pg_database_size(current_database()) as size`,
  async analyze(db, table) {
    await sql`vacuum analyze ${sql.table(table)}`.execute(db);
  },
  // The server holds its keys and indexes together, and tells of damaged pages when they are read.
  check: () => Promise.resolve([]),
  classify(error) {
    const { code = "", table = "", constraint, message = "" } = error as {
      code?: string;
      table?: string;
      constraint?: string;
      message?: string;
    };
    // disk_full, and what the system says where Postgres gives it another code.
    if (code === "53100" || /No space left on device/.test(message)) return { kind: "full" };
    if (code === "23505") return { kind: "unique", table, constraint };
    if (code === "23503") return { kind: "reference", table };
    if (code === "40001" || code === "40P01") return { kind: "conflict" };
    if (
      UNAVAILABLE_STATES.test(code) || CONNECTION_CODES.test(code) ||
      CONNECTION_MESSAGES.test(message)
    ) return { kind: "unavailable" };
    return { kind: /^(22...|23...|54...)$/.test(code) ? "value" : "other" };
  },
};

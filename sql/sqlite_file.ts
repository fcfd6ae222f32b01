// A file of SQLite, open: how it is to be durable, and its statements, each prepared once.
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { SqliteDatabase, SqliteStatement } from "kysely";
import { fileProblem, makePrivateFile } from "../core/private_files.ts";
import { MIB } from "../core/units.ts";

/** Prepared statements kept; the least recently prepared goes first. */
const MAX_STATEMENTS = 500;
/**
 * Bytes of the write-ahead log's file after it began anew, and by which it grows until it does again: as many the file may
 * need when it takes them in, and on a full disk there is but the reserve of storage/room.ts for both.
 */
export const LOG_BYTES = 4 * MIB;

export interface FileOptions {
  /**
   * Whether commits reach the disk later: some megabytes at a time, when the log is synced, and all when the file is
   * closed. @default false
   */
  readonly lazy?: boolean;
}

/** @throws {Error} Naming the file, the cause and what helps. */
export function openFile(path: string, { lazy = false }: FileOptions = {}): DatabaseSync {
  if (path !== ":memory:") makePrivateFile(path);
  try {
    const database = new DatabaseSync(path);
    // FULL: what is acknowledged survives a power cut; NORMAL syncs at checkpoints alone.
    // https://www.sqlite.org/pragma.html#pragma_synchronous
    database.exec(`
      pragma busy_timeout = 1000;
      pragma journal_mode = wal;
      pragma journal_size_limit = ${LOG_BYTES};
      pragma synchronous = ${lazy ? "normal" : "full"};
      pragma foreign_keys = on;
      pragma cache_size = -16384;
      pragma temp_store = memory;
      pragma analysis_limit = 1000;
      pragma busy_timeout = 0;
    `);
    return database;
  } catch (error) {
    throw fileProblem(path, error);
  }
}

export type Checkpoint =
  /** Takes in what nobody reads from the log, beside commits. */
  | "checkpoint"
  /** Takes in the rest, while this process commits nothing, and begins the log anew. */
  | "renew";

export interface LogState {
  /** Whether the file has all that the log had when that began. */
  readonly whole: boolean;
}

/** Takes what the write-ahead log holds into the file, and waits for nobody. Whatever fails is left to the next time. */
export function takeIn(database: DatabaseSync, which: Checkpoint): LogState {
  try {
    // https://www.sqlite.org/pragma.html#pragma_wal_checkpoint
    const { busy, log, checkpointed } = database.prepare("pragma wal_checkpoint(passive)").get()!;
    const whole = busy === 0 && log === checkpointed;
    // Whoever writes first after that writes the head of the log, and waits until the disk has it.
    if (which === "renew" && whole) database.exec("pragma user_version = 0");
    return { whole };
  } catch {
    // A full disk, or one that fails, or another process that writes: the commits tell of the first two.
    return { whole: false };
  }
}

/** The statements of a database, each prepared once. */
export class PreparedStatements implements SqliteDatabase {
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(readonly database: DatabaseSync) {}

  prepare(text: string): SqliteStatement {
    const earlier = this.#statements.get(text);
    if (earlier) return earlier;
    const statement = this.database.prepare(text);
    const prepared: SqliteStatement = {
      reader: givesRows(statement, text),
      all: (parameters) => statement.all(...parameters as SQLInputValue[]),
      run: (parameters) => statement.run(...parameters as SQLInputValue[]),
      iterate: (parameters) => statement.iterate(...parameters as SQLInputValue[]),
    };
    this.#statements.set(text, prepared);
    if (this.#statements.size > MAX_STATEMENTS) {
      this.#statements.delete(this.#statements.keys().next().value!);
    }
    return prepared;
  }

  close(): void {
    this.database.close();
  }
}

/** Deno before 2.6 cannot tell a statement's columns: there its text has to do. */
function givesRows(statement: StatementSync, text: string): boolean {
  if (typeof statement.columns === "function") return statement.columns().length > 0;
  return /^\s*(?:select|with|pragma|explain)\b|\breturning\b/i.test(text);
}

/** Takes the write lock at once: else a transaction could fail at its first write, as others wrote after it read. */
export const BEGIN = "begin immediate";

/**
 * To be called ahead of each statement of a transaction. SQLite ends one by itself where there is no room for a
 * statement, and what comes after would be committed alone. https://www.sqlite.org/lang_transaction.html
 */
export function assertInTransaction(database: DatabaseSync): void {
  if (!inTransaction(database)) throw new Error("Cannot go on: the transaction has ended");
}

/** Whether a transaction is open. */
export function inTransaction(database: DatabaseSync): boolean {
  const { isTransaction } = database as { isTransaction?: boolean };
  if (isTransaction !== undefined) return isTransaction;
  // Deno before 2.6 does not tell; within a transaction another one cannot begin.
  try {
    database.exec("begin");
  } catch {
    return true;
  }
  database.exec("rollback");
  return false;
}

/** The error of a statement with `table`, where a foreign key refers to nothing: SQLite's own error does not say. */
export function withTable(
  error: Error,
  database: DatabaseSync | undefined,
): Error & { readonly table?: string } {
  if (!/FOREIGN KEY/.test(error.message)) return error;
  const find = 'select "table" from pragma_foreign_key_check limit 1';
  return Object.assign(error, { table: database?.prepare(find).get()?.table as string });
}

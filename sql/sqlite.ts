// Opens SQLite: Kysely's driver over node:sqlite, with one connection and immediate transactions.
import { setImmediate } from "node:timers";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
} from "kysely";
import { fileProblem, makePrivateFile } from "../core/private_files.ts";
import type { Database } from "./dialect.ts";
import { delay } from "../core/delay.ts";

/** Milliseconds to wait for another process that writes. SQLite's own waiting would stop the event loop. */
const BUSY_TIMEOUT = 5000;
/** Milliseconds between tries. */
const BUSY_DELAY = 5;
/** Prepared statements kept; the least recently prepared goes first. */
const MAX_STATEMENTS = 500;

export interface OpenSqlite {
  readonly db: Kysely<Database>;
  /** A number that changes when another connection changes the database. */
  dataVersion(): number;
  /** The rows of a query that runs when no transaction is open, so that it sees nothing that may be taken back. */
  committed<R>(query: CompiledQuery): Promise<R[]>;
}

/** @param path A file, or `:memory:`. Directories above a file are created. */
export function openSqlite(path: string): OpenSqlite {
  const database = openFile(path);
  const dataVersion = database.prepare("pragma data_version");
  const driver = new NodeSqliteDriver(database);
  return {
    db: new Kysely<Database>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => driver,
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    }),
    dataVersion: () => dataVersion.get()!.data_version as number,
    async committed<R>(query: CompiledQuery) {
      const connection = await driver.acquireConnection();
      while (database.isTransaction) await new Promise<void>((resolve) => setImmediate(resolve));
      // The statement runs before this function yields, so no transaction can begin in between.
      return (await connection.executeQuery<R>(query)).rows;
    },
  };
}

/** @throws {Error} Naming the file, the cause and what helps. */
function openFile(path: string): DatabaseSync {
  if (path !== ":memory:") makePrivateFile(path);
  try {
    const database = new DatabaseSync(path);
    // FULL: what is acknowledged survives a power cut. https://www.sqlite.org/pragma.html#pragma_synchronous
    database.exec(`
      pragma busy_timeout = 1000;
      pragma journal_mode = wal;
      pragma synchronous = full;
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

/** Kysely's driver, with what it lacks: waiting for other processes, immediate transactions, and their errors. */
class NodeSqliteDriver extends SqliteDriver {
  #connection: DatabaseConnection | undefined;

  constructor(readonly database: DatabaseSync) {
    super({ database: new PreparedStatements(database) });
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection ??= this.#patient(await super.acquireConnection());
  }

  /** Takes the write lock at once: else a transaction could fail at its first write, as others wrote after it read. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  /** @throws With `table`, where a foreign key refers to nothing: SQLite's own error does not say. */
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.commitTransaction(connection);
    } catch (error) {
      if (error instanceof Error && /FOREIGN KEY/.test(error.message)) {
        const find = 'select "table" from pragma_foreign_key_check limit 1';
        Object.assign(error, { table: this.database.prepare(find).get()?.table });
      }
      throw error;
    }
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection);
    } catch (error) {
      // SQLite has already rolled back by itself when a statement failed for lack of disk space or memory.
      const done = error instanceof Error && /no transaction is active/.test(error.message);
      if (!done) throw error;
    }
  }

  /** The connection, which tries again what fails because another process is writing. */
  #patient(connection: DatabaseConnection): DatabaseConnection {
    const executeQuery = async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
      const deadline = performance.now() + BUSY_TIMEOUT;
      for (;;) {
        try {
          return await connection.executeQuery<R>(query);
        } catch (error) {
          const busy = error instanceof Error && /database (table )?is locked/.test(error.message);
          if (!busy || performance.now() > deadline) throw error;
        }
        await delay(BUSY_DELAY);
      }
    };
    return { executeQuery, streamQuery: connection.streamQuery.bind(connection) };
  }
}

/** The statements of a database, each prepared once. */
class PreparedStatements implements SqliteDatabase {
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

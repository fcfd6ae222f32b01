// Opens SQLite: a Kysely driver over node:sqlite, with one connection and immediate transactions.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Database } from "./dialect.ts";

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
}

/** @param path A file, or `:memory:`. Directories above a file are created. */
export function openSqlite(path: string): OpenSqlite {
  if (path !== ":memory:") mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  // FULL: what is acknowledged survives a power cut. https://www.sqlite.org/pragma.html#pragma_synchronous
  database.exec(`
    pragma busy_timeout = 1000;
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma foreign_keys = on;
    pragma cache_size = -65536;
    pragma temp_store = memory;
    pragma analysis_limit = 1000;
    pragma busy_timeout = 0;
  `);
  const dataVersion = database.prepare("pragma data_version");
  return {
    db: new Kysely<Database>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new NodeSqliteDriver(database),
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    }),
    dataVersion: () => dataVersion.get()!.data_version as number,
  };
}

class NodeSqliteDriver implements Driver {
  readonly #connection: NodeSqliteConnection;

  constructor(readonly database: DatabaseSync) {
    this.#connection = new NodeSqliteConnection(database);
  }

  async init(): Promise<void> {}

  acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(this.#connection);
  }

  async beginTransaction(): Promise<void> {
    await this.#run("begin immediate");
  }

  /** @throws With `table`, where a foreign key refers to nothing: SQLite's own error does not say. */
  async commitTransaction(): Promise<void> {
    try {
      await this.#run("commit");
    } catch (error) {
      if (error instanceof Error && /FOREIGN KEY/.test(error.message)) {
        const find = 'select "table" from pragma_foreign_key_check limit 1';
        Object.assign(error, { table: this.database.prepare(find).get()?.table });
      }
      throw error;
    }
  }

  async rollbackTransaction(): Promise<void> {
    if (this.database.isTransaction) await this.#run("rollback");
  }

  async releaseConnection(): Promise<void> {}

  destroy(): Promise<void> {
    this.database.close();
    return Promise.resolve();
  }

  async #run(command: string): Promise<void> {
    await this.#connection.executeQuery(CompiledQuery.raw(command));
  }
}

class NodeSqliteConnection implements DatabaseConnection {
  readonly #statements = new Map<string, { statement: StatementSync; reads: boolean }>();

  constructor(readonly database: DatabaseSync) {}

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const deadline = performance.now() + BUSY_TIMEOUT;
    while (true) {
      try {
        return this.#execute(query);
      } catch (error) {
        const busy = error instanceof Error && /database (table )?is locked/.test(error.message);
        // Within a transaction the lock is ours already: waiting would change nothing.
        if (!busy || this.database.isTransaction || performance.now() > deadline) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, BUSY_DELAY));
    }
  }

  #execute<R>(query: CompiledQuery): QueryResult<R> {
    const { statement, reads } = this.#prepare(query.sql);
    const parameters = query.parameters as SQLInputValue[];
    if (reads) return { rows: statement.all(...parameters) as R[] };
    const { changes } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  // deno-lint-ignore require-yield -- part of the interface, and not used: scans read in batches
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    await Promise.reject(new Error("Cannot stream: SQLite shares one connection"));
  }

  #prepare(text: string): { statement: StatementSync; reads: boolean } {
    const known = this.#statements.get(text);
    if (known) return known;
    const statement = this.database.prepare(text);
    const prepared = { statement, reads: statement.columns().length > 0 };
    this.#statements.set(text, prepared);
    if (this.#statements.size > MAX_STATEMENTS) {
      this.#statements.delete(this.#statements.keys().next().value!);
    }
    return prepared;
  }
}

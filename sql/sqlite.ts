// Opens SQLite: Kysely's driver over node:sqlite, with one connection and immediate transactions.
import { setImmediate } from "node:timers";
import type { DatabaseSync } from "node:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Database } from "./dialect.ts";
import type { LocalFile, Run } from "./engine.ts";
import {
  assertInTransaction,
  BEGIN,
  type FileOptions,
  inTransaction,
  openFile,
  PreparedStatements,
  withTable,
} from "./sqlite_file.ts";
import { WriteAheadLog } from "./sqlite_log.ts";
import { WriterThread } from "./writer_thread.ts";
import { delay } from "../core/delay.ts";

/** Milliseconds to wait for another process that writes. SQLite's own waiting would stop the event loop. */
const BUSY_TIMEOUT = 5000;
/** Milliseconds between tries. */
const BUSY_DELAY = 5;

export interface OpenSqlite extends LocalFile {
  readonly db: Kysely<Database>;
  /** A number that changes when another connection changes the database. */
  dataVersion(): number;
  /** Null where the database is in memory, which no other thread sees. */
  readonly writer: WriterThread | null;
  /** Null where commits get to the disk by themselves or never. */
  readonly log: WriteAheadLog | null;
  /** The rows of a query that runs when no transaction is open, so that it sees nothing that may be taken back. */
  committed<R>(query: CompiledQuery): Promise<R[]>;
}

/** @param path A file, or `:memory:`. Directories above a file are created. */
export function openSqlite(path: string, { lazy = false }: FileOptions = {}): OpenSqlite {
  const inMemory = path === ":memory:";
  const database = openFile(path, { lazy: true });
  const dataVersion = database.prepare("pragma data_version");
  const writer = inMemory ? null : new WriterThread(path);
  const log = inMemory || lazy ? null : new WriteAheadLog(
    path,
    database,
    (work) => db.connection().execute(work),
  );
  const driver = new NodeSqliteDriver(database, writer, log);
  const db: Kysely<Database> = new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  return {
    db,
    writer,
    log,
    dataVersion: () => dataVersion.get()!.data_version as number,
    async committed<R>(query: CompiledQuery) {
      const connection = await driver.acquireConnection();
      while (inTransaction(database)) await new Promise<void>((resolve) => setImmediate(resolve));
      // The statement runs before this function yields, so no transaction can begin in between.
      return (await connection.executeQuery<R>(query)).rows;
    },
    // Kysely's own would put some turns between one statement and the next.
    transaction: (work) => db.connection().execute(() => driver.transaction(work)),
  };
}

/** Kysely's driver, with what it lacks: waiting for other processes, immediate transactions, and their errors. */
class NodeSqliteDriver extends SqliteDriver {
  #connection: DatabaseConnection | undefined;

  constructor(
    readonly database: DatabaseSync,
    readonly writer: WriterThread | null,
    readonly log: WriteAheadLog | null,
  ) {
    super({ database: new PreparedStatements(database) });
  }

  override async destroy(): Promise<void> {
    await this.log?.close();
    await super.destroy();
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection ??= this.#patient(await super.acquireConnection());
  }

  /** To be called while `db` holds the connection. */
  async transaction<R>(work: (run: Run) => Promise<R>): Promise<R> {
    const connection = await this.acquireConnection();
    // Nobody else writes once it has begun: each statement runs when it is asked for, and in that order.
    const begun = await super.acquireConnection();
    await this.beginTransaction(connection);
    try {
      const result = await work(async (query) => {
        assertInTransaction(this.database);
        return await begun.executeQuery(query) as never;
      });
      await this.commitTransaction(connection);
      return result;
    } catch (error) {
      await this.rollbackTransaction(connection);
      throw error;
    }
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(BEGIN));
  }

  /** @throws With `table`, where a foreign key refers to nothing: SQLite's own error does not say. */
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.commitTransaction(connection);
    } catch (error) {
      throw error instanceof Error ? withTable(error, this.database) : error;
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

  /**
   * The connection, which tries again what fails because another process is writing, or a thread of this one: that is
   * waited for however long it takes.
   */
  #patient(connection: DatabaseConnection): DatabaseConnection {
    const executeQuery = async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
      let deadline = performance.now() + BUSY_TIMEOUT;
      for (;;) {
        try {
          return await connection.executeQuery<R>(query);
        } catch (error) {
          const busy = error instanceof Error && /database (table )?is locked/.test(error.message);
          const own = this.writer?.underWay;
          if (!busy || !own && performance.now() > deadline) throw error;
          if (own) {
            await own;
            deadline = performance.now() + BUSY_TIMEOUT;
            continue;
          }
        }
        await delay(BUSY_DELAY);
      }
    };
    return { executeQuery, streamQuery: connection.streamQuery.bind(connection) };
  }
}

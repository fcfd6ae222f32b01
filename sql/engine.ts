// What the parts of the relational engine share: the connection, the dialect, the memory, and errors in the port's terms.
import { type CompiledQuery, sql } from "kysely";
import {
  InvalidQuery,
  ReferenceConflict,
  StoreFull,
  StoreUnavailable,
  TooLarge,
  UniqueConflict,
  VersionConflict,
} from "../storage/port.ts";
import { Room } from "../storage/room.ts";
import type { Connection, Dialect } from "./dialect.ts";
import type { Memory } from "./memory.ts";
import type { WriteAheadLog } from "./sqlite_log.ts";
import { type Query, Statements } from "./statements.ts";
import type { Table } from "./tables.ts";

/** Runs a statement of a transaction. */
export type Run = <R>(
  query: CompiledQuery,
) => Promise<{ readonly rows: R[]; readonly numAffectedRows?: bigint }>;

/** Runs statements without waiting for the answers of earlier ones. */
export interface Pipelined {
  /** Runs a read, on a connection that it shares. */
  ask(text: string, parameters: readonly unknown[]): Promise<object[]>;
  /** Runs statements on a connection of their own: all or none of what they write. */
  transaction<R>(work: (run: Run) => Promise<R>): Promise<R>;
  end(): Promise<void>;
}

/** How SQLite writes. */
export interface LocalFile {
  /** Runs statements while nothing else runs on the connection: all or none of what they write. */
  readonly transaction: Pipelined["transaction"];
  /** Makes large commits; where there is none, they are made like all others. */
  readonly writer: Pick<Pipelined, "transaction"> | null;
  /** Brings to the disk what was committed; where there is none, a commit does. */
  readonly log: Pick<WriteAheadLog, "sync" | "assertWhole"> | null;
}

export class Engine {
  /** Tells the commits of this process from those of others. */
  origin: string = crypto.randomUUID();
  closed = false;
  readonly statements: Statements;
  #hasRead = false;

  constructor(
    readonly db: Connection,
    readonly dialect: Dialect,
    readonly memory: Memory,
    readonly clock: () => Date,
    /** The tables by the name of their collection. */
    readonly tables: Map<string, Table>,
    readonly room: Room = new Room(),
    /** Where it is absent, statements run one after the other on `db`. */
    readonly pipelined?: Pipelined,
    readonly sqlite?: LocalFile,
  ) {
    this.statements = new Statements(db);
  }

  /** To be called for each read on the connection that writes. */
  noteRead(): void {
    this.#hasRead = true;
  }

  /** Whether reads have come since this was last asked that an open transaction would hold up: those that share its connection. */
  hasRead(): boolean {
    const hasRead = this.#hasRead;
    this.#hasRead = false;
    return hasRead;
  }

  /** For reads that take milliseconds: others may wait behind them. @throws {StoreUnavailable} */
  async rows<R>(query: Query): Promise<R[]> {
    const { pipelined } = this;
    if (!pipelined) {
      this.noteRead();
      return await this.guard(() => this.#execute<R>(query));
    }
    const { sql: text, parameters } = this.statements.compile(query);
    return await this.guard(() => pipelined.ask(text, parameters)) as R[];
  }

  /** On a connection of its own, for what writes or may take long. @throws {StoreUnavailable} */
  async alone<R>(query: Query): Promise<R[]> {
    return await this.guard(async () => {
      const rows = await this.#execute<R>(query);
      await this.sqlite?.log?.sync();
      return rows;
    });
  }

  async #execute<R>(query: Query): Promise<R[]> {
    return (await this.db.executeQuery(this.statements.compile(query))).rows as R[];
  }

  /** Commits what the statements write, unless one of them fails or `work` throws. */
  async transaction<R>(
    work: (run: Run) => Promise<R>,
    { large }: { readonly large: boolean },
  ): Promise<R> {
    if (this.pipelined) return await this.pipelined.transaction(work);
    const { sqlite } = this;
    if (!sqlite) throw new Error("Cannot commit: this engine only reads");
    if (large && sqlite.writer) {
      await sqlite.log?.assertWhole();
      return await sqlite.writer.transaction(work);
    }
    const result = await sqlite.transaction(work);
    await sqlite.log?.sync();
    return result;
  }

  /** Ends the connections. */
  async end(): Promise<void> {
    await this.pipelined?.end();
    await this.db.destroy();
  }

  renewOrigin(): void {
    this.origin = crypto.randomUUID();
  }

  /** @throws {StoreUnavailable} Also where the database answers, and the tables are not there. */
  async ping(): Promise<void> {
    await this.rows(sql`select 1 from journal limit 1`);
    this.room.assert();
  }

  /** Runs statements, and gives their errors the port's types. */
  async guard<R>(run: () => Promise<R>): Promise<R> {
    if (this.closed) throw new StoreUnavailable("Cannot reach the store: it is closed");
    try {
      return await run();
    } catch (error) {
      throw this.room.noting(this.translate(error));
    }
  }

  translate(error: unknown): unknown {
    if (isTyped(error)) return error;
    const failure = this.dialect.classify(error);
    const because = error instanceof Error ? error.message : String(error);
    switch (failure.kind) {
      case "unavailable":
        return new StoreUnavailable(`Cannot reach the store: ${because}`, { cause: error });
      case "full":
        return new StoreFull({ cause: error });
      case "value":
        // The database's own message names its tables: it is kept as the cause and not shown to the caller.
        return new InvalidQuery("Cannot use a value: it does not fit its column", { cause: error });
      case "reference":
        return new ReferenceConflict(this.#collectionOf(failure.table));
      default:
        return error;
    }
  }

  tableOf(collection: string): Table {
    const table = this.tables.get(collection);
    if (!table) throw new Error(`Cannot commit: there is no collection ${collection}`);
    return table;
  }

  #collectionOf(tableName: string): string {
    for (const [collection, { name }] of this.tables) if (name === tableName) return collection;
    return tableName;
  }
}

function isTyped(error: unknown): boolean {
  return [
    InvalidQuery,
    ReferenceConflict,
    StoreUnavailable,
    TooLarge,
    UniqueConflict,
    VersionConflict,
  ].some((type) => error instanceof type);
}

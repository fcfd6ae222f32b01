// What the parts of the relational engine share: the connection, the dialect, the memory, and errors in the port's terms.
import { type RawBuilder, sql } from "kysely";
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
import type { Table } from "./tables.ts";

/** What reads of one statement are asked of. */
export interface Reads {
  ask(text: string, parameters: readonly unknown[]): Promise<object[]>;
  end(): Promise<void>;
}

export class Engine {
  /** Tells the commits of this process from those of others. */
  origin: string = crypto.randomUUID();
  closed = false;
  constructor(
    readonly db: Connection,
    readonly dialect: Dialect,
    readonly memory: Memory,
    readonly clock: () => Date,
    /** The tables by the name of their collection. */
    readonly tables: Map<string, Table>,
    readonly room: Room = new Room(),
    /** Runs short reads, which share connections; without it they run like all others. */
    readonly reads?: Reads,
  ) {}

  /** For reads that take milliseconds: others may wait behind them. @throws {StoreUnavailable} */
  async rows<R>(query: RawBuilder<unknown>): Promise<R[]> {
    const { reads } = this;
    if (!reads) return await this.alone(query);
    const { sql: text, parameters } = query.compile(this.db);
    return await this.guard(() => reads.ask(text, parameters)) as R[];
  }

  /** On a connection of its own, for what writes or may take long. @throws {StoreUnavailable} */
  async alone<R>(query: RawBuilder<unknown>): Promise<R[]> {
    return await this.guard(async () => (await query.execute(this.db)).rows as R[]);
  }

  /** Ends the connections. */
  async end(): Promise<void> {
    await this.reads?.end();
    await this.db.destroy();
  }

  renewOrigin(): void {
    this.origin = crypto.randomUUID();
  }

  /** @throws {StoreUnavailable} */
  async ping(): Promise<void> {
    await this.rows(sql`select 1`);
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

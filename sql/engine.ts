// What the parts of the relational engine share: the connection, the dialect, the memory, and errors in the port's terms.
import { type RawBuilder, sql } from "kysely";
import {
  InvalidQuery,
  ReferenceConflict,
  StoreUnavailable,
  TooLarge,
  UniqueConflict,
  VersionConflict,
} from "../store.ts";
import type { Connection, Dialect } from "./dialect.ts";
import type { Memory } from "./memory.ts";
import type { Table } from "./tables.ts";

export class Engine {
  /** Tells the commits of this process from those of others. */
  origin: string = crypto.randomUUID();
  closed = false;

  constructor(
    readonly db: Connection,
    readonly dialect: Dialect,
    readonly memory: Memory,
    readonly clock: () => Date,
    /** By name of the collection. */
    readonly tables: Map<string, Table>,
  ) {}

  /** @throws {StoreUnavailable} */
  async rows<R>(query: RawBuilder<unknown>): Promise<R[]> {
    return await this.guard(async () => (await query.execute(this.db)).rows as R[]);
  }

  renewOrigin(): void {
    this.origin = crypto.randomUUID();
  }

  /** @throws {StoreUnavailable} */
  async ping(): Promise<void> {
    await this.rows(sql`select 1`);
  }

  /** Runs statements, and gives their errors the port's types. */
  async guard<R>(run: () => Promise<R>): Promise<R> {
    if (this.closed) throw new StoreUnavailable("Cannot reach the store: it is closed");
    try {
      return await run();
    } catch (error) {
      throw this.translate(error);
    }
  }

  translate(error: unknown): unknown {
    if (isTyped(error)) return error;
    const failure = this.dialect.classify(error);
    const because = error instanceof Error ? error.message : String(error);
    switch (failure.kind) {
      case "unavailable":
        return new StoreUnavailable(`Cannot reach the store: ${because}`, { cause: error });
      case "value":
        // The database's own words tell of its tables: they are for the cause alone.
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

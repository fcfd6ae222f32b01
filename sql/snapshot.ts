// Reads a whole database on Postgres as it is at one position of its journal, while others write.
import { sql } from "kysely";
import { allCollections } from "../models/all.ts";
import type { CopySource } from "../storage/copying.ts";
import type { CollectionDeclaration, Entity } from "../storage/port.ts";
import { Room } from "../storage/room.ts";
import { assertFinished } from "../storage/state.ts";
import { SqlBlobs } from "./blobs.ts";
import { postgresDialect } from "./dialect.ts";
import { Engine } from "./engine.ts";
import { positionOf } from "./feed.ts";
import { Memory } from "./memory.ts";
import { SqlNotes } from "./notes.ts";
import { openPostgres } from "./postgres.ts";
import { SqlReader } from "./reader.ts";
import { tableOf } from "./tables.ts";

/**
 * @param work Gets the database in one transaction, which sees nothing that is committed after it has begun, and the
 * position in the journal that it sees.
 * @throws {StoreUnfinished} A copy into it was not finished: a copy of it would not be known for a part.
 */
export async function withPostgresSnapshot<R>(
  url: string,
  work: (source: CopySource, position: string) => Promise<R>,
): Promise<R> {
  const { db, pipelined, description, unhurried } = openPostgres(url);
  const { db: patient, readChunks } = unhurried();
  try {
    return await patient.transaction().setIsolationLevel("repeatable read")
      .setAccessMode("read only").execute(async (tx) => {
        const tables = new Map(allCollections.map((of) => [of.name, tableOf(of)]));
        const memory = new Memory(0);
        const clock = () => new Date();
        const engine = new Engine(tx, postgresDialect, memory, clock, tables, new Room());
        const source = {
          engine: `Postgres (${description})`,
          blobs: new SqlBlobs(engine, readChunks),
          from: <T extends Entity>({ name }: CollectionDeclaration<T>) =>
            new SqlReader<T>(engine, engine.tableOf(name)),
        };
        await assertFinished({ engine: source.engine, notes: new SqlNotes(engine) });
        const [last] = await engine.rows<{ seq: number | null }>(
          sql`select max(seq) as seq from journal`,
        );
        return await work(source, last?.seq ? positionOf(last.seq) : "");
      });
  } finally {
    await patient.destroy();
    await pipelined.end();
    await db.destroy();
  }
}

// Loads many records in a few large commits, for copies and demos, and names one that the database does not take.
import { MIB } from "../core/units.ts";
import {
  type Actor,
  type Change,
  type CollectionDeclaration,
  type Entity,
  InvalidQuery,
} from "../storage/port.ts";
import type { Committer } from "./committer.ts";
import { memoryOf } from "./tables.ts";

/** The most records, and the most bytes of them, in one commit. */
const BATCH = { records: 1000, bytes: 8 * MIB };

const SERVER: Actor = { userId: null };

/** @returns How many records that were. @throws {InvalidQuery} With the id of a record that does not fit. */
export async function loadRecords<T extends Entity>(
  committer: Committer,
  { name: collection }: CollectionDeclaration<T>,
  records: Iterable<Omit<T, "rev">> | AsyncIterable<Omit<T, "rev">>,
): Promise<number> {
  let loaded = 0;
  let bytes = 0;
  let batch: Insert[] = [];
  const flush = async () => {
    if (batch.length > 0) await commitBatch(committer, batch);
    loaded += batch.length;
    batch = [];
    bytes = 0;
  };
  for await (const record of records) {
    const after = { ...record, rev: "" } as unknown as Entity;
    batch.push({ kind: "insert", collection, after });
    bytes += memoryOf(after);
    if (batch.length >= BATCH.records || bytes >= BATCH.bytes) await flush();
  }
  await flush();
  return loaded;
}

type Insert = Extract<Change, { kind: "insert" }>;

async function commitBatch(committer: Committer, batch: readonly Insert[]): Promise<void> {
  try {
    await committer.commit(batch, SERVER, false);
  } catch (error) {
    if (!(error instanceof InvalidQuery)) throw error;
    // The database tells the value alone: one by one, the record is found that has it.
    for (const insert of batch) {
      await committer.commit([insert], SERVER, false).catch((error) => {
        throw error instanceof InvalidQuery ? named(error, insert) : error;
      });
    }
  }
}

function named(error: InvalidQuery, { collection, after }: Insert): InvalidQuery {
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return new InvalidQuery(`Cannot store ${collection} ${after.id}${cause}`, { cause: error });
}

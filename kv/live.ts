// A store on a KV server as it is copied while others write: read beside memory, where older states may be.
import { allCollections } from "../models/all.ts";
import type { LiveSource } from "../storage/live.ts";
import { assertFinished } from "../storage/state.ts";
import { Access } from "./access.ts";
import { KvBlobs } from "./blobs.ts";
import { Client } from "./client.ts";
import { Gate } from "./gate.ts";
import { Journal } from "./journal.ts";
import { LargeCommits } from "./large_commit.ts";
import { holdLayout, KvNotes } from "./notes.ts";
import { describeKv, openKv } from "./store.ts";
import { Unreadable } from "./unreadable.ts";

/**
 * @param url Of the KV server.
 * @throws {StoreUnavailable} The server cannot be reached.
 * @throws {StoreUnfinished} A copy into the store was not finished.
 * @throws {Error} The store has the layout of a newer program.
 */
export async function withLiveKv<R>(
  url: string,
  work: (source: LiveSource) => Promise<R>,
): Promise<R> {
  const client = new Client(await openKv(url, true));
  try {
    const notes = new KvNotes(client);
    await holdLayout(notes);
    const source = liveKv(client, url);
    await assertFinished({ engine: source.engine, notes });
    return await work(source);
  } finally {
    client.close();
  }
}

function liveKv(client: Client, url: string): LiveSource {
  const journal = new Journal(client);
  const large = new LargeCommits(client, true);
  const unreadable = new Unreadable(allCollections);
  const access = new Access(client, new Gate(), large, true, unreadable);
  return {
    engine: `Deno KV (${describeKv(url)})`,
    blobs: new KvBlobs(client, () => new Date()),
    position: () => journal.last(),
    changes: (after, atLeast, upTo) => journal.read(after, atLeast, upTo),
    scan: async ({ name }, after, limit) =>
      (await access.scan(name, after, limit)).map(({ record }) => record),
    records: async ({ name }, ids) =>
      (await access.records(name, ids)).map((found) => found?.record ?? null),
    unreadable: () =>
      Array.from(
        unreadable.all(),
        ({ collection, id, problem }) => `${collection} ${id}: ${problem}`,
      ),
    hold: (work) => large.hold(work),
  };
}

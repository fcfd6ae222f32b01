// Files on their way into another store: read once each, and told apart by who is to blame when one cannot be copied.
import assert from "node:assert/strict";
import { sha256 } from "../../core/hashing.ts";
import { events } from "../../models/calendar.ts";
import { copyFile, copyStore } from "../../storage/copying.ts";
import { openStore } from "../../storage/open.ts";
import { type Blobs, type Store, StoreUnavailable } from "../../storage/port.ts";
import { journalOf } from "../../storage/state.ts";
import { addRoles, postgresDatabase } from "../sql/databases.ts";
import { addPerson, server } from "./people.ts";

const bytes = new Uint8Array(700_000).fill(7);
const expected = { sha256: sha256(bytes), size: bytes.length };

/** A store of one file, whose bytes come in pieces. */
function sourceOf(pieces: Iterable<Uint8Array>): Pick<Store, "blobs"> & { reads: number } {
  const source = {
    reads: 0,
    blobs: {
      get() {
        source.reads++;
        return Promise.resolve(ReadableStream.from(pieces));
      },
    } as unknown as Blobs,
  };
  return source;
}

function* endingIn(error: Error): Iterable<Uint8Array> {
  yield bytes.subarray(0, 300_000);
  throw error;
}

async function withTarget(run: (to: Store) => Promise<void>): Promise<void> {
  for (const url of ["kv::memory:", "sqlite::memory:"]) {
    const to = await openStore({ url });
    await run(to);
    await to.close();
  }
}

Deno.test("copying a file: its source is read once", () =>
  withTarget(async (to) => {
    const source = sourceOf([bytes.subarray(0, 300_000), bytes.subarray(300_000)]);
    assert.equal(await copyFile(source, to, "blob", expected), true);
    assert.equal(source.reads, 1);
    assert.deepEqual(await new Response(await to.blobs.get("blob")).bytes(), bytes);
  }));

Deno.test("copying a file: one that is damaged in the source leaves nothing in the target", () =>
  withTarget(async (to) => {
    for (const pieces of [[bytes.with(9, 8)], [bytes.subarray(1)], endingIn(new Error("gone"))]) {
      assert.equal(await copyFile(sourceOf(pieces), to, "blob", expected), false);
      assert.equal(await to.blobs.get("blob"), null);
      assert.deepEqual(await Array.fromAsync(to.blobs.list()), []);
    }
    const empty = { blobs: { get: () => Promise.resolve(null) } as unknown as Blobs };
    assert.equal(await copyFile(empty, to, "blob", expected), false);
  }));

Deno.test("copying a file: a store that cannot be reached, or written, is no damaged file", () =>
  withTarget(async (to) => {
    const away = sourceOf(endingIn(new StoreUnavailable("away")));
    await assert.rejects(copyFile(away, to, "blob", expected), StoreUnavailable);
    assert.equal(await to.blobs.get("blob"), null);
    const blobs = { put: () => Promise.reject(new Error("full")) } as unknown as Blobs;
    const full = { blobs } as Store;
    await assert.rejects(copyFile(sourceOf([bytes]), full, "blob", expected), /full/);
  }));

Deno.test("copying a store: each copy has a journal of its own, and keeps it", async () => {
  const from = await openStore({ url: "sqlite::memory:" });
  assert.equal(await journalOf(from), "");
  const names = new Set<string>();
  for (let n = 0; n < 2; n++) {
    await withTarget(async (to) => {
      await copyStore(from, to);
      names.add(await journalOf(to));
      assert.equal(await journalOf(to), [...names].at(-1));
    });
  }
  assert.equal(names.size, 4);
  assert.ok([...names].every((name) => /^[0-9a-f]{8}$/.test(name)), [...names].join());
  await from.close();
});

Deno.test("copying to Postgres: a record that it does not take is named, with the value", async () => {
  const database = await postgresDatabase();
  const from = await openStore({ url: "kv::memory:" });
  const to = await openStore({ url: database.url, acceptUnfinished: true });
  try {
    await addRoles(from);
    const { id: ownerId } = await addPerson(from, "Ann");
    // Of a program that took the year 0000.
    const year = (year: string) => ({
      start: `${year}-03-01T00:00:00.000Z`,
      end: "2026-03-02T00:00:00.000Z",
    });
    const event = { title: "Founded", type: "holiday", allDay: true, ownerId } as const;
    const old = await from.transact(server, (tx) => {
      tx.insert(events, { ...event, ...year("0001") });
      return tx.insert(events, { ...event, ...year("0000") });
    });
    await assert.rejects(
      copyStore(from, to),
      ({ message }: Error) =>
        message.includes(`events ${old.id}`) && message.includes('"0000-03-01'),
    );
  } finally {
    await from.close();
    await to.close();
    await database.drop();
  }
});

// Backups of a store on a KV server that several processes write to: each is the store at one position, or there is none.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Client } from "../../../../kv/client.ts";
import { type Content, contents } from "../../../../models/files.ts";
import { folders } from "../../../../models/folders.ts";
import { backupPath } from "../../../../services/backups/folder.ts";
import { restoreBackup } from "../../../restored.ts";
import { CopyError } from "../../../../storage/copying.ts";
import type { LiveSource } from "../../../../storage/live.ts";
import { copyLive } from "../../../../storage/live_copy.ts";
import { openStore, withLive } from "../../../../storage/open.ts";
import { type Store, StoreUnavailable } from "../../../../storage/port.ts";
import { Spool } from "../../../../storage/spool.ts";
import { kvConnectDatabase } from "../../../shared_databases.ts";
import { sqliteFile } from "../../../sql/databases.ts";
import { openMemory } from "../../../storage/open.ts";
import { server as actor } from "../../../storage/people.ts";
import { pause, until } from "../../../until.ts";
import { BusyWriter, Ledger } from "./busy_writers.ts";
import { assertIs, type SharedStore, sharedStore } from "./shared_store.ts";
import {
  addContent,
  everything,
  kvFile,
  manifestOf,
  namesIn,
  scene,
} from "../../../services/backups/stores.ts";

const MOMENT = "2026-01-01T00:00:00.000Z";
const AT = { createdAt: MOMENT, updatedAt: MOMENT };

/** Both write until the work is done, and a little longer. */
async function beside<R>(writers: readonly BusyWriter[], work: Promise<R>): Promise<R> {
  let done = false;
  const ended = work.finally(() => done = true);
  const writing = writers.map(async (writer) => {
    while (!done) await writer.step();
    for (let n = 0; n < 14; n++) await writer.step();
  });
  await Promise.all([...writing, ended.catch(() => {})]);
  return await ended;
}

Deno.test("backup: of a KV server, while two processes write in every way, at one position", async () => {
  await using at = await sharedStore();
  const ledger = await Ledger.of(at.stores[0]);
  const writers = at.stores.map((store) => new BusyWriter(store, ledger, at.ownerId));
  for (const writer of writers) for (let n = 0; n < 14; n++) await writer.step();
  const { id, source, engine } = await beside(writers, at.take());
  const path = backupPath(at.folder, id)!;
  const { position } = await manifestOf(path);
  const [before, after] = ledger.around(position);
  assert.ok(before > 28 && after >= 28, `${before} before, ${after} after`);
  assert.deepEqual([source, engine], [`Deno KV (${at.server.url})`, "kv"]);
  assert.deepEqual(await namesIn(at.folder), [`${id}.qdbackup`, "backups.lock"]);

  const expected = ledger.at(position);
  for (const create of [kvFile, sqliteFile, kvConnectDatabase]) {
    await using to = await scene(async () => await create());
    await restoreBackup(path, to.url);
    const restored = await openStore({ url: to.url });
    await assertIs(restored, expected);
    await restored.close();
    await assert.rejects(restoreBackup(path, to.url), /an empty (store|place)/);
  }
});

/** Copies the store into one in memory. */
async function copied(
  at: SharedStore,
  between: (source: LiveSource) => Partial<LiveSource>,
): Promise<{ position: string; copy: Store }> {
  const copy = await openMemory();
  try {
    const position = await withLive(at.url, async (source) => {
      using spool = new Spool(join(at.folder, "records"));
      return await copyLive({ ...source, ...between(source) }, copy, spool);
    });
    return { position, copy };
  } catch (error) {
    await copy.close();
    throw error;
  }
}

Deno.test("backup: of a KV server, it gives up when others write faster, and holds nobody up", async () => {
  await using at = await sharedStore();
  let held = 0;
  let named = 0;
  const writing = (source: LiveSource): Partial<LiveSource> => ({
    async position() {
      const names = Array.from({ length: 300 }, () => `folder-${named++}`);
      await at.stores[0].load(
        folders,
        names.map((id) => ({ id, name: id, ownerId: at.ownerId, slot: id, ...AT })),
      );
      return await source.position();
    },
    hold(work) {
      held++;
      return source.hold(work);
    },
  });
  await assert.rejects(copied(at, writing), (error: Error) => {
    assert.ok(error instanceof CopyError);
    assert.match(error.message, /^Cannot copy Deno KV .*: others write to it faster/);
    return true;
  });
  assert.equal(held, 0);
});

Deno.test("backup: of a KV server, what is much or slow is no reason to let all wait", async () => {
  await using at = await sharedStore();
  const [store] = at.stores;
  const ends: unknown[] = [];
  let slow = false;
  const { position, copy } = await copied(at, (source) => ({
    async hold(work) {
      const count = ends.length === 0 ? 600 : 1;
      await store.load(
        folders,
        Array.from({ length: count }, (_, n) => {
          const id = `${ends.length}-${n}`;
          return { id, name: id, ownerId: at.ownerId, slot: id, ...AT };
        }),
      );
      slow = ends.length === 1;
      const end = await source.hold(work);
      slow = false;
      ends.push(end);
      return end;
    },
    async records(...asked) {
      // Longer than anybody is to wait.
      if (slow) await pause(2100);
      return await source.records(...asked);
    },
  }));
  assert.deepEqual(ends, [null, null, position]);
  await assertIs(copy, await everything(store));
  await copy.close();
});

Deno.test("backup: of a KV server, nobody commits while the last of the journal is followed", async () => {
  await using at = await sharedStore();
  const [store, other] = at.stores;
  const old = { id: "old", name: "old", ownerId: at.ownerId, slot: "old", rev: "", ...AT };
  let late: Promise<string> | null = null;
  let holding = false;
  let expected: Record<string, unknown[]> = {};
  const { position, copy } = await copied(at, (source) => ({
    async hold(work) {
      await store.load(folders, [old]);
      expected = await everything(store);
      const before = (await other.from(folders).get(old.id))!;
      return await source.hold(async () => {
        holding = true;
        const result = await work();
        holding = false;
        assert.notEqual(late, null);
        assert.deepEqual(await store.from(folders).get(old.id), before);
        return result;
      });
    },
    async changes(...asked) {
      if (holding && late === null) {
        const called = at.server.calls.atomic_write;
        const before = (await other.from(folders).get(old.id))!;
        const after = { ...before, name: "new" };
        const change = { kind: "update", collection: folders.name, before, after } as const;
        late = other.commit([change], { actor });
        await until(() => at.server.calls.atomic_write > called);
      }
      return await source.changes(...asked);
    },
  }));
  assert.ok(await late! > position);
  await assertIs(copy, expected);
  assert.equal((await store.from(folders).list()).rows[0]!.name, "new");
  await copy.close();
});

Deno.test("backup: of a KV server, a file that is removed before its bytes are copied is in none", async () => {
  await using at = await sharedStore();
  const [store] = at.stores;
  const ends: unknown[] = [];
  const { position, copy } = await copied(at, (source) => ({
    async hold(work) {
      if (ends.length > 0) return await source.hold(work);
      await addContent(store, 9, 100_000);
      ends.push(await source.hold(work));
      const added = (await store.from(contents).list({ limit: 10 })).rows
        .find(({ size }: Content) => size === 100_000)!;
      await store.commit([{ kind: "remove", collection: contents.name, before: added }], { actor });
      await store.blobs.remove(added.blobId);
      return ends[0] as Awaited<ReturnType<typeof work>>;
    },
  }));
  assert.ok(position > String(ends[0]));
  await assertIs(copy, await everything(store));
  await copy.close();
});

Deno.test("backup: of a KV server, connections that are cut make none of it wrong", async () => {
  await using at = await sharedStore();
  const expected = await everything(at.stores[0]);
  let calls = 0;
  const faults = ["answer lost", "answer cut", "lost"] as const;
  at.server.fault = (method) =>
    method === "metadata" || ++calls % 11 !== 0 ? undefined : faults[(calls / 11) % faults.length];
  const { id } = await at.take();
  at.server.fault = () => undefined;
  assert.ok(calls > 33);
  await using to = await scene(kvFile);
  await restoreBackup(backupPath(at.folder, id)!, to.url);
  const restored = await openStore({ url: to.url });
  await assertIs(restored, expected);
  await restored.close();
});

Deno.test("backup: of a KV server that is gone, there is none, and the reason is told", async () => {
  await using at = await sharedStore();
  at.server.stop();
  await assert.rejects(at.take(), (error: Error) => {
    assert.ok(error instanceof StoreUnavailable);
    assert.match(error.message, /^Cannot reach Deno KV: /);
    return true;
  });
  assert.deepEqual(await namesIn(at.folder), ["backups.lock"]);
  at.server.resume();
});

Deno.test("backup: of a KV server, what is damaged there is named, and no backup is made", async () => {
  await using at = await sharedStore();
  const { rows: [content] } = await at.stores[0].from(contents).list();
  await at.stores[0].blobs.remove(content!.blobId);
  await assert.rejects(at.take(), /the bytes of 1 files are missing/);
  await at.stores[0].commit([{ kind: "remove", collection: contents.name, before: content! }], {
    actor,
  });
  await at.take();
  const client = new Client(await Deno.openKv(at.server.url));
  await client.commit([{ kind: "set", key: ["folders", "odd"], value: "{}" }]);
  client.close();
  await assert.rejects(at.take(), /of its records, 1 cannot be read: folders odd: it has no id$/);
  assert.equal((await namesIn(at.folder)).length, 2);
});

// The log of a file of SQLite: commits are acknowledged when the disk has them, and what the log holds goes into the file.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { delay } from "../../core/delay.ts";
import { MIB } from "../../core/units.ts";
import { tags } from "../../models/documents.ts";
import type { Engine } from "../../sql/engine.ts";
import { MAX_COMMITS, WriteAheadLog } from "../../sql/sqlite_log.ts";
import { openSqlStore } from "../../sql/store.ts";

import { type Store, StoreUnavailable } from "../../storage/port.ts";
import { server } from "../storage/people.ts";
import { until } from "../until.ts";
import { dropMigrated, migratedFile } from "./databases.ts";

Deno.test.afterAll(dropMigrated);

let made = 0;

/** Records of a commit that is made on a connection of its own. */
const LARGE = 2000;

function insert(store: Store, count = 1): Promise<void> {
  return store.transact(server, (tx) => {
    for (let n = 0; n < count; n++) tx.insert(tags, { name: `tag-${made++}` });
  });
}

async function withStore(
  run: (store: Store, path: string) => Promise<void>,
  { lazy }: { lazy?: boolean } = {},
): Promise<void> {
  const database = await migratedFile();
  const store = await openSqlStore({ url: database.url, lazy });
  try {
    await run(store, database.url.slice("sqlite:".length));
  } finally {
    await store.close();
    await database.drop();
  }
}

/** Runs work while `sync` stands for what brings a file to the disk, which it is given. */
async function withSync(
  sync: (original: () => Promise<void>) => Promise<void>,
  work: () => Promise<void>,
): Promise<void> {
  const { prototype } = Deno.FsFile;
  const { syncData } = prototype;
  prototype.syncData = function () {
    return sync(() => syncData.call(this));
  };
  try {
    await work();
  } finally {
    prototype.syncData = syncData;
  }
}

/** How often the log began anew: a number in its head. https://www.sqlite.org/fileformat2.html#the_wal_file_format */
async function beginnings(path: string): Promise<number> {
  using file = await Deno.open(`${path}-wal`);
  const head = new Uint8Array(32);
  await file.read(head);
  return new DataView(head.buffer).getUint32(12);
}

Deno.test("a commit is acknowledged when the disk has it; reads do not wait for the disk", () =>
  withStore(async (store) => {
    await insert(store);
    const { promise, resolve } = Promise.withResolvers<void>();
    let asked = 0;
    const sync = async (original: () => Promise<void>) => {
      asked++;
      await promise;
      await original();
    };
    await withSync(sync, async () => {
      let acknowledged = 0;
      const commits = [0, 1, 2].map(() => insert(store).then(() => acknowledged++));
      try {
        await until(() => asked > 0);
        assert.ok(await store.from(tags).count() > 0);
        assert.equal(await store.blobs.get("none"), null);
        assert.equal(acknowledged, 0);
      } finally {
        resolve();
      }
      await Promise.all(commits);
      assert.equal(await store.from(tags).count(), 4);
      assert.equal(asked, 1, "commits that wait together share a sync");
    });
  }));

Deno.test("a commit whose sync fails is reported as unavailable, and followed where it is there all the same", () =>
  withStore(async (store) => {
    await insert(store);
    await withSync(
      () => Promise.reject(new Error("EIO")),
      () => assert.rejects(insert(store), StoreUnavailable),
    );
    await until(async () => await store.from(tags).count() === 2);
    await insert(store);
    assert.equal(await store.from(tags).count(), 3);
  }));

Deno.test("after a failed sync nothing is acknowledged before the file has all of it and the log begins anew", () =>
  withStore(async (store, path) => {
    await insert(store);
    const first = await beginnings(path);
    const reader = new DatabaseSync(path);
    reader.exec("begin; select count(*) from tags");
    await withSync(
      () => Promise.reject(new Error("EIO")),
      () => assert.rejects(insert(store), StoreUnavailable),
    );
    await assert.rejects(insert(store), /what it holds is not in the file yet/);
    await assert.rejects(insert(store, LARGE), /what it holds is not in the file yet/);
    reader.close();
    await insert(store);
    assert.ok(await beginnings(path) > first);
    await until(async () => await store.from(tags).count() === 4);
  }));

Deno.test("what is written outside of transactions is synced as well; a lazy file syncs nothing", async () => {
  for (const lazy of [false, true]) {
    let syncs = 0;
    const sync = (original: () => Promise<void>) => {
      syncs++;
      return original();
    };
    await withSync(sync, () =>
      withStore(async (store) => {
        syncs = 0;
        await store.notes.set("a", "b");
        await insert(store);
        assert.equal(syncs, lazy ? 0 : 2);
      }, { lazy }));
  }
});

Deno.test("the log goes into the file beside commits and begins anew; while somebody reads what is older, it waits", () =>
  withStore(async (store, path) => {
    await insert(store);
    const size = (await Deno.stat(path)).size;
    const first = await beginnings(path);
    await until(async () => {
      await insert(store);
      return await beginnings(path) > first;
    });
    assert.ok((await Deno.stat(path)).size > size);

    const backup = new DatabaseSync(path);
    backup.exec("begin");
    const count = () => backup.prepare("select count(*) as n from tags").get()!.n;
    const seen = count();
    const second = await beginnings(path);
    for (let n = 0; n < 600; n++) await insert(store);
    assert.equal(count(), seen);
    assert.equal(await beginnings(path), second);
    backup.close();
    await until(async () => {
      await insert(store);
      return await beginnings(path) > second;
    });
  }));

Deno.test("a log that grows by much is taken in before many commits: a full disk had no room for what it held", () =>
  withStore(async (store, path) => {
    const bytes = new Uint8Array(MIB).fill(7);
    const options = { maxBytes: Infinity };
    for (let n = 0; n < 30; n++) await store.blobs.put(ReadableStream.from([bytes]), options);
    const { size } = await Deno.stat(`${path}-wal`);
    assert.ok(size < 16 * MIB, `${size} bytes of log`);
    await until(async () => (await Deno.stat(path)).size > 20 * MIB);
  }));

/** Runs work where a thread is only what `postMessage` makes of what it is told. */
async function withWorkers(
  postMessage: (this: Worker) => void,
  work: () => Promise<void>,
): Promise<void> {
  const { Worker } = globalThis;
  globalThis.Worker = class {
    postMessage = postMessage;
    terminate() {}
  } as unknown as typeof Worker;
  try {
    await work();
  } finally {
    globalThis.Worker = Worker;
  }
}

Deno.test("commits wait for a checkpoint that they have outrun", async () => {
  const { url, drop } = await migratedFile();
  const path = url.slice("sqlite:".length);
  const database = new DatabaseSync(path);
  database.exec("create table filler (n)");
  const { promise, resolve } = Promise.withResolvers<void>();
  const answer = async function (this: Worker) {
    await promise;
    this.onmessage!(new MessageEvent("message", { data: { whole: true } }));
  };
  await withWorkers(answer, async () => {
    const log = new WriteAheadLog(path, database, (work) => work());
    while (!log.isTakingIn) await log.sync();
    for (let n = 1; n < MAX_COMMITS; n++) await log.sync();
    let done = false;
    const waiting = log.sync().then(() => done = true);
    await delay(50);
    assert.equal(done, false);
    resolve();
    await waiting;
    await log.close();
  });
  database.close();
  await drop();
});

Deno.test("a store that is closed while a checkpoint is under way has all of its commits, and leaves no log", async () => {
  const database = await migratedFile();
  const path = database.url.slice("sqlite:".length);
  const store = await openSqlStore({ url: database.url });
  const { own } = store as unknown as { own: Engine };
  const log = own.sqlite!.log as WriteAheadLog;
  let commits = 0;
  for (; !log.isTakingIn; commits++) await insert(store);
  await store.close();
  assert.equal(await Deno.stat(`${path}-wal`).catch(() => null), null);
  const again = await openSqlStore({ url: database.url });
  assert.equal(await again.from(tags).count(), commits);
  await again.close();
  await database.drop();
});

Deno.test("without a thread, SQLite takes the log in by itself", async () => {
  const fail = () => {
    throw new Error("no thread");
  };
  await withWorkers(fail, async () => {
    await withStore(async (store) => {
      const { own } = store as unknown as { own: Engine };
      const pages = async () => {
        const { rows } = await sql<object>`pragma wal_autocheckpoint`.execute(own.db);
        return Number(Object.values(rows[0]!)[0]);
      };
      assert.equal(await pages(), 0);
      await until(async () => {
        await insert(store);
        return await pages() > 0;
      });
      await withSync(
        () => Promise.reject(new Error("EIO")),
        () => assert.rejects(insert(store), StoreUnavailable),
      );
      await insert(store);
    });
  });
});

// Backups under load and backups that are killed, by the commands, on every engine.
import assert from "node:assert/strict";
import { join } from "node:path";
import { contents } from "../../../../models/files.ts";
import { type Folder, folders } from "../../../../models/folders.ts";
import { backupIds, backupPath } from "../../../../services/backups/folder.ts";
import { restoreBackup } from "../../../restored.ts";
import { verifyStore } from "../../../../services/backups/verify.ts";
import { openStore } from "../../../../storage/open.ts";
import { StoreUnfinished } from "../../../../storage/state.ts";
import {
  addContent,
  everything,
  fill,
  kvFile,
  manifestOf,
  namesIn,
  said,
  scene,
  task,
} from "../../../services/backups/stores.ts";
import { postgresDatabase, sqliteFile } from "../../../sql/databases.ts";
import { kvConnectDatabase } from "../../../shared_databases.ts";
import { openDatabase } from "../../../sql/queries.ts";
import { server } from "../../../storage/people.ts";
import { pause, until } from "../../../until.ts";

const engines = {
  kv: kvFile,
  sqlite: sqliteFile,
  postgres: postgresDatabase,
  "KV Connect": () => Promise.resolve(kvConnectDatabase()),
};

for (const [name, create] of Object.entries(engines)) {
  Deno.test(`backup: under load it is the store at the position of its manifest (${name})`, async () => {
    await using at = await scene(create);
    const { url, folder } = at;
    const store = await openStore({ url });
    // So much that a file is copied in several steps.
    const ownerId = await fill(store, 20_000_000);
    const before = await everything(store);
    /** What each commit did to the folders and the contents. */
    const written: { position: string; folder?: Folder; removed?: string; blob?: boolean }[] = [];
    const live: Folder[] = [];
    async function step(n: number): Promise<void> {
      if (n % 7 === 0) {
        written.push({ position: await addContent(store, n % 256, 100_000), blob: true });
        return;
      }
      if (n % 3 === 0 && live.length > 0) {
        const old = live.shift()!;
        let position = "";
        await store.transact(server, async (tx) => {
          tx.remove(folders, (await tx.from(folders).get(old.id))!);
        }, (at) => position = at);
        written.push({ position, removed: old.id });
        return;
      }
      let position = "";
      const folder = await store.transact(
        server,
        (tx) => tx.insert(folders, { name: `F${n}`, ownerId, slot: `F${n}` }),
        (at) => position = at,
      );
      live.push(folder);
      written.push({ position, folder });
    }
    let n = 1;
    for (; n < 30; n++) await step(n);
    const running = said(await task("backup", ["--store", url, "--to", folder]));
    let done = false;
    running.finally(() => done = true);
    while (!done) {
      await step(n++);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const { code, text } = await running;
    assert.equal(code, 0, text);
    for (const end = n + 10; n < end; n++) await step(n);
    await store.close();

    const path = backupPath(folder, (await backupIds(folder))[0]!)!;
    const { position } = await manifestOf(path);
    const after = written.filter((one) => one.position > position);
    assert.ok(after.length >= 10 && after.length < written.length, `${after.length} after it`);
    const expected = new Set<string>();
    let blobs = before[contents.name]!.length;
    for (const one of written.filter((one) => one.position <= position)) {
      if (one.folder) expected.add(one.folder.id);
      if (one.removed) expected.delete(one.removed);
      if (one.blob) blobs++;
    }
    await using elsewhere = await scene(create);
    await restoreBackup(path, elsewhere.url);
    const restored = await openStore({ url: elsewhere.url });
    const found = await everything(restored);
    assert.deepEqual(
      new Set(found[folders.name]!.map((one) => (one as Folder).id)),
      expected,
    );
    const names = new Map(written.flatMap(({ folder }) => folder ? [[folder.id, folder]] : []));
    for (const one of found[folders.name]! as Folder[]) {
      assert.deepEqual({ ...one, rev: "" }, { ...names.get(one.id), rev: "" });
    }
    assert.equal(found[contents.name]!.length, blobs);
    const touched = [folders.name, contents.name, "auditLog", "storageUsage"];
    for (const [collection, records] of Object.entries(before)) {
      if (!touched.includes(collection)) assert.deepEqual(found[collection], records, collection);
    }
    assert.deepEqual(await Array.fromAsync(verifyStore(restored)), []);
    await restored.close();
  });
}

for (const [name, create] of Object.entries(engines)) {
  Deno.test(`backup: killed at any moment, it leaves the older ones, and the next removes what it left (${name})`, async () => {
    await using at = await scene(create);
    const store = await openStore({ url: at.url });
    await fill(store, 30_000_000);
    const expected = await everything(store);
    await store.close();
    const first = await at.take(1);
    const drafts = async () => (await namesIn(at.folder)).filter((name) => name.includes(".draft"));
    for (const milliseconds of [0, 20, 100]) {
      const child = await task("backup", ["--store", at.url, "--to", at.folder]);
      await until(async () => (await drafts()).length > 0);
      await pause(milliseconds);
      child.kill("SIGKILL");
      await child.output();
      const whole = (await backupIds(at.folder)).filter((id) => id !== first.id);
      for (const id of whole) await manifestOf(backupPath(at.folder, id)!);
      assert.ok((await backupIds(at.folder)).includes(first.id));
      for (const id of whole) await Deno.remove(backupPath(at.folder, id)!);
    }
    const next = await at.take();
    assert.deepEqual(await backupIds(at.folder), [next.id, first.id]);
    assert.deepEqual(await drafts(), []);
    const after = await openStore({ url: at.url });
    assert.deepEqual(await everything(after), expected);
    await after.close();
  });
}

/** Whether a copy has come so far. */
async function hasRoles(url: string): Promise<boolean> {
  const { query, close } = openDatabase(url);
  try {
    return (await query("select 1 from roles")).length > 0;
  } catch {
    // The table is not there yet.
    return false;
  } finally {
    await close();
  }
}

Deno.test("restore: killed at any moment, no server takes a part on Postgres for the whole", async () => {
  await using at = await scene(sqliteFile);
  const store = await openStore({ url: at.url });
  await fill(store, 30_000_000);
  const expected = await everything(store);
  await store.close();
  const backup = backupPath(at.folder, (await at.take()).id)!;
  let cut = 0;
  for (const milliseconds of [null, 0, 20, 60]) {
    await using to = await scene(postgresDatabase);
    const child = await task("restore", ["--from", backup, "--to", to.url]);
    if (milliseconds === null) {
      const names = () => namesIn(at.folder);
      await until(async () => (await names()).some((name) => name.endsWith(".restoring")));
    } else {
      await until(() => hasRoles(to.url));
      await pause(milliseconds);
    }
    child.kill("SIGKILL");
    await child.output();
    const opened = await openStore({ url: to.url }).catch((error) => error);
    if (opened instanceof StoreUnfinished) {
      cut++;
      assert.match(opened.message, /it holds only a part, because a copy from .* was not finished/);
      const again = await said(await task("restore", ["--from", backup, "--to", to.url]));
      assert.equal(again.code, 1, again.text);
      continue;
    }
    const found = await everything(opened);
    await opened.close();
    const empty = Object.values(found).every((records) => records.length === 0);
    if (!empty) assert.deepEqual(found, expected);
    // Nothing of it is there yet: it can be done again.
    else {
      const again = await said(await task("restore", ["--from", backup, "--to", to.url]));
      assert.equal(again.code, 0, again.text);
    }
  }
  assert.ok(cut > 0, "no restore was killed in the middle");
});

/** Bytes of the files in a folder whose names begin so. */
async function bytesOf(folder: string, name: string): Promise<number> {
  let bytes = 0;
  for await (const entry of Deno.readDir(folder)) {
    if (!entry.name.startsWith(name)) continue;
    // It may have gone since it was listed.
    bytes += (await Deno.stat(join(folder, entry.name)).catch(() => ({ size: 0 }))).size;
  }
  return bytes;
}

/** Kills a task once it has written so much. @returns Whether that ended it. */
async function killedAt(child: Deno.ChildProcess, written: () => Promise<boolean>) {
  let ended = false;
  const output = child.output().finally(() => ended = true);
  // Without pauses: it writes all in a few of them.
  while (!ended && !await written());
  try {
    child.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  const { code, signal, stderr } = await output;
  assert.ok(signal === "SIGKILL" || code === 0, new TextDecoder().decode(stderr));
  return signal === "SIGKILL";
}

for (const [name, create] of [["sqlite", sqliteFile], ["kv", kvFile]] as const) {
  Deno.test(`restore: killed at any moment, it leaves the place empty or has done all, and can be done again (${name})`, async () => {
    await using at = await scene(create);
    const store = await openStore({ url: at.url });
    await fill(store, 60_000_000);
    const expected = await everything(store);
    await store.close();
    const backup = backupPath(at.folder, (await at.take()).id)!;
    const { size } = await manifestOf(backup);
    let cut = 0;
    for (const part of [0, 0.3, 0.7, 1]) {
      const folder = join(at.folder, `to-${part}`);
      await Deno.mkdir(folder);
      const to = `${name}:${join(folder, "to.db")}`;
      const child = await task("restore", ["--from", backup, "--to", to]);
      const isKilled = await killedAt(
        child,
        async () =>
          (await namesIn(folder)).includes("to.db.restoring") &&
          await bytesOf(folder, "to.db.restoring") >= part * size,
      );
      const isThere = (await namesIn(folder)).includes("to.db");
      if (!isThere) {
        assert.ok(isKilled, "it has ended by itself, and nothing is there");
        cut++;
        const again = await said(await task("restore", ["--from", backup, "--to", to]));
        assert.equal(again.code, 0, again.text);
      }
      const left = (await namesIn(folder)).filter((name) => name.startsWith("to.db"));
      if (!isThere || !isKilled) assert.deepEqual(left, ["to.db"]);
      const restored = await openStore({ url: to });
      assert.deepEqual(await everything(restored), expected);
      await restored.close();
    }
    assert.ok(cut >= 2, `${cut} restores were killed in the middle`);
  });
}

for (
  const [from, create, name] of [["sqlite", sqliteFile, "kv"], ["kv", kvFile, "sqlite"]] as const
) {
  Deno.test(`restore: killed while a backup of ${from} is copied to ${name}, no server takes a part for the whole`, async () => {
    await using at = await scene(create);
    const store = await openStore({ url: at.url });
    await fill(store, 60_000_000);
    const expected = await everything(store);
    await store.close();
    const backup = backupPath(at.folder, (await at.take()).id)!;
    let cut = 0;
    for (const bytes of [10_000_000, 30_000_000, 50_000_000]) {
      const folder = join(at.folder, `to-${bytes}`);
      await Deno.mkdir(folder);
      const url = `${name}:${join(folder, "to.db")}`;
      const child = await task("restore", ["--from", backup, "--to", url]);
      const isKilled = await killedAt(
        child,
        async () =>
          (await namesIn(folder)).includes("to.db") &&
          await bytesOf(folder, "to.db") - await bytesOf(folder, "to.db.") >= bytes,
      );
      const opened = await openStore({ url }).catch((error) => error);
      if (opened instanceof StoreUnfinished) {
        assert.ok(isKilled);
        cut++;
        assert.match(
          opened.message,
          /it holds only a part, because a copy from .* was not finished/,
        );
        continue;
      }
      assert.deepEqual(await everything(opened), expected);
      await opened.close();
    }
    assert.ok(cut > 0, "no copy was killed in the middle");
  });
}

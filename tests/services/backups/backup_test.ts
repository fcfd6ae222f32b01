// Backups are one file that is proved before it is used, and come back whole or not at all.
import assert from "node:assert/strict";
import { statfsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { backupIds, backupPath } from "../../../services/backups/folder.ts";
import { BackupDamaged, partsOf, readManifest } from "../../../services/backups/manifest.ts";
import { NotEmpty } from "../../../services/backups/restore.ts";
import { restoreBackup } from "../../restored.ts";
import { openFile } from "../../../services/backups/source.ts";
import { takeBackup } from "../../../services/backups/take.ts";
import { contents } from "../../../models/files.ts";
import { KIB } from "../../../core/units.ts";
import { openStore } from "../../../storage/open.ts";
import { journalOf } from "../../../storage/state.ts";
import { postgresDatabase, sqliteFile } from "../../sql/databases.ts";
import { smallDisk } from "../../e2e/small_disk.ts";
import { server } from "../../storage/people.ts";
import { everything, fill, kvFile, manifestOf, namesIn, scene } from "./stores.ts";

const engines = { kv: kvFile, sqlite: sqliteFile, postgres: postgresDatabase };

/** A backup of the first comes back as each of the others. */
const EACH = [[sqliteFile, [kvFile, postgresDatabase]], [kvFile, [kvFile, sqliteFile]]] as const;

Deno.test("restore: to each engine from each", async () => {
  for (const [source, targets] of EACH) {
    await using at = await scene(source);
    const store = await openStore({ url: at.url });
    await fill(store);
    const expected = await everything(store);
    await store.close();
    const { id } = await at.take();
    for (const target of targets) {
      await using to = await scene(target);
      await restoreBackup(backupPath(at.folder, id)!, to.url);
      const restored = await openStore({ url: to.url });
      assert.deepEqual(await everything(restored), expected);
      await restored.close();
    }
  }
});

Deno.test("restore: only into an empty place; nothing is touched there, nor left", async () => {
  await using at = await scene(sqliteFile);
  const store = await openStore({ url: at.url });
  await fill(store);
  await store.close();
  const { id } = await at.take();
  const backup = backupPath(at.folder, id)!;
  const path = at.url.slice("sqlite:".length);
  const bytes = await Deno.readFile(path);
  await assert.rejects(restoreBackup(backup, at.url), NotEmpty);
  assert.deepEqual(await Deno.readFile(path), bytes);
  // The log of a file that is gone would be taken for one of the restored file.
  const bare = join(at.folder, "bare.db");
  await Deno.writeTextFile(`${bare}-wal`, "old");
  await assert.rejects(restoreBackup(backup, `sqlite:${bare}`), /there is a file .*bare.db-wal/);
  const empty = join(at.folder, "new", "store.db");
  await restoreBackup(backup, `sqlite:${empty}`);
  assert.deepEqual(await namesIn(join(at.folder, "new")), ["store.db"]);
  assert.equal((await Deno.stat(empty)).mode! & 0o777, 0o600);
});

Deno.test("restore: a disk without room is told with what is needed, and the place stays empty", async () => {
  await using at = await scene(sqliteFile);
  const store = await openStore({ url: at.url });
  const bytes = crypto.getRandomValues(new Uint8Array(64 * KIB));
  const large = new Blob(Array.from({ length: 64 }, () => bytes));
  await store.blobs.put(large.stream(), { maxBytes: large.size });
  await store.close();
  const path = backupPath(at.folder, (await at.take()).id)!;
  await using disk = await smallDisk(2);
  const url = `sqlite:${disk.folder}/store.db`;
  await assert.rejects(
    restoreBackup(path, url),
    new RegExp(`^Error: Cannot restore: the disk of ${disk.folder} has no room for \\d+ bytes\\. `),
  );
  assert.deepEqual(await namesIn(disk.folder), []);
  await disk.grow();
  await restoreBackup(path, url);
});

Deno.test("backup: a disk that fills while one is made is told as that of the backups", async () => {
  await using at = await scene(sqliteFile);
  await (await openStore({ url: at.url })).close();
  for (const filledAt of ["copy", "seal"]) {
    await using disk = await smallDisk(16);
    const ballast = `${disk.folder}/ballast`;
    const fill = (step: string) => {
      if (step !== filledAt) return;
      const { bavail, bsize } = statfsSync(disk.folder);
      Deno.writeFileSync(ballast, new Uint8Array(bavail * bsize));
    };
    const task = { url: at.url, folder: `${disk.folder}/backups`, keep: 7, now: Date.UTC(2026, 0) };
    await assert.rejects(
      takeBackup(task, fill),
      new Error(`Cannot back up: the disk of ${task.folder} is full`),
    );
    assert.deepEqual(await backupIds(task.folder), []);
    await Deno.remove(ballast);
    await takeBackup(task);
  }
});

Deno.test("restore: events of each restored store have ids of their own, though its journal came along", async () => {
  for (const create of [kvFile, sqliteFile]) {
    await using at = await scene(create);
    const store = await openStore({ url: at.url });
    await fill(store);
    const [former, position] = [await journalOf(store), store.position()];
    await store.close();
    const { id } = await at.take();
    const names = new Set([former]);
    for (let n = 0; n < 2; n++) {
      await using to = await scene(create);
      await restoreBackup(backupPath(at.folder, id)!, to.url);
      const restored = await openStore({ url: to.url });
      names.add(await journalOf(restored));
      assert.ok(await restored.entry(position));
      await restored.close();
    }
    assert.equal(names.size, 3);
  }
});

/** What a message says is damaged. */
const DAMAGED =
  /of its bytes \d+ to \d+ \(part \d+ of \d+\) some are not|its manifest is damaged|its end/;

for (const [name, create] of Object.entries(engines)) {
  Deno.test(`restore: one changed byte anywhere is found and named, and the place stays empty (${name})`, async () => {
    await using at = await scene(create);
    const store = await openStore({ url: at.url });
    await fill(store, 20_000_000);
    await store.close();
    const { id } = await at.take();
    const path = backupPath(at.folder, id)!;
    const whole = await Deno.readFile(path);
    const { size, parts } = await manifestOf(path);
    assert.ok(parts.length > 2);
    const look = async () => {
      using backup = await openFile(path);
      for await (const _part of partsOf(backup, await readManifest(backup)));
    };
    await look();
    using file = await Deno.open(path, { write: true });
    const put = async (at: number, byte: number) => {
      await file.seek(at, Deno.SeekMode.Start);
      await file.write(new Uint8Array([byte]));
    };
    const places = fc.oneof(
      fc.integer({ min: 0, max: size - 1 }),
      fc.integer({ min: size, max: whole.length - 1 }),
      fc.integer({ min: whole.length - 96, max: whole.length - 1 }),
    );
    await fc.assert(
      fc.asyncProperty(places, fc.integer({ min: 0, max: 7 }), async (at, bit) => {
        await put(at, whole[at]! ^ (1 << bit));
        const error = await look().then(() => null, (error) => error);
        assert.ok(error instanceof BackupDamaged);
        assert.match(error.message, DAMAGED);
        await put(at, whole[at]!);
      }),
      { numRuns: 150 },
    );

    await using to = await scene(create);
    for (const [n, place] of [100, size - 100, whole.length - 200, whole.length - 5].entries()) {
      await put(place, whole[place]! ^ 1);
      const message = n > 1 ? DAMAGED : new RegExp(
        `\\(part ${n === 0 ? 1 : parts.length} of ${parts.length}\\) some are not`,
      );
      await assert.rejects(restoreBackup(path, to.url), message);
      await put(place, whole[place]!);
    }
    await file.truncate(whole.length - 5);
    await assert.rejects(restoreBackup(path, to.url), /its end is damaged or missing/);
    const empty = await openStore({ url: to.url });
    assert.ok(Object.values(await everything(empty)).every((records) => records.length === 0));
    await empty.close();
    assert.deepEqual((await namesIn(at.folder)).filter((name) => name.includes("restoring")), []);
  });
}

Deno.test("backup: as many as are to be kept, one at a time, and none of what is not there", async () => {
  await using at = await scene(sqliteFile);
  const store = await openStore({ url: at.url });
  await fill(store, 1000);
  await store.close();
  for (let day = 1; day <= 5; day++) await at.take(Date.UTC(2026, 0, day));
  assert.deepEqual(await backupIds(at.folder), [
    "20260105T000000000Z",
    "20260104T000000000Z",
    "20260103T000000000Z",
  ]);
  const [a, b] = await Promise.allSettled([at.take(), at.take(Date.now() + 1)]);
  assert.deepEqual([a.status, b.status].sort(), ["fulfilled", "rejected"]);
  const lost = { url: "sqlite:/nowhere/at/all.db", folder: at.folder, keep: 3, now: Date.now() };
  await assert.rejects(takeBackup(lost), /Cannot open the data file \/nowhere\/at\/all.db/);
  await assert.rejects(
    takeBackup({ ...lost, url: "kv::memory:" }),
    /Cannot back up: a store in memory/,
  );
  assert.equal((await backupIds(at.folder)).length, 3);
});

Deno.test("backup: of Postgres, damaged files are named, and no backup is made", async () => {
  await using at = await scene(postgresDatabase);
  const store = await openStore({ url: at.url });
  await fill(store, 1000);
  const { rows: [content] } = await store.from(contents).list();
  await store.blobs.remove(content!.blobId);
  await assert.rejects(at.take(), ({ message }: Error) => {
    assert.match(message, /^Cannot copy Postgres .*: in the source, the bytes of 1 files are miss/);
    // What there is of the backup is removed, and nobody runs a command.
    assert.doesNotMatch(message, /target|command/);
    return true;
  });
  assert.deepEqual(await namesIn(at.folder), ["backups.lock"]);
  await store.commit([{ kind: "remove", collection: contents.name, before: content! }], {
    actor: server,
  });
  await at.take();
  await store.close();
});

Deno.test("backup: another connection of the process leaves the locks of Deno KV as they are", async () => {
  await using at = await scene(kvFile);
  const store = await openStore({ url: at.url });
  await fill(store, 1000);
  await at.take();
  // Taking the file out of WAL needs it alone: this is refused as long as the locks of the store stand.
  const script = `import { DatabaseSync } from "node:sqlite";
    const database = new DatabaseSync(Deno.args[0]);
    try { console.log(database.prepare("pragma journal_mode = delete").get().journal_mode); }
    catch (error) { console.log(error.message); }`;
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  await Deno.writeTextFile(file, script);
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-read", "--allow-write", file, at.url.slice("kv:".length)],
  }).output();
  assert.match(new TextDecoder().decode(stdout), /locked/);
  await Deno.remove(file);
  await store.close();
});

// The server makes backups by itself: when one is due, and in a thread that ends with the server.
import assert from "node:assert/strict";
import type { Settings } from "../../../config/settings.ts";
import { Backups } from "../../../services/backups/backups.ts";
import { backupIds, Folder, LOCK } from "../../../services/backups/folder.ts";
import { newestWhole } from "../../../services/backups/place.ts";
import { heldLock } from "../../../core/file_lock.ts";
import { openStore } from "../../../storage/open.ts";
import { DAY, HOUR } from "../../../core/units.ts";
import { TestClock } from "../../harness.ts";
import { openS3 } from "../../s3_server.ts";
import { sqliteFile } from "../../sql/databases.ts";
import { fill, kvFile, namesIn, scene } from "./stores.ts";
import { until } from "../../until.ts";

function backupsOf(
  at: { url: string; folder: string },
  clock: TestClock,
  { folder = at.folder, bucket = null, every = DAY }: Partial<Settings["backups"]> = {},
) {
  return new Backups({ storeUrl: at.url, backups: { every, keep: 2, folder, bucket } }, clock.now);
}

for (const [name, create] of [["kv", kvFile], ["sqlite", sqliteFile]] as const) {
  Deno.test(`backups: one is made when the newest is old enough, beside a store in use (${name})`, async () => {
    await using at = await scene(create);
    const store = await openStore({ url: at.url });
    await fill(store, 1000);
    const clock = new TestClock();
    const backups = backupsOf(at, clock);
    const first = await backups.look();
    assert.deepEqual(await backupIds(at.folder), [first!.id]);
    assert.equal(first!.position, store.position());
    // Whoever made it: another start of the server does not make one more.
    assert.equal(await backupsOf(at, clock).look(), null);
    clock.advance(DAY - 1);
    assert.equal(await backups.look(), null);
    clock.advance(1);
    const second = await backups.look();
    clock.advance(DAY);
    const third = await backups.look();
    assert.deepEqual(await backupIds(at.folder), [third!.id, second!.id]);
    await store.close();
  });
}

Deno.test("backups: after a failure the next try is an hour later", async () => {
  await using at = await scene(sqliteFile);
  const store = await openStore({ url: at.url });
  await fill(store, 1000);
  await store.close();
  const clock = new TestClock();
  const blocked = `${at.folder}/file`;
  await Deno.writeTextFile(blocked, "no folder");
  const backups = backupsOf(at, clock, { folder: `${blocked}/backups` });
  await assert.rejects(backups.look());
  assert.equal(await backups.look(), null);
  clock.advance(HOUR);
  await assert.rejects(backups.look());
  await Deno.remove(blocked);
  clock.advance(HOUR);
  assert.ok(await backups.look());
});

Deno.test("backups: the end of the server ends the one that is being made", async () => {
  await using at = await scene(sqliteFile);
  const store = await openStore({ url: at.url });
  await fill(store, 30_000_000);
  await store.close();
  const clock = new TestClock();
  const backups = backupsOf(at, clock);
  const made = backups.look();
  await until(async () => (await namesIn(at.folder)).includes("backups.lock"));
  backups.close();
  const first = await made;
  assert.equal((await backupIds(at.folder)).length, first ? 1 : 0);
  clock.advance(DAY);
  // The thread that was ended holds its lock until it is gone.
  await until(async () => await backups.look() !== null);
  assert.deepEqual((await namesIn(at.folder)).filter((name) => name.includes("draft")), []);
});

Deno.test("backups: what did not get into the bucket is sent an hour later, with what is due", async () => {
  await using s3 = await openS3();
  await using at = await scene(sqliteFile);
  const store = await openStore({ url: at.url });
  await fill(store, 1000);
  await store.close();
  const clock = new TestClock();
  const backups = backupsOf(at, clock, { bucket: s3.settings });
  s3.fault = () => ({ refuse: [403, "AccessDenied"] });
  await assert.rejects(backups.look(), /AccessDenied/);
  const [first] = await backupIds(at.folder);
  assert.match((await backups.shelf.get(first!))!.problem!, /AccessDenied/);
  s3.fault = () => null;
  assert.equal(await backups.look(), null);
  assert.equal(s3.objects.size, 0);
  clock.advance(HOUR);
  assert.equal(await backups.look(), null);
  assert.deepEqual([...s3.objects.keys()], [`team/nightly/${first}.qdbackup`]);
  const { places, problem } = (await backups.shelf.get(first!))!;
  assert.deepEqual([places, problem], [["folder", "bucket"], undefined]);
  // One that was deleted meanwhile is not sent.
  s3.fault = () => ({ refuse: [403, "AccessDenied"] });
  clock.advance(DAY);
  await assert.rejects(backups.look(), /AccessDenied/);
  s3.fault = () => null;
  await backups.remove((await backupIds(at.folder))[0]!);
  clock.advance(HOUR);
  const made = await backups.look();
  assert.equal(s3.objects.size, 2);
  assert.ok(s3.objects.has(`team/nightly/${made!.id}.qdbackup`));
});

Deno.test("backups: with a new folder the bucket tells when the newest was made", async () => {
  await using s3 = await openS3();
  await using at = await scene(sqliteFile);
  const store = await openStore({ url: at.url });
  await fill(store, 1000);
  await store.close();
  const clock = new TestClock();
  await backupsOf(at, clock, { bucket: s3.settings }).look();
  const again = backupsOf(at, clock, { bucket: s3.settings, folder: `${at.folder}/new` });
  clock.advance(DAY - 1);
  assert.equal(await again.look(), null);
  const asked = s3.seen.length;
  assert.equal(await again.look(), null);
  assert.equal(s3.seen.length, asked, "it is asked once");
  clock.advance(1);
  assert.ok(await again.look());
  // A bucket that does not answer keeps nobody from a backup.
  s3.fault = () => ({ refuse: [403, "AccessDenied"] });
  const alone = backupsOf(at, clock, { bucket: s3.settings, folder: `${at.folder}/newer` });
  await assert.rejects(alone.look(), /AccessDenied/);
  assert.equal((await backupIds(`${at.folder}/newer`)).length, 1);
});

Deno.test("backups: a bucket that is away for days keeps nobody from a backup in the folder", async () => {
  await using s3 = await openS3();
  await using at = await scene(sqliteFile);
  const store = await openStore({ url: at.url });
  await fill(store, 1000);
  await store.close();
  const clock = new TestClock();
  const backups = backupsOf(at, clock, { bucket: s3.settings });
  s3.fault = () => ({ refuse: [403, "AccessDenied"] });
  const made: string[] = [];
  for (let day = 0; day < 4; day++) {
    await assert.rejects(backups.look(), /AccessDenied/);
    const [newest] = await backupIds(at.folder);
    made.unshift(newest!);
    clock.advance(HOUR);
    await assert.rejects(backups.look(), /AccessDenied/);
    clock.advance(DAY - HOUR);
  }
  assert.equal(new Set(made).size, 4);
  assert.deepEqual(await backupIds(at.folder), made.slice(0, 2));
  // Back again it gets what there is, and waits for none of those that went meanwhile.
  s3.fault = () => null;
  const last = await backups.look();
  for (let n = 0; n < 3; n++) assert.equal(await backups.look(), null);
  assert.deepEqual(
    [...s3.objects.keys()].sort(),
    [made[0], last!.id].map((id) => `team/nightly/${id}.qdbackup`),
  );
});

Deno.test("backups: what a wrong clock dated years ahead neither stops others nor takes their place", async () => {
  await using s3 = await openS3("");
  await using at = await scene(sqliteFile);
  const store = await openStore({ url: at.url });
  await fill(store, 1000);
  await store.close();
  const ahead = ["20990101T000000000Z", "20990102T000000000Z"];
  for (const id of ahead) {
    await Deno.writeTextFile(`${at.folder}/${id}.qdbackup`, "made by a wrong clock");
    s3.objects.set(`${id}.qdbackup`, new Uint8Array(3));
  }
  const clock = new TestClock();
  const backups = backupsOf(at, clock, { bucket: s3.settings });
  const made: string[] = [];
  for (let day = 0; day < 3; day++) {
    made.push((await backups.look())!.id);
    assert.equal(await backups.look(), null);
    clock.advance(DAY);
  }
  const kept = [...made.slice(1), ...ahead];
  assert.deepEqual((await backupIds(at.folder)).sort(), kept);
  assert.deepEqual([...s3.objects.keys()].sort(), kept.map((id) => `${id}.qdbackup`));
});

Deno.test("backups: a damaged one counts for nothing, and takes the place of no whole one", async () => {
  await using s3 = await openS3("");
  await using at = await scene(sqliteFile);
  const store = await openStore({ url: at.url });
  await fill(store, 1000);
  await store.close();
  const clock = new TestClock();
  const backups = backupsOf(at, clock, { bucket: s3.settings });
  const made: string[] = [];
  const make = async () => made.push((await backups.look())!.id);
  await make();
  clock.advance(DAY);
  // One that is cut off, and one whose end was written over.
  for (const damage of [(all: Uint8Array) => all.subarray(0, 5000), zeroed]) {
    await make();
    const name = `${made.at(-1)}.qdbackup`, path = `${at.folder}/${name}`;
    const bytes = damage(await Deno.readFile(path));
    await Deno.writeFile(path, bytes);
    s3.objects.set(name, bytes);
    clock.advance(HOUR);
  }
  assert.equal(await newestWhole(new Folder(at.folder), made), made[0]);
  clock.advance(DAY - HOUR);
  await make();
  assert.deepEqual((await backupIds(at.folder)).sort(), made);
  assert.deepEqual([...s3.objects.keys()].sort(), made.map((id) => `${id}.qdbackup`));
  clock.advance(DAY);
  await make();
  const kept = made.slice(-2);
  assert.deepEqual((await backupIds(at.folder)).sort(), kept);
  assert.deepEqual([...s3.objects.keys()].sort(), kept.map((id) => `${id}.qdbackup`));
});

function zeroed(all: Uint8Array): Uint8Array {
  return all.fill(0, -100);
}

Deno.test("backups: what comes later since another process makes one is no failure", async () => {
  await using at = await scene(sqliteFile);
  const store = await openStore({ url: at.url });
  await fill(store, 1000);
  await store.close();
  const backups = backupsOf(at, new TestClock());
  {
    using _other = await heldLock(`${at.folder}/${LOCK}`, "never");
    for (let n = 0; n < 3; n++) assert.equal(await backups.look(), null);
  }
  assert.deepEqual((await backups.shelf.list({})).rows, []);
  assert.ok(await backups.look());
});

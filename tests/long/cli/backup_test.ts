// Backup and restore as commands, with a bucket: each place they go to and come from.
import assert from "node:assert/strict";
import { openStore } from "../../../storage/open.ts";
import { openS3 } from "../../s3_server.ts";
import {
  everything,
  fill,
  kvFile,
  namesIn,
  said,
  scene,
  task,
} from "../../services/backups/stores.ts";

Deno.test("backup and restore: to and from a folder, a bucket, and both", async () => {
  await using s3 = await openS3();
  await using at = await scene(kvFile);
  const store = await openStore({ url: at.url });
  await fill(store);
  const expected = await everything(store);
  await store.close();
  const env = { ...s3.env, BACKUP_DIR: `${at.folder}/backups` };
  const run = async (name: string, ...args: string[]) => await said(await task(name, args, env));
  const inFolder = async () =>
    (await namesIn(env.BACKUP_DIR)).filter((name) => name.endsWith("backup"));

  const both = await run("backup", "--store", at.url);
  assert.equal(both.code, 0, both.text);
  const id = /(\d{8}T\d{9}Z) in http/.exec(both.text)![1]!;
  const key = `team/nightly/${id}.qdbackup`;
  assert.deepEqual([await inFolder(), [...s3.objects.keys()]], [[`${id}.qdbackup`], [key]]);
  const there = await run("backup", "--store", at.url, "--to", "s3");
  assert.equal(there.code, 0, there.text);
  assert.equal(s3.objects.size, 2);
  assert.equal((await inFolder()).length, 1);
  const elsewhere = await run("backup", "--store", at.url, "--to", `${at.folder}/other`);
  assert.equal(elsewhere.code, 0, elsewhere.text);
  assert.equal(s3.objects.size, 2);

  const newest = [...s3.objects.keys()].sort().at(-1)!;
  const sources = [id, newest.slice("team/nightly/".length, -".qdbackup".length), "s3"];
  for (const [n, from] of [...sources, `s3://our-backups/${key}`].entries()) {
    const url = `kv:${at.folder}/restored-${n}.kv`;
    const { code, text } = await run("restore", "--from", from, "--to", url);
    assert.equal(code, 0, text);
    const restored = await openStore({ url });
    assert.deepEqual(await everything(restored), expected);
    await restored.close();
  }
  // One changed byte is found, also far away.
  s3.objects.get(newest)![100]! ^= 1;
  const damaged = await run("restore", "--from", "s3", "--to", `kv:${at.folder}/damaged.kv`);
  assert.equal(damaged.code, 1);
  assert.match(damaged.text, /s3:\/\/our-backups\/team\/nightly\/.*some are not those/);

  const refusals: [string[], RegExp][] = [
    [
      ["--from", "20200101T000000000Z"],
      /there is no backup 20200101T000000000Z in .*, nor in http/,
    ],
    [["--from", "s3://others/x"], /expected s3:\/\/our-backups\/KEY, received/],
    [["--from", "s3://our-backups/none"], /there is no backup at s3:\/\/our-backups\/none/],
    [["--from", "missing.qdbackup"], /Cannot restore: there is no file missing\.qdbackup/],
  ];
  for (const [args, message] of refusals) {
    const { code, text } = await run("restore", ...args, "--to", `kv:${at.folder}/none.kv`);
    assert.equal(code, 1);
    assert.match(text, message);
  }
  s3.fault = () => ({ refuse: [403, "AccessDenied"] });
  const unsent = await run("backup", "--store", at.url);
  assert.equal(unsent.code, 1);
  assert.match(unsent.text, /The backup \w+ is made, and not sent\. .*AccessDenied/);
  assert.equal((await inFolder()).length, 2);
  const without = await said(await task("backup", ["--store", at.url, "--to", "s3"]));
  assert.match(without.text, /BACKUP_S3_URL is not set/);
});

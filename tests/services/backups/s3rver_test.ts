// Backups in a bucket of a server that others made: that ours and what signs agree is not because one hand wrote both.
import assert from "node:assert/strict";
import type { BucketSettings } from "../../../config/bucket.ts";
import { Bucket } from "../../../services/backups/bucket.ts";
import { backupPath } from "../../../services/backups/folder.ts";
import { restore } from "../../../services/backups/restore.ts";
import { NotSent, takeBackup } from "../../../services/backups/take.ts";
import { openStore } from "../../../storage/open.ts";
import { configPath, openPermissions } from "../../start_task.ts";
import { sqliteFile } from "../../sql/databases.ts";
import { everything, fill, kvFile, scene } from "./stores.ts";

const BUCKET = "our-backups";
/** The only keys that it knows. */
const KEY = "S3RVER";

async function openS3rver(): Promise<{ settings: BucketSettings } & AsyncDisposable> {
  const folder = await Deno.makeTempDir({ prefix: "quarterdeck-s3rver-" });
  const script = new URL("../../s3rver.ts", import.meta.url).pathname;
  const options = ["--quiet", "--frozen", "--no-check", "--config", configPath];
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", ...options, ...openPermissions, script, folder, BUCKET],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const port = Number((await reader.read()).value);
  assert.ok(port > 0, "it did not start");
  return {
    settings: {
      url: `http://127.0.0.1:${port}/${BUCKET}`,
      name: BUCKET,
      prefix: "team/nightly/",
      region: "eu-test-1",
      accessKeyId: KEY,
      secretAccessKey: KEY,
      sessionToken: undefined,
    },
    async [Symbol.asyncDispose]() {
      process.kill("SIGTERM");
      await process.status;
      await reader.cancel();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

Deno.test("bucket: S3rver takes backups whole and in parts, and gives them back, by the right keys alone", async () => {
  await using s3 = await openS3rver();
  for (const size of [1000, 9_000_000]) {
    await using at = await scene(sqliteFile);
    const store = await openStore({ url: at.url });
    await fill(store, size);
    const expected = await everything(store);
    await store.close();
    const task = { url: at.url, folder: at.folder, keep: 2, now: Date.now() };

    const wrong = { ...s3.settings, secretAccessKey: "another secret" };
    const refused = await takeBackup({ ...task, bucket: wrong }).then(() => null, (error) => error);
    assert.ok(refused instanceof NotSent);
    assert.match(refused.message, /SignatureDoesNotMatch/);
    const unknown = new Bucket({ ...s3.settings, accessKeyId: "AKIDOTHER" });
    await assert.rejects(unknown.sizes(), /InvalidAccessKeyId/);

    const now = task.now + 1;
    const { id } = await takeBackup({ ...task, now, bucket: s3.settings });
    const bucket = new Bucket(s3.settings);
    const path = backupPath(at.folder, id)!;
    assert.equal(await bucket.newest(), id);
    assert.equal((await bucket.sizes()).get(id), (await Deno.stat(path)).size);
    using backup = await bucket.open(id);
    await using to = await scene(kvFile);
    await restore(backup!, { url: to.url, beside: path });
    const restored = await openStore({ url: to.url });
    assert.deepEqual(await everything(restored), expected);
    await restored.close();

    await assert.rejects(new Bucket(wrong).open(id), /SignatureDoesNotMatch/);
    await bucket.remove(id);
    assert.equal(await bucket.open(id), null);
  }
});

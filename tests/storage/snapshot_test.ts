// A copy of a file in use is brought to the disk little by little: who commits meanwhile waits behind each step.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { MIB } from "../../core/units.ts";
import { openStore } from "../../storage/open.ts";
import { takeSnapshot } from "../../storage/snapshot.ts";
import { markUnfinished, StoreUnfinished } from "../../storage/state.ts";
import { kvFile } from "../services/backups/stores.ts";
import { postgresDatabase, sqliteFile } from "../sql/databases.ts";

for (const engine of ["kv", "sqlite"]) {
  Deno.test(`a copy of a file goes in steps of a mebibyte (${engine})`, async () => {
    const folder = await Deno.makeTempDir();
    const url = `${engine}:${folder}/store`;
    const store = await openStore({ url });
    // Of nothing that an engine could compress.
    const bytes = randomBytes(5 * MIB);
    await store.blobs.put(new Blob([bytes]).stream(), { maxBytes: bytes.length });
    await store.close();
    const copy = `${folder}/copy`;
    const sizes: number[] = [];
    const { syncDataSync } = Deno.FsFile.prototype;
    Deno.FsFile.prototype.syncDataSync = function () {
      sizes.push(Deno.statSync(copy).size);
      syncDataSync.call(this);
    };
    try {
      await takeSnapshot(url, copy);
    } finally {
      Deno.FsFile.prototype.syncDataSync = syncDataSync;
    }
    // The last step is told of by its end.
    assert.ok(sizes.at(-1)! > 2 * MIB);
    sizes.forEach((size, n) => assert.ok(size - (sizes[n - 1] ?? 0) <= MIB));
    await Deno.remove(folder, { recursive: true });
  });
}

Deno.test("a store that a copy has not finished is not copied: nobody would know the copy for a part", async () => {
  for (const create of [kvFile, sqliteFile, postgresDatabase]) {
    const { url, drop } = await create();
    const folder = await Deno.makeTempDir();
    const store = await openStore({ url });
    await markUnfinished(store, "a copy from elsewhere");
    await store.close();
    await assert.rejects(takeSnapshot(url, `${folder}/copy`), StoreUnfinished);
    await drop();
    await Deno.remove(folder, { recursive: true });
  }
});

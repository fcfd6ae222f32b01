// Backups of a store on a KV server that goes away meanwhile, and ones that are killed while all writers wait for them.
import assert from "node:assert/strict";
import { folders } from "../../../../models/folders.ts";
import { backupIds, backupPath } from "../../../../services/backups/folder.ts";
import { restoreBackup } from "../../../restored.ts";
import { openStore } from "../../../../storage/open.ts";
import { assertIs, type SharedStore, sharedStore } from "./shared_store.ts";
import {
  everything,
  kvFile,
  namesIn,
  said,
  scene,
  task,
} from "../../../services/backups/stores.ts";
import { server as actor } from "../../../storage/people.ts";
import { persistently, until } from "../../../until.ts";

/** The key of the lease as the server has it: https://docs.deno.com/deploy/kv/key_space/ */
const LEASE = new Uint8Array([2, ...new TextEncoder().encode("lease"), 0]);

const isHeld = ({ server }: SharedStore) => server.database.get(LEASE) !== null;
const begin = ({ url, folder }: SharedStore) => task("backup", ["--store", url, "--to", folder]);

async function assertRestores(at: SharedStore, id: string): Promise<void> {
  await using to = await scene(kvFile);
  await restoreBackup(backupPath(at.folder, id)!, to.url);
  const restored = await openStore({ url: to.url });
  await assertIs(restored, await everything(at.stores[0]));
  await restored.close();
}

Deno.test("backup: of a KV server, killed while all wait for it, it is no backup, and they go on", async () => {
  await using at = await sharedStore();
  // From then on it gets no further.
  at.server.fault = () => isHeld(at) ? "silence" : undefined;
  const child = await begin(at);
  await until(() => isHeld(at));
  child.kill("SIGKILL");
  await child.output();
  at.server.fault = () => undefined;
  assert.ok(isHeld(at));
  const { ownerId } = at;
  const add = (name: string) =>
    at.stores[0].transact(actor, (tx) => tx.insert(folders, { name, ownerId, slot: name }));
  const added = await persistently(() => add("waited"));
  assert.ok(!isHeld(at));
  assert.deepEqual(await at.stores[1].from(folders).get(added.id), added);
  assert.deepEqual(await backupIds(at.folder), []);
  const { id } = await at.take();
  assert.deepEqual(await namesIn(at.folder), [`${id}.qdbackup`, "backups.lock"]);
  await assertRestores(at, id);
});

Deno.test("backup: of a KV server that is away for a while, it waits, and is whole", async () => {
  await using at = await sharedStore();
  let calls = 0;
  at.server.fault = () => {
    if (++calls === 40) at.server.stop();
    return undefined;
  };
  const taking = at.take();
  await until(() => calls >= 40);
  at.server.resume();
  const { id } = await taking;
  await assertRestores(at, id);
});

Deno.test("backup: of a KV server that stays away, there is none, and the reason is told", async () => {
  await using at = await sharedStore();
  let calls = 0;
  at.server.fault = () => ++calls > 40 ? { status: 503, text: "Try again later." } : undefined;
  const { code, text } = await said(await begin(at));
  assert.equal(code, 1);
  assert.match(text, /Cannot reach Deno KV: /);
  assert.deepEqual(await namesIn(at.folder), ["backups.lock"]);
});

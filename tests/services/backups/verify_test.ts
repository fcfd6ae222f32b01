// Whatever is damaged in a store is found and named, on each engine.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { newId } from "../../../core/ids.ts";
import { contents } from "../../../models/files.ts";
import { folders } from "../../../models/folders.ts";
import { users } from "../../../models/users.ts";
import { verifyStore } from "../../../services/backups/verify.ts";
import { openStore } from "../../../storage/open.ts";
import type { Store } from "../../../storage/port.ts";
import { addPerson, server } from "../../storage/people.ts";
import { addRoles, onServer, postgresDatabase, sqliteFile } from "../../sql/databases.ts";
import { kvFile } from "./stores.ts";

const engines = { kv: kvFile, sqlite: sqliteFile, postgres: postgresDatabase };

async function fill(store: Store): Promise<{ ann: string; blobId: string; sha256: string }> {
  await addRoles(store);
  const ann = await addPerson(store, "Ann");
  const bytes = new Blob([new Uint8Array(700_000).fill(7)]).stream();
  const blob = await store.blobs.put(bytes, { maxBytes: 1e6 });
  await store.transact(server, (tx) => {
    tx.insert(contents, { id: blob.sha256, blobId: blob.id, size: blob.size, references: 1 });
    tx.insert(folders, { name: "Long", ownerId: ann.id, slot: "a" });
  });
  return { ann: ann.id, blobId: blob.id, sha256: blob.sha256 };
}

const findings = (store: Store) => Array.fromAsync(verifyStore(store));

for (const [name, create] of Object.entries(engines)) {
  Deno.test(`verify: a whole store, and bytes that are gone or others (${name})`, async () => {
    const { url, drop } = await create();
    const store = await openStore({ url });
    try {
      const { blobId, sha256 } = await fill(store);
      assert.deepEqual(await findings(store), []);
      await store.blobs.remove(blobId);
      assert.deepEqual(await findings(store), [
        `contents ${sha256}: its bytes ${blobId} are missing`,
      ]);
      const others = new Blob([new Uint8Array(700_000).fill(8)]).stream();
      await store.blobs.put(others, { maxBytes: 1e6, id: blobId });
      const [found, ...rest] = await findings(store);
      assert.match(found!, /its bytes .* are not those that were uploaded/);
      assert.deepEqual(rest, []);
    } finally {
      await store.close();
      await drop();
    }
  });
}

Deno.test("verify: SQLite's references", async () => {
  const { url, drop } = await sqliteFile();
  const path = url.slice("sqlite:".length);
  const store = await openStore({ url });
  await fill(store);
  await store.close();
  const database = new DatabaseSync(path);
  database.exec("pragma foreign_keys = off");
  database.exec(`update folders set owner_id = 'nobody'`);
  database.close();
  const damaged = await openStore({ url });
  const found = await findings(damaged);
  assert.ok(found.some((one) => /folders .* its ownerId is 'nobody'/.test(one)), found.join("\n"));
  assert.ok(found.some((one) => /folders, row .* users/.test(one)), found.join("\n"));
  await damaged.close();
  await drop();
});

Deno.test("verify: a record of SQLite that cannot be read is named, and the file is looked at all the same", async () => {
  const { url, drop } = await sqliteFile();
  const store = await openStore({ url });
  const { ann } = await fill(store);
  await store.close();
  const database = new DatabaseSync(url.slice("sqlite:".length));
  database.exec("pragma foreign_keys = off");
  database.exec(`update users set permissions = '["users:view'`);
  database.exec("update users set role = 'nobody' where id = (select min(id) from users)");
  database.close();
  const damaged = await openStore({ url });
  assert.deepEqual((await findings(damaged)).map((one) => one.split(":")[0]), [
    `Cannot read users ${ann}`,
    "users, row 1",
  ]);
  await damaged.close();
  await drop();
});

Deno.test("verify: Deno KV's unique values, counts, parts and bytes", async () => {
  const { url, drop } = await kvFile();
  const store = await openStore({ url });
  const { ann } = await fill(store);
  await store.close();
  const kv = await Deno.openKv(url.slice("kv:".length));
  const email = (await kv.list({ prefix: ["unique", users.name] }).next()).value!.key;
  await kv.delete(email);
  await kv.set(["unique", users.name, "email", "ghost@example.com"], newId(1));
  await kv.set(["unique", users.name, "email", "other@example.com"], ann);
  await kv.set(["count", folders.name], new Deno.KvU64(7n));
  await kv.set(["part", users.name, ann, "tag", 0], new Uint8Array(3));
  await kv.set(["blob", "lost", 0], new Uint8Array(3));
  await kv.set([users.name, "broken"], "{");
  kv.close();
  const damaged = await openStore({ url });
  const found = await findings(damaged);
  const expected = [
    /users .* it is not found by its email/,
    /users: a value of the unique key email is taken for .*, which does not exist/,
    /users: a value of the unique key email is taken for .*, which has another/,
    /folders: 1 records are there, 7 are counted/,
    /users .*: a part of it is left that it does not name/,
    /the bytes lost are described by nothing/,
    /users broken cannot be read/,
  ];
  for (const one of expected) {
    assert.ok(found.some((finding) => one.test(finding)), `${one}: ${found.join("\n")}`);
  }
  await damaged.close();
  await drop();
});

Deno.test("verify: Postgres's bytes that were changed beneath the server", async () => {
  const { url, drop } = await postgresDatabase();
  const store = await openStore({ url });
  await fill(store);
  await onServer(url, "update blob_chunks set bytes = set_byte(bytes, 5, 9) where n = 0");
  const [found] = await findings(store);
  assert.match(found!, /are not those that were uploaded/);
  await store.close();
  await drop();
});

Deno.test("verify: the command tells by its exit code", async () => {
  const { url, drop } = await sqliteFile();
  const store = await openStore({ url });
  const { blobId } = await fill(store);
  await store.close();
  const config = JSON.parse(await Deno.readTextFile("deno.json"));
  const run = async (...args: string[]) => {
    const [, ...task] = config.tasks.verify.split(" ");
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [...task, ...args],
    }).output();
    return { code, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
  };
  const whole = await run("--store", url);
  assert.match(whole.text, /nothing is damaged/);
  assert.equal(whole.code, 0);
  const again = await openStore({ url });
  await again.blobs.remove(blobId);
  await again.close();
  const damaged = await run("--store", url);
  assert.match(damaged.text, /are missing\n[^]*1 findings/);
  assert.equal(damaged.code, 1);
  const none = await run("--store", "kv:/nowhere/at/all.kv");
  assert.match(none.text, /there is no file/);
  assert.equal(none.code, 2);
  const empty = await Deno.makeTempFile();
  const cut = await run("--store", `sqlite:${empty}`);
  assert.match(cut.text, /the file .* is empty/);
  assert.equal(cut.code, 2);
  await Deno.remove(empty);
  await drop();
});

// Copies between stores of every engine.
import assert from "node:assert/strict";
import { copyStore } from "../../../storage/copying.ts";
import { newId } from "../../../core/ids.ts";
import { openKvStore } from "../../../kv/store.ts";
import { allCollections } from "../../../models/all.ts";
import { documents } from "../../../models/documents.ts";
import { contents, files, fileVersions } from "../../../models/files.ts";
import { folders } from "../../../models/folders.ts";
import { openStore } from "../../../storage/open.ts";
import { StoreUnfinished } from "../../../storage/state.ts";
import { sha256 } from "../../../core/hashing.ts";
import { openSqlStore } from "../../../sql/store.ts";
import { type Blobs, type Store, StoreUnavailable } from "../../../storage/port.ts";
import { addPerson, server } from "../../storage/people.ts";
import { addRoles, postgresDatabase, sqliteFile } from "../../sql/databases.ts";

const engines = {
  kv: () => Promise.resolve({ url: "kv::memory:", drop: () => Promise.resolve() }),
  sqlite: sqliteFile,
  postgres: postgresDatabase,
};

/** A little of everything that is hard to copy. */
async function fill(store: Store): Promise<void> {
  await addRoles(store);
  const ann = await addPerson(store, "Ann", { permissions: ["a:b", "c:d"], bio: "Zoë 😀\n\\" });
  const blob = await store.blobs.put(
    new Blob([new Uint8Array(700_000).fill(7)]).stream(),
    { maxBytes: 1e6 },
  );
  const [older, newer] = [newId(1), newId(2)];
  await store.transact(server, (tx) => {
    // The parent is the newer of the two: moved there.
    for (const [id, parentId] of [[older, newer], [newer, undefined]] as const) {
      tx.insert(folders, { id, name: id, parentId, ownerId: ann.id, slot: id });
    }
    tx.insert(contents, {
      id: blob.sha256,
      blobId: blob.id,
      size: blob.size,
      references: 1,
      // Postgres keeps the fields of what is in a list in an order of its own.
      thumbnails: [{ pixels: 256, sha256: blob.sha256, size: 40, mimeType: "image/jpeg" }],
    });
    tx.insert(documents, {
      title: "Long",
      content: "é".repeat(150_000),
      type: "code",
      size: 300_000,
      ownerId: ann.id,
    });
  });
  await store.load(
    folders,
    Array.from({ length: 1500 }, (_, i) => ({
      id: `f${i}`,
      name: `F${i}`,
      ownerId: ann.id,
      slot: `F${i}`,
      // Their parent is in a later batch.
      parentId: i < 1000 ? "f999999" : undefined,
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-02-01T00:00:00.123Z",
    })).concat({
      id: "f999999",
      name: "Last",
      ownerId: ann.id,
      slot: "Last",
      parentId: undefined,
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-02-01T00:00:00.123Z",
    }).sort((a, b) => Number(b.id === "f999999") - Number(a.id === "f999999")),
  );
}

async function contentsOf(store: Store) {
  const found: Record<string, unknown> = {};
  // Positions in the journal mean nothing in another store.
  for (const collection of allCollections.filter(({ name }) => !name.endsWith("Positions"))) {
    const records = await Array.fromAsync(store.from(collection).scan());
    found[collection.name] = records.map((record) => ({ ...record, rev: "" }));
  }
  const bytes: Record<string, number> = {};
  for await (const { id } of store.blobs.list()) bytes[id] = await length(store.blobs, id);
  return { ...found, bytes };
}

async function length(blobs: Blobs, id: string): Promise<number> {
  let size = 0;
  for await (const part of (await blobs.get(id))!) size += part.length;
  return size;
}

for (const [source, createSource] of Object.entries(engines)) {
  for (const [target, createTarget] of Object.entries(engines)) {
    Deno.test(`copy: ${source} to ${target}`, async () => {
      const [a, b] = [await createSource(), await createTarget()];
      const [from, to] = [await openStore({ url: a.url }), await openStore({ url: b.url })];
      try {
        await fill(from);
        const told: string[] = [];
        await copyStore(from, to, (what, count) => told.push(`${what} ${count}`));
        assert.deepEqual(await contentsOf(to), await contentsOf(from));
        assert.ok(told.includes("folders 1503") && told.includes("files 1"));
        await assert.rejects(copyStore(from, to), /holds 3 records of roles.*empty store/);
      } finally {
        await from.close();
        await to.close();
        await a.drop();
        await b.drop();
      }
    });
  }
}

Deno.test("copy: a reference to nothing fails, and the message says how to start again", async () => {
  const from = await openKvStore({ path: ":memory:" });
  const to = await openSqlStore({ url: "sqlite::memory:" });
  await addPerson(from, "Ann", { role: "no such role" });
  await assert.rejects(
    copyStore(from, to),
    /users refers to one that does not exist.*run the same/s,
  );
  await from.close();
  await to.close();
});

Deno.test("copy: a source that changes meanwhile is not copied", async () => {
  const from = await openKvStore({ path: ":memory:" });
  const to = await openSqlStore({ url: "sqlite::memory:" });
  await fill(from);
  let changed: Promise<unknown> | undefined;
  const copied = copyStore(from, to, () => changed ??= addPerson(from, "Late"));
  await assert.rejects(copied, /changed meanwhile/);
  await changed;
  await from.close();
  await to.close();
});

Deno.test("copy: a source that is gone in the middle is no damaged file", async () => {
  const from = await openKvStore({ path: ":memory:" });
  const to = await openKvStore({ path: ":memory:" });
  await fill(from);
  const cut = () =>
    new ReadableStream({
      pull: (controller) => controller.error(new StoreUnavailable("Cannot reach it")),
    });
  const blobs = { ...from.blobs, get: () => Promise.resolve(cut()) } as unknown as Blobs;
  const source = { engine: "Gone", blobs, from: from.from.bind(from) };
  await assert.rejects(copyStore(source, to), /^CopyError: The copy failed: Cannot reach it\./);
  await from.close();
  await to.close();
});

/** The records, their names without the last character. */
async function* shortened<R>(records: Iterable<R> | AsyncIterable<R>): AsyncIterable<R> {
  for await (const record of records) {
    const { name } = record as { name?: string };
    yield name ? { ...record, name: name.slice(0, -1) } : record;
  }
}

Deno.test("copy: a damaged copy is found", async () => {
  const from = await openSqlStore({ url: "sqlite::memory:" });
  const to = await openSqlStore({ url: "sqlite::memory:" });
  await fill(from);
  const load = to.load.bind(to);
  to.load = (collection, records) => load(collection, shortened(records));
  await assert.rejects(copyStore(from, to), /the copy of roles differs/);
  await from.close();
  await to.close();
});

Deno.test("copy: the command tells what it did, and refuses what it cannot do", async () => {
  const { url, drop } = await sqliteFile();
  const folder = await Deno.makeTempDir();
  const source = await openStore({ url });
  await fill(source);
  await source.close();
  const run = async (...args: string[]) => {
    const config = JSON.parse(await Deno.readTextFile("deno.json"));
    const [, ...task] = config.tasks.copy.replaceAll("'", "").split(" ");
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [...task, ...args],
    }).output();
    return { code, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
  };
  const first = await run("--from", url, "--to", `kv:${folder}/copy.kv`);
  assert.match(first.text, /From SQLite .* to Deno KV[^]*users: 1\n[^]*files: 1\n[^]*verified/);
  assert.equal(first.code, 0);
  const again = await run("--from", url, "--to", `kv:${folder}/copy.kv`);
  assert.match(again.text, /needs an empty store/);
  assert.equal(again.code, 1);
  assert.match((await run("--from", `kv:${folder}/none`, "--to", url)).text, /there is no file/);
  const secret = await run("--from", url, "--to", "mysql://root:s3cret@host/db");
  assert.match(secret.text, /must have the form/);
  assert.doesNotMatch(secret.text, /s3cret/);
  assert.match((await run()).text, /Usage/);
  await Deno.remove(folder, { recursive: true });
  await drop();
});

Deno.test("copy: bytes that are not those of the upload are found, and their file is named", async () => {
  const from = await openSqlStore({ url: "sqlite::memory:" });
  const to = await openSqlStore({ url: "sqlite::memory:" });
  await fill(from);
  const { ownerId } = (await from.from(folders).list({ limit: 1 })).rows[0]!;
  const put = (text: string) => from.blobs.put(new Blob([text]).stream(), { maxBytes: 100 });
  const [flipped, missing] = [await put("bytes as they are now"), await put("these will be gone")];
  await from.blobs.remove(missing.id);
  const uploads = [
    { name: "flipped.txt", blobId: flipped.id, sha256: sha256("bytes as they were.."), size: 21 },
    { name: "missing.txt", blobId: missing.id, sha256: missing.sha256, size: missing.size },
  ];
  await from.transact(server, (tx) => {
    for (const { name, blobId, sha256, size } of uploads) {
      tx.insert(contents, { id: sha256, blobId, size, references: 1 });
      const kind = { type: "document", mimeType: "text/plain", size, sha256 } as const;
      const file = { ...kind, name, ownerId, isFavorite: false, version: 1, totalSize: size };
      const { id } = tx.insert(files, file);
      const { type: _, ...version } = kind;
      tx.insert(fileVersions, { ...version, fileId: id, version: 1, createdBy: ownerId });
    }
  });
  const error = await copyStore(from, to).then(() => null, (error) => error);
  assert.match(error.message, /the bytes of 2 files are missing or are not those/);
  for (const { name } of uploads) assert.ok(error.message.includes(name), error.message);
  await from.close();
  await to.close();
});

for (
  const [engine, create] of Object.entries({
    sqlite: sqliteFile,
    kv: kvFile,
    postgres: postgresDatabase,
  })
) {
  Deno.test(`copy: what was broken off is not opened, only copied to again (${engine})`, async () => {
    const from = await openSqlStore({ url: "sqlite::memory:" });
    await fill(from);
    const target = await create();
    const to = await openStore({ url: target.url, acceptUnfinished: true });
    to.load = () => Promise.reject(new Error("pulled the plug"));
    await assert.rejects(copyStore(from, to), /pulled the plug/);
    await to.close();
    await assert.rejects(
      openStore({ url: target.url }),
      (error: Error) =>
        error instanceof StoreUnfinished &&
        /only a part, because a copy from SQLite/.test(error.message),
    );
    const again = await openStore({ url: target.url, acceptUnfinished: true });
    await copyStore(from, again);
    await again.close();
    const whole = await openStore({ url: target.url });
    assert.equal(await whole.from(folders).count(), 1503);
    await whole.close();
    await from.close();
    await target.drop();
  });
}

async function kvFile() {
  const folder = await Deno.makeTempDir({ prefix: "quarterdeck-kv-" });
  return { url: `kv:${folder}/store.kv`, drop: () => Deno.remove(folder, { recursive: true }) };
}

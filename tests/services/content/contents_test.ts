// Contents shared by what they hold: whatever runs at once, every file has its bytes and no bytes are left over.
import assert from "node:assert/strict";
import fc from "fast-check";
import { contents, type File, files, storageUsage } from "../../../models/files.ts";
import { users } from "../../../models/users.ts";
import { Ledger, removeBlobs } from "../../../services/content/contents.ts";
import { planFile, planFilesDeletion, planVersion } from "../../../services/content/file_plans.ts";
import type { Store } from "../../../storage/port.ts";
import { addRoles, openForSuite, sqliteFile } from "../../sql/databases.ts";
import { dropReused, openReused } from "../../sql/reused.ts";
import { openTestStore } from "../../storage/open.ts";
import { person } from "../../storage/people.ts";
import { stored } from "../../uploads.ts";

const NOBODY = { userId: null };
const QUOTA = 1000;

const engines: Readonly<Record<string, () => Promise<Store>>> = {
  "Deno KV": openTestStore,
  SQLite: async () => openForSuite(await sqliteFile(), {}),
  Postgres: async () => {
    const store = await openReused({});
    await addRoles(store);
    return store;
  },
};

Deno.test.afterAll(dropReused);

/** Registers a test for each engine. */
function eachStore(name: string, run: (store: Store) => Promise<void>): void {
  for (const [engine, open] of Object.entries(engines)) {
    Deno.test(`contents: ${name} (${engine})`, async () => {
      const store = await open();
      try {
        await store.transact(NOBODY, (tx) => {
          for (let n = 0; n < 8; n++) tx.insert(users, person(`u${n}`, { id: `u${n}` }));
        });
        await run(store);
      } finally {
        await store.close();
      }
    });
  }
}

async function put(store: Store, text: string) {
  const stream = new Blob([text]).stream();
  return { ...await store.blobs.put(stream, { maxBytes: 100 }), mimeType: "text/plain" };
}

/** Uploads a file, or a version of one. */
async function upload(store: Store, text: string, ownerId: string, fileId?: string) {
  const blob = await put(store, text);
  const { file, unused } = await store.transact(NOBODY, async (tx) => {
    const ledger = new Ledger();
    const known = fileId === undefined ? null : await tx.from(files).get(fileId);
    const place = { name: text, ownerId, createdBy: ownerId };
    const file = known
      ? await planVersion(tx, ledger, known, blob, ownerId)
      : planFile(tx, ledger, blob, place);
    return { file, unused: await ledger.write(tx, QUOTA, blob) };
  });
  await removeBlobs(store.blobs, unused);
  return file;
}

async function remove(store: Store, id: string) {
  const unused = await store.transact(NOBODY, async (tx) => {
    const file = await tx.from(files).get(id);
    if (!file) return [];
    const ledger = new Ledger();
    await planFilesDeletion(tx, ledger, [file]);
    return await ledger.write(tx, QUOTA);
  });
  await removeBlobs(store.blobs, unused);
}

async function copy(store: Store, id: string, ownerId: string) {
  return await store.transact(NOBODY, async (tx) => {
    const file = await tx.from(files).get(id);
    if (!file) return null;
    const ledger = new Ledger();
    const made = planFile(tx, ledger, file, { name: file.name, ownerId, createdBy: ownerId });
    await ledger.write(tx, QUOTA);
    return made;
  });
}

/** Every file has its bytes, the counts are those of the files, and nothing else is stored. */
async function assertSound(store: Store) {
  const all = await Array.fromAsync(store.from(files).scan());
  for (const file of all) {
    const content = await store.from(contents).get(file.sha256);
    const stream = content && await store.blobs.get(content.blobId);
    const text = await new Response(stream).text();
    assert.equal(text.length, file.size, `bytes of ${file.name}`);
  }
  const { blobs, blobIds, references, used } = await stored({ store });
  assert.deepEqual(blobs.sort(), blobIds.sort());
  const versions = all.reduce((sum, file) => sum + file.version, 0);
  assert.equal(Object.values(references).reduce((sum, count) => sum + count, 0), versions);
  for (const [ownerId, bytes] of Object.entries(used)) {
    const own = all.filter((file) => file.ownerId === ownerId);
    assert.equal(own.reduce((sum, file) => sum + file.totalSize, 0), bytes);
  }
}

eachStore("bytes are neither lost nor left over, whatever runs at once", async (store) => {
  const step = fc.record({
    act: fc.constantFrom("upload", "upload", "version", "copy", "remove", "remove"),
    text: fc.constantFrom("a", "bb"),
    target: fc.nat(5),
    owner: fc.constantFrom("u1", "u2"),
  });
  const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(rounds, async (rounds) => {
      const made: File[] = [];
      for (const round of rounds) {
        const run = async ({ act, text, target, owner }: typeof round[number]) => {
          const id = made[target % Math.max(1, made.length)]?.id ?? "none";
          if (act === "upload") return await upload(store, text, owner);
          if (act === "version") return await upload(store, text, owner, id);
          if (act === "copy") return await copy(store, id, owner);
          await remove(store, id);
          return null;
        };
        const done = await Promise.all(round.map(run));
        made.push(...done.filter((file) => file !== null));
        await assertSound(store);
      }
      for (const { id } of await Array.fromAsync(store.from(files).scan())) await remove(store, id);
      const left = await stored({ store });
      assert.deepEqual([left.blobs, left.references], [[], {}]);
    }),
    { numRuns: 25 },
  );
});

eachStore("many uploads of the same at once are stored once", async (store) => {
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, n) => upload(store, "same", `u${n}`)),
  );
  await assertSound(store);
  assert.equal((await stored({ store })).blobs.length, 1);
  await Promise.all(made.map((file) => remove(store, file.id)));
  assert.deepEqual((await stored({ store })).blobs, []);
});

eachStore("uploads at once cannot pass the quota together", async (store) => {
  await Promise.all(Array.from({ length: 9 }, (_, n) => upload(store, `${n}`.repeat(90), "u1")));
  const more = await Promise.allSettled(
    ["x", "y"].map((text) => upload(store, text.repeat(100), "u1")),
  );
  assert.deepEqual(more.map((result) => result.status).sort(), ["fulfilled", "rejected"]);
  assert.equal((await store.from(storageUsage).get("u1"))?.used, 910);
});

eachStore("a plan that finds its content gone is made anew", async (store) => {
  const file = await upload(store, "gone", "u1");
  let tries = 0;
  const outcome = await store.transact(NOBODY, async (tx) => {
    const known = await tx.from(files).get(file.id);
    if (!known) return "gone";
    if (tries++ === 0) await remove(store, file.id);
    const ledger = new Ledger();
    planFile(tx, ledger, known, { name: "copy", ownerId: "u1", createdBy: "u1" });
    await ledger.write(tx, QUOTA);
    return "copied";
  });
  assert.equal(outcome, "gone");
});

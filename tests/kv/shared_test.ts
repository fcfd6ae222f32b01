// Several stores on one KV: locks, what one sees of the other, and commits at the same time.
import assert from "node:assert/strict";
import fc from "fast-check";
import { Client } from "../../kv/client.ts";
import { StoreLocked } from "../../storage/lock.ts";
import { KvStore, openKvStore } from "../../kv/store.ts";
import { documents } from "../../models/documents.ts";
import { type User, users } from "../../models/users.ts";
import {
  type JournalEntry,
  type Store,
  UniqueConflict,
  VersionConflict,
} from "../../storage/port.ts";
import { take } from "../storage/journal_entries.ts";
import { openShared } from "../storage/open.ts";
import { addPerson, person, server } from "../storage/people.ts";
import { pause, until } from "../until.ts";

async function inDirectory(run: (directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "quarterdeck-kv-" });
  try {
    await run(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function withTwo(run: (first: Store, second: Store) => Promise<void>): Promise<void> {
  const [first, second] = await openShared();
  try {
    await run(first, second);
  } finally {
    await second.close();
    await first.close();
  }
}

Deno.test("a file is for one store, and the refusal names the ways to share", () =>
  inDirectory(async (directory) => {
    const path = `${directory}/deep/er/store.kv`;
    const store = await openKvStore({ path });
    await assert.rejects(openKvStore({ path }), (error: Error) => {
      assert.ok(error instanceof StoreLocked);
      for (const word of [path, "KV Connect", "DATABASE_URL"]) {
        assert.ok(error.message.includes(word));
      }
      return true;
    });
    await assert.rejects(openKvStore({ path, shared: true }), StoreLocked);
    await store.close();
    const next = await openKvStore({ path });
    await next.close();
    const shared = await openKvStore({ path, shared: true });
    await assert.rejects(openKvStore({ path }), StoreLocked);
    await shared.close();
  }));

Deno.test("the lock goes with the process that holds it, however it ends", () =>
  inDirectory(async (directory) => {
    const path = `${directory}/store.kv`;
    const module = new URL("../../kv/store.ts", import.meta.url);
    const script = `import { KvStore, openKvStore } from "${module}";
      await openKvStore({ path: ${JSON.stringify(path)} });
      console.log("open");
      setInterval(() => {}, 1000);`;
    const file = `${directory}/holder.ts`;
    await Deno.writeTextFile(file, script);
    const config = new URL("../../deno.json", import.meta.url).pathname;
    const holder = new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "--config", config, "--allow-read", "--allow-write", "--allow-env", file],
      stdout: "piped",
    }).spawn();
    const reader = holder.stdout.getReader();
    await reader.read();
    await assert.rejects(openKvStore({ path }), StoreLocked);
    holder.kill("SIGKILL");
    await holder.status;
    await reader.cancel();
    const store = await openKvStore({ path });
    await store.close();
  }));

Deno.test("names of stores hold no password", async () => {
  const names = [
    [":memory:", "Deno KV (memory)"],
    ["data/store.kv", "Deno KV (data/store.kv)"],
    ["https://user:secret@kv.example.com/store?token=secret", "Deno KV (https://kv.example.com)"],
    [undefined, "Deno KV (Deno Deploy)"],
  ] as const;
  for (const [path, name] of names) {
    const client = new Client(await Deno.openKv(":memory:"));
    const store = await KvStore.open(client, null, { path, shared: false });
    assert.equal(store.engine, name);
    await store.close();
  }
});

Deno.test("what one store commits, the other reads within two seconds, and lists at once", () =>
  withTwo(async (first, second) => {
    let ann = await addPerson(first, "Ann");
    assert.equal((await second.from(users).list()).total, 1);
    assert.deepEqual(await second.from(users).get(ann.id), ann);
    assert.deepEqual(await second.from(users).findBy("email", ann.email), ann);
    ann = await first.transact(server, (tx) => tx.update(users, ann, { name: "Anna" }));
    assert.equal((await second.from(users).list({ search: "anna" })).rows[0]!.name, "Anna");
    ann = await first.transact(server, (tx) => tx.update(users, ann, { name: "Annabel" }));
    await until(async () => (await second.from(users).get(ann.id))?.name === "Annabel");
    await first.transact(server, (tx) => tx.update(users, ann, { email: "new@example.com" }));
    await until(async () => await second.from(users).findBy("email", "ann@example.com") === null);
    const current = (await second.from(users).findBy("email", "new@example.com"))!;
    await second.transact(server, (tx) => tx.remove(users, current));
    assert.equal(await second.from(users).count(), 0);
    assert.equal(await first.from(users).count(), 0);
    await until(async () => await first.from(users).get(ann.id) === null);
  }));

/** The people of journal entries, an entry each. */
const peopleOf = (entries: readonly JournalEntry[]) =>
  entries.map(({ changes }) => changes.find(({ collection }) => collection === users.name)!.id);

Deno.test("the journal of one store tells of the other's commits", () =>
  withTwo(async (first, second) => {
    const watched = take(second.changes(), 2);
    const ann = await addPerson(first, "Ann");
    const bob = await addPerson(second, "Bob");
    assert.deepEqual(peopleOf(await watched), [ann.id, bob.id]);
  }));

Deno.test("the first entry of a journal is told once, when memory has followed it", () =>
  withTwo(async (first, second) => {
    const ann = await addPerson(first, "Ann");
    const watched = take(second.changes({ after: "" }), 2);
    // Time enough to read the entry too early.
    await first.from(users).list();
    const bob = await addPerson(second, "Bob");
    assert.deepEqual(peopleOf(await watched), [ann.id, bob.id]);
  }));

Deno.test("writers on two stores to one record all get their turn", () =>
  withTwo(async (first, second) => {
    const { id } = await addPerson(first, "Ann", { bio: "" });
    const write = (store: Store) =>
      store.transact(server, async (tx) => {
        const current = (await tx.from(users).get(id))!;
        tx.update(users, current, { bio: `${current.bio}x` });
      });
    const rounds = 10;
    await Promise.all([first, second].map(async (store) => {
      for (let i = 0; i < rounds; i++) await write(store);
    }));
    assert.equal((await first.from(users).list()).rows[0]!.bio!.length, 2 * rounds);
  }));

Deno.test("a large commit on one store is whole or absent for the other", () =>
  withTwo(async (first, second) => {
    const { id: ownerId } = await addPerson(first, "Ann");
    const at = "2026-01-01T00:00:00.000Z";
    const records = Array.from({ length: 1500 }, (_, i) => ({
      id: `d${i}`,
      createdAt: at,
      updatedAt: at,
      title: "Old",
      content: "",
      type: "other" as const,
      size: 1,
      ownerId,
    }));
    await first.load(documents, records);
    let done = false;
    const change = first.transact(server, async (tx) => {
      for (const row of await Array.fromAsync(tx.from(documents).scan())) {
        tx.update(documents, row, { title: "New" });
      }
    }).then(() => done = true);
    const watch = async (read: () => Promise<number>) => {
      const counts = new Set<number>();
      while (!done) {
        counts.add(await read());
        await pause(1);
      }
      counts.add(await read());
      assert.ok([...counts].every((count) => count === 0 || count === 1500), [...counts].join());
      assert.ok(counts.has(1500));
    };
    const writes = (async () => {
      for (let i = 0; !done; i++) await addPerson(second, `P${i}`);
    })();
    await Promise.all([
      change,
      writes,
      watch(async () => (await second.from(documents).list({ where: { title: "New" } })).total),
    ]);
    assert.equal(await first.from(users).count(), await second.from(users).count());
  }));

Deno.test("whatever two stores do at the same time, both end with the same records", async () => {
  const act = fc.record({
    store: fc.nat(1),
    kind: fc.constantFrom("insert", "update", "remove"),
    letter: fc.constantFrom("a", "b", "c", "d"),
    name: fc.constantFrom("Ann", "Bob", "Cyd"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 30 }), async (acts) => {
      await withTwo(async (first, second) => {
        const stores = [first, second];
        await first.from(users).list({ sort: "name" });
        await Promise.all(acts.map(async ({ store, kind, letter, name }, n) => {
          await pause(n % 7);
          const email = `${letter}@example.com`;
          await stores[store]!.transact(server, async (tx) => {
            const found = await tx.from(users).findBy("email", email);
            if (!found) tx.insert(users, person(name, { email }));
            else if (kind === "remove") tx.remove(users, found);
            else tx.update(users, found, { name });
          }).catch((error) => {
            // On a busy machine one may lose to the others each time it tries: then it has changed nothing.
            if (!(error instanceof UniqueConflict || error instanceof VersionConflict)) throw error;
          });
          if (n % 5 === 0) {
            await stores[1 - store]!.from(users).list({ sort: "-name", search: "b" });
          }
        }));
        const scanned: User[] = await Array.fromAsync(second.from(users).scan());
        const inOrder = (rows: readonly User[]) => rows.toSorted((a, b) => a.id < b.id ? -1 : 1);
        for (const store of stores) {
          const { rows, total } = await store.from(users).list({ limit: 50, sort: "name" });
          assert.deepEqual(inOrder(rows), scanned);
          assert.equal(total, scanned.length);
          for (const record of scanned) {
            assert.deepEqual(await store.from(users).get(record.id), record);
            assert.deepEqual(await store.from(users).findBy("email", record.email), record);
          }
          assert.equal(
            (await store.from(users).list({ search: "bob" })).total,
            scanned.filter(({ name }) => name === "Bob").length,
          );
        }
      });
    }),
    { numRuns: 12, endOnFailure: true },
  );
});

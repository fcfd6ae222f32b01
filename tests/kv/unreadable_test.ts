// Records that are damaged: everything else is answered, the log tells of each once, and /readyz says so.
import assert from "node:assert/strict";
import { configure, dispose, type LogRecord } from "@logtape/logtape";
import { newId } from "../../core/ids.ts";
import { openKvStore } from "../../kv/store.ts";
import { documents } from "../../models/documents.ts";
import { type User, users } from "../../models/users.ts";
import { harness } from "../harness.ts";
import { addPerson, server } from "../storage/people.ts";

/** Collects what the store logs while it runs. */
async function logged(run: () => Promise<void>): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  await configure({
    sinks: { list: (record) => records.push(record) },
    loggers: [
      { category: ["quarterdeck", "store"], lowestLevel: "error", sinks: ["list"] },
      { category: ["logtape", "meta"], lowestLevel: "error", sinks: [] },
    ],
    reset: true,
  });
  try {
    await run();
  } finally {
    await dispose();
  }
  return records;
}

async function withFile(run: (path: string) => Promise<void>) {
  const directory = await Deno.makeTempDir({ prefix: "quarterdeck-kv-" });
  await run(`${directory}/store.kv`);
  await Deno.remove(directory, { recursive: true });
}

async function edit(path: string, change: (kv: Deno.Kv) => Promise<unknown>) {
  const kv = await Deno.openKv(path);
  await change(kv);
  kv.close();
}

/** A record of KV without one of its fields. */
async function strip(kv: Deno.Kv, key: Deno.KvKey, field: string) {
  const record = JSON.parse((await kv.get<string>(key)).value!);
  delete record[field];
  await kv.set(key, JSON.stringify(record));
}

Deno.test("lists, counts and searches leave out what cannot be read, on the first page and all others", async () => {
  await withFile(async (path) => {
    const made = await openKvStore({ path });
    const people: User[] = [];
    for (let n = 0; n < 40; n++) people.push(await addPerson(made, `Person ${n}`));
    await made.close();
    // Two of the newest, so that they would be on the first page, and one in the middle.
    await edit(path, async (kv) => {
      await strip(kv, ["users", people[39]!.id], "name");
      await kv.set(["users", people[38]!.id], "{ no JSON");
      await strip(kv, ["users", people[20]!.id], "permissions");
    });
    const records = await logged(async () => {
      const store = await openKvStore({ path });
      const left = people.filter((_, n) => ![20, 38, 39].includes(n)).toReversed();
      for (let round = 0; round < 3; round++) {
        const first = await store.from(users).list({ limit: 10 });
        assert.deepEqual(first.rows.map(({ id }) => id), left.slice(0, 10).map(({ id }) => id));
        assert.equal(first.total, 37);
        assert.equal((await store.from(users).list({ page: 4 })).rows.length, 7);
        assert.equal((await store.from(users).list({ search: "person" })).total, 37);
        assert.equal(await store.from(users).count(), 37);
        assert.equal((await Array.fromAsync(store.from(users).scan())).length, 37);
        assert.equal(await store.from(users).get(people[39]!.id), null);
        assert.equal(await store.from(users).findBy("email", people[38]!.email), null);
      }
      assert.equal(store.unreadable(), 3);
      await store.close();
    });
    const told = records.map(({ properties }) => `${properties.id}: ${properties.problem}`);
    assert.equal(told.length, 3, told.join("\n"));
    assert.ok(told.includes(`${people[39]!.id}: it has no name`), told.join("\n"));
  });
});

Deno.test("a long record of which a part is missing is left out, and nobody waits for it", async () => {
  await withFile(async (path) => {
    const made = await openKvStore({ path });
    const { id } = await made.transact(server, (tx) =>
      tx.insert(documents, {
        title: "Long",
        content: "x".repeat(300_000),
        type: "document",
        size: 300_000,
        ownerId: "someone",
      }));
    await made.close();
    await edit(path, async (kv) => {
      for await (const { key } of kv.list({ prefix: ["part"] }, { limit: 1 })) await kv.delete(key);
    });
    const records = await logged(async () => {
      const store = await openKvStore({ path });
      assert.equal(await store.from(documents).get(id), null);
      assert.deepEqual((await store.from(documents).list()).rows, []);
      await store.close();
    });
    assert.deepEqual(records.map(({ properties }) => properties.problem), [
      "a part of it is missing",
    ]);
  });
});

Deno.test("one damaged record does not turn its list into an error, and /readyz tells of it", async () => {
  await withFile(async (path) => {
    await using h = await harness({ open: (clock) => openKvStore({ path, clock }) });
    assert.deepEqual((await h.ask("GET", "/readyz")).body, { status: "ok" });
    const body = { title: "Log", content: "" };
    assert.equal((await h.ask("POST", "/api/documents", { as: "admin", body })).status, 201);
    const damaged = newId(Date.now());
    const { ownerId } = (await h.store.from(documents).list()).rows[0]!;
    const record = { id: damaged, createdAt: "2026-01-01T00:00:00.000Z", title: "Half", ownerId };
    await edit(path, (kv) => kv.set(["documents", damaged], JSON.stringify(record)));
    for (const query of ["", "?search=log", "?page=1&limit=5&sort=title"]) {
      const { status, data } = await h.ask("GET", `/api/documents${query}`, { as: "admin" });
      assert.deepEqual([status, data.length], [200, 1], query);
    }
    assert.equal((await h.ask("GET", `/api/documents/${damaged}`, { as: "admin" })).status, 404);
    const ready = await h.ask("GET", "/readyz");
    assert.deepEqual(ready.body, { status: "ok", unreadableRecords: 1 });
  });
});

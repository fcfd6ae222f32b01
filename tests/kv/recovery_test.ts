// Large commits that are cut off: wherever that happens, a restart finds all of the commit or nothing.
import assert from "node:assert/strict";
import { Client } from "../../kv/client.ts";
import { newId } from "../../core/ids.ts";
import { KvStore, openKvStore } from "../../kv/store.ts";
import { documents, tags } from "../../models/documents.ts";
import { users } from "../../models/users.ts";
import type { Change, Store } from "../../storage/port.ts";
import { addPerson, server } from "../storage/people.ts";

const COUNT = 1500;

/** A client that fails from a commit on, as if the process had died or the disk were full. */
class FailingClient extends Client {
  /** Commits still to succeed. */
  left = Infinity;
  commits = 0;

  override async commit(...args: Parameters<Client["commit"]>): ReturnType<Client["commit"]> {
    this.commits++;
    if (this.left-- <= 0) throw new Deno.errors.BadResource("cut off");
    return await super.commit(...args);
  }
}

async function prepare(path: string): Promise<void> {
  const store = await openKvStore({ path });
  const { id: ownerId } = await addPerson(store, "Ann");
  const at = "2026-01-01T00:00:00.000Z";
  const records = Array.from({ length: COUNT }, (_, i) => ({
    id: `d${i}`,
    createdAt: at,
    updatedAt: at,
    title: `Document ${i}`,
    content: i === 7 ? "long ".repeat(50_000) : "text",
    type: "other" as const,
    size: 1,
    ownerId,
  }));
  await store.load(documents, records);
  await store.close();
}

/** Removes most documents and changes the rest, with the one user: too much for one commit. */
async function rework(store: Store): Promise<void> {
  const rows = await Array.fromAsync(store.from(documents).scan());
  const changes = rows.map((before, i): Change =>
    i % 3 ? { kind: "remove", collection: "documents", before } : {
      kind: "update",
      collection: "documents",
      before,
      after: { ...before, title: "Reworked" } as typeof before,
    }
  );
  const [before] = (await store.from(users).list()).rows;
  const after = { ...before!, email: "anna@example.com" };
  changes.push({ kind: "update", collection: "users", before: before!, after });
  await store.commit(changes, { actor: server });
}

/** Which of the two states the store is in; anything between fails. */
async function stateOf(store: Store): Promise<"before" | "after"> {
  const rows = await Array.fromAsync(store.from(documents).scan());
  const reworked = rows.filter(({ title }) => title === "Reworked").length;
  const state = reworked > 0 ? "after" : "before";
  const kept = Math.ceil(COUNT / 3);
  assert.equal(rows.length, state === "after" ? kept : COUNT);
  assert.equal(reworked, state === "after" ? kept : 0);
  assert.equal(await store.from(documents).count(), rows.length);
  assert.equal((await store.from(documents).list({ page: 2 })).total, rows.length);
  const email = state === "after" ? "anna@example.com" : "ann@example.com";
  const other = state === "after" ? "ann@example.com" : "anna@example.com";
  assert.equal((await store.from(users).findBy("email", email))!.email, email);
  assert.equal(await store.from(users).findBy("email", other), null);
  const end = await store.transact(server, (tx) => tx.insert(tags, { name: `end ${newId(0)}` }));
  const entries = [];
  for await (const entry of store.changes({ after: "" })) {
    if (entry.changes.some(({ id }) => id === end.id)) break;
    entries.push(entry);
  }
  const large = entries.filter(({ changes }) => changes.length > 1000);
  assert.equal(large.length, state === "after" ? 1 : 0);
  return state;
}

async function leftovers(path: string): Promise<number> {
  const kv = await Deno.openKv(path);
  const found = [
    ...await Array.fromAsync(kv.list({ prefix: ["staged"] })),
    ...await Array.fromAsync(kv.list({ prefix: ["lease"] })),
  ];
  const lease = await kv.get(["lease"]);
  kv.close();
  return found.length + Number(lease.value !== null);
}

async function openFailing(path: string): Promise<[FailingClient, KvStore]> {
  const client = new FailingClient(await Deno.openKv(path));
  return [client, await KvStore.open(client, null, { path, shared: false })];
}

Deno.test("a large commit that is cut off at any point is whole or absent after a restart", async () => {
  const directory = await Deno.makeTempDir();
  const prepared = `${directory}/prepared.kv`;
  await prepare(prepared);
  const path = `${directory}/store.kv`;
  const reset = () => Deno.copyFile(prepared, path);

  await reset();
  const [counting, store] = await openFailing(path);
  const before = counting.commits;
  await rework(store);
  const total = counting.commits - before;
  assert.ok(total > 6, `${total} commits`);
  await store.close();

  const states: string[] = [];
  for (let left = 0; left < total; left++) {
    await reset();
    const [client, dying] = await openFailing(path);
    client.left = left;
    await assert.rejects(rework(dying));
    await dying.close();
    const reopened = await openKvStore({ path });
    states.push(await stateOf(reopened));
    await addPerson(reopened, "Later");
    await reopened.close();
    assert.equal(await leftovers(path), 0);
  }
  assert.ok(states.includes("before") && states.includes("after"), states.join());
  assert.deepEqual(states, [...states].sort().reverse(), "once decided, always done");
  await Deno.remove(directory, { recursive: true });
});

Deno.test("a recovery that is cut off is done by the next start", async () => {
  const directory = await Deno.makeTempDir();
  const path = `${directory}/store.kv`;
  await prepare(path);
  const [client, dying] = await openFailing(path);
  // Dies as soon as the redo log is decided and one batch of it applied.
  const commit = client.commit.bind(client);
  client.commit = async (ops) => {
    const rev = await commit(ops);
    const decided = ops.some((op) =>
      op.kind === "set" && op.key[0] === "lease" &&
      (op.value as { decided: boolean }).decided
    );
    if (decided) client.left = Math.min(client.left, 1);
    return rev;
  };
  await assert.rejects(rework(dying));
  await dying.close();
  for (let left = 1; left < 4; left++) {
    const again = new FailingClient(await Deno.openKv(path));
    again.left = left - 1;
    await assert.rejects(KvStore.open(again, null, { path, shared: false }));
    again.close();
  }
  const reopened = await openKvStore({ path });
  assert.equal(await stateOf(reopened), "after");
  await reopened.close();
  await Deno.remove(directory, { recursive: true });
});

Deno.test("a store that lives through a failed large commit finishes it before anything else", async () => {
  const directory = await Deno.makeTempDir();
  const path = `${directory}/store.kv`;
  await prepare(path);
  const [client, store] = await openFailing(path);
  await store.from(documents).list({ sort: "title" });
  const before = client.commits;
  client.left = 5;
  await assert.rejects(rework(store), { name: "BadResource" });
  assert.ok(client.commits > before);
  // Still lost: nothing passes.
  await assert.rejects(async () => await store.from(users).findBy("email", "x@example.com"));
  client.left = Infinity;
  const state = await stateOf(store);
  await addPerson(store, "Later");
  await store.close();
  const reopened = await openKvStore({ path });
  assert.equal(await stateOf(reopened), state);
  await reopened.close();
  await Deno.remove(directory, { recursive: true });
});

Deno.test("a store of a newer layout is not opened, and one of no version has the first", async () => {
  const directory = await Deno.makeTempDir({ prefix: "quarterdeck-kv-" });
  const path = `${directory}/store.kv`;
  const set = async (layout: string | null) => {
    const kv = await Deno.openKv(path);
    await (layout === null ? kv.delete(["note", "layout"]) : kv.set(["note", "layout"], layout));
    kv.close();
  };
  for (const layout of [null, "1"]) {
    await set(layout);
    const store = await openKvStore({ path });
    assert.equal(await store.notes.get("layout"), "1");
    await store.close();
  }
  await set("2");
  await assert.rejects(openKvStore({ path }), /layout 2, of a newer version of the program/);
  await Deno.remove(directory, { recursive: true });
});

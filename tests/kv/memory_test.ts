// What the KV engine holds in memory: the record cache, the gate, the search index, first pages, reads that race.
import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { CacheBudget, RecordCache } from "../../storage/memory/cache.ts";
import { Client } from "../../kv/client.ts";
import { Gate } from "../../kv/gate.ts";
import { KvStore } from "../../kv/store.ts";
import { tasks } from "../../models/dashboard.ts";
import { users } from "../../models/users.ts";
import { openTestStore } from "../storage/open.ts";
import { addPerson, server, storedPerson } from "../storage/people.ts";
import type { Awaitable } from "../../core/awaitable.ts";

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("the cache stays within its bytes, and keeps what is used", () => {
  const budget = new CacheBudget(1000);
  const caches = [new RecordCache<{ n: number }>(budget), new RecordCache<{ n: number }>(budget)];
  const hot = { n: -1 };
  caches[0]!.set("hot", hot, 100);
  for (let n = 0; n < 500; n++) {
    caches[n % 2]!.set(`r${n}`, { n }, 50 + n % 100);
    assert.equal(caches[0]!.get("hot"), hot);
    assert.ok(budget.bytes <= 1000);
  }
  caches[0]!.set("hot", { n: 2 }, 900);
  caches[1]!.set("big", { n: 3 }, 2000);
  assert.ok(budget.bytes <= 1000);
  for (const cache of caches) cache.clear();
  assert.equal(budget.bytes, 0);
});

Deno.test("the cache holds what a model holds, less what was dropped", () => {
  const step = fc.record({
    kind: fc.constantFrom("set", "delete", "get", "clear", "set", "set"),
    cache: fc.nat(1),
    id: fc.nat(12).map(String),
    size: fc.nat(300),
  });
  fc.assert(fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
    const budget = new CacheBudget(1000);
    const caches = [new RecordCache(budget), new RecordCache(budget)];
    const model = [new Map<string, object>(), new Map<string, object>()];
    for (const { kind, cache, id, size } of steps) {
      const record = {};
      if (kind === "set") {
        caches[cache]!.set(id, record, size);
        model[cache]!.set(id, record);
      } else if (kind === "delete") {
        caches[cache]!.delete(id);
        model[cache]!.delete(id);
      } else if (kind === "clear") {
        caches[cache]!.clear();
        model[cache]!.clear();
      }
      const held = caches[cache]!.get(id);
      assert.ok(held === undefined || held === model[cache]!.get(id));
      assert.ok(budget.bytes >= 0 && budget.bytes <= 1000);
    }
  }));
});

Deno.test("the gate lets many in together, or one alone", async () => {
  const gate = new Gate();
  const log: string[] = [];
  const inside = (name: string) => async () => {
    log.push(`+${name}`);
    await turn();
    log.push(`-${name}`);
  };
  const early = [gate.together(inside("a")), gate.together(inside("b"))];
  const alone = [gate.alone(inside("X")), gate.alone(inside("Y"))];
  await Promise.resolve();
  const late = gate.together(inside("c"));
  await Promise.all([...early, ...alone, late]);
  assert.equal(log.filter((entry) => entry === "+X").length, 1);
  const at = (entry: string) => log.indexOf(entry);
  assert.ok(at("+b") < at("-a") && at("-b") < at("+X"));
  assert.equal(at("-X"), at("+X") + 1);
  assert.equal(at("-Y"), at("+Y") + 1);
  assert.ok(at("+c") > at("-X"));
});

Deno.test("a gate that needs repair lets nobody pass before it succeeds", async () => {
  const gate = new Gate();
  let works = false;
  gate.repair = () => works ? Promise.resolve() : Promise.reject(new RangeError("not yet"));
  await assert.rejects(gate.together(() => Promise.resolve()), RangeError);
  await assert.rejects(gate.alone(() => Promise.resolve()), RangeError);
  works = true;
  assert.equal(await gate.together(() => Promise.resolve(1)), 1);
  assert.equal(gate.repair, null);
});

Deno.test("a term never matches across two fields", async () => {
  const store = await openTestStore();
  await addPerson(store, "Ann", { email: "bob@example.com" });
  for (const search of ["annbob", "ann\0bob", "\0", "\u001f", "ann\u001fbob"]) {
    assert.equal((await store.from(users).list({ search })).total, 0);
  }
  await store.close();
});

Deno.test("what is in memory is answered at once, and is the same record until it changes", async () => {
  const store = await openTestStore();
  const reader = store.from(users);
  const ann = await addPerson(store, "Ann");
  await reader.findBy("email", ann.email);
  await reader.list({ sort: "name" });
  const isNow = (answer: Awaitable<unknown>) => assert.ok(!(answer instanceof Promise));
  isNow(reader.get(ann.id));
  isNow(reader.get("none"));
  isNow(reader.getMany([ann.id, "none"]));
  isNow(reader.findBy("email", ann.email));
  isNow(reader.list());
  isNow(reader.count({ role: "user" }));
  isNow(reader.aggregate({ by: "role" }));
  assert.equal(await reader.get(ann.id), ann);
  assert.equal((await reader.list()).rows[0], ann);
  assert.equal(await reader.findBy("email", ann.email), ann);
  const anna = await store.transact(server, (tx) => tx.update(users, ann, { name: "Anna" }));
  assert.notEqual(anna, ann);
  assert.equal(await reader.get(ann.id), anna);
  await store.close();
});

/** A client whose reads wait until they are let go. */
class SlowClient extends Client {
  slow = false;
  waiting: (() => void)[] = [];

  override async getMany(...args: Parameters<Client["getMany"]>): ReturnType<Client["getMany"]> {
    const entries = await super.getMany(...args);
    if (this.slow) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return entries;
  }
}

Deno.test("a slow read that began before a commit does not bring the old state back after it", async () => {
  const client = new SlowClient(await Deno.openKv(":memory:"));
  const store = await KvStore.open(client, null, { shared: false, cacheMaxBytes: 1 << 20 });
  const reader = store.from(users);
  const ann = await addPerson(store, "Ann");
  const other = await KvStore.open(client, null, { shared: false });
  client.slow = true;
  const slow = other.from(users).get(ann.id);
  await turn();
  const release = client.waiting.splice(0);
  client.slow = false;
  const anna = await other.transact(server, (tx) => tx.update(users, ann, { name: "Anna" }));
  release.forEach((go) => go());
  assert.equal((await slow)!.name, "Ann");
  assert.equal(await other.from(users).get(ann.id), anna);
  assert.equal((await reader.get(ann.id))!.name, "Ann", "a store of its own does not follow");
  await store.close();
});

Deno.test("a projection that is filled while records change misses none of it", async () => {
  const store = await openTestStore();
  const at = "2026-01-01T00:00:00.000Z";
  await store.load(users, Array.from({ length: 3000 }, (_, i) => storedPerson(`p${i}`, at)));
  const filling = store.from(users).list({ where: { department: "Ops" }, limit: 5000 });
  const changed = [];
  // More than are added to it in one turn.
  for (let i = 0; i < 3000; i += 10) {
    const person = (await store.from(users).get(`p${i}`))!;
    changed.push(store.transact(server, (tx) => {
      if (i % 20) tx.remove(users, person);
      else tx.update(users, person, { department: "Ops" });
    }));
    changed.push(addPerson(store, `New ${i}`, { department: "Ops" }));
  }
  await Promise.all([filling, ...changed]);
  assert.equal((await store.from(users).list({ where: { department: "Ops" } })).total, 450);
  assert.equal(await store.from(users).count(), 3000 - 150 + 300);
  await store.close();
});

Deno.test("the first pages need no scan, unless ids are no times", async () => {
  class CountingClient extends Client {
    listed = 0;
    override async list(...args: Parameters<Client["list"]>): ReturnType<Client["list"]> {
      const entries = await super.list(...args);
      this.listed += entries.length;
      return entries;
    }
  }
  const client = new CountingClient(await Deno.openKv(":memory:"));
  // Later than any other id of this process, so that ids are the time of their records.
  let ms = Date.UTC(2100, 0, 1);
  const clock = () => new Date(ms += 10);
  const store = await KvStore.open(client, null, { shared: false, clock });
  for (let i = 0; i < 100; i++) await addPerson(store, `P${i}`);
  const listed = client.listed;
  const { rows, total } = await store.from(users).list();
  assert.deepEqual(
    rows.map(({ name }) => name),
    [99, 98, 97, 96, 95, 94, 93, 92, 91, 90].map((i) => `P${i}`),
  );
  assert.equal(total, 100);
  assert.ok(client.listed - listed < 20, `${client.listed - listed} records read`);
  const again = await KvStore.open(client, null, { shared: false });
  const third = await again.from(users).list({ page: 3 });
  assert.deepEqual(
    third.rows.map(({ name }) => name),
    [79, 78, 77, 76, 75, 74, 73, 72, 71, 70].map((i) => `P${i}`),
  );
  assert.deepEqual(
    (await again.from(users).list({ page: 4 })).rows,
    (await again.from(users).list({ cursor: third.nextCursor! })).rows,
  );
  assert.equal((await again.from(users).list({ page: 10 })).nextCursor, null);
  assert.deepEqual((await again.from(users).list({ page: 11 })).rows, []);
  await store.commit([{
    kind: "insert",
    collection: "users",
    after: { ...storedPerson("a", "2130-01-01T00:00:00.000Z"), rev: "" } as never,
  }], { actor: server });
  const fresh = await KvStore.open(client, null, { shared: false });
  assert.equal((await fresh.from(users).list()).rows[0]!.id, "a");
  await store.close();
});

Deno.test("commits leave nothing in memory", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const store = await openTestStore({ cacheMaxBytes: 1 });
  let ada = await addPerson(store, "Ada");
  async function heapAfter(commits: number): Promise<number> {
    for (let n = 0; n < commits; n++) {
      const before = ada;
      ada = await store.transact(server, (tx) => tx.update(users, before, { name: `Ada ${n}` }));
    }
    collect();
    return Deno.memoryUsage().heapUsed;
  }
  let before = await heapAfter(2000);
  let grown = Infinity;
  // The runtime keeps things of its own now and then; what each commit left would grow at every try.
  for (let tries = 0; tries < 4 && grown >= 4000 * 50; tries++) {
    const after = await heapAfter(4000);
    grown = Math.min(grown, after - before);
    before = after;
  }
  await store.close();
  // A reference to what each commit resolved to would be some 200 bytes a commit.
  assert.ok(grown < 4000 * 50, `${grown} bytes`);
});

Deno.test("what some values have is held once the collection is in memory, empty at first", async () => {
  const store = await openTestStore();
  try {
    const reader = store.from(tasks);
    const held = (status = "done") => reader.held!("status", [status]);
    assert.equal(held(), null);
    await store.warmUp!();
    assert.deepEqual(held(), []);
    const { id: createdBy } = await addPerson(store, "Ann");
    const task = { title: "T", status: "done", priority: "low", createdBy } as const;
    const made = await store.transact(server, (tx) => tx.insert(tasks, task));
    assert.deepEqual(held(), [[await reader.get(made.id)]]);
    assert.deepEqual(held("pending"), []);
    assert.equal(reader.held!("id", [made.id]), null, "ids are looked up by themselves");
  } finally {
    await store.close();
  }
});

// Records in memory: what is held, in how many bytes, and how what is not held is read.
import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import fc from "fast-check";
import { Client } from "../../kv/client.ts";
import { KvStore } from "../../kv/store.ts";
import { tags } from "../../models/documents.ts";
import { personInRow, users } from "../../models/users.ts";
import type { Awaitable } from "../../core/awaitable.ts";
import type { Entity } from "../../storage/port.ts";
import { FILL_BATCH } from "../../storage/memory/source.ts";
import { Records, RecordsBudget, textBytes } from "../../storage/memory/records.ts";
import { RowTexts } from "../../storage/memory/row_texts.ts";
import { openTestStore } from "./open.ts";
import { addPerson, server, storedPerson } from "./people.ts";

const AT = "2026-01-01T00:00:00.000Z";

function entity(id: string, rev: string, note: string): Entity & { note: string } {
  return Object.freeze({ id, createdAt: AT, updatedAt: AT, rev, note });
}

const textOf = (record: Entity) => JSON.stringify({ ...record, rev: undefined });

Deno.test("written records are the same when memory keeps no more than their texts", async () => {
  // Room for all texts, but for a fifth of the objects.
  const store = await openTestStore({ cacheMaxBytes: 100_000 });
  const made = await store.transact(
    server,
    (tx) => Array.from({ length: 100 }, (_, n) => tx.insert(tags, { name: `Tag ${n}` })),
  );
  const changed = await store.transact(
    server,
    (tx) => made.map((tag, n) => n % 2 ? tag : tx.update(tags, tag, { name: `Other ${n}` })),
  );
  for (const tag of changed) {
    const found = store.from(tags).get(tag.id);
    assert.ok(!(found instanceof Promise), `${tag.name} is not in memory`);
    assert.deepEqual(found, tag);
  }
  await store.close();
});

Deno.test("records in memory are the last ones that were given, within their bytes", () => {
  const step = fc.record({
    kind: fc.constantFrom("set", "set", "offer", "get", "get", "delete", "clear"),
    collection: fc.nat(1),
    id: fc.nat(12).map(String),
    note: fc.string({ unit: fc.constantFrom("a", "é", "中"), maxLength: 400 }),
  });
  fc.assert(fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
    const budget = new RecordsBudget(6000);
    const held = [new Records(budget), new Records(budget)];
    const model = [new Map<string, Entity>(), new Map<string, Entity>()];
    steps.forEach(({ kind, collection, id, note }, n) => {
      const record = entity(id, String(n), note);
      const records = held[collection]!;
      if (kind === "set") {
        // Some come with their text, of which the version may be another.
        const text = [null, textOf(record), JSON.stringify({ ...record, rev: "old" })][n % 3];
        records.set(record, textBytes(textOf(record)), text);
        model[collection]!.set(id, record);
      } else if (kind === "offer") {
        const missing = records.revOf(id) === undefined;
        records.offer({ record, text: textOf(record) });
        if (missing) model[collection]!.set(id, record);
      } else if (kind === "delete") {
        records.delete(id);
        model[collection]!.delete(id);
      } else if (kind === "clear") {
        records.clear();
        model[collection]!.clear();
      }
      const found = records.get(id);
      if (found !== undefined) assert.deepEqual(found, model[collection]!.get(id));
      assert.ok(found === undefined || Object.isFrozen(found));
      assert.ok(budget.bytes >= 0 && budget.bytes <= 6000, `${budget.bytes} bytes`);
    });
    for (const records of held) records.clear();
    assert.equal(budget.bytes, 0);
  }));
});

type Note = ReturnType<typeof entity>;

/** Rows that show the notes of records; what is beside them is all of the record. */
const notes = {
  row: ({ note }: Note) => `row of ${note}`,
  whole: { rest: textOf, of: (_: string, rest: string): object => JSON.parse(rest) },
};

Deno.test("rows in memory are the last ones that were given, within the bytes that they share with records", () => {
  const step = fc.record({
    kind: fc.constantFrom("keep", "keep", "offer", "offer", "get", "drop", "record"),
    slot: fc.nat(40),
    note: fc.string({ unit: fc.constantFrom("a", "é", "中"), maxLength: 400 }),
  });
  fc.assert(fc.property(fc.array(step, { maxLength: 200 }), fc.boolean(), (steps, isWhole) => {
    // A sixth is for what is beside rows: the first of it takes 1 KiB.
    const most = isWhole ? 12_000 : 6000;
    const budget = new RecordsBudget(most);
    const records = new Records(budget);
    const rows = new RowTexts<Note>(isWhole ? notes : { row: notes.row }, budget);
    const model = new Map<number, string>();
    steps.forEach(({ kind, slot, note }, n) => {
      const given = entity(String(slot), String(n), note);
      if (kind === "record") records.set(given, textBytes(textOf(given)));
      else if (kind === "keep") {
        assert.equal(rows.keep(slot, given), notes.row(given));
        model.set(slot, note);
      } else if (kind === "offer") {
        rows.offer(slot, given);
        model.set(slot, note);
      } else if (kind === "drop") {
        rows.drop(slot);
        model.delete(slot);
      }
      const held = rows.get(slot);
      if (held !== null) assert.equal(held, `row of ${model.get(slot)}`);
      const whole = rows.whole(slot);
      if (whole) assert.ok(isWhole && held !== null && Object.isFrozen(whole.record));
      if (whole) assert.equal(whole.record.note, model.get(slot));
      assert.ok(budget.bytes >= 0 && budget.bytes <= most, `${budget.bytes} bytes`);
    });
    rows.close();
    records.clear();
    assert.equal(budget.bytes, 0);
  }));
});

Deno.test("rows that are used stay, others make room for new ones", () => {
  const budget = new RecordsBudget(6000);
  const rows = new RowTexts<Note>({ row: ({ note }) => note }, budget);
  const record = entity("n", "1", "x".repeat(300));
  for (let slot = 0; slot < 1000; slot++) {
    rows.keep(slot, record);
    assert.equal(rows.get(0), record.note, `after ${slot} others`);
  }
  const held = Array.from({ length: 1000 }, (_, slot) => rows.get(slot)).filter((row) =>
    row !== null
  );
  assert.ok(held.length >= 14, `${held.length} rows of 300 characters in 6,000 bytes`);
});

Deno.test("what is beside rows takes a ninth of the bytes at most, and gives way to rows", () => {
  const budget = new RecordsBudget(600_000);
  const rows = new RowTexts<Note>(notes, budget);
  const record = (slot: number) => entity(String(slot), "1", "x".repeat(200));
  const held = () => Array.from({ length: 4000 }, (_, slot) => rows.whole(slot)).filter(Boolean);
  for (let slot = 0; slot < 1000; slot++) rows.offer(slot, record(slot));
  const beside = held().length;
  assert.ok(beside > 100 && beside * textOf(record(0)).length <= 600_000 / 9, `${beside} records`);
  assert.equal(rows.getAll([...Array(1000).keys()]).includes(null), false);
  for (let slot = 1000; slot < 4000; slot++) rows.keep(slot, record(slot));
  assert.equal(held().length, 0);
});

Deno.test("who was changed last is whole, however many changes came before and however many others there are", () => {
  const budget = new RecordsBudget(600_000);
  const rows = new RowTexts<Note>(notes, budget);
  for (let slot = 0; slot < 1000; slot++) {
    rows.offer(slot, entity(String(slot), "1", "x".repeat(200)));
    assert.equal(rows.whole(slot)?.record.id, String(slot));
  }
  for (let n = 0; n < 5000; n++) {
    const slot = n * 7 % 1000;
    rows.offer(slot, entity(String(slot), String(n), `${n}`.padEnd(200)));
    assert.equal(rows.whole(slot)?.record.note, `${n}`.padEnd(200));
  }
});

Deno.test("a collection that is kept as rows keeps records only while they are objects", () => {
  const budget = new RecordsBudget(80_000);
  const records = new Records(budget, false);
  for (let n = 0; n < 100; n++) {
    const record = entity(`n${n}`, "1", "y".repeat(100));
    records.set(record, textBytes(textOf(record)));
    records.offer({ record: entity(`o${n}`, "1", "y"), text: "{}" });
  }
  const held = (id: string) => records.revOf(id) !== undefined;
  assert.ok(held("n99") && !held("n0") && !held("o99"));
  assert.ok(budget.bytes <= 80_000 / 4, `${budget.bytes} bytes`);
});

Deno.test("what a scan offers takes nobody's place", () => {
  const budget = new RecordsBudget(20_000);
  const records = new Records(budget);
  const kept = entity("kept", "1", "x".repeat(1000));
  records.set(kept, textBytes(textOf(kept)));
  for (let n = 0; n < 50; n++) {
    const record = entity(`n${n}`, "1", "y".repeat(100));
    records.offer({ record, text: textOf(record) });
  }
  assert.equal(records.get("kept"), kept);
  assert.equal(records.get("n0")?.id, "n0");
  assert.equal(records.get("n49"), undefined);
});

/** Counts reads, and the most records that are read by scans within one turn, as `nextTurn` gives it: by either timer. */
class CountingClient extends Client {
  reads = 0;
  longest = 0;
  #turn = 0;

  override async getMany(...args: Parameters<Client["getMany"]>): ReturnType<Client["getMany"]> {
    this.reads++;
    return await super.getMany(...args);
  }

  override async list(...args: Parameters<Client["list"]>): ReturnType<Client["list"]> {
    const entries = await super.list(...args);
    if (this.#turn === 0) this.#endTurn();
    this.#turn += entries.length;
    this.longest = Math.max(this.longest, this.#turn);
    return entries;
  }

  #endTurn(): void {
    const end = () => {
      clearImmediate(immediate);
      clearTimeout(timer);
      this.#turn = 0;
    };
    const immediate = setImmediate(end), timer = setTimeout(end, 0);
  }
}

async function openCounting(people: number, cacheMaxBytes?: number) {
  const client = new CountingClient(await Deno.openKv(":memory:"));
  const store = await KvStore.open(client, null, {
    shared: false,
    path: ":memory:",
    cacheMaxBytes,
  });
  const records = Array.from(
    { length: people },
    (_, i) => storedPerson(`p${String(i).padStart(5, "0")}`, AT),
  );
  await store.load(users, records);
  const restarted = await KvStore.open(client, null, {
    shared: false,
    path: ":memory:",
    cacheMaxBytes,
  });
  return { client, store: restarted };
}

/** Asks until the answer is there at once. */
async function filled(ask: () => Awaitable<unknown>): Promise<void> {
  for (let answer = ask(); answer instanceof Promise; answer = ask()) {
    await answer;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

Deno.test("memory fills behind the requests, in slices, and then no page and no row needs a read", async () => {
  const { client, store } = await openCounting(3000);
  void store.warmUp();
  const reader = store.from(users);
  await filled(() => reader.count());
  // The end of one collection and the beginning of the next may share a turn.
  assert.ok(client.longest < 2 * FILL_BATCH, `${client.longest} records in one turn`);
  client.reads = 0;
  for (let page = 1; page <= 300; page += 13) {
    const { rows } = await reader.listRows({ sort: "-name", page });
    assert.equal(rows.length, 10);
    const { id } = JSON.parse(personInRow(rows[0]!));
    assert.deepEqual(await reader.rowsOf([id]), [rows[0]]);
  }
  assert.equal(client.reads, 0);
  await store.close();
});

Deno.test("who changes a user whom lists show reads nothing, and loses nothing", async () => {
  const { client, store } = await openCounting(300);
  void store.warmUp();
  const reader = store.from(users);
  await filled(() => reader.count());
  for (let n = 0; n < 300; n += 7) {
    const id = `p${String(n).padStart(5, "0")}`;
    client.reads = 0;
    const before = reader.get(id);
    assert.ok(before && !(before instanceof Promise), `${id} is read`);
    assert.equal(client.reads, 0);
    const secret = { passwordHash: `$argon2id$${n}`, unverifiedSince: AT };
    const after = await store.transact(server, (tx) => tx.update(users, before, secret));
    assert.deepEqual(after, { ...before, ...secret, rev: after.rev, updatedAt: after.updatedAt });
  }
  // Of another process, whose memory was filled with them.
  const other = await KvStore.open(client, null, { shared: false, path: ":memory:" });
  const stored = new Map(await Array.fromAsync(other.from(users).scan(), (one) => [one.id, one]));
  void other.warmUp();
  await filled(() => other.from(users).count());
  client.reads = 0;
  for (const [id, user] of stored) assert.deepEqual(other.from(users).get(id), user);
  assert.equal(client.reads, 0);
  await store.close();
});

Deno.test("a record is found by a value that memory has not heard of yet", async () => {
  const { client, store } = await openCounting(3);
  void store.warmUp();
  await filled(() => store.from(users).count());
  // Its commits are not followed by the first.
  const other = await KvStore.open(client, null, { shared: false, path: ":memory:" });
  const before = (await other.from(users).get("p00001"))!;
  await other.transact(server, (tx) => tx.update(users, before, { email: "moved@example.com" }));
  assert.equal((await store.from(users).findBy("email", "moved@example.com"))?.id, before.id);
  assert.equal(await store.from(users).findBy("email", before.email), null);
  await store.close();
});

Deno.test("a store that closes while memory fills ends what it began", async () => {
  const { store } = await openCounting(1000);
  void store.warmUp();
  await store.close();
});

Deno.test("a page that is not in memory is one read", async () => {
  const { client, store } = await openCounting(500, 1);
  const reader = store.from(users);
  assert.equal((await reader.list({ sort: "name", limit: 10 })).total, 500);
  client.reads = 0;
  const { rows } = await reader.list({ sort: "name", page: 7, limit: 10 });
  assert.equal(rows[0]!.name, "p00060");
  assert.equal(client.reads, 1);
  const shown = await reader.listRows({ sort: "name", page: 8, limit: 10 });
  assert.equal(JSON.parse(personInRow(shown.rows[0]!)).id, "p00070");
  assert.equal(client.reads, 2);
  await store.close();
});

Deno.test("a commit while memory fills is seen at once, in its record and in its list", async () => {
  const { store } = await openCounting(2000);
  void store.warmUp();
  const reader = store.from(users);
  for (let n = 0; n < 20; n++) {
    const before = (await reader.get(`p${String(n * 97).padStart(5, "0")}`))!;
    const after = await store.transact(
      { userId: null },
      (tx) => tx.update(users, before, { department: "Ops" }),
    );
    assert.deepEqual(await reader.get(before.id), after);
    const { id } = await addPerson(store, `New ${n}`, { department: "Ops" });
    assert.equal((await reader.get(id))!.department, "Ops");
  }
  assert.equal((await reader.list({ where: { department: "Ops" } })).total, 40);
  await store.close();
});

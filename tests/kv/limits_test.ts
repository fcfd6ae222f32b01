// Deno KV at its limits: what fits is one commit, and what does not is split or staged.
import assert from "node:assert/strict";
import fc from "fast-check";
import { Client, CommitSize, LIMITS, type Op } from "../../kv/client.ts";
import { encodeRecord, isSplit, MAX_VALUE_BYTES, splitOf, valueSize } from "../../kv/codec.ts";
import { MAX_RECORD_BYTES } from "../../storage/limits.ts";
import { operationsOf, takeGroup } from "../../kv/group.ts";
import { type Key, keySize, keyText, MAX_KEY_BYTES, uniqueKey } from "../../kv/keys.ts";
import { Turns } from "../turns.ts";
import { planCommit } from "../../kv/plan.ts";
import { atOnce } from "../../core/slices.ts";
import { documents, tags } from "../../models/documents.ts";
import { users } from "../../models/users.ts";
import { type Change, TooLarge } from "../../storage/port.ts";
import { openFile, openTestStore } from "../storage/open.ts";
import { addPerson, person, server } from "../storage/people.ts";

const at = "2026-01-01T00:00:00.000Z";
const entity = { createdAt: at, updatedAt: at, rev: "" };

async function withClient(run: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client(await Deno.openKv(":memory:"));
  try {
    await run(client);
  } finally {
    client.close();
  }
}

const set = (key: Key, value: unknown): Op => ({ kind: "set", key, value });

Deno.test("KV takes every commit that is said to fit, and the estimate is close", async () => {
  await withClient(async (client) => {
    const checks = Array.from({ length: LIMITS.checks }, (_, n): Op => ({
      kind: "check",
      key: ["absent", n],
      versionstamp: null,
    }));
    const sets = (count: number, key: number, bytes: number) =>
      Array.from(
        { length: count },
        (_, n) => set([String(n).padStart(key, "k")], new Uint8Array(bytes)),
      );
    const edges: Op[][] = [
      [...checks, ...sets(LIMITS.mutations, 5, 10)],
      [...sets(13, 5, 60 * 1024), set(["rest"], new Uint8Array(18_000))],
      sets(39, 1990, 10),
      sets(900, 80, 500),
      [...Array(500).keys()].map((n) => ({ kind: "delete", key: ["d", n] })),
      [...Array(500).keys()].map((n) => ({ kind: "sum", key: ["s", n], by: -1 })),
      sets(12, 5, 60_000).map((op) => ({ ...op, value: "é€".repeat(15_000) }) as Op),
    ];
    for (const ops of edges) {
      assert.ok(new CommitSize(ops).fits(LIMITS.checks));
      assert.ok(await client.commit(ops));
    }
    const beyond: Op[][] = [
      [...checks, { kind: "check", key: ["more"], versionstamp: null }],
      sets(LIMITS.mutations + 1, 5, 10),
      sets(14, 5, 60 * 1024),
      sets(42, 1990, 10),
    ];
    for (const ops of beyond) {
      assert.ok(!new CommitSize(ops).fits(LIMITS.checks));
      await assert.rejects(client.commit(ops), TypeError);
    }
  });
});

Deno.test("key sizes are those of KV", async () => {
  await withClient(async ({ kv }) => {
    for (const unit of ["a", "é", "€", "😀", "\0", "a\0é"]) {
      const text = unit.repeat(3000);
      for (let length = 2100; length > 200; length -= 1) {
        const key = ["p", text.slice(0, length)];
        if (!key[1]!.isWellFormed() || Math.abs(keySize(key) - 2048) > 8) continue;
        const accepted = await (kv as Deno.Kv).set(key, 1).then(() => true, () => false);
        assert.equal(accepted, keySize(key) <= 2048, `${unit} ${keySize(key)}`);
      }
    }
  });
});

Deno.test("a unique value too long for a key is hashed, at the edge and beyond", () => {
  const room = MAX_KEY_BYTES - keySize(["unique", "users", "email", ""]);
  const fits = uniqueKey("users", "email", ["x".repeat(room)]);
  const over = uniqueKey("users", "email", ["x".repeat(room + 1)]);
  assert.equal(keySize(fits), MAX_KEY_BYTES);
  assert.ok(over.at(-1) instanceof Uint8Array && keySize(over) < 150);
  assert.notDeepEqual(over, uniqueKey("users", "email", ["x".repeat(room + 2)]));
});

Deno.test("records are split above 60 KiB, and end at 512 KiB", async () => {
  const store = await openTestStore();
  const { id: ownerId } = await addPerson(store, "Ann");
  const base = { ...entity, id: "d", title: "t", type: "other", size: 1, ownerId };
  const overhead = JSON.stringify({ ...base, rev: undefined, content: "" }).length;
  const withBytes = (bytes: number) => ({ ...base, content: "x".repeat(bytes - overhead) });
  for (const bytes of [MAX_VALUE_BYTES - 1, MAX_VALUE_BYTES, MAX_VALUE_BYTES + 1]) {
    const { value, parts } = encodeRecord("documents", withBytes(bytes));
    assert.equal(parts.length, bytes > MAX_VALUE_BYTES ? 2 : 0);
    assert.ok([value, ...parts].every((piece) => valueSize(piece) <= 64 * 1024));
  }
  for (const bytes of [30_719, 30_721, MAX_VALUE_BYTES, MAX_VALUE_BYTES + 1, MAX_RECORD_BYTES]) {
    const after = { ...withBytes(bytes), id: `d${bytes}` };
    after.content = after.content.slice(after.id.length - 1);
    await store.commit([{ kind: "insert", collection: "documents", after }], { actor: server });
    const scanned = await Array.fromAsync(store.from(documents).scan());
    assert.ok(scanned.some(({ id, content }) => id === after.id && content === after.content));
  }
  const tooLong: Change = {
    kind: "insert",
    collection: "documents",
    after: withBytes(MAX_RECORD_BYTES + 1),
  };
  await assert.rejects(store.commit([tooLong], { actor: server }), TooLarge);
  await store.close();
});

Deno.test("property: how a record is split is told without making its JSON where that is short", () => {
  const some = fc.constantFrom("x", '"', "\0", "\u0001", "\ud800", "é", "字", "😀");
  const text = fc.tuple(some, fc.constantFrom(0, 1, 4_000, 5_100, 5_121, 11_000, 21_000))
    .map(([one, times]) => one.repeat(times));
  fc.assert(fc.property(text, fc.array(text, { maxLength: 3 }), (content, texts) => {
    const record = { ...entity, id: "d", content, texts, more: { [content.slice(0, 9)]: 1e300 } };
    const { value } = encodeRecord("documents", record);
    assert.deepEqual(splitOf("documents", record), isSplit(value) ? value : null);
  }));
});

Deno.test("the parts of a long record go when it is shortened or removed", async () => {
  const directory = await Deno.makeTempDir();
  const path = `${directory}/store.kv`;
  const { openKvStore } = await import("../../kv/store.ts");
  const store = await openKvStore({ path });
  const add = (content: string) =>
    store.transact(
      server,
      (tx) => tx.insert(documents, { title: "t", content, type: "other", size: 1, ownerId: "o" }),
    );
  const [a, b] = [await add("a".repeat(300_000)), await add("b".repeat(300_000))];
  await store.transact(server, (tx) => {
    tx.update(documents, a, { content: "short" });
    tx.remove(documents, b);
  });
  await store.close();
  const kv = await Deno.openKv(path);
  assert.deepEqual(await Array.fromAsync(kv.list({ prefix: ["part"] })), []);
  kv.close();
  await Deno.remove(directory, { recursive: true });
});

for (const count of [33, 34, 49, 50, 51, 99, 100, 101, 332, 334, 340, 1001]) {
  Deno.test(`a commit of ${count} users is all or nothing`, async () => {
    const store = await openTestStore();
    const people = Array.from({ length: count }, (_, i) => person(`P${i}`, { username: `p${i}` }));
    await store.transact(server, (tx) => people.forEach((fields) => tx.insert(users, fields)));
    assert.equal(await store.from(users).count(), count);
    assert.equal(
      (await store.from(users).findBy("username", `p${count - 1}`))!.name,
      `P${count - 1}`,
    );
    const again = store.transact(server, (tx) => {
      people.forEach((fields, i) =>
        tx.insert(users, { ...fields, email: `other${i}@example.com`, username: `q${i}` })
      );
      tx.insert(users, person("Last", { username: "p0" }));
    });
    await assert.rejects(again, { name: "UniqueConflict", key: "username" });
    assert.equal((await Array.fromAsync(store.from(users).scan())).length, count);
    assert.equal(await store.from(users).count(), count);
    await store.close();
  });
}

Deno.test("a commit of more bytes than KV takes at once, with records in parts", async () => {
  const store = await openFile();
  const contents = Array.from({ length: 7 }, (_, i) => `${i}`.repeat(400_000));
  const planned = await store.transact(
    server,
    (tx) =>
      contents.map((content) =>
        tx.insert(documents, { title: "t", content, type: "other", size: 1, ownerId: "o" })
      ),
  );
  for (const document of planned) {
    assert.deepEqual(await store.from(documents).get(document.id), document);
  }
  await store.transact(server, (tx) => planned.forEach((row) => tx.remove(documents, row)));
  assert.equal(await store.from(documents).count(), 0);
  await store.close();
});

Deno.test("the journal entry of a commit that changes much is whole", async () => {
  const store = await openTestStore();
  const prefix = "x".repeat(100);
  const changes = Array.from({ length: 5000 }, (_, i): Change => {
    const name = `${prefix}${i}`;
    return { kind: "insert", collection: "tags", after: { ...entity, id: name, name } as never };
  });
  await store.commit(changes, { actor: { userId: "u" } });
  for await (const entry of store.changes({ after: "" })) {
    assert.equal(entry.changes.length, 5000);
    assert.equal(new Set(entry.changes.map(({ id }) => id)).size, 5000);
    break;
  }
  assert.equal(await store.from(tags).count(), 5000);
  await store.close();
});

Deno.test("commits at once go together within every limit of an operation", async () => {
  const store = await openFile();
  const { id: ownerId } = await addPerson(store, "Ann");
  const document = (id: string, length: number): Change => ({
    kind: "insert",
    collection: "documents",
    after: {
      ...entity,
      id,
      title: id,
      content: "é".repeat(length),
      type: "document",
      size: 1,
      ownerId,
    },
  } as Change);
  const check = (n: number): Change => ({
    kind: "check",
    collection: "tags",
    id: `no${n}`,
    rev: null,
  });
  const tag = (id: string, name = id): Change => ({
    kind: "insert",
    collection: "tags",
    after: { ...entity, id, name },
  } as Change);
  const kinds: Record<string, (n: number) => Change[]> = {
    bytes: (n) => [document(`d${n}`, 40_000)],
    checks: (n) => [tag(`c${n}`), ...Array.from({ length: 40 }, (_, i) => check(n * 100 + i))],
    mutations: (n) => Array.from({ length: 45 }, (_, i) => tag(`m${n}.${i}`)),
    entries: (n) => Array.from({ length: 30 }, (_, i) => tag(`${n}.${i}${"x".repeat(400)}`)),
    nothing: () => [check(1)],
  };
  const commits = Array.from({ length: 20 }, (_, n) => Object.values(kinds).map((make) => make(n)))
    .flat();
  await Promise.all(commits.map((changes) => store.commit(changes, { actor: server })));
  assert.equal(await store.from(documents).count(), 20);
  assert.equal(await store.from(tags).count(), 20 + 20 * 45 + 20 * 30);
  await store.close();
});

Deno.test("a commit of thousands of changes is planned over many turns of the event loop", async () => {
  const changes = Array.from(
    { length: 5000 },
    (_, n) => toChange({ id: `id${n}`, name: `name${n}`, rev: null }),
  );
  const turns = new Turns(10);
  const planning = planCommit(new Map([[tags.name, tags]]), changes, server, new Date(0));
  const planned = Promise.resolve(turns.slices.run(planning));
  assert.ok(turns.run() >= 100);
  assert.equal((await planned).records.length, 5000);
});

Deno.test("a plan is interrupted among its changes, their unique values and their entries in the journal", () => {
  const many = Array.from({ length: 5000 }, (_, n) => ({
    id: `id${n}`,
    name: `name${n}`,
    createdBy: null,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    rev: "1",
  }));
  const kinds: readonly Change[][] = [
    many.map((after) => ({ kind: "insert", collection: tags.name, after })),
    many.map((before) => ({ kind: "remove", collection: tags.name, before })),
  ];
  for (const changes of kinds) {
    let breaks = 0;
    for (
      const work = planCommit(new Map([[tags.name, tags]]), changes, server, new Date(0));
      !work.next().done;
    ) breaks++;
    // After each 25 of each.
    assert.ok(breaks >= 3 * 5000 / 25 - 3, `${breaks}`);
  }
});

Deno.test("what goes together in one operation is independent, and nothing waits for ever", () => {
  const declarations = new Map([[tags.name, tags]]);
  const change = fc.record({
    id: fc.constantFrom("a", "b", "c", "d", "e", "f"),
    name: fc.constantFrom("u", "v", "w", "x", "y", "z"),
    rev: fc.constantFrom(null, "1", "2"),
  });
  const commit = fc.uniqueArray(change, { minLength: 1, maxLength: 3, selector: ({ id }) => id });
  fc.assert(fc.property(fc.array(commit, { maxLength: 12 }), (commits) => {
    const queue = commits.flatMap((changes, n) => {
      try {
        const plan = atOnce(
          planCommit(declarations, changes.map(toChange), server, new Date(0)),
        );
        return [{ n, plan, size: new CommitSize(operationsOf([plan], "mark")) }];
      } catch {
        // Two of its changes take the same name.
        return [];
      }
    });
    for (let first = queue[0]; first; first = queue[0]) {
      const waiting = [...queue];
      const taken = takeGroup(queue, LIMITS.checks);
      assert.equal(taken[0], first);
      assert.deepEqual([...taken, ...queue].sort((a, b) => a.n - b.n), waiting);
      for (const one of taken) {
        for (const other of taken) {
          if (one === other) continue;
          for (const key of one.plan.written) {
            assert.ok(!other.plan.written.has(key) && !other.plan.guards.has(key));
          }
        }
      }
      const ops = operationsOf(taken.map(({ plan }) => plan), "mark");
      assert.ok(new CommitSize(ops).fits(LIMITS.checks));
      const keys = ops.flatMap((op) => op.kind === "check" ? [keyText(op.key)] : []);
      assert.equal(new Set(keys).size, keys.length);
    }
  }));
});

/** An insert where there is no version, a removal of version 1, a check of version 2. */
function toChange({ id, name, rev }: { id: string; name: string; rev: string | null }): Change {
  const record = { ...entity, id, name, rev: rev ?? "" };
  if (rev === null) return { kind: "insert", collection: "tags", after: record };
  if (rev === "1") return { kind: "remove", collection: "tags", before: record };
  return { kind: "check", collection: "tags", id, rev };
}

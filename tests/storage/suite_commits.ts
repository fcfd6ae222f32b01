// The port: commits are all or nothing, and guard what was read.
import assert from "node:assert/strict";
import { documents, type Tag, tags } from "../../models/documents.ts";
import { type User, users } from "../../models/users.ts";
import { type Change, UniqueConflict, VersionConflict } from "../../storage/port.ts";
import { entryOf, take } from "./journal_entries.ts";
import { addPerson, server, storedPerson } from "./people.ts";
import type { StorageTest } from "./storage_test_case.ts";

const at = "2026-01-01T00:00:00.000Z";
const update = (before: User, name: string): Change => {
  const after: User = { ...before, name };
  return { kind: "update", collection: "users", before, after };
};

const tag = (name: string, id = name): Change => {
  const after: Tag = { id, createdAt: at, updatedAt: at, rev: "", name };
  return { kind: "insert", collection: "tags", after };
};
const unseen = (id: string): Change => ({ kind: "check", collection: "tags", id, rev: null });
const writesOf = (changes: readonly Change[]) =>
  changes.filter(({ kind }) => kind !== "check").length;

/** Commits at once: more than Deno KV plans in one turn of the event loop. */
const MANY = 120;

export const commitTests: readonly StorageTest[] = [
  {
    name: "a stale update, removal or check fails and changes nothing",
    run: async (store) => {
      const old = await addPerson(store, "Ann");
      const ann = await store.transact(server, (tx) => tx.update(users, old, { bio: "new" }));
      const stale: Change[] = [
        update(old, "Stale"),
        { kind: "remove", collection: "users", before: old },
        { kind: "check", collection: "users", id: old.id, rev: old.rev },
        { kind: "check", collection: "users", id: old.id, rev: null },
        { kind: "check", collection: "users", id: "none", rev: old.rev },
        { kind: "insert", collection: "users", after: { ...old, rev: "" } as User },
      ];
      for (const change of stale) {
        const tag: Tag = { id: "t", createdAt: at, updatedAt: at, rev: "", name: "t" };
        const beside: Change = { kind: "insert", collection: "tags", after: tag };
        await assert.rejects(store.commit([beside, change], { actor: server }), VersionConflict);
      }
      assert.deepEqual(await store.from(users).get(ann.id), ann);
      assert.equal(await store.from(tags).count(), 0);
    },
  },
  {
    name: "checks that hold let the commit pass",
    run: async (store) => {
      const ann = await addPerson(store, "Ann");
      await store.commit([
        { kind: "check", collection: "users", id: ann.id, rev: ann.rev },
        { kind: "check", collection: "users", id: "none", rev: null },
        {
          kind: "insert",
          collection: "users",
          after: { ...storedPerson("bob", at), rev: "" } as User,
        },
      ], { actor: server });
      assert.equal((await store.from(users).get("bob"))!.name, "bob");
    },
  },
  {
    name: "a taken unique value undoes the whole commit",
    run: async (store) => {
      await addPerson(store, "Ann");
      const plan = store.transact(server, (tx) => {
        tx.insert(tags, { name: "red" });
        tx.insert(users, { ...storedPerson("x", at), name: "Other", email: "ann@example.com" });
      });
      await assert.rejects(plan, UniqueConflict);
      assert.equal(await store.from(tags).count(), 0);
      assert.equal(await store.from(tags).findBy("name", "red"), null);
    },
  },
  {
    name: "one of many concurrent commits of the same version wins",
    run: async (store) => {
      const ann = await addPerson(store, "Ann");
      const tries = Array.from(
        { length: 20 },
        (_, i) => store.commit([update(ann, `Ann ${i}`)], { actor: server }),
      );
      const settled = await Promise.allSettled(tries);
      assert.equal(settled.filter(({ status }) => status === "fulfilled").length, 1);
      for (const result of settled) {
        if (result.status === "rejected") assert.ok(result.reason instanceof VersionConflict);
      }
      const winner = settled.findIndex(({ status }) => status === "fulfilled");
      assert.equal((await store.from(users).get(ann.id))!.name, `Ann ${winner}`);
    },
  },
  {
    name: "one of many concurrent inserts of the same unique value wins",
    run: async (store) => {
      const tries = Array.from(
        { length: 20 },
        (_, i) => addPerson(store, `Ann ${i}`, { email: "ann@example.com" }),
      );
      const settled = await Promise.allSettled(tries);
      assert.equal(settled.filter(({ status }) => status === "fulfilled").length, 1);
      assert.equal(await store.from(users).count(), 1);
      assert.equal((await Array.fromAsync(store.from(users).scan())).length, 1);
    },
  },
  {
    name: "commits at once stand or fall alone, in one order that the journal tells",
    run: async (store) => {
      const ann = await addPerson(store, "Ann");
      const start = await entryOf(store, ann.id);
      const same = { kind: "check", collection: "users", id: ann.id, rev: ann.rev } as const;
      const commits: readonly Change[][] = [
        [tag("a"), tag("b")],
        [tag("c"), unseen("none")],
        // Fail for the first one, each for another reason.
        [tag("other", "a"), tag("d")],
        [tag("a", "e"), tag("f")],
        // Stands only before the second one.
        [tag("g"), unseen("c")],
        [update(ann, "Anna"), tag("h")],
        [update(ann, "Annie"), tag("i")],
        // Stands only before whichever of the two stands.
        [tag("j"), same],
        // Cannot stand at all.
        [tag("l"), tag("l", "m")],
        ...Array.from({ length: MANY }, (_, i) => [tag(`k${i}`)]),
      ];
      const settled = await Promise.allSettled(
        commits.map((changes, i) =>
          store.commit(changes, { actor: { userId: null, requestId: String(i) } })
        ),
      );
      const reasons = settled.map((result) => result.status === "rejected" ? result.reason : null);
      assert.ok(reasons[2] instanceof VersionConflict);
      assert.ok(reasons[3] instanceof UniqueConflict);
      assert.ok(reasons[8] instanceof UniqueConflict);
      assert.equal([reasons[5], reasons[6]].filter((reason) => reason === null).length, 1);
      for (const i of [0, 1, ...Array.from({ length: MANY }, (_, k) => k + 9)]) {
        assert.equal(reasons[i], null, `commit ${i}`);
      }
      for (const i of [4, 5, 6, 7]) {
        assert.ok(reasons[i] === null || reasons[i] instanceof VersionConflict, `commit ${i}`);
      }
      const stood = commits.filter((_, i) => reasons[i] === null);
      const ids = stood.flat().flatMap((change) =>
        change.kind === "insert" ? [change.after.id] : []
      );
      const rows = await Array.fromAsync(store.from(tags).scan());
      assert.deepEqual(rows.map(({ id }) => id).sort(), ids.sort());
      assert.equal(await store.from(tags).count(), ids.length);

      const entries = await take(store.changes({ after: start.seq }), stood.length);
      const place = (i: number) =>
        entries.findIndex(({ actor }) => actor.requestId === String(i)) >>> 0;
      assert.deepEqual(
        entries.map(({ actor }) => Number(actor.requestId)).sort((a, b) => a - b),
        commits.keys().filter((i) => reasons[i] === null).toArray(),
      );
      if (reasons[4] === null) assert.ok(place(4) < place(1));
      if (reasons[7] === null) assert.ok(place(7) < Math.min(place(5), place(6)));
      for (const [i, { seq, changes, actor }] of entries.entries()) {
        assert.equal(changes.length, writesOf(commits[Number(actor.requestId)]!));
        // Whoever goes on from any entry misses none.
        if (i + 1 === entries.length) continue;
        assert.deepEqual(await take(store.changes({ after: seq }), 1), [entries[i + 1]!]);
      }
    },
  },
  {
    name: "a check sees what a commit sent just before it inserts",
    run: async (store) => {
      const [first, second] = await Promise.allSettled([
        store.commit([tag("a")], { actor: server }),
        store.commit([tag("b"), unseen("a")], { actor: server }),
      ]);
      assert.equal(first.status, "fulfilled");
      assert.ok(second.status === "rejected" && second.reason instanceof VersionConflict);
      assert.equal(await store.from(tags).get("b"), null);
    },
  },
  {
    name: "every read after a commit sees it",
    run: async (store) => {
      const reader = store.from(users);
      let ann = await addPerson(store, "Ann");
      for (let i = 0; i < 20; i++) {
        // Reads that are on their way while the commit runs must not bring the old state back.
        const early = [
          reader.get(ann.id),
          reader.list({ sort: "name" }),
          reader.findBy("email", ann.email),
        ];
        ann = await store.transact(server, (tx) => tx.update(users, ann, { name: `Ann ${i}` }));
        assert.equal((await reader.get(ann.id))!.name, ann.name);
        assert.equal((await reader.list({ search: `ann ${i}` })).total, 1);
        assert.equal((await reader.list()).rows[0]!.name, ann.name);
        await Promise.all(early);
        assert.equal((await reader.get(ann.id))!.name, ann.name);
        assert.equal((await reader.findBy("email", ann.email))!.name, ann.name);
      }
    },
  },
  {
    name: "who has read records sees what one commit makes of all of them",
    run: async (store) => {
      const reader = store.from(tags);
      // Memory takes neither of them record by record, and the second is made in slices.
      for (const count of [600, 1200]) {
        const ids = Array.from({ length: count }, (_, n) => `${count}-${n}`);
        const read = async () => (await reader.getMany(ids)).map((one) => one && one.name);
        const commit = async (change: (id: string, before: Tag) => Change) => {
          const before = await reader.getMany(ids);
          const changes = ids.map((id, n) => change(id, before[n] as Tag));
          await store.commit(changes, { actor: server });
        };
        assert.deepEqual(await read(), ids.map(() => null));
        await commit((id) => tag(id));
        assert.deepEqual(await read(), ids);
        await commit((id, before) => {
          const after = { ...before, name: `${id} new` };
          return { kind: "update", collection: "tags", before, after };
        });
        assert.deepEqual(await read(), ids.map((id) => `${id} new`));
        await commit((_, before) => ({ kind: "remove", collection: "tags", before }));
        assert.deepEqual(await read(), ids.map(() => null));
        await commit((id) => tag(`${id} again`, id));
        assert.deepEqual(await read(), ids.map((id) => `${id} again`));
      }
    },
  },
  {
    name: "a commit of more than a thousand changes is all or nothing",
    run: async (store) => {
      const owner = await addPerson(store, "Ann");
      const count = 1500;
      await store.load(
        documents,
        Array.from({ length: count }, (_, i) => ({
          id: `d${String(i).padStart(5, "0")}`,
          createdAt: at,
          updatedAt: at,
          title: `Document ${i}`,
          content: "text ".repeat(50),
          type: "document" as const,
          size: 250,
          ownerId: owner.id,
        })),
      );
      const reader = store.from(documents);
      const all = await Array.fromAsync(reader.scan());
      const removals = all.map((before): Change => ({
        kind: "remove",
        collection: "documents",
        before,
      }));
      const stale: Change = { kind: "check", collection: "users", id: owner.id, rev: null };
      await assert.rejects(store.commit([...removals, stale], { actor: server }), VersionConflict);
      assert.equal(await reader.count(), count);
      const reassigned = await store.transact(server, async (tx) => {
        const { rows } = await tx.from(documents).list({ limit: count });
        return rows.map((row) => tx.update(documents, row, { folder: "/moved" }));
      });
      assert.equal(await reader.count({ folder: "/moved" }), count);
      assert.deepEqual(await reader.get("d00007"), reassigned.find(({ id }) => id === "d00007"));
      // The versions that the commit gave out are good for the next.
      await store.transact(server, (tx) => reassigned.forEach((row) => tx.remove(documents, row)));
      assert.equal(await reader.count(), 0);
      assert.equal((await reader.list()).total, 0);
      assert.deepEqual(await Array.fromAsync(reader.scan()), []);
    },
  },
];

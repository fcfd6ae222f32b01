// The port: single records, unique keys, long records, bulk loads.
import assert from "node:assert/strict";
import { newId } from "../../core/ids.ts";
import { auditLog } from "../../models/audit.ts";
import { documents } from "../../models/documents.ts";
import { permissions } from "../../models/permissions.ts";
import { shares } from "../../models/shares.ts";
import { users } from "../../models/users.ts";
import { TooLarge, UniqueConflict } from "../../storage/port.ts";
import { addPerson, person, server, steppingClock, storedPerson } from "./people.ts";
import type { StorageTest } from "./storage_test_case.ts";

/** More characters than all records that a new store has. */
const LONG = 100_000;
/** So many of these are more than memory keeps of the newest. */
const WRITTEN = 40;

export const recordTests: readonly StorageTest[] = [
  {
    name: "notes are kept by name, and listed by how their names begin",
    run: async (store) => {
      const { notes } = store;
      const long = "x".repeat(64_000);
      await notes.set("a/2", "two");
      await notes.set("a/1", "one");
      await notes.set("a", "above");
      await notes.set("b/1", long);
      await notes.set("a/2", long);
      const one = { name: "a/1", text: "one" };
      const listed = await notes.list("a/");
      assert.deepEqual(listed.map(({ name, text }) => [name, text.length]), [["a/1", 3], [
        "a/2",
        long.length,
      ]]);
      assert.equal(await notes.get("b/1"), long);
      await notes.remove("a/2");
      await notes.remove("a/3");
      assert.deepEqual(await notes.list("a/"), [one]);
      assert.deepEqual(await notes.list("a/%"), []);
    },
  },
  {
    name: "of what is read seldom, memory has some of what was written last, and what was read",
    run: async (store) => {
      await store.warmUp();
      const held = async () => (await store.facts()).memory;
      const bytes = async () => (await held()).bytes;
      const { bytes: before, maxBytes } = await held();
      const keeps = maxBytes > 0;
      const write = () =>
        store.transact(
          server,
          (tx) =>
            tx.insert(auditLog, {
              action: "login",
              target: "users",
              targetId: "",
              targetName: "x".repeat(LONG),
              fields: [],
            }),
        );
      const written = await Array.fromAsync({ length: WRITTEN }, write);
      const taken = await bytes();
      assert.equal(taken > before, keeps);
      // Each as an object that has its text in it.
      assert.ok(taken - before <= 2 * maxBytes / 64, `${taken - before} bytes`);
      const newest = await store.from(auditLog).get(written.at(-1)!.id);
      assert.equal(newest?.targetName.length, LONG);
      assert.equal(await bytes(), taken);
      const one = await store.from(auditLog).get(written[0]!.id);
      const read = await bytes();
      assert.equal(read > taken + LONG, keeps);
      await store.transact(server, (tx) => {
        tx.update(auditLog, one!, { targetName: "another" });
      });
      assert.equal(await bytes() < read, keeps);
      assert.equal((await store.from(auditLog).get(one!.id))?.targetName, "another");
      // As opposed to what is read often.
      const rest = await bytes();
      await addPerson(store, "Ann");
      assert.equal(await bytes() > rest, keeps);
    },
  },
  {
    name: "a miss is null",
    run: async (store) => {
      const reader = store.from(users);
      assert.equal(await reader.get("none"), null);
      assert.equal(await reader.get("x".repeat(5000)), null);
      assert.deepEqual(await reader.getMany(["none", "neither"]), [null, null]);
      assert.equal(await reader.findBy("email", "nobody@example.com"), null);
      assert.deepEqual(await reader.list(), { rows: [], total: 0, nextCursor: null });
      assert.equal(await reader.count(), 0);
      assert.deepEqual(await reader.aggregate({ by: "role" }), []);
    },
  },
  {
    name: "an inserted record is read back by id and by unique key, frozen and with its version",
    run: async (store) => {
      const ann = await addPerson(store, "Ann", { username: "ann", permissions: ["users:view"] });
      assert.ok(ann.rev);
      for (
        const read of [
          await store.from(users).get(ann.id),
          await store.from(users).findBy("email", ann.email),
          await store.from(users).findBy("username", "ann"),
          (await store.from(users).list()).rows[0],
        ]
      ) {
        assert.deepEqual(read, ann);
        assert.ok(Object.isFrozen(read) && Object.isFrozen(read!.permissions));
      }
    },
  },
  {
    name: "getMany keeps the order of the ids, with null for what is not there",
    run: async (store) => {
      const people = [];
      for (let i = 0; i < 25; i++) people.push(await addPerson(store, `P${i}`));
      const ids = [...people.map(({ id }) => id).reverse(), "none", people[3]!.id];
      const found = await store.from(users).getMany(ids);
      assert.deepEqual(found.map((record) => record?.id ?? "none"), ids);
    },
  },
  {
    name: "an update changes, adds and removes fields, and stamps updatedAt",
    clock: steppingClock(),
    run: async (store) => {
      const ann = await addPerson(store, "Ann", { bio: "short", phone: "1" });
      const changed = await store.transact(
        server,
        (tx) => tx.update(users, ann, { name: "Anna", bio: undefined, department: "Ops" }),
      );
      const { bio: _, ...rest } = ann;
      const expected = { ...rest, name: "Anna", department: "Ops" };
      assert.deepEqual(await store.from(users).get(ann.id), {
        ...expected,
        updatedAt: changed.updatedAt,
        rev: changed.rev,
      });
      assert.ok(!("bio" in changed));
      assert.notEqual(changed.rev, ann.rev);
      assert.ok(changed.updatedAt > ann.updatedAt);
      assert.equal(changed.createdAt, ann.createdAt);
    },
  },
  {
    name: "a removed record is gone from every read, and its unique values are free",
    run: async (store) => {
      const ann = await addPerson(store, "Ann");
      await store.from(users).list({ sort: "name" });
      await store.transact(server, (tx) => tx.remove(users, ann));
      assert.equal(await store.from(users).get(ann.id), null);
      assert.equal(await store.from(users).findBy("email", ann.email), null);
      assert.equal((await store.from(users).list()).total, 0);
      assert.equal(await store.from(users).count(), 0);
      assert.equal((await addPerson(store, "Ann")).email, ann.email);
    },
  },
  {
    name: "a unique value is held by one record",
    run: async (store) => {
      await addPerson(store, "Ann", { username: "ann" });
      const bob = await addPerson(store, "Bob");
      const taken = { name: "UniqueConflict", collection: "users", key: "username" };
      await assert.rejects(addPerson(store, "Eve", { username: "ann" }), taken);
      await assert.rejects(
        store.transact(server, (tx) => tx.update(users, bob, { username: "ann" })),
        taken,
      );
      assert.equal(await store.from(users).count(), 2);
      assert.equal((await store.from(users).get(bob.id))!.username, undefined);
    },
  },
  {
    name: "a key with an absent field is not held",
    run: async (store) => {
      await addPerson(store, "Ann");
      await addPerson(store, "Bob");
      assert.equal(await store.from(users).findBy("username", null), null);
      assert.equal(await store.from(users).count(), 2);
    },
  },
  {
    name: "unique values move with an update",
    run: async (store) => {
      const ann = await addPerson(store, "Ann");
      const reader = store.from(users);
      await reader.findBy("email", ann.email);
      await store.transact(server, (tx) => tx.update(users, ann, { email: "new@example.com" }));
      assert.equal(await reader.findBy("email", ann.email), null);
      assert.equal((await reader.findBy("email", "new@example.com"))!.id, ann.id);
    },
  },
  {
    name: "two records swap their unique values in one commit",
    run: async (store) => {
      const ann = await addPerson(store, "Ann");
      const bob = await addPerson(store, "Bob");
      await store.transact(server, (tx) => {
        tx.update(users, ann, { email: bob.email });
        tx.update(users, bob, { email: ann.email });
      });
      assert.equal((await store.from(users).findBy("email", ann.email))!.id, bob.id);
      assert.equal((await store.from(users).findBy("email", bob.email))!.id, ann.id);
    },
  },
  {
    name: "one commit cannot give two records the same unique value",
    run: async (store) => {
      const both = store.transact(server, (tx) => {
        tx.insert(users, person("Ann"));
        tx.insert(users, person("Ann"));
      });
      await assert.rejects(both, UniqueConflict);
      assert.equal(await store.from(users).count(), 0);
    },
  },
  {
    name: "a unique key of several fields is found by all of them",
    run: async (store) => {
      const ann = await addPerson(store, "Ann");
      const share = await store.transact(server, (tx) => {
        const document = tx.insert(documents, documentOf(ann.id, "text"));
        return tx.insert(shares, {
          documentId: document.id,
          userId: ann.id,
          permission: "read",
          createdBy: ann.id,
        });
      });
      const reader = store.from(shares);
      assert.equal((await reader.findBy("documentUser", share.documentId!, ann.id))!.id, share.id);
      assert.equal(await reader.findBy("documentUser", share.documentId!, "other"), null);
      assert.equal(await reader.findBy("documentTeam", share.documentId!, ann.id), null);
    },
  },
  {
    name: "many are found by their unique values at once as each is alone",
    run: async (store) => {
      const people = Array.from({ length: 250 }, (_, n) => {
        const email = `sailor${n}@example.com`;
        return storedPerson(newId(n), "2026-01-01T00:00:00.000Z", {
          email,
          username: `sailor${n}`,
        });
      });
      // Nobody has looked for any of them.
      await store.load(users, people);
      const reader = store.from(users);
      const found = await Promise.all([
        ...people.map(({ email }) => reader.findBy("email", email)),
        ...people.map(({ username }) => reader.findBy("username", username!)),
        reader.findBy("email", people[7]!.username!),
        reader.findBy("email", people[7]!.email),
        reader.findBy("username", "a\0b"),
      ]);
      const ids = people.map(({ id }) => id);
      assert.deepEqual(
        found.map((one) => one && one.id),
        [...ids, ...ids, null, ids[7], null],
      );
    },
  },
  {
    name: "very long unique values are told apart",
    run: async (store) => {
      const long = "n".repeat(2500);
      await store.transact(server, (tx) => {
        for (const end of ["a", "b"]) tx.insert(permissions, permissionOf(long + end));
      });
      const reader = store.from(permissions);
      assert.equal((await reader.findBy("name", `${long}a`))!.name, `${long}a`);
      assert.equal(await reader.findBy("name", long), null);
      const again = store.transact(
        server,
        (tx) => tx.insert(permissions, permissionOf(`${long}a`)),
      );
      await assert.rejects(again, UniqueConflict);
    },
  },
  {
    name: "long records are stored whole, grow and shrink, and end at 512 KiB",
    run: async (store) => {
      const ann = await addPerson(store, "Ann");
      const sizes = [10, 29_000, 61_000, 130_000, 500_000, 20];
      let document = await store.transact(
        server,
        (tx) => tx.insert(documents, documentOf(ann.id, "")),
      );
      for (const size of sizes) {
        // Characters of one to four bytes, so that parts end within them.
        const content = "aé€😀".repeat(Math.ceil(size / 10)).slice(0, size);
        const text = content.isWellFormed() ? content : content.slice(0, -1);
        document = await store.transact(
          server,
          (tx) => tx.update(documents, document, { content: text.slice(0, Math.floor(size / 3)) }),
        );
        assert.deepEqual(await store.from(documents).get(document.id), document);
        assert.deepEqual((await Array.fromAsync(store.from(documents).scan()))[0], document);
      }
      const tooLong = store.transact(
        server,
        (tx) => tx.update(documents, document, { content: "x".repeat(513 * 1024) }),
      );
      await assert.rejects(tooLong, TooLarge);
      assert.deepEqual(await store.from(documents).get(document.id), document);
    },
  },
  {
    name: "load inserts many records as they are, and scan streams them in id order",
    run: async (store) => {
      const start = Date.UTC(2026, 0, 1);
      const people = Array.from({ length: 1200 }, (_, i) => {
        const at = new Date(start + i * 60_000);
        return storedPerson(newId(at.getTime()), at.toISOString(), { name: `P${i}` });
      });
      assert.equal(await store.load(users, people), 1200);
      const scanned = await Array.fromAsync(store.from(users).scan());
      assert.deepEqual(scanned.map(({ id }) => id), people.map(({ id }) => id).sort());
      assert.deepEqual({ ...scanned[7], rev: "" }, { ...people[7], rev: "" });
      assert.equal(await store.from(users).count(), 1200);
      assert.equal((await store.from(users).list({ search: "P119" })).total, 11);
      await assert.rejects(store.load(users, people.slice(0, 1)));
      assert.equal(await store.from(users).count(), 1200);
    },
  },
];

function documentOf(ownerId: string, content: string) {
  return { title: "Report", content, type: "document" as const, size: content.length, ownerId };
}

function permissionOf(name: string) {
  return { name, resource: "users", action: "view", builtIn: false };
}

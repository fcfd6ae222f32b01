// The port: plans, their retries, and the audit log.
import assert from "node:assert/strict";
import { auditLog } from "../../models/audit.ts";
import { tags } from "../../models/documents.ts";
import { users } from "../../models/users.ts";
import { type Actor, UniqueConflict, VersionConflict } from "../../storage/port.ts";
import { addPerson, person, server, steppingClock } from "./people.ts";
import type { StorageTest } from "./storage_test_case.ts";

export const transactTests: readonly StorageTest[] = [
  {
    name: "fifty concurrent writers to one record all get their turn",
    run: async (store) => {
      const ann = await addPerson(store, "Ann", { bio: "" });
      await Promise.all(Array.from({ length: 50 }, () =>
        store.transact(server, async (tx) => {
          const current = (await tx.from(users).get(ann.id))!;
          tx.update(users, current, { bio: `${current.bio}x` });
        })));
      assert.equal((await store.from(users).get(ann.id))!.bio, "x".repeat(50));
    },
  },
  {
    name: "plans that stand on a record which others write all the time get their turn",
    run: async (store) => {
      const ann = await addPerson(store, "Ann", { bio: "" });
      const writing = async () => {
        for (let n = 0; n < 10; n++) {
          await store.transact(server, async (tx) => {
            const current = (await tx.from(users).get(ann.id))!;
            tx.update(users, current, { bio: `${current.bio}x` });
          });
        }
      };
      const reading = Array.from({ length: 20 }, (_, n) =>
        store.transact(server, async (tx) => {
          await tx.from(users).get(ann.id);
          tx.insert(tags, { name: `tag ${n}` });
        }));
      await Promise.all([writing(), writing(), ...reading]);
      assert.equal((await store.from(users).get(ann.id))!.bio, "x".repeat(20));
      assert.equal(await store.from(tags).count(), 20);
    },
  },
  {
    name: "a record that is read must not change before the commit",
    run: async (store) => {
      const ann = await addPerson(store, "Ann");
      let tries = 0;
      await store.transact(server, async (tx) => {
        const read = (await tx.from(users).get(ann.id))!;
        if (++tries === 1) {
          await store.transact(server, (other) => other.update(users, read, { bio: "changed" }));
        }
        tx.insert(tags, { name: `${read.bio ?? "none"}` });
      });
      assert.equal(tries, 2);
      assert.deepEqual((await store.from(tags).list()).rows.map(({ name }) => name), ["changed"]);
    },
  },
  {
    name: "a unique value that was free must not be taken before the commit",
    run: async (store) => {
      let tries = 0;
      const made = await store.transact(server, async (tx) => {
        const found = await tx.from(tags).findBy("name", "shared");
        if (++tries === 1) {
          await store.transact(server, (other) => other.insert(tags, { name: "shared" }));
        }
        return found ?? tx.insert(tags, { name: "shared" });
      });
      assert.equal(tries, 2);
      assert.deepEqual((await store.from(tags).list()).rows.map(({ id }) => id), [made.id]);
    },
  },
  {
    name: "a unique value that nobody looked for is a conflict at the first try",
    run: async (store) => {
      await store.transact(server, (tx) => tx.insert(tags, { name: "shared" }));
      let tries = 0;
      const again = store.transact(server, (tx) => {
        tries++;
        tx.insert(tags, { name: "shared" });
      });
      await assert.rejects(again, UniqueConflict);
      assert.equal(tries, 1);
    },
  },
  {
    name: "a record that was absent must not come before the commit",
    run: async (store) => {
      let tries = 0;
      await store.transact(server, async (tx) => {
        const read = await tx.from(users).get("ann");
        if (++tries === 1) await addPerson(store, "Ann", { id: "ann" });
        tx.insert(tags, { name: read ? "seen" : "missed" });
      });
      assert.equal(tries, 2);
      assert.deepEqual((await store.from(tags).list()).rows.map(({ name }) => name), ["seen"]);
    },
  },
  {
    name: "a plan that never gets through gives up after eight tries",
    run: async (store) => {
      const ann = await addPerson(store, "Ann");
      let tries = 0;
      const hopeless = store.transact(server, async (tx) => {
        const read = (await tx.from(users).get(ann.id))!;
        tries++;
        // Around transact: a plan inside a plan would wait for its turn for ever.
        const after = { ...read, bio: String(tries), rev: "" };
        await store.commit([{ kind: "update", collection: "users", before: read, after }], {
          actor: server,
        });
        tx.update(users, read, { name: "Never" });
      });
      await assert.rejects(hopeless, VersionConflict);
      assert.equal(tries, 8);
      assert.equal((await store.from(users).get(ann.id))!.name, "Ann");
    },
  },
  {
    name: "an error in a plan leaves nothing behind",
    run: async (store) => {
      const failing = store.transact(server, (tx) => {
        tx.insert(users, person("Ann"));
        throw new RangeError("no");
      });
      await assert.rejects(failing, RangeError);
      assert.equal(await store.from(users).count(), 0);
    },
  },
  {
    name: "several writes of one record in a plan are one",
    run: async (store) => {
      const ann = await addPerson(store, "Ann", { bio: "b" });
      const { eve } = await store.transact(server, (tx) => {
        tx.update(users, ann, { name: "Anna" });
        tx.update(users, ann, { department: "Ops", bio: undefined });
        const eve = tx.insert(users, person("Eve"));
        tx.update(users, eve, { name: "Eva" });
        tx.remove(users, tx.insert(users, person("Gone")));
        return { eve };
      });
      const stored = (await store.from(users).get(ann.id))!;
      assert.equal(stored.name, "Anna");
      assert.equal(stored.department, "Ops");
      assert.ok(!("bio" in stored));
      assert.deepEqual(await store.from(users).get(eve.id), eve);
      assert.equal(eve.name, "Eva");
      assert.equal(await store.from(users).count(), 2);
      await store.transact(
        server,
        (tx) => tx.remove(users, tx.update(users, stored, { bio: "x" })),
      );
      assert.equal(await store.from(users).get(ann.id), null);
    },
  },
  {
    name: "all records of a plan carry its time",
    clock: steppingClock(),
    run: async (store) => {
      const [ann, bob, now] = await store.transact(server, (tx) => [
        tx.insert(users, person("Ann")),
        tx.insert(users, person("Bob")),
        tx.now,
      ]);
      assert.deepEqual([ann.createdAt, ann.updatedAt, bob.createdAt], [now, now, now]);
      assert.ok(ann.id < bob.id);
      assert.match(ann.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    },
  },
  {
    name:
      "audited changes are in the audit log: who, what, which fields, and of no secret its value",
    clock: steppingClock(),
    run: async (store) => {
      const actor: Actor = { userId: "boss", ip: "192.0.2.1", requestId: "r1" };
      const ann = await store.transact(actor, (tx) => {
        tx.insert(tags, { name: "not audited" });
        return tx.insert(users, person("Ann", { bio: "I am", passwordHash: "secret" }));
      });
      const anna = await store.transact(
        actor,
        (tx) =>
          tx.update(users, ann, {
            name: "Anna",
            permissions: ["a"],
            bio: undefined,
            passwordHash: "other secret",
          }),
      );
      const seen = await store.transact(
        server,
        (tx) => tx.update(users, anna, { lastLoginAt: tx.now }),
      );
      await store.transact(server, (tx) => tx.remove(users, seen));
      const { rows } = await store.from(auditLog).list({ sort: "createdAt" });
      const target = { target: "users", targetId: ann.id };
      const by = { actorId: "boss", ip: "192.0.2.1", requestId: "r1" };
      assert.deepEqual(
        rows.map(({ id: _, rev: _r, createdAt: _c, updatedAt: _u, seals: _s, ...rest }) => rest),
        [
          { action: "insert", targetName: "Ann", fields: [], ...target, ...by },
          {
            action: "update",
            targetName: "Anna",
            fields: ["bio", "name", "passwordHash", "permissions"],
            changes: JSON.stringify([
              { field: "bio", before: "I am" },
              { field: "name", before: "Ann", after: "Anna" },
              { field: "permissions", before: [], after: ["a"] },
            ]),
            ...target,
            ...by,
          },
          { action: "remove", targetName: "Anna", fields: [], ...target },
        ],
      );
      assert.ok(!JSON.stringify(rows).includes("secret"));
    },
  },
];

// Several processes on one database: each sees what the others write, within two seconds and in one order.
import assert from "node:assert/strict";
import { tags } from "../../../models/documents.ts";
import { folders, slotOf } from "../../../models/folders.ts";
import { sessions } from "../../../models/sessions.ts";
import { users } from "../../../models/users.ts";
import { openSqlStore } from "../../../sql/store.ts";
import { type JournalEntry, ReferenceConflict, type Store } from "../../../storage/port.ts";
import { addPerson, person, server } from "../../storage/people.ts";
import { until } from "../../until.ts";
import { addRoles, eachEngine, onServer, postgresDatabase } from "../../sql/databases.ts";

type Open = (count: number) => Promise<Store[]>;

/** Runs with a new database of each engine in turn; on Postgres with lists from the database, and with lists from memory. */
function eachWay(name: string, run: (open: Open) => Promise<void>): void {
  const withMemory = (warm: boolean) => ({ url }: { readonly url: string }) =>
    run((count) => open(url, count, warm));
  eachEngine(name, withMemory(false));
  eachEngine(`${name}, with lists from memory`, withMemory(true));
}

async function open(url: string, count: number, warm = false): Promise<Store[]> {
  const stores = [];
  for (let i = 0; i < count; i++) stores.push(await openSqlStore({ url, pool: { max: 3 } }));
  await addRoles(stores[0]!);
  if (warm) await Promise.all(stores.map((store) => store.warmUp()));
  return stores;
}

eachWay("a session that one process ends is ended in the other", async (open) => {
  const [a, b] = await open(2) as [Store, Store];
  const ann = await addPerson(a, "Ann");
  const session = await a.transact(server, (tx) =>
    tx.insert(sessions, {
      userId: ann.id,
      refreshJti: "j",
      refreshIssuedAt: 1,
      cookieHash: "c",
      lastUsedAt: tx.now,
      expiresAt: tx.now,
    }));
  const there = () => b.from(sessions).get(session.id);
  assert.deepEqual(await there(), session);
  assert.equal(await there(), await there(), "it is in memory");
  assert.equal((await b.from(sessions).list()).total, 1);
  await a.transact(server, (tx) => tx.remove(sessions, session));
  await until(async () =>
    await there() === null && await b.from(sessions).findBy("cookie", "c") === null &&
    (await b.from(sessions).list()).total === 0
  );
  await a.close();
  await b.close();
});

eachWay("a plan on what another process has changed reads it anew", async (open) => {
  const [a, b] = await open(2) as [Store, Store];
  const ann = await addPerson(a, "Ann", { bio: "" });
  for (let i = 0; i < 10; i++) {
    for (const store of [a, b]) {
      await store.transact(server, async (tx) => {
        const current = (await tx.from(users).get(ann.id))!;
        tx.update(users, current, { bio: `${current.bio}x` });
      });
    }
  }
  await Promise.all([a, b, a, b].map((store) =>
    store.transact(server, async (tx) => {
      const current = (await tx.from(users).findBy("email", ann.email))!;
      tx.update(users, current, { bio: `${current.bio}y` });
    })
  ));
  await until(async () => (await a.from(users).get(ann.id))!.bio!.length === 24);
  await a.close();
  await b.close();
});

eachWay("every process follows the same journal, and misses nothing", async (open) => {
  const stores = await open(3);
  const seen = stores.map((): JournalEntry[] => []);
  const after = (await first(stores[0]!)).seq;
  const follow = stores.map(async (store, index) => {
    for await (const entry of store.changes({ after })) {
      seen[index]!.push(entry);
      if (seen[index]!.length === 120) return;
    }
  });
  await Promise.all(
    stores.flatMap((store, index) =>
      Array.from(
        { length: 40 },
        (_, n) => store.transact(server, (tx) => tx.insert(tags, { name: `${index}-${n}` })),
      )
    ),
  );
  await Promise.all(follow);
  const order = seen.map((entries) => entries.map(({ seq }) => seq));
  assert.deepEqual(order[1], order[0]);
  assert.deepEqual(order[2], order[0]);
  assert.equal(new Set(order[0]).size, 120);
  const ids = new Set(seen[0]!.flatMap(({ changes }) => changes.map(({ id }) => id)));
  assert.equal(ids.size, 120);
  for (const store of stores) await store.close();
});

Deno.test("a plan sees what another process has put into what it removes (postgres)", async () => {
  const database = await postgresDatabase();
  const [a, b] = await open(database.url, 2, true) as [Store, Store];
  const ann = await addPerson(a, "Ann");
  const folder = (name: string, parentId?: string) => ({
    name,
    ownerId: ann.id,
    parentId,
    slot: slotOf(parentId, name),
  });
  const top = await a.transact(server, (tx) => tx.insert(folders, folder("top")));
  let tries = 0;
  await a.transact(server, async (tx) => {
    const within = await tx.from(folders).list({ where: { parentId: top.id } });
    // Nothing that the plan has read tells of it.
    if (tries++ === 0) await b.transact(server, (tx) => tx.insert(folders, folder("in", top.id)));
    for (const one of within.rows) tx.remove(folders, one);
    tx.remove(folders, top);
  });
  assert.ok(tries > 1);
  assert.equal(await a.from(folders).count(), 0);
  for (const store of [a, b]) await store.close();
  await database.drop();
});

/** The entry of a commit made now. */
async function first(store: Store): Promise<JournalEntry> {
  const entries = store.changes()[Symbol.asyncIterator]();
  const next = entries.next();
  await store.transact(server, (tx) => tx.insert(tags, { name: "first" }));
  const { value } = await next;
  await entries.return?.();
  return value;
}

eachWay(
  "a plan on an old record is made anew, though it breaks a unique key too",
  async (open) => {
    const [store] = await open(1) as [Store];
    const ann = await addPerson(store, "Ann", { bio: "" });
    await Promise.all(Array.from({ length: 5 }, () =>
      store.transact(server, async (tx) => {
        const { bio, ...rest } = (await tx.from(users).get(ann.id))!;
        tx.insert(tags, { name: `number ${bio!.length}` });
        tx.update(users, { ...rest, bio }, { bio: `${bio}x` });
      })));
    const names = (await store.from(tags).list({ sort: "name" })).rows.map(({ name }) => name);
    assert.deepEqual(names, [0, 1, 2, 3, 4].map((n) => `number ${n}`));
    await store.close();
  },
);

eachWay("a reference to a missing record is refused, whoever else commits", async (open) => {
  const [store] = await open(1) as [Store];
  const ann = await addPerson(store, "Ann");
  const missing = () =>
    store.transact(server, (tx) => tx.insert(users, person("B", { role: "no" })));
  await assert.rejects(missing(), (error: unknown) => {
    assert.ok(error instanceof ReferenceConflict);
    assert.equal(error.collection, "users");
    return true;
  });
  // Of commits that share a transaction only the one at fault fails.
  const settled = await Promise.allSettled([
    addPerson(store, "Carl"),
    missing(),
    addPerson(store, "Dora"),
    addPerson(store, "Ann"),
  ]);
  assert.deepEqual(
    settled.map((result) => result.status === "rejected" ? result.reason.name : "done"),
    ["done", "ReferenceConflict", "done", "UniqueConflict"],
  );
  assert.equal(await store.from(users).count(), 3);
  // Written before what it refers to, in one commit.
  await store.transact(server, (tx) => {
    const eve = tx.insert(users, person("Eve"));
    tx.insert(sessions, {
      userId: eve.id,
      refreshJti: "j",
      refreshIssuedAt: 1,
      cookieHash: "c",
      lastUsedAt: tx.now,
      expiresAt: tx.now,
    });
    tx.remove(users, ann);
  });
  await store.close();
});

Deno.test("a lost listener comes back, and changes are seen meanwhile", async () => {
  const database = await postgresDatabase();
  const [a, b] = await open(database.url, 2) as [Store, Store];
  let ann = await addPerson(a, "Ann");
  await b.from(users).get(ann.id);
  for (let i = 0; i < 3; i++) {
    await onServer(
      database.url,
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'listen%'`,
    );
    ann = await a.transact(server, (tx) => tx.update(users, ann, { bio: `${i}` }));
    await until(async () => (await b.from(users).get(ann.id))!.bio === `${i}`);
  }
  await a.close();
  await b.close();
  await database.drop();
});

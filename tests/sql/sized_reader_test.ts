// On Postgres lists come from the database until their collection is in memory, and again where it is too large for that.
import assert from "node:assert/strict";
import { nextTurn } from "../../core/delay.ts";
import { users } from "../../models/users.ts";
import type { Engine } from "../../sql/engine.ts";
import type { IndexedMemory } from "../../sql/indexed_memory.ts";
import { openSqlStore, type SqlOptions } from "../../sql/store.ts";
import { type Store, StoreUnavailable } from "../../storage/port.ts";
import { addPerson, person, server, storedPerson } from "../storage/people.ts";
import { until } from "../until.ts";
import { addRoles } from "./databases.ts";
import { noted } from "./noted.ts";
import { dropReused, reusedDatabase } from "./reused.ts";

Deno.test.afterAll(dropReused);

const AT = "2026-01-01T00:00:00.000Z";
const PEOPLE = 300;
/** Bytes of memory that leave room for the index of some 400 records. */
const LITTLE = 400 * 128;

const memoryOf = (store: Store) =>
  (store as unknown as { own: Engine }).own.memory as IndexedMemory;
const isIndexed = (store: Store) => memoryOf(store).isIndexed(users.name);

async function withStores(
  count: number,
  run: (stores: readonly Store[]) => Promise<void>,
  options: Partial<SqlOptions> = {},
): Promise<void> {
  const database = await reusedDatabase();
  const stores: Store[] = [];
  try {
    for (let n = 0; n < count; n++) {
      stores.push(await openSqlStore({ ...options, url: database.url, pool: { max: 3 } }));
    }
    await addRoles(stores[0]!);
    await stores[0]!.load(
      users,
      Array.from({ length: PEOPLE }, (_, n) => storedPerson(`p${String(n).padStart(4, "0")}`, AT)),
    );
    await run(stores);
  } finally {
    for (const store of stores) await store.close();
    await database.drop();
  }
}

Deno.test("lists, counts, figures and records come from memory once it has them", () =>
  withStores(1, async ([store]) => {
    const reader = store!.from(users);
    const statements = noted(store!);
    assert.equal((await reader.list({ search: "p00", sort: "-name", page: 3 })).total, 100);
    assert.ok(statements.length > 0);
    await store!.warmUp();
    await reader.rowsOf(["p0042"]);
    statements.length = 0;
    assert.equal((await reader.list({ search: "p01", sort: "-name", page: 3 })).rows.length, 10);
    assert.equal((await reader.listRows({ where: { status: "active" }, page: 30 })).total, PEOPLE);
    assert.equal(await reader.count({ role: "user" }), PEOPLE);
    assert.deepEqual(await reader.aggregate({ by: "status" }), [
      { key: "active", count: PEOPLE, sums: {} },
    ]);
    assert.ok(!(reader.rowsOf(["p0042"]) instanceof Promise));
    assert.deepEqual(statements, []);
  }));

Deno.test("what the database has answered is forgotten at a commit of more than a thousand changes", () =>
  withStores(1, async ([store]) => {
    const reader = store!.from(users);
    const ask = async () => ({
      inactive: (await reader.list({ where: { status: "inactive" } })).total,
      all: await reader.count(),
      far: (await reader.listRows({ sort: "name", page: 20 })).total,
      byStatus: (await reader.aggregate({ by: "status" })).map(({ key, count }) => [key, count]),
      one: (await reader.get("p0042"))!.status,
      found: (await reader.findBy("email", "p0042@example.com"))!.status,
      row: (await reader.rowsOf(["p0042"]))[0]!.includes("inactive"),
    });
    const before = await ask();
    assert.equal(before.one, "active");
    assert.deepEqual(await ask(), before);
    const people = await Array.fromAsync(reader.scan());
    const committed = store!.transact(server, (tx) => {
      for (const one of people) tx.update(users, one, { status: "inactive" });
      for (let n = 0; n < 900; n++) tx.insert(users, person(`More ${n}`));
    });
    let isUnderWay = true;
    const end = () => void (isUnderWay = false);
    committed.then(end, end);
    // What is read beside it must not be kept either. Answers from memory alone would leave the commit no turn.
    while (isUnderWay) {
      await ask();
      await nextTurn();
    }
    await committed;
    assert.deepEqual(await ask(), {
      ...before,
      inactive: PEOPLE,
      all: PEOPLE + 900,
      far: PEOPLE + 900,
      byStatus: [["active", 900], ["inactive", PEOPLE]],
      one: "inactive",
      found: "inactive",
      row: true,
    });
  }));

Deno.test("memory follows what other processes write, in one commit or in thousands of records", () =>
  withStores(2, async ([here, there]) => {
    await here!.warmUp();
    const reader = here!.from(users);
    await there!.transact(server, async (tx) => {
      tx.update(users, (await tx.from(users).get("p0000"))!, { department: "Ops", name: "Zoe" });
      tx.remove(users, (await tx.from(users).get("p0001"))!);
      tx.insert(users, person("Yve", { department: "Ops" }));
    });
    await until(async () => await reader.count({ department: "Ops" }) === 2);
    const { rows, total } = await reader.list({ sort: "-name", limit: 2 });
    assert.deepEqual(rows.map(({ name }) => name), ["p0299", "p0298"]);
    assert.equal(total, PEOPLE);
    assert.equal((await reader.list({ search: "zoe" })).total, 1);
    assert.equal(await reader.get("p0001"), null);
    await there!.load(
      users,
      Array.from({ length: 3000 }, (_, n) => storedPerson(`q${String(n).padStart(4, "0")}`, AT)),
    );
    await until(async () => (await reader.list({ search: "q29" })).total === 100);
    assert.equal(await reader.count(), PEOPLE + 3000);
    assert.ok(isIndexed(here!));
  }));

Deno.test("memory stays, whoever commits between two commits of this process", () =>
  withStores(2, async (stores) => {
    for (const store of stores) await store.warmUp();
    const { projection } = memoryOf(stores[0]!).recordsOf(users.name);
    await Promise.all(stores.map(async (store, which) => {
      for (let n = 0; n < 60; n++) {
        await Promise.all([
          addPerson(store, `Own ${which} ${n}`),
          store.transact(server, async (tx) => {
            const id = `p00${String((n + 30 * which) % 60).padStart(2, "0")}`;
            tx.update(users, (await tx.from(users).get(id))!, { bio: `${which} ${n}` });
          }),
        ]);
      }
    }));
    for (const store of stores) {
      const reader = store.from(users);
      await until(async () => await reader.count() === PEOPLE + 120);
      await until(async () => {
        const all = await Array.fromAsync(reader.scan());
        const ids = all.map(({ id }) => id);
        const held = await reader.getMany(ids);
        return all.every((record, n) => record.bio === held[n]?.bio && record.rev === held[n]?.rev);
      });
    }
    assert.equal(memoryOf(stores[0]!).recordsOf(users.name).projection, projection);
  }));

Deno.test("memory stays when the journal tells of a commit of this process before its own answer does", () =>
  withStores(2, async ([here, there]) => {
    await here!.warmUp();
    const { own } = here as unknown as { own: Engine };
    const { projection } = memoryOf(here!).recordsOf(users.name);
    const { transaction, rows } = own;
    own.transaction = async (...asked) => {
      const result = await transaction.apply(own, asked);
      let looks = 0;
      own.rows = async <R>(query: Parameters<Engine["rows"]>[0]): Promise<R[]> => {
        const found = await rows.call(own, query) as R[];
        looks += Number(/from journal where seq/.test(own.statements.compile(query).sql));
        return found;
      };
      await addPerson(there!, "Other");
      await until(() => looks > 0, "a look at the journal");
      return result as never;
    };
    await addPerson(here!, "Own");
    Object.assign(own, { transaction, rows });
    const reader = here!.from(users);
    await until(async () => await reader.count() === PEOPLE + 2);
    assert.equal((await reader.list({ search: "own@" })).total, 1);
    assert.equal(memoryOf(here!).recordsOf(users.name).projection, projection);
  }));

Deno.test("a collection that is too large for memory, or becomes it, is answered by the database", () =>
  withStores(1, async ([store]) => {
    const reader = store!.from(users);
    await store!.warmUp();
    assert.ok(isIndexed(store!));
    let generation = reader.generation()!;
    for (let n = 0; isIndexed(store!); n++) {
      assert.ok(n < 200, "memory is not given up");
      await addPerson(store!, `New ${n}`);
      assert.ok(reader.generation()! > generation, "a change shows in the generation");
      generation = reader.generation()!;
    }
    const { total } = await reader.list({ search: "new", sort: "name" });
    assert.equal(total, await reader.count() - PEOPLE);
    await store!.warmUp();
    assert.ok(!isIndexed(store!));
    await addPerson(store!, "New again");
    assert.equal((await reader.list({ search: "new", sort: "name" })).total, total + 1);
  }, { cacheMaxBytes: LITTLE }));

Deno.test("a collection that cannot be read into memory is answered by the database, and memory keeps nothing of it", () =>
  withStores(1, async ([store]) => {
    const { own } = store as unknown as { own: Engine };
    const ask = own.pipelined!.ask;
    own.pipelined!.ask = async (text, parameters) => {
      if (text.endsWith(`where id > $1 order by id limit ${own.dialect.fillBatch}`)) {
        throw new StoreUnavailable("Cannot reach the store: a test");
      }
      return await ask(text, parameters);
    };
    await store!.warmUp();
    assert.ok(!isIndexed(store!));
    assert.equal(memoryOf(store!).recordsOf(users.name).building, null);
    await addPerson(store!, "Zoe");
    assert.equal((await store!.from(users).list({ search: "zoe" })).total, 1);
    own.pipelined!.ask = ask;
    await store!.warmUp();
    assert.ok(isIndexed(store!));
    assert.equal((await store!.from(users).list({ search: "zoe" })).total, 1);
  }));

Deno.test("what was not heard of for two seconds is asked of the database", () =>
  withStores(2, async ([here, there]) => {
    await here!.warmUp();
    const { own } = here as unknown as { own: Engine };
    const { rows } = own;
    // Looks at the journal fail, and other reads do not.
    own.rows = async <R>(query: Parameters<Engine["rows"]>[0]): Promise<R[]> => {
      if (/from journal where seq/.test(own.statements.compile(query).sql)) {
        throw new StoreUnavailable("Cannot reach the store: a test");
      }
      return await rows.call(own, query) as R[];
    };
    await until(() => !own.memory.fresh);
    await addPerson(there!, "Missed");
    assert.equal((await here!.from(users).list({ search: "missed" })).total, 1);
    assert.equal(here!.from(users).generation(), null);
    own.rows = rows;
    await until(() => own.memory.fresh);
    assert.equal((await here!.from(users).list({ search: "missed" })).total, 1);
    assert.ok(isIndexed(here!));
  }));

// SQLite answers lists from memory: memory holds nothing that was taken back, and follows who else writes the file.
import assert from "node:assert/strict";
import { sql } from "kysely";
import { type User, users } from "../../models/users.ts";
import { openSqlite } from "../../sql/sqlite.ts";
import { openSqlStore } from "../../sql/store.ts";
import { UniqueConflict } from "../../storage/port.ts";
import { person, server, storedPerson } from "../storage/people.ts";
import { until } from "../until.ts";
import { addRoles, sqliteFile } from "./databases.ts";

const AT = "2026-01-01T00:00:00.000Z";

async function filledFile(people: number) {
  const database = await sqliteFile();
  const store = await openSqlStore({ url: database.url });
  await addRoles(store);
  await store.load(
    users,
    Array.from({ length: people }, (_, i) => storedPerson(`p${String(i).padStart(5, "0")}`, AT)),
  );
  await store.close();
  return database;
}

Deno.test("what memory reads waits for the transaction that is open, and sees nothing that it takes back", async () => {
  const { db, committed } = openSqlite(":memory:");
  await sql`create table things (name text)`.execute(db);
  const names = () => committed<{ name: string }>(sql`select name from things`.compile(db));
  for (const end of ["rollback", "commit"] as const) {
    const { promise: inside, resolve: isInside } = Promise.withResolvers<void>();
    const { promise: goOn, resolve: letGoOn } = Promise.withResolvers<void>();
    const transaction = db.transaction().execute(async (tx) => {
      await sql`insert into things values (${end})`.execute(tx);
      isInside();
      await goOn;
      if (end === "rollback") throw new RangeError("taken back");
    }).catch((error) => assert.ok(error instanceof RangeError));
    await inside;
    const reading = names();
    letGoOn();
    await transaction;
    assert.deepEqual((await reading).map(({ name }) => name), end === "rollback" ? [] : ["commit"]);
  }
  await db.destroy();
});

Deno.test("a commit that fails leaves records, lists and searches in memory as they were", async () => {
  const database = await filledFile(500);
  const store = await openSqlStore({ url: database.url });
  const reader = store.from(users);
  void store.warmUp();
  const before = (await reader.get("p00007"))!;
  const dirty: User = { ...before, name: "Dirty" };
  const taken = { ...storedPerson("p99999", AT, { email: "p00001@example.com" }), rev: "" };
  const failing = store.commit([
    { kind: "update", collection: "users", before, after: dirty },
    { kind: "insert", collection: "users", after: taken as User },
  ], { actor: server });
  await assert.rejects(failing, UniqueConflict);
  assert.deepEqual(await reader.get("p00007"), before);
  assert.equal(await reader.count({ name: "Dirty" }), 0);
  assert.equal((await reader.list({ search: "dirty" })).total, 0);
  assert.equal((await reader.list({ sort: "name" })).total, 500);
  await store.close();
  await database.drop();
});

Deno.test("lists, counts and searches follow what another process writes to the file", async () => {
  const database = await filledFile(300);
  const [server1, cli] = [
    await openSqlStore({ url: database.url }),
    await openSqlStore({ url: database.url }),
  ];
  const reader = server1.from(users);
  for (let n = 0; n < 3; n++) assert.equal((await reader.list({ search: "ops" })).total, 0);
  assert.equal(await reader.count({ department: "Ops" }), 0);
  await cli.transact(server, async (tx) => {
    const first = (await tx.from(users).get("p00000"))!;
    tx.update(users, first, { department: "Ops", name: "Ops one" });
    tx.remove(users, (await tx.from(users).get("p00001"))!);
    tx.insert(users, person("Ops two", { department: "Ops" }));
  });
  await until(async () => await reader.count({ department: "Ops" }) > 0);
  assert.equal((await reader.list({ search: "ops" })).total, 2);
  assert.equal((await reader.list({ sort: "name" })).total, 300);
  assert.equal(await reader.get("p00001"), null);
  await cli.close();
  await server1.close();
  await database.drop();
});

Deno.test("pages that memory answers are answered at once", async () => {
  const database = await filledFile(1000);
  const store = await openSqlStore({ url: database.url });
  const reader = store.from(users);
  await reader.list({ where: { status: "active" }, sort: "-name" });
  for (const page of [1, 50, 99]) {
    const answer = reader.listRows({ where: { status: "active" }, sort: "-name", page });
    assert.ok(!(answer instanceof Promise));
  }
  assert.ok(!(reader.rowsOf(["p00500"]) instanceof Promise));
  await store.close();
  await database.drop();
});

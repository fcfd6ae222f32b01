// Commits that follow each other closely.
import assert from "node:assert/strict";
import { type Tag, tags } from "../../models/documents.ts";
import type { Engine } from "../../sql/engine.ts";
import type { Query } from "../../sql/statements.ts";
import { openSqlStore } from "../../sql/store.ts";
import { StoreUnavailable } from "../../storage/port.ts";
import { server } from "../storage/people.ts";
import { until } from "../until.ts";
import { postgresDatabase } from "./databases.ts";

const at = "2026-01-01T00:00:00.000Z";

Deno.test("a commit is not forgotten, at whatever moment of another's end it comes", async () => {
  const store = await openSqlStore({ url: "sqlite::memory:" });
  let made = 0;
  const insert = () => {
    const name = `t${made++}`;
    const after: Tag = { id: name, createdAt: at, updatedAt: at, rev: "", name };
    return store.commit([{ kind: "insert", collection: "tags", after }], { actor: server });
  };
  for (let ticks = 0; ticks < 60; ticks++) {
    await insert();
    for (let tick = 0; tick < ticks; tick++) await null;
    // A commit that is forgotten is never settled, and the test ends with nothing left to wait for.
    await insert();
  }
  assert.equal(await store.from(tags).count(), 120);
  await store.close();
});

Deno.test("a commit whose answer is lost is in every list, though the journal told of it before that was known", async () => {
  const database = await postgresDatabase();
  const store = await openSqlStore({ url: database.url });
  try {
    const { own } = store as unknown as { own: Engine };
    const insert = (name: string) =>
      store.transact(server, (tx) => {
        tx.insert(tags, { name });
      });
    const listed = async () => {
      const { rows, total } = await store.from(tags).list({ sort: "name", limit: 2 });
      return [...rows.map(({ name }) => name), total];
    };
    for (const name of ["c", "d", "e"]) await insert(name);
    assert.deepEqual(await listed(), ["c", "d", 3]);
    const { transaction, rows } = own;
    own.transaction = async (...asked) => {
      let told = false;
      // From before the commit on: it may be told of before its answer comes, and only once.
      own.rows = async <R>(query: Query) => {
        const found = await rows.call(own, query) as R[];
        const looked = own.statements.compile(query).sql.includes("from journal");
        told ||= looked && found.length > 0;
        return found;
      };
      await transaction.apply(own, asked);
      await until(() => told, "a look at the journal that finds the commit");
      throw new Error("Connection terminated");
    };
    await assert.rejects(insert("a"), StoreUnavailable);
    Object.assign(own, { transaction, rows });
    await until(async () => (await listed()).at(-1) === 4, "the commit");
    assert.deepEqual(await listed(), ["a", "c", 4]);
    await insert("b");
    assert.deepEqual(await listed(), ["a", "b", 5]);
  } finally {
    await store.close();
    await database.drop();
  }
});

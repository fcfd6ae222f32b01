// A file of SQLite that has no room: SQLite then ends a transaction by itself, and what comes after would be there alone.
import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { CompiledQuery, sql } from "kysely";
import { documents, tags } from "../../models/documents.ts";
import { inTransaction, openFile } from "../../sql/sqlite_file.ts";
import { openSqlite } from "../../sql/sqlite.ts";
import { openSqlStore } from "../../sql/store.ts";
import type { Engine } from "../../sql/engine.ts";
import { StoreFull } from "../../storage/port.ts";
import { KIB } from "../../core/units.ts";
import { addPerson, server } from "../storage/people.ts";
import { addRoles, dropMigrated, migratedFile } from "./databases.ts";

Deno.test.afterAll(dropMigrated);

Deno.test("a commit for which there is no room leaves nothing of itself, also what would have had room", async () => {
  const database = await migratedFile();
  const store = await openSqlStore({ url: database.url });
  try {
    await addRoles(store);
    const ann = await addPerson(store, "Ann");
    const { own } = store as unknown as { own: Engine };
    const ask = async (query: string) => (await sql.raw(query).execute(own.db)).rows;
    const held = () =>
      ask(
        `select (select count(*) from documents) as documents, (select count(*) from tags) as tags,
        (select count(*) from journal) as entries,
        (select json_group_object(collection_table, "rows") from counts) as counts`,
      );
    const before = await held();
    await ask("pragma max_page_count = 1");
    await assert.rejects(
      store.transact(server, (tx) => {
        tx.insert(documents, {
          title: "Long",
          content: "x".repeat(400 * KIB),
          type: "document",
          ownerId: ann.id,
          size: 400 * KIB,
        });
        tx.insert(tags, { name: "short" });
      }),
      StoreFull,
    );
    assert.deepEqual(await held(), before);
    await ask("pragma max_page_count = 4294967294");
    await store.transact(server, (tx) => void tx.insert(tags, { name: "short" }));
    assert.equal(await store.from(tags).count(), 1);
  } finally {
    await store.close();
    await database.drop();
  }
});

Deno.test("whether a transaction is open is found out where the runtime does not tell", () => {
  const database = openFile(":memory:");
  const untold = { exec: (text: string) => database.exec(text) } as DatabaseSync;
  const found: boolean[] = [];
  for (const step of ["select 1", "begin", "create table t (a)", "rollback"]) {
    database.exec(step);
    found.push(inTransaction(untold));
  }
  assert.deepEqual(found, [false, true, true, false]);
  database.close();
});

for (const where of ["here", "on its thread"] as const) {
  Deno.test(`a transaction ${where} that SQLite has ended runs no further statement`, async () => {
    const database = await migratedFile();
    const file = openSqlite(database.url.slice("sqlite:".length));
    const { transaction } = where === "here" ? file : {
      transaction: file.writer!.transaction.bind(file.writer),
    };
    const tag = (id: string) =>
      CompiledQuery.raw(
        "insert into tags (id, created_at, updated_at, name, search_text, row_version) values (?, ?, ?, ?, ?, 1)",
        [id, "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z", id, id],
      );
    const count = async () =>
      (await sql<{ n: number }>`select count(*) as n from tags`.execute(file.db)).rows[0]!.n;
    try {
      assert.equal(await count(), 0);
      await assert.rejects(
        transaction(async (run) => {
          await run(tag("one"));
          await run(CompiledQuery.raw("rollback"));
          await run(tag("two"));
        }),
        /the transaction has ended/,
      );
      assert.equal(await count(), 0);
      await transaction((run) => run(tag("three")));
      assert.equal(await count(), 1);
    } finally {
      await file.db.destroy();
      await database.drop();
    }
  });
}

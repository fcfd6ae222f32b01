// The log of a file of SQLite goes into the file on a thread: within a commit it would hold the event loop.
import assert from "node:assert/strict";
import { documents } from "../../models/documents.ts";
import type { Store } from "../../storage/port.ts";
import { openSqlStore } from "../../sql/store.ts";
import { addPerson, server } from "../storage/people.ts";
import { until } from "../until.ts";
import { addRoles, sqliteFile } from "./databases.ts";

const CONTENT = "x".repeat(100_000);

function add(store: Store, ownerId: string, n: number): Promise<void> {
  const document = { title: `Document ${n}`, content: CONTENT, type: "document" as const };
  return store.transact(server, (tx) => {
    tx.insert(documents, { ...document, size: CONTENT.length, ownerId });
  });
}

Deno.test("SQLite: the log goes into the file while commits go on, and closing leaves none", async () => {
  const database = await sqliteFile();
  const path = database.url.slice("sqlite:".length);
  const size = async () => (await Deno.stat(path)).size;
  try {
    const store = await openSqlStore({ url: database.url });
    await addRoles(store);
    const { id: ownerId } = await addPerson(store, "Ann");
    const before = await size();
    for (let n = 0; n < 100; n++) await add(store, ownerId, n);
    // Of ten megabytes, SQLite itself would leave all in the log.
    await until(async () => await size() > before + 5_000_000, "a checkpoint");
    for (let n = 100; n < 120; n++) await add(store, ownerId, n);
    await store.close();
    assert.equal(await Deno.stat(`${path}-wal`).catch(() => null), null);
    const again = await openSqlStore({ url: database.url });
    assert.equal(await again.from(documents).count(), 120);
    await again.close();
  } finally {
    await database.drop();
  }
});

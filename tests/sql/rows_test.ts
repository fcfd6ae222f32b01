// On Postgres: rows of lists are read without what they do not show, together, and stay until their record changes.
import assert from "node:assert/strict";
import { documents, documentTags, tags } from "../../models/documents.ts";
import { shares } from "../../models/shares.ts";
import { type User, userRow, users } from "../../models/users.ts";
import { openSqlStore } from "../../sql/store.ts";
import type { Store } from "../../storage/port.ts";
import { addPerson, server } from "../storage/people.ts";
import { until } from "../until.ts";
import { addRoles } from "./databases.ts";
import { noted } from "./noted.ts";
import { dropReused, reusedDatabase } from "./reused.ts";

Deno.test.afterAll(dropReused);

async function withStores(
  run: (scene: {
    /** Its memory is empty at first. */
    readonly store: Store;
    readonly other: Store;
    readonly people: readonly User[];
    readonly statements: string[];
  }) => Promise<void>,
) {
  const database = await reusedDatabase();
  try {
    const other = await openSqlStore({ url: database.url });
    await addRoles(other);
    const people = [];
    for (const name of ["Ann", "Bob", "陈"]) people.push(await addPerson(other, name));
    const store = await openSqlStore({ url: database.url });
    await run({ store, other, people, statements: noted(store) });
    await store.close();
    await other.close();
  } finally {
    await database.drop();
  }
}

async function rename(store: Store, id: string, name: string): Promise<string> {
  return await store.transact(server, async (tx) => {
    tx.update(users, (await tx.from(users).get(id))!, { name });
    return name;
  });
}

Deno.test("rows are read together, without what they do not show, and kept", () =>
  withStores(async ({ store, people, statements }) => {
    const [ann, bob, chen] = people.map(({ id }) => id) as [string, string, string];
    const rows = people.map(userRow);
    const reader = store.from(users);
    const [some, others] = await Promise.all([
      reader.rowsOf([ann, "nobody", "\0"]),
      reader.rowsOf([bob, ann, chen]),
    ]);
    assert.deepEqual(some, [rows[0], null, null]);
    assert.deepEqual(others, [rows[1], rows[0], rows[2]]);
    assert.equal(statements.length, 1, statements.join("\n"));
    assert.doesNotMatch(statements[0]!, /password_hash|search_text|\*/);
    assert.deepEqual(await reader.rowsOf([chen, bob]), [rows[2], rows[1]]);
    assert.equal(statements.length, 1, statements.join("\n"));
    assert.deepEqual((await reader.listRows({ sort: "name" })).rows, rows);
    assert.doesNotMatch(statements[1]!, /password_hash|search_text|\*/);
  }));

Deno.test("a row that was kept is read anew after a commit, of this process and of another", () =>
  withStores(async ({ store, other, people: [ann] }) => {
    const shown = async () => (await store.from(users).rowsOf([ann!.id]))[0] ?? "";
    assert.match(await shown(), /"Ann"/);
    await rename(store, ann!.id, "Amy");
    assert.match(await shown(), /"Amy"/);
    await rename(other, ann!.id, "Eve");
    await until(async () => /"Eve"/.test(await shown()));
    await store.transact(server, async (tx) => {
      tx.remove(users, (await tx.from(users).get(ann!.id))!);
    });
    assert.equal(await shown(), "");
  }));

Deno.test("pages of documents leave their content in the database", () =>
  withStores(async ({ store, people: [ann], statements }) => {
    await store.transact(server, (tx) => {
      const content = "long";
      tx.insert(documents, { title: "A", content, type: "code", size: 4, ownerId: ann!.id });
    });
    statements.length = 0;
    for (const sort of ["title", "-size", "title,-size"]) {
      const { rows, total } = await store.from(documents).listRows({ sort });
      assert.deepEqual([rows.length, total], [1, 1]);
    }
    assert.equal(statements.length, 3, statements.join("\n"));
    for (const statement of statements) assert.doesNotMatch(statement, /content|\*/);
  }));

Deno.test("links of several pages are counted by one statement, and anew each time", () =>
  withStores(async ({ store, people: [ann, bob], statements }) => {
    const tie = (documentId: string, name: string) =>
      store.transact(server, (tx) => {
        const tag = tx.insert(tags, { name });
        tx.insert(documentTags, { documentId, tagId: tag.id });
      });
    const ids = await store.transact(server, (tx) =>
      ["A", "B", "C"].map((title) => {
        const written = { title, content: "", type: "code", size: 0, ownerId: ann!.id } as const;
        const { id } = tx.insert(documents, written);
        tx.insert(shares, {
          documentId: id,
          userId: bob!.id,
          permission: "read",
          createdBy: ann!.id,
        });
        return id;
      })) as [string, string, string];
    await tie(ids[0], "one");
    await tie(ids[0], "two");
    await tie(ids[1], "three");
    statements.length = 0;
    const count = (of: readonly string[]) => store.from(documentTags).count({ documentId: of });
    const pages = [ids, [ids[1], "none"], [ids[0], ids[0]], [ids[2]]];
    assert.deepEqual(await Promise.all(pages.map(count)), [3, 1, 2, 0]);
    assert.equal(statements.length, 1, statements.join("\n"));
    await tie(ids[2], "four");
    assert.equal(await count(ids), 4);
    assert.equal(await store.from(shares).count({ documentId: ids }), 3);
    assert.equal(await store.from(shares).count({ documentId: ids, userId: ann!.id }), 0);
    assert.equal(await count([]), 0);
  }));

Deno.test("a walk through a list keeps nothing, so that what was kept before it stays", () =>
  withStores(async ({ store, people, statements }) => {
    const reader = store.from(users);
    const [ann, bob] = people.map(({ id }) => id) as [string, string];
    await reader.rowsOf([ann]);
    const { nextCursor } = await reader.listRows({ sort: "name", limit: 1 });
    const walked = { sort: "name", limit: 100, cursor: nextCursor! };
    statements.length = 0;
    for (let n = 0; n < 2; n++) {
      assert.deepEqual((await reader.listRows(walked)).rows, people.slice(1).map(userRow));
    }
    assert.deepEqual((await reader.list(walked)).rows.map(({ name }) => name), ["Bob", "陈"]);
    assert.equal(statements.filter((text) => text.includes("limit")).length, 3);
    statements.length = 0;
    await reader.rowsOf([ann]);
    assert.deepEqual(statements, []);
    await reader.rowsOf([bob]);
    assert.equal(statements.length, 1);
  }));

// On Postgres: what is asked at the same time is asked of the database once, and never what was asked before a commit.
import assert from "node:assert/strict";
import pg from "pg";
import { tags } from "../../models/documents.ts";
import { type User, users } from "../../models/users.ts";
import { openSqlStore } from "../../sql/store.ts";
import type { Store } from "../../storage/port.ts";
import { addPerson, server } from "../storage/people.ts";
import { addRoles } from "./databases.ts";
import { noted } from "./noted.ts";
import { dropReused, reusedDatabase } from "./reused.ts";

Deno.test.afterAll(dropReused);

async function withStore(
  run: (store: Store, people: readonly User[], statements: string[]) => Promise<void>,
) {
  const database = await reusedDatabase();
  try {
    const writer = await openSqlStore({ url: database.url });
    await addRoles(writer);
    const people = [];
    for (const name of ["Ann", "Bob", "Cyd"]) people.push(await addPerson(writer, name));
    await writer.close();
    const store = await openSqlStore({ url: database.url });
    await run(store, people, noted(store));
    await store.close();
  } finally {
    await database.drop();
  }
}

Deno.test("records that are asked for at the same time are one statement", () =>
  withStore(async (store, people, statements) => {
    const ids = [...people.map(({ id }) => id), "nobody", "\0", people[0]!.id];
    const found = await Promise.all(ids.map((id) => store.from(users).get(id)));
    assert.deepEqual(found, [...people, null, null, people[0]]);
    assert.equal(statements.length, 1, statements.join("\n"));
  }));

Deno.test("a list that is asked for at the same time is asked once, and anew after a commit", () =>
  withStore(async (store, people, statements) => {
    const ask = () => store.from(users).list({ sort: "name" });
    const names = (rows: readonly User[]) => rows.map(({ name }) => name);
    const pages = await Promise.all([ask(), ask(), ask()]);
    for (const page of pages) assert.deepEqual(names(page.rows), ["Ann", "Bob", "Cyd"]);
    assert.equal(statements.filter((text) => /select \*/.test(text)).length, 1);
    await store.transact(server, async (tx) => {
      tx.update(users, (await tx.from(users).get(people[0]!.id))!, { name: "Zoe" });
    });
    // One is on its way when the commit comes: it may miss it, who asks after it must not.
    const before = ask();
    await store.transact(server, async (tx) => {
      tx.update(users, (await tx.from(users).get(people[1]!.id))!, { name: "Yve" });
    });
    assert.deepEqual(names((await ask()).rows), ["Cyd", "Yve", "Zoe"]);
    await before;
    assert.deepEqual(names((await ask()).rows), ["Cyd", "Yve", "Zoe"]);
  }));

Deno.test("the statements of a commit are on their way together", () =>
  withStore(async (store, people) => {
    const { prototype } = pg.Client as unknown as {
      prototype: { query(asked: unknown, answered?: (...answer: unknown[]) => void): unknown };
    };
    const { query } = prototype;
    const most = new Map<unknown, number>();
    const underWay = new Map<unknown, number>();
    prototype.query = function (asked, answered) {
      // The connection that listens for commits asks in another way.
      if (!answered) return query.call(this, asked);
      const now = (underWay.get(this) ?? 0) + 1;
      underWay.set(this, now);
      most.set(this, Math.max(most.get(this) ?? 0, now));
      return query.call(this, asked, (...answer) => {
        underWay.set(this, underWay.get(this)! - 1);
        answered(...answer);
      });
    };
    const mostOfAll = () => Math.max(...most.values());
    try {
      // Where others have the processor for long, the statements are parted.
      for (let tries = 0; tries === 0 || tries < 50 && mostOfAll() < 6; tries++) {
        await store.transact(server, async (tx) => {
          const current = await tx.from(users).getMany(people.map(({ id }) => id));
          for (const person of current) tx.update(users, person!, { bio: `new ${tries}` });
          tx.insert(tags, { name: `new ${tries}` });
        });
      }
    } finally {
      prototype.query = query;
    }
    // Three updates, a tag, their record in the audit log, and the counts.
    assert.equal(mostOfAll(), 6);
  }));

// Commits of more records than share a transaction, on a file of SQLite: made on a thread of their own.
import assert from "node:assert/strict";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { nextTurn } from "../../core/delay.ts";
import { tags } from "../../models/documents.ts";
import { users } from "../../models/users.ts";
import {
  ReferenceConflict,
  type Store,
  type Transaction,
  UniqueConflict,
} from "../../storage/port.ts";
import { openSqlStore } from "../../sql/store.ts";
import { server } from "../storage/people.ts";
import { addRoles, sqliteFile } from "./databases.ts";

const MANY = 3000;

const nameOf = (n: number) => `tag-${String(n).padStart(5, "0")}`;

function insertTags(store: Store, count: number, from = 0): Promise<void> {
  return store.transact(server, (tx) => {
    for (let n = from; n < from + count; n++) tx.insert(tags, { name: nameOf(n) });
  });
}

function user(tx: Transaction, n: number, role = "user") {
  return tx.insert(users, {
    name: `Sailor ${n}`,
    email: `sailor-${n}@example.com`,
    status: "active",
    role,
    permissions: [],
  });
}

async function withStore(run: (store: Store) => Promise<void>): Promise<void> {
  const database = await sqliteFile();
  const store = await openSqlStore({ url: database.url });
  try {
    await addRoles(store);
    await run(store);
  } finally {
    await store.close();
    await database.drop();
  }
}

/** Runs work, and tells which statements ran on this thread meanwhile. */
async function statementsOf(work: () => Promise<void>): Promise<string[]> {
  const ran: string[] = [];
  const originals = new Map<"run" | "all", StatementSync["run"] | StatementSync["all"]>();
  const probe = new DatabaseSync(":memory:");
  const prototype = Object.getPrototypeOf(probe.prepare("select 1"));
  for (const name of ["run", "all"] as const) {
    const original = prototype[name];
    originals.set(name, original);
    prototype[name] = function (this: StatementSync, ...values: unknown[]) {
      ran.push(this.sourceSQL);
      return original.apply(this, values);
    };
  }
  try {
    await work();
  } finally {
    for (const [name, original] of originals) prototype[name] = original;
    probe.close();
  }
  return ran;
}

const writing = (statements: readonly string[]) =>
  statements.filter((text) => /^\s*(?:with|insert|begin|commit)\b/i.test(text));

Deno.test("a large commit runs none of its statements on the event loop's thread, a small one all", () =>
  withStore(async (store) => {
    const large = await statementsOf(() => insertTags(store, MANY));
    assert.deepEqual(writing(large), []);
    assert.equal(await store.from(tags).count(), MANY);
    const small = await statementsOf(() => insertTags(store, 3, MANY));
    assert.ok(writing(small).length >= 3);
    assert.equal(await store.from(tags).count(), MANY + 3);
  }));

Deno.test("a large commit is there as a whole, for lists and for those who follow the journal, or not at all", () =>
  withStore(async (store) => {
    await insertTags(store, 10);
    const seen = new Set<number>();
    let done = false;
    const watching = (async () => {
      while (!done) {
        seen.add((await store.from(tags).list({ limit: 1 })).total);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    })();
    const stop = new AbortController();
    const following = (async () => {
      let found = 0;
      for await (const { changes } of store.changes({ signal: stop.signal })) {
        const records = await store.from(tags).getMany(changes.map(({ id }) => id));
        found = records.filter((record) => record !== null).length;
        break;
      }
      return found;
    })();
    await insertTags(store, MANY, 10);
    done = true;
    await watching;
    assert.ok([...seen].every((total) => total === 10 || total === MANY + 10), `${[...seen]}`);
    assert.equal(await following, MANY);
    stop.abort();
  }));

Deno.test("a large commit that breaks a rule leaves nothing, says which, and the next one is made", () =>
  withStore(async (store) => {
    await store.transact(server, (tx) => void user(tx, MANY - 1));
    const taken = store.transact(server, (tx) => {
      for (let n = 0; n < MANY; n++) user(tx, n);
    });
    await assert.rejects(taken, UniqueConflict);
    const dangling = store.transact(server, (tx) => {
      for (let n = 0; n < MANY; n++) user(tx, MANY + n, n === 2000 ? "nobody" : "user");
    });
    await assert.rejects(
      dangling,
      (error) => error instanceof ReferenceConflict && error.collection === "users",
    );
    assert.equal(await store.from(users).count(), 1);
    await store.transact(server, (tx) => {
      for (let n = 0; n < MANY - 1; n++) user(tx, n);
    });
    assert.equal(await store.from(users).count(), MANY);
  }));

Deno.test("what is written beside a large commit waits for it, and nothing is lost", () =>
  withStore(async (store) => {
    await Promise.all([
      insertTags(store, MANY),
      store.notes.set("beside", "kept"),
      insertTags(store, 1, MANY),
      insertTags(store, MANY, MANY + 1),
      store.notes.set("beside too", "kept"),
    ]);
    assert.equal(await store.from(tags).count(), 2 * MANY + 1);
    assert.equal((await store.from(tags).list({ limit: 1 })).total, 2 * MANY + 1);
    assert.equal(await store.notes.get("beside"), "kept");
    assert.equal(await store.notes.get("beside too"), "kept");
  }));

Deno.test("a large commit without a thread fails alone: what is written after it waits for nobody", async () => {
  const database = await sqliteFile();
  const store = await openSqlStore({ url: database.url });
  const other = new DatabaseSync(database.url.slice("sqlite:".length));
  const { Worker } = globalThis;
  try {
    globalThis.Worker = class {
      constructor() {
        throw new Error("no thread is left");
      }
    } as never;
    await assert.rejects(insertTags(store, MANY), /no thread is left/);
    other.exec("begin immediate");
    const noted = store.notes.set("beside", "kept");
    // It has found the file locked.
    await nextTurn();
    other.exec("rollback");
    await noted;
    assert.equal(await store.notes.get("beside"), "kept");
  } finally {
    globalThis.Worker = Worker;
    other.close();
    await store.close();
    await database.drop();
  }
});

// Records by their unique values: of a key of one field one statement finds all.
import assert from "node:assert/strict";
import { type User, users } from "../../models/users.ts";
import { readByUnique } from "../../sql/by_unique.ts";
import { postgresDialect, sqliteDialect } from "../../sql/dialect.ts";
import { tableOf } from "../../sql/tables.ts";
import { storedPerson } from "../storage/people.ts";

const ann = { ...storedPerson("Ann", "2026-01-01T00:00:00.000Z"), rev: "1" } as User;
const bob = { ...storedPerson("Bob", "2026-01-01T00:00:00.000Z"), rev: "2" } as User;

for (const [engine, dialect] of Object.entries({ postgresDialect, sqliteDialect })) {
  Deno.test(`by unique values: of one field all are one statement, ${engine}`, async () => {
    let statements = 0;
    const select = () => {
      statements++;
      return Promise.resolve([bob, ann]);
    };
    const columns = tableOf(users).unique.get("email")!;
    const wanted = [[ann.email], ["nobody@example.com"], [bob.email], ["a\0b"]];
    const found = await readByUnique(dialect, columns, wanted, select);
    assert.deepEqual(found, [ann, null, bob, null]);
    assert.equal(statements, 1);
  });
}

Deno.test("by unique values: what Postgres cannot hold is not asked for", async () => {
  const columns = tableOf(users).unique.get("email")!;
  const none = () => assert.fail("asked for");
  assert.deepEqual(await readByUnique(postgresDialect, columns, [["a\0"]], none), [null]);
  assert.deepEqual(await readByUnique(postgresDialect, columns, [["a\0"], ["b\0"]], none), [
    null,
    null,
  ]);
});

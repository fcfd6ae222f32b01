// The texts of statements by their shape.
import assert from "node:assert/strict";
import { sql } from "kysely";
import { Statements } from "../../sql/statements.ts";
import { openSqlite } from "../../sql/sqlite.ts";

Deno.test("statements: one of a shape that came before has its text, and its own parameters", async () => {
  const { db } = openSqlite(":memory:");
  const statements = new Statements(db);
  let made = 0;
  const sum = (a: number, b: number) =>
    statements.of("sum", [a, b], () => {
      made++;
      return sql`select ${a} + ${b} as sum`;
    });
  for (const [a, b] of [[1, 2], [3, 4], [5, 6]] as const) {
    const { rows } = await db.executeQuery<{ sum: number }>(sum(a, b));
    assert.equal(rows[0]!.sum, a + b);
  }
  assert.equal(made, 1);
  await db.destroy();
});

Deno.test("statements: parameters that are not those of the statement are a mistake, told at its first use", async () => {
  const { db } = openSqlite(":memory:");
  const statements = new Statements(db);
  for (const parameters of [[2, 1], [1], [1, 2, 3]]) {
    assert.throws(
      () => statements.of("sum", parameters, () => sql`select ${1} + ${2}`),
      /^Error: Cannot make a statement of sum: its parameters are others$/,
    );
  }
  await db.destroy();
});

Deno.test("statements: the oldest of too many shapes is made anew when it comes again", async () => {
  const { db } = openSqlite(":memory:");
  const statements = new Statements(db);
  const made: number[] = [];
  const ask = (n: number) =>
    statements.of(`select ${n}`, [], () => {
      made.push(n);
      return sql`select ${sql.lit(n)} as n`;
    });
  for (let n = 0; n <= 256; n++) ask(n);
  for (const n of [256, 0]) {
    const { rows } = await db.executeQuery<{ n: number }>(ask(n));
    assert.equal(rows[0]!.n, n);
  }
  assert.equal(made.length, 258);
  assert.equal(made.at(-1), 0);
  await db.destroy();
});

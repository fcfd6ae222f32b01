// On Postgres, a search looks up what few texts have, and finds what the whole term is in.
import assert from "node:assert/strict";
import { newId } from "../../core/ids.ts";
import { users } from "../../models/users.ts";
import { openSqlStore } from "../../sql/store.ts";
import { commonIn, rarePart } from "../../sql/trigrams.ts";
import { storedPerson } from "../storage/people.ts";
import { addRoles, postgresDatabase } from "./databases.ts";
import { noted } from "./noted.ts";

Deno.test("the rare part of a term is what is left without the common trigrams at its ends", () => {
  const texts = Array.from({ length: 1000 }, (_, n) => `@crew${n * 7919}x.example.com`);
  const common = commonIn([...texts, "a needle"]);
  for (
    const [term, part] of [
      ["@crew5543x.example.com", "w5543x"],
      ["crew needle.example", "ew needle.e"],
      [".example.com", ".example.com"],
      ["a needle", "a needle"],
      ["crewqex", "ewqex"],
      // Too little would be left.
      ["@crewq", "@crewq"],
      // Half a character would be left.
      ["crew\u{1f600}w", "ew\u{1f600}w"],
    ] as const
  ) {
    const found = rarePart(term, common);
    assert.ok(term.includes(found), `${term}: ${found}`);
    assert.ok(found.length >= 4 && found.isWellFormed(), `${term}: ${found}`);
    assert.equal(found, part, term);
  }
});

const ROWS = 10_000;

Deno.test("a search with common trigrams looks up the others, and finds the whole term alone", async () => {
  const database = await postgresDatabase();
  const store = await openSqlStore({ url: database.url });
  try {
    await addRoles(store);
    await store.load(
      users,
      Array.from({ length: ROWS }, (_, n) => {
        const at = Date.UTC(2026, 0, 1) + n * 1000;
        const domain = n === 77 ? "sample" : "example";
        return storedPerson(newId(at), new Date(at).toISOString(), {
          name: "Sailor",
          email: `sailor${n}@crew${n % 2000}q.${domain}.com`,
        });
      }),
    );
    const statements = noted(store);
    const found = async (search: string) =>
      (await store.from(users).list({ search, sort: "email" })).rows.map(({ email }) => email);
    const crew = (...numbers: number[]) =>
      numbers.map((n) => `sailor${n}@crew${n % 2000}q.example.com`);
    assert.deepEqual(await found("@crew77q.example.com"), crew(2077, 4077, 6077, 8077));
    assert.match(statements.at(-1)!, /like .* and strpos/);
    // The sample is read once.
    const before = statements.length;
    assert.deepEqual(await found("crew1999q.exam"), crew(1999, 3999, 5999, 7999, 9999));
    assert.deepEqual(await found("crew1999q.zexam"), []);
    assert.doesNotMatch(statements.slice(before).join("\n"), /tablesample/);
    assert.match(statements.slice(0, before).join("\n"), /tablesample/);
  } finally {
    await store.close();
    await database.drop();
  }
});

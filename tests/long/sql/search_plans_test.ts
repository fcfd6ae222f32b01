// On Postgres, searches that no index answers: how their pages are found, and in what their matches are counted.
import assert from "node:assert/strict";
import { newId } from "../../../core/ids.ts";
import { type User, users } from "../../../models/users.ts";
import type { Entity, ListQuery, Store } from "../../../storage/port.ts";
import { addRoles } from "../../sql/databases.ts";
import { onPostgres } from "../../sql/looked_at.ts";
import { storedPerson } from "../../storage/people.ts";

type Query = ListQuery<Entity>;

/** Enough for a sample of their texts to be taken. */
const MANY = 20_000;
const START = Date.UTC(2026, 0, 1);

/** Every twentieth is a Zoe, two hundred have a w in their address, and those named last are all inactive. */
function* people(): Generator<Omit<User, "rev">> {
  for (let n = 0; n < MANY; n++) {
    const at = new Date(START + n * 1000).toISOString();
    yield storedPerson(newId(START + n * 1000), at, {
      name: `${n % 20 === 0 ? "Zoe" : n % 20 === 1 ? "Zora" : "Adam"} ${n}`,
      email: `${n % 100 === 50 ? "w" : "u"}${n}@example.com`,
      status: n % 20 < 2 ? "inactive" : "active",
    });
  }
}

const everyone = [...people()];

async function fill(store: Store): Promise<readonly string[]> {
  await addRoles(store);
  await store.load(users, everyone);
  return everyone.map(({ id }) => id);
}

const SORTS = ["-createdAt", "id", "name", "-name", "email", "-status", "updatedAt", "lastLoginAt"];
const WHERE = [{}, { status: "active" }, { status: "inactive", role: "user" }] as Query["where"][];

function expected({ where, search, sort, page = 1, limit = 10 }: Query) {
  const descending = sort!.startsWith("-"), field = sort!.replace("-", "") as keyof User;
  const matching = everyone.filter((person) =>
    Object.entries(where!).every(([name, value]) => person[name as "role"] === value) &&
    `${person.name}\u001f${person.email}`.toLowerCase().includes(search!)
  );
  const compare = (a: unknown, b: unknown) =>
    a === b ? 0 : String(a ?? "") < String(b ?? "") ? -1 : 1;
  matching.sort((a, b) =>
    (descending ? -1 : 1) *
    (compare(a[field as "name"], b[field as "name"]) || compare(a.id, b.id))
  );
  const rows = matching.slice((page - 1) * limit, page * limit).map(({ id }) => id);
  return { rows, total: matching.length };
}

Deno.test("Postgres finds the pages of searches that no index answers, looking at each row a few times at most", () =>
  onPostgres(
    async ({ reader, lookedAt }) => {
      for (const search of ["a", "w", "q", "1", "zo", "zoe", "zor", "qq", "19"]) {
        for (const [n, sort] of SORTS.entries()) {
          const query: Query = { where: WHERE[n % 3]!, search, sort, page: 1 + 2 * (n % 2) };
          const { rows, total } = await reader.list(query);
          const found = { rows: rows.map(({ id }) => id), total };
          assert.deepEqual(found, expected(query), JSON.stringify(query));
          const looked = (await lookedAt(query)).reduce((sum, rows) => sum + rows, 0);
          assert.ok(looked <= 3.5 * MANY, `${looked} rows: ${JSON.stringify(query)}`);
        }
      }
    },
    users.name,
    fill,
  ));

Deno.test("Postgres finds a page among the first rows of a list where many match, and counts the others in an index", () =>
  onPostgres(
    async ({ lookedAt, reads }) => {
      for (const search of ["zo", "zoe", "z"]) {
        for (const sort of ["-createdAt", "email", "-updatedAt"]) {
          const [first] = await lookedAt({ search, sort });
          assert.ok(first! <= 2500, `${first} rows: ${search} ${sort}`);
        }
      }
      for (const search of ["a", "w", "q", "zo", undefined]) {
        for (const status of ["active", undefined]) {
          if (!search && !status) continue;
          const query = { search, where: status ? { status } : {} } as Query;
          const read = await reads(query);
          const what = `${JSON.stringify(query)}: ${read.join(", ")}`;
          assert.ok(read.includes("Index Only Scan of users"), what);
          assert.ok(!read.includes("Seq Scan of users"), what);
          assert.ok(!read.includes("Bitmap Heap Scan of users"), what);
        }
      }
    },
    users.name,
    fill,
  ));

// On Postgres: pages far down a list, while the list changes or its order cannot be read.
import assert from "node:assert/strict";
import fc from "fast-check";
import { sql } from "kysely";
import { newId } from "../../core/ids.ts";
import { tags } from "../../models/documents.ts";
import { type User, users } from "../../models/users.ts";
import type { Engine } from "../../sql/engine.ts";
import { Extent } from "../../sql/extent.ts";
import { Listed } from "../../sql/listed.ts";
import { pageSql } from "../../sql/page_statements.ts";
import { type Form, Pages } from "../../sql/pages.ts";
import { SqlReader } from "../../sql/reader.ts";
import { openSqlStore } from "../../sql/store.ts";
import { type ParsedQuery, parseQuery, positionOf } from "../../storage/query.ts";
import type { Store } from "../../storage/port.ts";
import { storedPerson } from "../storage/people.ts";
import { addRoles } from "./databases.ts";
import { dropReused, reusedDatabase } from "./reused.ts";

Deno.test.afterAll(dropReused);

async function withEngine(run: (engine: Engine, store: Store) => Promise<void>): Promise<void> {
  const database = await reusedDatabase();
  const store = await openSqlStore({ url: database.url });
  try {
    await run((store as unknown as { own: Engine }).own, store);
  } finally {
    await store.close();
    await database.drop();
  }
}

/** Of which nothing is in memory. */
const ids: Form<string, string> = {
  columns: sql`*`,
  from: (rows) => rows.map(({ id }) => id as string),
  held: () => undefined,
  read: (wanted) => wanted.map(() => null),
  positionOf: () => [],
  revOf: () => 0,
  show: (id) => id,
};

Deno.test("a page is empty when the list gets shorter while it is asked for", () =>
  withEngine(async (engine) => {
    const table = engine.tableOf(tags.name);
    const totals = [30, 20];
    const extent = Object.assign(new Extent(engine, table), {
      known: () => totals.length > 1 ? totals.shift()! : totals[0]!,
    });
    const pages = new Pages(engine, table, extent, () => Promise.resolve(20));
    const query = parseQuery(tags, { sort: "name", page: 6, limit: 5 });
    assert.deepEqual(await pages.ask(query, ids), { rows: [], total: 20, nextCursor: null });
  }));

Deno.test("that the order of a list cannot be read is nobody's unhandled rejection, whenever it is asked for again", () =>
  withEngine(async (engine) => {
    const table = engine.tableOf(tags.name);
    const extent = Object.assign(new Extent(engine, table), {
      total: () => Promise.reject(new Error("the server is gone")),
    });
    const unhandled: unknown[] = [];
    const note = (event: PromiseRejectionEvent) => {
      event.preventDefault();
      unhandled.push(event.reason);
    };
    globalThis.addEventListener("unhandledrejection", note);
    try {
      for (let ticks = 0; ticks < 20; ticks++) {
        const listed = new Listed(engine, table, extent);
        const query = parseQuery(tags, { sort: "name", page: 101 });
        assert.equal(listed.learn(query, []), null);
        for (let tick = 0; tick < ticks; tick++) await null;
        assert.equal(listed.learn(query, []), null);
        await new Promise((resolve) => setTimeout(resolve));
      }
    } finally {
      globalThis.removeEventListener("unhandledrejection", note);
    }
    assert.deepEqual(unhandled, []);
  }));

Deno.test("while the order of a list is read, a few pages skip rows, and fewer where they are many", () =>
  withEngine(async (engine) => {
    const table = engine.tableOf(tags.name);
    const waits = async (total: number, ...offsets: number[]) => {
      const reading = Promise.withResolvers<number>();
      const extent = Object.assign(new Extent(engine, table), {
        known: () => total,
        total: () => reading.promise,
      });
      const listed = new Listed(engine, table, extent);
      const learned = offsets.map((offset) =>
        listed.learn({ ...parseQuery(tags, { sort: "name" }), offset }, [])
      );
      reading.reject(new Error("the server is gone"));
      await Promise.allSettled(learned);
      return learned.map((one) => one !== null);
    };
    // The first goes ahead wherever it is, and so do those near the beginning.
    assert.deepEqual(
      await waits(1_000_000, 500_000, 100_000, 500, 900_000),
      [false, true, false, true],
    );
    // From the end that is nearer.
    assert.deepEqual(await waits(1_000_000, 200_000, 900_000, 200_000), [false, false, true]);
    assert.deepEqual(await waits(100_000, ...Array(9).fill(30_000)), [
      ...Array(8).fill(false),
      true,
    ]);
  }));

const PEOPLE = 200;

function* people(): Generator<Omit<User, "rev">> {
  for (let n = 0; n < PEOPLE; n++) {
    const at = Date.UTC(2026, 0, 1) + n * 1000;
    yield storedPerson(newId(at), new Date(at).toISOString(), {
      name: `Sailor ${n % 7}`,
      email: `sailor${n}@example.com`,
      ...(n % 3 === 0 ? { lastLoginAt: new Date(at - n % 5 * 100_000).toISOString() } : {}),
    });
  }
}

Deno.test("a page some rows after a position is that of the list, in every order", () =>
  withEngine(async (engine, store) => {
    await addRoles(store);
    await store.load(users, people());
    const table = engine.tableOf(users.name);
    const reader = new SqlReader<User>(engine, table);
    const idsOf = async (query: ParsedQuery, place: Parameters<typeof pageSql>[5]) =>
      (await engine.rows<{ id: string }>(pageSql(engine.dialect, table, query, sql`*`, [], place)))
        .map(({ id }) => id);
    const fields = ["name", "lastLoginAt", "createdAt", "id"] as const;
    const sorts = fields.flatMap((field) => [field, `-${field}` as const]);
    const lists = new Map(
      await Promise.all(sorts.map(async (sort) => {
        const { rows } = await reader.list({ sort, limit: PEOPLE });
        return [sort, rows] as const;
      })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...sorts),
        fc.nat(PEOPLE - 1),
        fc.nat(PEOPLE),
        fc.integer({ min: 1, max: 70 }),
        fc.boolean(),
        async (sort, at, skip, limit, inclusive) => {
          const rows = lists.get(sort)!;
          const query = parseQuery(users, { sort, limit });
          const position = positionOf(query.sort, rows[at]!);
          const first = at + (inclusive ? 0 : 1) + skip;
          assert.deepEqual(
            await idsOf(query, { position, inclusive, skip }),
            // With the one after it, which tells that there is a next page.
            rows.slice(first, first + limit + 1).map(({ id }) => id),
          );
        },
      ),
      { numRuns: 200 },
    );
  }));

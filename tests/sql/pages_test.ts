// On Postgres: pages far down a list, while the list changes or its order cannot be read.
import assert from "node:assert/strict";
import { sql } from "kysely";
import { tags } from "../../models/documents.ts";
import type { Engine } from "../../sql/engine.ts";
import { Extent } from "../../sql/extent.ts";
import { Listed } from "../../sql/listed.ts";
import { type Form, Pages } from "../../sql/pages.ts";
import { openSqlStore } from "../../sql/store.ts";
import { parseQuery } from "../../storage/query.ts";
import { dropReused, reusedDatabase } from "./reused.ts";

Deno.test.afterAll(dropReused);

async function withEngine(run: (engine: Engine) => Promise<void>): Promise<void> {
  const database = await reusedDatabase();
  const store = await openSqlStore({ url: database.url });
  try {
    await run((store as unknown as { own: Engine }).own);
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

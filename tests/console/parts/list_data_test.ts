// What a list reads: a page of it, or all that it finds.
import assert from "node:assert/strict";
import { loadAll, loadList } from "../../../console/parts/list_data.ts";

type Query = Readonly<Record<string, unknown>>;

/** A list of numbers, as the API pages it. */
function listOf(count: number) {
  const asked: Query[] = [];
  const read = (query: Query) => {
    asked.push(query);
    const limit = Number(query.limit);
    const from = query.cursor === undefined
      ? (Number(query.page ?? 1) - 1) * limit
      : Number(query.cursor);
    const data = Array.from({ length: Math.min(limit, count - from) }, (_, at) => from + at);
    const end = from + data.length;
    const nextCursor = end < count ? String(end) : null;
    return Promise.resolve({ data, pagination: { total: count, nextCursor } });
  };
  return { asked, read };
}

Deno.test("list: a page is one request", async () => {
  const { asked, read } = listOf(60);
  const query = { page: "3", limit: "25", sort: "name" };
  const { rows, total } = await loadList({ limit: 25, query }, read);
  assert.deepEqual(rows, [50, 51, 52, 53, 54, 55, 56, 57, 58, 59]);
  assert.equal(total, 60);
  assert.deepEqual(asked, [query]);
});

Deno.test("list: as many rows as can be shown are loaded where all are wanted", async () => {
  const { read } = listOf(10_200);
  const { rows, total } = await loadList({ limit: "all", query: { sort: "name" } }, read);
  assert.deepEqual([rows.length, total], [10_000, 10_200]);
});

Deno.test("list: a file holds all that is found, whichever page is shown", async () => {
  const { asked, read } = listOf(10_201);
  const query = { page: "2", limit: "25", sort: "-createdAt", search: "harbour", status: "active" };
  const rows = await loadAll({ query }, read);
  assert.deepEqual(rows, Array.from({ length: 10_201 }, (_, at) => at));
  assert.equal(asked.length, 103);
  const found = { limit: 100, sort: "-createdAt", search: "harbour", status: "active" };
  assert.deepEqual(asked.slice(0, 2), [found, { ...found, cursor: "100" }]);
});

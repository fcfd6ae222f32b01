// Searching files by several conditions.
import assert from "node:assert/strict";
import { harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";
import { upload } from "../../uploads.ts";
import { arrange, type State } from "./file_scene.ts";

scenarios("file search", {
  variant: "full",
  arrange,
  rows: [
    {
      name: "search by name, in any of its fields",
      method: "POST",
      path: "/api/files/search",
      as: "user",
      body: { keyword: "SALES", type: "Document", mimeType: "", page: "1", limit: 5 },
      status: 200,
      holds: { data: [{ name: "sales.pdf" }], pagination: { total: 1, limit: 5 } },
    },
    {
      name: "search by size, date and folder",
      method: "POST",
      path: "/api/files/search",
      as: "admin",
      body: ({ year, report }: State) => ({
        folderId: year.id,
        minSize: report.size,
        maxSize: report.size,
        from: "2026-11-21",
        to: "2026-11-22",
      }),
      status: 200,
      holds: { data: [{ name: "sales.pdf" }] },
    },
    {
      name: "search by one day: a date as the end is the whole of it",
      method: "POST",
      path: "/api/files/search",
      as: "user",
      body: { query: "sales", from: "2026-11-21", to: "2026-11-21" },
      status: 200,
      holds: { data: [{ name: "sales.pdf" }] },
    },
    {
      name: "search by days before",
      method: "POST",
      path: "/api/files/search",
      as: "user",
      body: { to: "2026-11-20" },
      status: 200,
      holds: { data: [] },
    },
    {
      name: "search with fields of a form that are left empty",
      method: "POST",
      path: "/api/files/search",
      as: "user",
      body: { query: "sales", isFavorite: null, minSize: "", maxSize: null, page: "", limit: null },
      status: 200,
      holds: { data: [{ name: "sales.pdf" }], pagination: { page: 1, limit: 10 } },
    },
    {
      name: "search that excludes by size",
      method: "POST",
      path: "/api/files/search",
      as: "admin",
      body: { query: "s", minSize: 5000 },
      status: 200,
      holds: { data: [] },
    },
    {
      name: "search sees no other's",
      method: "POST",
      path: "/api/files/search",
      as: "user",
      body: { search: "t.jpg" },
      status: 200,
      holds: { data: [], pagination: { total: 0 } },
    },
    {
      name: "search with bad conditions: 400",
      method: "POST",
      path: "/api/files/search",
      as: "user",
      body: { type: "poem", minSize: -1, from: "yesterday", page: 0 },
      status: 400,
      details: ["type", "minSize", "from", "page"],
    },
    ...[true, [1], "1e1", " 5 ", "0x5", "0", 1.5, 1_000_000_000].map((value) => ({
      name: `search for the page ${JSON.stringify(value)}: 400`,
      method: "POST",
      path: "/api/files/search",
      as: "user" as const,
      body: { page: value, limit: value },
      status: 400,
      details: ["page", "limit"],
    })),
    {
      name: "search without a body: 400",
      method: "POST",
      path: "/api/files/search",
      as: "user",
      status: 400,
      details: ["body"],
    },
    {
      name: "search without a token: 401",
      method: "POST",
      path: "/api/files/search",
      body: {},
      status: 401,
    },
    {
      name: "search as guest: 403",
      method: "POST",
      path: "/api/files/search",
      as: "guest",
      body: {},
      status: 403,
    },
  ],
});

Deno.test("file search: it goes on after a name of any length", async () => {
  await using h = await harness({ variant: "full" });
  const names = ["ж".repeat(126), "ж".repeat(127)];
  for (const name of names) await upload(h, "admin", { name });
  const search = async (cursor?: string) => {
    const body = { sort: "name", limit: 1, cursor };
    const reply = await h.ask("POST", "/api/files/search", { as: "admin", body });
    assert.equal(reply.status, 200, reply.text);
    return reply;
  };
  const first = await search();
  const second = await search(first.body.pagination.nextCursor);
  const found = [first, second].map(({ data }) => data[0].name);
  assert.deepEqual(found, names);
});

Deno.test("file search: the longest name is found, by search and by name", async () => {
  await using h = await harness({ variant: "full" });
  const name = `${"n".repeat(251)}.png`;
  await upload(h, "admin", { name });
  for (const query of ["search", "q", "name_like", "name"]) {
    const reply = await h.ask("GET", `/api/files?${query}=${name}`, { as: "admin" });
    assert.equal(reply.body.pagination?.total, 1, reply.text);
  }
  const body = { query: name };
  const reply = await h.ask("POST", "/api/files/search", { as: "admin", body });
  assert.equal(reply.body.pagination?.total, 1, reply.text);
});

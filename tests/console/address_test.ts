// What lists keep in the address: read and written back alike.
import assert from "node:assert/strict";
import fc from "fast-check";
import { readList, writeList } from "../../console/state/address.ts";

const defaults = { sort: "-createdAt", filters: ["status", "role"] };
const read = (query: string) => readList(new URLSearchParams(query), defaults);
const write = (state: Parameters<typeof writeList>[0], query = "") =>
  writeList(state, defaults, new URLSearchParams(query));

Deno.test("address: an empty one is the first page, as usual", () => {
  assert.deepEqual(read(""), {
    page: 1,
    limit: 25,
    sort: "-createdAt",
    search: "",
    filters: {},
    query: { page: "1", limit: "25", sort: "-createdAt" },
  });
  assert.equal(write(read("")), "");
});

Deno.test("address: what makes no sense is as usual", () => {
  for (
    const query of [
      "page=0",
      "page=-3",
      "page=x",
      "page=1e99x",
      "limit=7",
      "limit=none",
      "x=1",
      "status=",
    ]
  ) {
    assert.deepEqual(read(query), read(""), query);
  }
});

Deno.test("address: parameters of others stay, and one's own go where they are as usual", () => {
  const state = read("tab=members&status=active&page=3");
  assert.equal(
    write({ ...state, page: 1 }, "tab=members&status=active&page=3"),
    "tab=members&status=active",
  );
  assert.equal(
    write({ ...state, filters: {}, page: 1 }, "tab=members&status=active"),
    "tab=members",
  );
});

Deno.test("address: all of a list has neither page nor limit for the API", () => {
  assert.deepEqual(read("limit=all").query, { sort: "-createdAt" });
});

Deno.test("address: what is written is read again", () => {
  fc.assert(fc.property(
    fc.record({
      page: fc.integer({ min: 1, max: 1e6 }),
      limit: fc.constantFrom(25, 50, 100, "all" as const),
      sort: fc.constantFrom("-createdAt", "name", "-name"),
      search: fc.string(),
      filters: fc.dictionary(fc.constantFrom("status", "role"), fc.string({ minLength: 1 })),
    }),
    (state) => {
      const { query: _, ...again } = read(write(state));
      assert.deepEqual(again, { ...state, filters: { ...state.filters } });
    },
  ));
});

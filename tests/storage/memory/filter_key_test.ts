// The text by which memory knows a filter again.
import assert from "node:assert/strict";
import { users } from "../../../models/users.ts";
import { filterKey } from "../../../storage/memory/filter_key.ts";
import type { Where } from "../../../storage/port.ts";
import { parseWhere } from "../../../storage/query.ts";
import type { User } from "../../../models/users.ts";

const keyOf = (where: Where<User>) => filterKey(parseWhere(users, where));
const ids = (count: number, prefix = "id") =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}`);

Deno.test("filters that ask for different things have different keys", () => {
  const wheres: Where<User>[] = [
    {},
    { role: "a" },
    { role: ["a", "b"] },
    { role: ["a,b"] },
    { role: ['a","b'] },
    { status: "a" },
    { role: { ne: "a" } },
    { role: null },
    { role: "null" },
    { role: "#1" },
    { name: { gt: "a" } },
    { name: { gte: "a" } },
    { name: { gt: "a", lt: "b" } },
    { any: [] },
    { any: [{}] },
    { any: [{ role: "a" }, { status: "a" }] },
    { any: [{ role: "a", status: "a" }] },
    { role: "a", any: [{ status: "a" }] },
    { id: ids(100) },
    { id: ids(100, "other") },
    { id: Object.freeze(ids(100)) },
    { id: Object.freeze(ids(100)) },
  ];
  assert.equal(new Set(wheres.map(keyOf)).size, wheres.length);
  for (const where of wheres) assert.equal(keyOf(where), keyOf(where));
});

Deno.test("a long list is known by itself only where it cannot change", () => {
  const frozen = Object.freeze(ids(500)), open = ids(500);
  assert.ok(keyOf({ any: [{ id: frozen }, { role: "a" }] }).length < 100);
  assert.equal(keyOf({ id: frozen }), keyOf({ id: frozen }));
  const before = keyOf({ id: open });
  open[0] = "another";
  assert.notEqual(keyOf({ id: open }), before);
});

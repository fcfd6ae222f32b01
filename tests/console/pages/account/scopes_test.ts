// What an API key may be given, and when it ends.
import assert from "node:assert/strict";
import { expiresAt } from "../../../../console/pages/account/expiry.ts";
import { rowsOf, toggled } from "../../../../console/pages/account/scopes.ts";

const CATALOGUE = ["users:*", "users:view", "users:list", "files:*", "files:view"];

Deno.test("scopes: what is not held is not offered, unless the key has it", () => {
  const [users, ...others] = rowsOf(CATALOGUE, ["users:view"], []);
  assert.equal(users!.resource, "users");
  assert.deepEqual(users!.cells.filter(({ offered }) => offered).map(({ scope }) => scope), [
    "users:view",
  ]);
  assert.deepEqual(others, []);
  const given = rowsOf(CATALOGUE, ["users:view"], ["files:view"]);
  assert.deepEqual(given.map(({ resource }) => resource), ["users", "files"]);
});

Deno.test("scopes: all of a resource covers its actions; others than the usual ones stand apart", () => {
  const [users] = rowsOf(CATALOGUE, ["*"], ["users:*"]);
  const covered = users!.cells.filter((cell) => cell.covered).map(({ scope }) => scope);
  assert.deepEqual(covered, ["users:view", "users:create", "users:update", "users:delete"]);
  assert.deepEqual(users!.others, ["users:list"]);
});

Deno.test("scopes: without the catalogue there are those that every server has", () => {
  const rows = rowsOf([], ["documents:*"], []);
  assert.deepEqual(rows.map(({ resource }) => resource), ["documents"]);
  assert.ok(rows[0]!.cells.every(({ offered }) => offered));
});

Deno.test("scopes: what another makes needless goes", () => {
  assert.deepEqual(toggled(["users:view", "files:view"], "users:*", true), [
    "files:view",
    "users:*",
  ]);
  assert.deepEqual(toggled(["users:view"], "*", true), ["*"]);
  assert.deepEqual(toggled(["users:view", "files:view"], "users:view", false), ["files:view"]);
});

Deno.test("expiry: from now on, never, or at the end of a day", () => {
  const now = Date.parse("2026-11-22T12:00:00Z");
  assert.equal(expiresAt("7", "", now), "2026-11-29T12:00:00.000Z");
  assert.equal(expiresAt("never", "2026-12-01", now), null);
  assert.equal(
    expiresAt("custom", "2026-12-01", now),
    new Date("2026-12-01T23:59:59").toISOString(),
  );
  assert.equal(expiresAt("custom", "", now), "", "the server says what is wrong");
});

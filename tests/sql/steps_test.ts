// Which commits of a transaction share statements, and that they change what they would have one after the other.
import assert from "node:assert/strict";
import { allCollections } from "../../models/all.ts";
import { tags } from "../../models/documents.ts";
import { users } from "../../models/users.ts";
import { steps } from "../../sql/steps.ts";
import { tableOf } from "../../sql/tables.ts";
import type { Change, Entity } from "../../storage/port.ts";

const engine = {
  tableOf: (name: string) => tableOf(allCollections.find((one) => one.name === name)!),
};

const user = (id: string, email: string, name: string) =>
  ({ id, email, name, rev: "1" }) as unknown as Entity;
const made = (id: string): Change => ({
  kind: "insert",
  collection: tags.name,
  after: { id, name: id, rev: "" } as unknown as Entity,
});
const renamed = (id: string): Change => ({
  kind: "update",
  collection: users.name,
  before: user(id, `${id}@example.com`, "Ann"),
  after: user(id, `${id}@example.com`, "Bob"),
});
const readdressed = (id: string): Change => ({
  kind: "update",
  collection: users.name,
  before: user(id, "old@example.com", "Ann"),
  after: user(id, "new@example.com", "Ann"),
});
const removed = (id: string): Change => ({
  kind: "remove",
  collection: users.name,
  before: user(id, `${id}@example.com`, "Ann"),
});
const checked = (collection: { readonly name: string }, id: string): Change => ({
  kind: "check",
  collection: collection.name,
  id,
  rev: "1",
});

/** The commits of each step, by their place. */
function stepsOf(...commits: readonly Change[][]): number[][] {
  const versions = commits.map((_, n) => n);
  const found = steps(engine, commits.map((changes) => ({ changes })), versions);
  return [...found].map((step) => [...new Set(step.map(({ version }) => version))]);
}

const CASES: readonly [what: string, commits: Change[][], expected: number[][]][] = [
  ["what only makes records", [[made("a")], [made("b")], [made("c")]], [[0, 1, 2]]],
  ["changes of several records", [[renamed("a")], [made("b")], [renamed("c")]], [[0, 1, 2]]],
  ["a record that is read and then changed", [
    [checked(users, "a"), made("x")],
    [renamed("a")],
  ], [[0, 1]]],
  ["a record that is changed and then read", [
    [renamed("a")],
    [checked(users, "a"), made("x")],
  ], [[0], [1]]],
  ["a record that is changed twice", [[renamed("a")], [renamed("a")]], [[0], [1]]],
  ["a record that is made and then read", [[made("a")], [checked(tags, "a"), made("b")]], [[0], [
    1,
  ]]],
  ["what follows a new step joins that", [
    [renamed("a")],
    [renamed("a")],
    [renamed("b")],
    [made("c")],
  ], [[0], [1, 2, 3]]],
  ["a unique value that is given up", [[made("a")], [readdressed("b")], [made("c")]], [[0], [1], [
    2,
  ]]],
  ["a record that is removed", [[made("a")], [removed("b")], [renamed("c")]], [[0], [1], [2]]],
];

for (const [what, commits, expected] of CASES) {
  Deno.test(`steps of a transaction: ${what}`, () => {
    assert.deepEqual(stepsOf(...commits), expected);
  });
}

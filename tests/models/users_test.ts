// Users as rows: with what a row does not tell, all of a user is there again.
import assert from "node:assert/strict";
import fc from "fast-check";
import { hashPassword } from "../../services/accounts/passwords.ts";
import { besideRow, type User, userInRow, userRow, users } from "../../models/users.ts";

const text = fc.string({
  unit: fc.constantFrom("a", '"', "\\", "\n", ",", "}", "[", "é", "中", "😀"),
  maxLength: 12,
});
const time = fc.date({
  min: new Date("2020-01-01"),
  max: new Date("2030-01-01"),
  noInvalidDate: true,
}).map((at) => at.toISOString());
const status = fc.constantFrom("active", "inactive", "suspended");

/** A value for each field that is declared: one that is not told here is a text, or absent. */
const fields = Object.fromEntries(
  Object.keys(users.schema.shape).map((field) => [field, text as fc.Arbitrary<unknown>]),
);

const user = fc.record({
  ...fields,
  createdAt: time,
  updatedAt: time,
  lastLoginAt: time,
  unverifiedSince: time,
  status,
  permissions: fc.array(text, { maxLength: 3 }),
  rev: fc.stringMatching(/^[0-9a-f]{1,20}$/),
  fromLaterVersion: fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value))),
}, {
  noNullPrototype: true,
  requiredKeys: [
    "id",
    "name",
    "email",
    "role",
    "permissions",
    "status",
    "createdAt",
    "updatedAt",
    "rev",
  ] as never,
}) as unknown as fc.Arbitrary<User>;

Deno.test("users: a row and what is beside it make the same user, with every field that it had", () => {
  fc.assert(fc.property(user, (given) => {
    assert.deepEqual(userInRow(userRow(given), besideRow(given)), given);
  }));
});

Deno.test("users: a password hash as it is made today takes its salt and its hash beside a row", async () => {
  const passwordHash = await hashPassword("a long enough password");
  const { id, createdAt, updatedAt, rev, name, email, role, permissions, status } = fc.sample(
    user,
    1,
  )[0]!;
  const known = {
    id,
    createdAt,
    updatedAt,
    rev,
    name,
    email,
    role,
    permissions,
    status,
    passwordHash,
  };
  const [salt, hash] = passwordHash.split("$").slice(-2);
  assert.equal(besideRow(known).length, salt!.length + hash!.length + '\u0001$"'.length);
  assert.deepEqual(userInRow(userRow(known), besideRow(known)), known);
});

Deno.test("users: what is beside a row is what lists do not show", () => {
  fc.assert(fc.property(user, (given) => {
    const beside = Object.keys(JSON.parse(`{${besideRow(given)}}`));
    const expected = ["passwordHash", "unverifiedSince", "fromLaterVersion"].filter((field) =>
      field in given
    );
    assert.deepEqual(beside.toSorted(), expected.toSorted());
  }));
});

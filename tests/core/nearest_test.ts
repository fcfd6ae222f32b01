// The nearest name: the one that the fewest edits lead to, found in a time that no name makes long.
import assert from "node:assert/strict";
import fc from "fast-check";
import { nearest } from "../../core/nearest.ts";

Deno.test("nearest: a letter too few, too many or wrong, and another case", () => {
  const known = ["role", "status", "createdAt", "createdAt_gte", "page"];
  const cases = [["rol", "role"], ["rolle", "role"], ["stutus", "status"], [
    "CREATEDAT",
    "createdAt",
  ], [
    "createdat_get",
    "createdAt_gte",
  ]] as const;
  for (const [name, meant] of cases) assert.equal(nearest(name, known), meant, name);
  assert.equal(nearest("x", []), null);
});

Deno.test("nearest: none where more than half would have to be changed", () => {
  const known = ["q", "sort", "limit", "keyword"];
  for (const name of ["x", "foo", "user", "constructor", "z".repeat(1000)]) {
    assert.equal(nearest(name, known), null, name);
  }
});

/** Edits from one text to another, in the plainest way. */
function edits(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  const rest = Math.min(edits(a.slice(1), b), edits(a, b.slice(1))) + 1;
  return Math.min(rest, edits(a.slice(1), b.slice(1)) + Number(a[0] !== b[0]));
}

Deno.test("nearest: no other name is fewer edits away", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 5 });
  fc.assert(fc.property(word, fc.array(word, { minLength: 1, maxLength: 5 }), (name, known) => {
    const near = known.filter((one) => 2 * edits(name, one) <= Math.max(name.length, one.length));
    const found = nearest(name, known);
    assert.equal(found === null, near.length === 0);
    const least = Math.min(...near.map((one) => edits(name, one)));
    if (found !== null) assert.equal(edits(name, found), least);
  }));
});

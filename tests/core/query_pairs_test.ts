// The pairs of a query are those of the platform's own reader.
import assert from "node:assert/strict";
import fc from "fast-check";
import { queryPairs } from "../../core/query_pairs.ts";

Deno.test("a query is read as the platform reads it, whatever stands in it", () => {
  const piece = fc.constantFrom(
    "a",
    "page",
    "=",
    "&",
    "%",
    "%20",
    "%zz",
    "+",
    "?",
    "#",
    "é",
    "\t",
    "\ud800",
    "1",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const query = `?${pieces.join("")}`;
      assert.deepEqual([...queryPairs(query)], [...new URLSearchParams(query)]);
    }),
    { numRuns: 2000 },
  );
  assert.deepEqual([...queryPairs("")], []);
});

// Picking rows of a list: by marks as by a test.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Work } from "../../../core/slices.ts";
import { pick, pickMarked } from "../../../storage/memory/build.ts";

const ROWS = 10_000;

function finish(work: Work<Uint32Array>): { readonly picked: number[]; readonly pieces: number } {
  for (let pieces = 0;; pieces++) {
    const step = work.next();
    if (step.done) return { picked: Array.from(step.value), pieces };
  }
}

Deno.test("rows are picked by marks in their order, as by a test, and picking is interrupted again and again", () => {
  fc.assert(
    fc.property(fc.nat(ROWS), fc.integer({ min: 1, max: 50 }), (rows, every) => {
      const slots = Uint32Array.from({ length: rows }, (_, n) => (n * 7919) % ROWS);
      const marks = Uint8Array.from({ length: ROWS }, (_, slot) => slot % every === 0 ? 1 : 0);
      const expected = Array.from(slots).filter((slot) => slot % every === 0);
      assert.deepEqual(finish(pick(slots.slice(), (slot) => marks[slot] === 1)).picked, expected);
      const { picked, pieces } = finish(pickMarked(slots.slice(), marks));
      assert.deepEqual(picked, expected);
      assert.ok(pieces >= Math.floor(rows / 4096), `${pieces} pieces`);
    }),
    { numRuns: 50 },
  );
});

// How an import cuts its text: into slices that take little time each, with nothing lost between them.
import assert from "node:assert/strict";
import fc from "fast-check";
import { slicesOf } from "../../http/csv_import.ts";

Deno.test("csv import: slices are the text, none empty, none of many characters or cells", () => {
  const piece = fc.oneof(
    fc.constantFrom(",", ";", '"', "\r\n", "é", "𝒳"),
    fc.tuple(fc.constantFrom(",", ";", "word ", ",;"), fc.nat(20_000)).map(([text, times]) =>
      text.repeat(times)
    ),
  );
  fc.assert(fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
    const text = pieces.join("");
    const slices = [...slicesOf(text, ",")];
    assert.ok(slices.join("") === text, "nothing is lost");
    for (const slice of slices) {
      assert.ok(slice.length > 0 && slice.length <= 16 * 1024, `${slice.length} characters`);
      assert.ok(slice.split(",").length - 1 <= 1000, "cells");
    }
    const least = Math.max(text.length / (16 * 1024), (text.split(",").length - 1) / 1000);
    assert.ok(slices.length <= 2 * least + 2, `${slices.length} slices, ${least} needed`);
  }));
});

// Parts of texts: whole characters.
import assert from "node:assert/strict";
import fc from "fast-check";
import { beginningOf } from "../../core/text.ts";

Deno.test("the beginning of a text has no half of a character, and lacks one code unit at most", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), fc.nat(12), (text, length) => {
    const cut = beginningOf(text, length);
    assert.ok(text.startsWith(cut));
    assert.ok(cut.isWellFormed());
    assert.ok(cut.length <= length);
    assert.ok(cut === text || cut.length >= length - 1);
  }));
  assert.equal(beginningOf("a😀", 2), "a");
  assert.equal(beginningOf("a😀", 3), "a😀");
});

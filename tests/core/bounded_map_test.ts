// Maps that forget: by number of entries, and by bytes.
import assert from "node:assert/strict";
import { BoundedMap, ByteBoundedMap } from "../../core/bounded_map.ts";

Deno.test("bounded map: the oldest entry goes, and one that is set again is new", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1).set("b", 2).set("a", 3).set("c", 4);
  assert.deepEqual([...map], [["a", 3], ["c", 4]]);
});

Deno.test("byte-bounded map: what was asked for longest ago goes first", () => {
  const map = new ByteBoundedMap<string, number>(10);
  map.set("a", 1, 4);
  map.set("b", 2, 4);
  assert.equal(map.get("a"), 1);
  map.set("c", 3, 4);
  assert.deepEqual(["a", "b", "c"].map((key) => map.get(key)), [1, undefined, 3]);
});

Deno.test("byte-bounded map: a value replaced counts once; one above the bound is not kept", () => {
  const map = new ByteBoundedMap<string, number>(10);
  for (let i = 0; i < 5; i++) map.set("a", i, 6);
  map.set("b", 1, 4);
  assert.deepEqual([map.get("a"), map.get("b")], [4, 1]);
  map.set("a", 9, 11);
  assert.deepEqual([map.get("a"), map.get("b")], [undefined, 1]);
});

// Maps that forget: by number of entries, and by bytes.
import assert from "node:assert/strict";
import fc from "fast-check";
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

Deno.test("byte-bounded map: asked and set in any order, it holds what a plain list of the last would", () => {
  const key = fc.constantFrom("a", "b", "c", "d");
  const step = fc.oneof(fc.tuple(key), fc.tuple(key, fc.integer({ min: 1, max: 12 })));
  fc.assert(fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
    const map = new ByteBoundedMap<string, number>(10);
    // Whatever was asked for or set last is at the end.
    let held: [key: string, bytes: number][] = [];
    for (const [key, bytes] of steps) {
      const known = held.find(([other]) => other === key);
      const rest = held.filter((one) => one !== known);
      if (bytes === undefined) {
        assert.equal(map.get(key), known?.[1]);
        if (known) held = [...rest, known];
      } else {
        map.set(key, bytes, bytes);
        held = bytes > 10 ? rest : [...rest, [key, bytes]];
        while (held.reduce((sum, [, bytes]) => sum + bytes, 0) > 10) held.shift();
      }
    }
    for (const key of ["a", "b", "c", "d"]) {
      assert.equal(map.get(key), held.find(([other]) => other === key)?.[1]);
    }
  }));
});

// Which rows a click or a key chooses.
import assert from "node:assert/strict";
import {
  extended,
  extent,
  NOTHING,
  toggle,
  toggleAll,
  toggleRange,
} from "../../../console/parts/selection.ts";

const ORDER = ["a", "b", "c", "d", "e"];
const list = (selection: ReadonlySet<string>) => [...selection].sort();

Deno.test("selection: a press turns one row around and leaves what was given alone", () => {
  const one = toggle(NOTHING, "b");
  assert.deepEqual(list(one), ["b"]);
  assert.deepEqual(list(toggle(one, "b")), []);
  assert.deepEqual(list(one), ["b"]);
  assert.equal(NOTHING.size, 0);
});

Deno.test("selection: Shift takes all between the row pressed last and this one, in both directions", () => {
  assert.deepEqual(list(toggleRange(new Set(["b"]), ORDER, "b", "d")), ["b", "c", "d"]);
  assert.deepEqual(list(toggleRange(new Set(["d"]), ORDER, "d", "a")), ["a", "b", "c", "d"]);
  // All become what this one becomes.
  assert.deepEqual(list(toggleRange(new Set(ORDER), ORDER, "b", "d")), ["a", "e"]);
});

Deno.test("selection: without a row pressed before, or where it is gone, Shift takes one row", () => {
  assert.deepEqual(list(toggleRange(NOTHING, ORDER, null, "c")), ["c"]);
  assert.deepEqual(list(toggleRange(NOTHING, ORDER, "gone", "c")), ["c"]);
});

Deno.test("selection: Shift and an arrow take the next row too, and let go on the way back", () => {
  const two = extended(new Set(["b"]), "b", "c");
  assert.deepEqual(list(two), ["b", "c"], "the row that was chosen stays so");
  const three = extended(two, "c", "d");
  assert.deepEqual(list(three), ["b", "c", "d"]);
  assert.deepEqual(list(extended(three, "d", "c")), ["b", "c"]);
  assert.deepEqual(list(extended(NOTHING, "b", "c")), ["b", "c"]);
  assert.deepEqual(
    list(extended(new Set(["e"]), "e", "e")),
    ["e"],
    "there is no row after the last",
  );
});

Deno.test("selection: all of a page, beside what was chosen on others", () => {
  const others = new Set(["z"]);
  const all = toggleAll(others, ORDER);
  assert.deepEqual(list(all), [...ORDER, "z"]);
  assert.deepEqual(list(toggleAll(all, ORDER)), ["z"]);
  assert.deepEqual(list(toggleAll(new Set(["a", "z"]), ORDER)), [...ORDER, "z"]);
});

Deno.test("selection: none, some or all of the page", () => {
  assert.equal(extent(new Set(["z"]), ORDER), "none");
  assert.equal(extent(new Set(["a", "z"]), ORDER), "some");
  assert.equal(extent(new Set(ORDER), ORDER), "all");
  assert.equal(extent(new Set(["a"]), []), "none");
});

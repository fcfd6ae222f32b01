// What memory lacks of unique keys: read together, each key apart.
import assert from "node:assert/strict";
import { UniqueMisses, type UniqueValues } from "../../../storage/memory/unique_misses.ts";

Deno.test("unique values that are asked for in one turn are one read for each key", async () => {
  const read: [string, readonly UniqueValues[]][] = [];
  const misses = new UniqueMisses((unique, all) => {
    read.push([unique, all]);
    return Promise.resolve(all.map((values) => values.includes("none") ? null : values.join()));
  });
  const asked: [string, UniqueValues][] = [
    ["email", ["a"]],
    ["revision", ["a", 1]],
    ["email", ["none"]],
    ["revision", ["a", "1"]],
    ["email", ["a"]],
  ];
  const found = await Promise.all(asked.map(([unique, values]) => misses.fetch(unique, values)));
  assert.deepEqual(found, ["a", "a,1", null, "a,1", "a"]);
  assert.deepEqual(read, [
    ["email", [["a"], ["none"]]],
    ["revision", [["a", 1], ["a", "1"]]],
  ]);
});

// What memory lacks of unique keys: read together, each key apart.
import assert from "node:assert/strict";
import { UniqueMisses, type UniqueValues } from "../../../storage/memory/unique_misses.ts";

Deno.test("unique texts that are asked for in one turn are one read for each key", async () => {
  const read: [string, readonly UniqueValues[]][] = [];
  const misses = new UniqueMisses((unique, all) => {
    read.push([unique, all]);
    return Promise.resolve(all.map((values) => values.includes("none") ? null : values.join()));
  });
  const asked: [string, UniqueValues][] = [
    ["email", ["a"]],
    ["username", ["a"]],
    ["email", ["none"]],
    ["email", ["a"]],
  ];
  const found = await Promise.all(asked.map(([unique, values]) => misses.fetch(unique, values)));
  assert.deepEqual(found, ["a", "a", null, "a"]);
  assert.deepEqual(read, [["email", [["a"], ["none"]]], ["username", [["a"]]]]);
});

Deno.test("unique values that an engine refuses let no others fail", async () => {
  const misses = new UniqueMisses((_, all) => {
    const [value, number] = all[0]!;
    if (number === Infinity) return Promise.reject(new RangeError("too large"));
    return Promise.resolve([value!]);
  });
  const asked = [["a", 1], ["b", Infinity], [3]].map((values) => misses.fetch("key", values));
  const told = await Promise.allSettled(asked);
  assert.deepEqual(told.map((one) => one.status === "fulfilled" ? one.value : one.status), [
    "a",
    "rejected",
    3,
  ]);
});

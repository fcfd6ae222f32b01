// What the benchmark says of a row that falls short of its targets.
import assert from "node:assert/strict";
import { type Row, shortcomings, table } from "../../bench/report.ts";
import { engines, targetOf } from "../../bench/targets.ts";
import { workloads } from "../../bench/workloads.ts";

const row: Row = { name: "W1", what: "asked", value: 5000, unit: "req/s", target: {} };

const cases: readonly [what: string, row: Partial<Row>, short: string[]][] = [
  ["no target", {}, []],
  ["a ratio at its floor", { ratio: 0.25, target: { floor: 0.25 } }, []],
  ["a ratio below its floor", { ratio: 0.249, target: { floor: 0.25 } }, ["ratio"]],
  ["a ratio that is missing", { target: { floor: 0.25 } }, ["ratio"]],
  ["a ratio that is no number", { ratio: NaN, target: { floor: 0.25 } }, ["ratio"]],
  ["a value above the most", { target: { most: 4999 } }, ["value"]],
  ["a value at the most", { target: { most: 5000 } }, []],
  ["a value below the least", { target: { least: 5001 } }, ["value"]],
  ["behind a peer", { target: { peer: 5001 } }, ["peer"]],
  ["a p99 in time", { p99: 15, target: { p99: 15 } }, []],
  ["a late p99", { p99: 15.1, target: { p99: 15 } }, ["p99"]],
  ["a p99 far above the same alone", { p99Ratio: 1.6, target: { p99Ratio: 1.5 } }, ["p99"]],
  ["slow though asked again", { again: { value: 1, ratio: 0.2 }, target: { again: 0.3 } }, [
    "again",
  ]],
  ["asked again, not measured", { target: { again: 0.3 } }, ["again"]],
  ["a short hold", { hold: 50 }, []],
  ["a long hold", { hold: 50.1 }, ["hold"]],
  ["a long hold while the machine held the bare server too", { hold: 51, bareHold: 51 }, []],
  ["a hold longer than that of the bare server", { hold: 51, bareHold: 50.9 }, ["hold"]],
  ["a short hold, longer than that of the bare server", { hold: 50, bareHold: 1 }, []],
  ["a hold that nobody watched", { hold: NaN }, []],
  ["no request failed", { errors: 0 }, []],
  ["requests failed", { errors: 1 }, ["errors"]],
  ["most of the writes made", { writes: 0.9 }, []],
  ["too few of the writes made", { writes: 0.89 }, ["writes"]],
  ["two targets missed", { ratio: 0, p99: 99, target: { floor: 0.1, p99: 20 } }, ["ratio", "p99"]],
];

for (const [what, given, short] of cases) {
  Deno.test(`report: ${what}`, () => {
    const judged = { ...row, ...given };
    assert.deepEqual(shortcomings(judged), short);
    const words = short.map((one) => `short: ${one}`).join(", ");
    assert.equal(table([judged]).includes("short"), short.length > 0);
    assert.ok(table([judged]).includes(words));
  });
}

Deno.test("report: columns that are empty in all rows are left out", () => {
  assert.equal(
    table([row, { ...row, name: "W2", ratio: 0.5 }]),
    [
      "|  | Workload, 32 connections | Measured | Ratio |",
      "| --- | --- | --- | --- |",
      "| W1 | asked | 5,000 req/s |  |",
      "| W2 | asked | 5,000 req/s | 0.50 |",
    ].join("\n"),
  );
});

Deno.test("targets: every workload is held to something on every engine", () => {
  for (const engine of engines) {
    for (const { name } of workloads) {
      const { floor, least, peer } = targetOf(name, engine);
      assert.ok(floor ?? least ?? peer, `${name} on ${engine}`);
    }
  }
});

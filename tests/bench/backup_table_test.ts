// What the measurement of backups tells, and when it fails.
import assert from "node:assert/strict";
import { backupTable, type Report, type Round, shortcomings } from "../../bench/backup_table.ts";

const round = (p99: number, beside: number, hold = 10, held = 20): Round => ({
  usual: { p99, hold },
  meanwhile: { p99: beside, hold: held },
  seconds: 30,
});
const report = (...rounds: Round[]): Report => ({ engine: "kv", rate: 2000, size: 1100, rounds });

Deno.test("backups' table: medians of the rounds, with and without a backup, and their ratio", () => {
  const rounds = [round(10, 15), round(10, 19), round(20, 22)];
  assert.equal(
    backupTable([report(...rounds)]).split("\n").at(-1),
    "| kv | 2000 req/s | 10.0 ms | 19.0 ms, 1.50 times | 10 ms | 20 ms | 1100 MiB in 30 s |",
  );
});

const cases: readonly [what: string, rounds: Round[], short: number][] = [
  ["twice the usual", [round(10, 20)], 0],
  ["more than twice", [round(10, 20.1)], 1],
  ["held for as long as may be", [round(10, 10, 0, 50)], 0],
  ["held for longer", [round(10, 10, 49, 51)], 1],
  ["held for longer by the machine", [round(10, 10, 60, 60)], 0],
  ["both", [round(10, 30, 0, 60)], 2],
];

for (const [what, rounds, short] of cases) {
  Deno.test(`backups' table: ${what}`, () => {
    assert.equal(shortcomings(report(...rounds)).length, short);
  });
}

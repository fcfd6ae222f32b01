// What it costs to read the rows of a page from memory, chosen at random, by itself: of a few rows, which the processor
// has in its cache, and of many, which it waits for.
//
// deno run -A bench/rows.ts [--rows 1000000]
import { parseArgs } from "node:util";
import { v7 } from "uuid";
import { print } from "../core/command_line.ts";
import { MIB } from "../core/units.ts";
import { userRow } from "../models/users.ts";
import { TextLog } from "../storage/memory/text_log.ts";
import { median } from "./load.ts";
import { sailorEmail } from "./people.ts";

const { values } = parseArgs({ options: { rows: { type: "string", default: "1000000" } } });
const rows = Number(values.rows);
const START = Date.UTC(2024, 0, 1);
/** Rows of a page. */
const PAGE = 10;
const PAGES = 50_000;
const ROUNDS = 5;

function rowOf(i: number): string {
  const msecs = START + i * 1000;
  const at = new Date(msecs).toISOString();
  return userRow({
    id: v7({ msecs, seq: i }),
    createdAt: at,
    updatedAt: at,
    rev: "1",
    name: "Cora Weber",
    email: sailorEmail(i, rows),
    role: "user",
    permissions: [],
    status: "active",
  });
}

/** Nanoseconds of a page. */
function timed(read: (page: readonly number[]) => unknown, among: number): number {
  const startedAt = performance.now();
  for (let n = 0; n < PAGES; n++) {
    read(Array.from({ length: PAGE }, () => Math.floor(Math.random() * among)));
  }
  return 1e6 * (performance.now() - startedAt) / PAGES;
}

const log = new TextLog(1024 * MIB);
for (let i = 0; i < rows; i++) log.set(i, rowOf(i));
const ways: Readonly<Record<string, (page: readonly number[]) => unknown>> = {
  "one by one": (page) => page.map((number) => log.get(number)),
  "read ahead": (page) => log.getAll(page),
};
for (const among of [5000, 100_000, rows].filter((few) => few <= rows)) {
  const rounds = Array.from(
    { length: ROUNDS },
    () => Object.values(ways).map((read) => timed(read, among)),
  );
  Object.keys(ways).forEach((way, n) => {
    const took = median(rounds.map((round) => round[n]!)).toFixed(0);
    print(`${PAGE} of ${among.toLocaleString("en")} rows, ${way}: ${took} ns`);
  });
}

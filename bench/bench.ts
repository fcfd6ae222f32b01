// The benchmark: seeds stores, starts the real server, measures it and the limits of the machine in one run.
import { parseArgs } from "node:util";
import { answerHelp } from "../core/command_line.ts";
import { chainRows } from "./chain.ts";
import { runLoad } from "./load.ts";
import { round, Samples, warmUp, workloadRow } from "./measure.ts";
import {
  csvRows,
  firstRows,
  growthRows,
  largeRows,
  memoryRows,
  type Run,
  startRows,
  transferRows,
} from "./parts.ts";
import { assertTools, type Process, startProcess } from "./processes.ts";
import { environment, openPermissions } from "../tests/start_task.ts";
import { printTable, type Row, shortcomings, writeResults } from "./report.ts";
import { emptySite, inNewFolder, seedSite, serve, type Site } from "./site.ts";
import { fillTables } from "./tables.ts";
import { type EngineName, engines } from "./targets.ts";
import { limitLoad, type Workload, workloads } from "./workloads.ts";

answerHelp(
  `Usage: deno task bench [--engine kv|sqlite|postgres] [--variant NAME] [--only W1,W2,…] [--rounds 3]
  [--duration SECONDS] [--rows 100000] [--large] [--check]

Measures the server against the limits of the machine in one run; docs/performance.md explains the rows.
--check fails where a row is behind its target, bench/targets.ts; workloads that are get six times as many rounds more.
--large adds a million rows.`,
);

const { values: options } = parseArgs({
  options: {
    engine: { type: "string", default: "kv" },
    variant: { type: "string", default: "compact" },
    only: { type: "string" },
    rounds: { type: "string", default: "3" },
    /** Seconds of each measurement. */
    duration: { type: "string", default: "2" },
    /** Users, and as many documents. */
    rows: { type: "string", default: "100000" },
    large: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
  },
});

const engine = engines.find((name) => name === options.engine);
if (!engine) throw new Error(`Cannot measure '${options.engine}': expected ${engines.join(", ")}`);
const USUAL = Number(options.rows);
const SMALL = 1_000;
const LARGE = 1_000_000;
/**
 * How many rounds more a check measures what falls short, for each that it had: all of them count. A p99 of one second is
 * often half as much again as that of the next, so that the median of 18 turns may be off by a tenth, that of 42 by less.
 */
const FURTHER = 6;

const root = new URL("..", import.meta.url).pathname;
const store: { engine: EngineName; variant: string } = { engine, variant: options.variant };

function runIn(folder: string): Run {
  return {
    engine: store.engine,
    rounds: Number(options.rounds),
    duration: Number(options.duration),
    startLimits: () =>
      startProcess({
        script: "bench/limits.ts",
        permissions: openPermissions,
        env: environment,
        args: [folder],
        cwd: root,
        port: /port (\d+)/,
        probe: "/bare",
        watched: true,
      }),
    newSite: () => emptySite(folder, store),
    seed: (rows) => seedSite(folder, store, rows),
  };
}

/** Whether a row is to be measured: `--only W1,B2` names some, and without it all are. */
function chosen(name: string): boolean {
  return options.only === undefined || options.only.split(",").includes(name);
}

const coming = workloads.filter(({ name }) => chosen(name));

/** The limit that no workload is compared to: it shows what one read of KV per request costs. */
async function limitRow(run: Run, { origin }: Process): Promise<Row> {
  const { rate } = await runLoad(origin, { ...limitLoad("kv-get", []), duration: run.duration });
  const what = "for comparison: bare Hono with one raw KV get";
  return { name: "", what, value: rate, unit: "req/s", target: {} };
}

async function workloadRows(run: Run, site: Site): Promise<Row[]> {
  if (coming.length === 0) return [];
  await using limits = await run.startLimits();
  await using server = await serve(site);
  const samples = new Samples();
  const rowOf = (workload: Workload) =>
    workloadRow(workload, samples, { engine: store.engine, rows: site.rows });
  // First what leaves the store as large as it was seeded.
  for (const some of [coming.filter(({ grows }) => !grows), coming.filter(({ grows }) => grows)]) {
    await warmUp(server, some);
    for (let i = 0; i < run.rounds; i++) {
      await round(samples, some, { server, limits, duration: run.duration });
    }
    const doubtful = some.filter((workload) => shortcomings(rowOf(workload)).length > 0);
    for (let i = 0; options.check && i < FURTHER * run.rounds; i++) {
      await round(samples, doubtful, { server, limits, duration: run.duration });
    }
  }
  const rows = coming.map(rowOf);
  return options.only === undefined ? [...rows, await limitRow(run, limits)] : rows;
}

/** The token that another process of the server gave is good for the ones after it: they share their secrets. */
async function tokenFor(site: Site): Promise<string> {
  await using server = await serve(site);
  return server.token;
}

/** The rows in the order that they are measured in: memory first, as some workloads let the store grow. */
async function measureAll(run: Run): Promise<Row[]> {
  const usual = await run.seed(USUAL);
  const memory = chosen("B3") ? await memoryRows(run, usual) : [];
  const first = chosen("B5") ? await firstRows(run, usual, await tokenFor(usual)) : [];
  const rows = await workloadRows(run, usual);
  if (chosen("B1") && options.variant === "compact") rows.push(...await transferRows(run, usual));
  if (chosen("B2")) rows.push(...await startRows(run, usual));
  if (chosen("B6")) rows.push(...await csvRows(run, usual));
  if (chosen("B7")) rows.push(...await chainRows(run));
  rows.push(...memory);
  const large = chosen("B4") || options.large
    ? await run.seed(options.large ? LARGE : USUAL * 2)
    : undefined;
  if (large && chosen("B4")) {
    rows.push(...await growthRows(run, await run.seed(SMALL), large));
  }
  rows.push(...first);
  if (large && options.large && chosen("L")) rows.push(...await largeRows(run, usual, large));
  return rows;
}

/** @returns How many rows fall short. */
async function main(folder: string): Promise<number> {
  await assertTools();
  const rows = await measureAll(runIn(folder));
  const short = printTable(rows, store);
  if (options.only === undefined) {
    await writeResults(rows, { ...store, large: options.large });
    await fillTables();
  }
  return short;
}

const short = await inNewFolder(main);
Deno.exit(options.check && short > 0 ? 1 : 0);

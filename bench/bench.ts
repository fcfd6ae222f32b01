// The benchmark: seeds stores, starts the real server, measures it and the limits of the machine in one run.
import { parseArgs } from "node:util";
import {
  assertTools,
  type Measured,
  type Process,
  runLoad,
  startProcess,
  startQuarterdeck,
} from "./processes.ts";
import { environment, permissions } from "../tests/start_task.ts";
import { printTable, type Row, writeResults } from "./report.ts";
import type { Seeded } from "./seed.ts";
import { seedStore, signIn } from "./site.ts";
import { measureRawChunks, measureTransfers, type Throughput } from "./transfers.ts";
import { type Limit, limitRequests, type Workload, workloads } from "./workloads.ts";

const { values: options } = parseArgs({
  options: {
    engine: { type: "string", default: "kv" },
    variant: { type: "string", default: "compact" },
    only: { type: "string" },
    rounds: { type: "string", default: "3" },
    /** Seconds a measurement. */
    duration: { type: "string", default: "4" },
    large: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
  },
});

const rounds = Number(options.rounds);
const duration = Number(options.duration);
const SMALL = 1_000;
const USUAL = 100_000;
const LARGE = 1_000_000;

const folder = await Deno.makeTempDir({ prefix: "quarterdeck-bench-" });
const root = new URL("..", import.meta.url).pathname;

/** A row to be measured: `--only W1,B2` chooses. */
function chosen(name: string): boolean {
  return options.only === undefined || options.only.split(",").includes(name);
}

/** The median of what the rounds gave. */
function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

interface Site {
  readonly rows: number;
  readonly folder: string;
  readonly seeded: Seeded;
  readonly env: Record<string, string>;
}

/** A store with so many users and documents, and how a server is told of it. */
async function seedSite(rows: number): Promise<Site> {
  const home = `${folder}/${rows}`;
  await Deno.mkdir(home);
  const url = await storeUrl(home, rows);
  const seeded = await seedStore(url, rows);
  const env = { DATABASE_URL: url, VARIANT: options.variant, RATE_LIMIT: "true" };
  return { rows, folder: home, seeded, env };
}

async function storeUrl(home: string, rows: number): Promise<string> {
  if (options.engine === "kv") return `kv:${home}/bench.kv`;
  if (options.engine === "sqlite") return `sqlite:${home}/bench.db`;
  const server = Deno.env.get("BENCH_DATABASE_URL") ??
    "postgres://postgres@127.0.0.1:5432/postgres";
  const database = `quarterdeck_bench_${rows}`;
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${database}`);
  await client.query(`CREATE DATABASE ${database}`);
  await client.end();
  return server.replace(/\/[^/?]*(\?|$)/, `/${database}$1`);
}

/** Starts a server on the site's data. */
function serve(site: Site): Promise<Process> {
  return startQuarterdeck(site.folder, site.env);
}

function startLimits(): Promise<Process> {
  return startProcess({
    script: "bench/limits.ts",
    permissions,
    env: environment,
    args: [folder],
    cwd: root,
    port: /port (\d+)/,
    probe: "/bare",
  });
}

/** Requests that failed spoil a measurement. */
function assertClean(name: string, measured: Measured): number {
  if (measured.errors > 0) {
    throw new Error(`Cannot count ${name}: ${measured.errors} requests failed`);
  }
  return measured.rate;
}

const rates = new Map<string, number[]>();
function note(name: string, rate: number): void {
  rates.set(name, [...rates.get(name) ?? [], rate]);
}
const rate = (name: string) => median(rates.get(name) ?? []);

/** What each workload reached of its limit, by round: the two are measured right after each other, since machines drift. */
const ratios = new Map<string, number[]>();

/** Seconds of load that are not counted: code is compiled, memory filled. */
const WARM_UP = 1;

async function warmUp(
  origin: string,
  token: string,
  site: Site,
  coming: readonly Workload[],
): Promise<void> {
  for (const workload of coming) {
    const requests = workload.requests(site.seeded, site.rows);
    await runLoad(origin, { requests, token, duration: WARM_UP });
  }
}

async function measure(
  origin: string,
  token: string,
  workload: Workload,
  site: Site,
): Promise<number> {
  const requests = workload.requests(site.seeded, site.rows);
  return assertClean(workload.name, await runLoad(origin, { requests, token, duration }));
}

/** One round: each workload, and right before it the limit that it is held against. */
async function round(site: Site, server: Process, limits: Process, token: string): Promise<void> {
  for (const workload of workloads.filter(({ name }) => chosen(name))) {
    const limit = workload.against === "W2"
      ? await measure(server.origin, token, workloads[1]!, site)
      : await measureLimit(limits, workload.against);
    const reached = await measure(server.origin, token, workload, site);
    note(`limit of ${workload.name}`, limit);
    note(workload.name, reached);
    ratios.set(workload.name, [...ratios.get(workload.name) ?? [], reached / limit]);
  }
  if (chosen("W6")) await measureBeside(site, server, token);
}

async function measureLimit(limits: Process, limit: Limit): Promise<number> {
  const requests = [limitRequests[limit]];
  return assertClean(limit, await runLoad(limits.origin, { requests, duration }));
}

/** W1 while logins run beside it. */
async function measureBeside(site: Site, server: Process, token: string): Promise<void> {
  const [w1, , , , , w6] = workloads as readonly [
    Workload,
    Workload,
    Workload,
    Workload,
    Workload,
    Workload,
  ];
  const alone = await measure(server.origin, token, w1, site);
  const [beside] = await Promise.all([
    measure(server.origin, token, w1, site),
    runLoad(server.origin, {
      requests: w6.requests(site.seeded, site.rows),
      duration,
      connections: 8,
    }),
  ]);
  note("W1 beside W6", beside / alone);
}

/** The rates at another size, for B4. */
async function measureGrowth(site: Site, label: string): Promise<void> {
  await using server = await serve(site);
  const token = await signIn(server.origin);
  const growing = workloads.filter(({ name }) => ["W1", "W2", "W7"].includes(name));
  await warmUp(server.origin, token, site, growing);
  for (let i = 0; i < rounds; i++) {
    for (const workload of growing) {
      note(`${workload.name} at ${label}`, await measure(server.origin, token, workload, site));
    }
  }
}

async function startTimes(site: Site): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    await using server = await serve(site);
    times.push(server.startedIn / 1000);
  }
  return times;
}

function workloadRows(): Row[] {
  const rows = workloads.filter(({ name }) => chosen(name)).map((workload): Row => ({
    name: workload.name,
    what: workload.what,
    value: rate(workload.name),
    unit: "req/s",
    against: `${workload.against} ${Math.round(rate(`limit of ${workload.name}`))}`,
    ratio: median(ratios.get(workload.name) ?? []),
    floor: options.engine === "kv" || workload.everywhere ? workload.floor : undefined,
    aim: workload.aim,
    peer: workload.peer,
  }));
  if (chosen("W6")) {
    const ratio = rate("W1 beside W6");
    rows.push({
      name: "W1|W6",
      what: "W1 beside logins",
      value: ratio,
      unit: "of W1",
      against: "W1 alone",
      ratio,
      floor: 0.5,
    });
  }
  return rows;
}

async function transferRows(site: Site): Promise<Row[]> {
  await using limits = await startLimits();
  await using server = await serve(site);
  const token = await signIn(server.origin);
  // The first ones warm both servers up.
  await measureTransfers(server.origin, token, 3);
  await measureRawChunks(limits.origin, 3);
  const before = await server.memory();
  const measured: { ours: Throughput; raw: Throughput }[] = [];
  for (let i = 0; i < rounds; i++) {
    const raw = await measureRawChunks(limits.origin, 5);
    measured.push({ raw, ours: await measureTransfers(server.origin, token, 5) });
  }
  const grown = await server.memory() - before;
  const of = (whose: "ours" | "raw", key: keyof Throughput) =>
    median(measured.map((one) => one[whose][key]));
  const row = (name: string, what: string, key: keyof Throughput, floor: number): Row => ({
    name,
    what,
    value: of("ours", key),
    unit: "MiB/s",
    against: `raw KV chunks ${Math.round(of("raw", key))}`,
    ratio: of("ours", key) / of("raw", key),
    floor: options.engine === "kv" ? floor : undefined,
  });
  return [
    row("B1", "upload of 10 MB", "upload", 0.5),
    row("B1", "download of 10 MB", "download", 0.7),
    {
      name: "B1",
      what: `memory grown over ${5 * rounds} more of each`,
      value: grown,
      unit: "MiB",
      ceiling: 60,
    },
  ];
}

async function startRows(empty: Site, usual: Site): Promise<Row[]> {
  const [none, many] = [median(await startTimes(empty)), median(await startTimes(usual))];
  return [
    { name: "B2", what: "start to first answer, 1,000 rows", value: none, unit: "s", ceiling: 0.6 },
    {
      name: "B2",
      what: `the same, ${usual.rows} rows`,
      value: many,
      unit: "s",
      ceiling: Math.max(0.6, none * 1.15),
    },
  ];
}

async function memoryRows(site: Site): Promise<Row[]> {
  await using server = await serve(site);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const atRest = await server.memory();
  const token = await signIn(server.origin);
  await measure(server.origin, token, workloads[1]!, site);
  return [
    { name: "B3", what: "memory at rest", value: atRest, unit: "MiB", ceiling: 120 },
    {
      name: "B3",
      what: `after W2, ${2 * site.rows} rows`,
      value: await server.memory(),
      unit: "MiB",
      ceiling: 350,
    },
  ];
}

async function growthRows(small: Site): Promise<Row[]> {
  const large = await seedSite(options.large ? LARGE : USUAL * 2);
  await measureGrowth(small, "small");
  await measureGrowth(large, "large");
  return ["W1", "W2", "W7"].map((name) => ({
    name: "B4",
    what: `${name} at ${large.rows} rows against ${SMALL}`,
    value: rate(`${name} at large`),
    unit: "req/s",
    against: `${Math.round(rate(`${name} at small`))}`,
    ratio: rate(`${name} at large`) / rate(`${name} at small`),
    floor: 0.8,
    aim: 1,
  }));
}

async function main(): Promise<number> {
  await assertTools();
  const usual = await seedSite(USUAL);
  const rows: Row[] = [];
  {
    await using limits = await startLimits();
    await using server = await serve(usual);
    const token = await signIn(server.origin);
    await warmUp(server.origin, token, usual, workloads.filter(({ name }) => chosen(name)));
    for (let i = 0; i < rounds; i++) await round(usual, server, limits, token);
    rows.push(...workloadRows());
  }
  if (chosen("B1") && options.variant === "compact") rows.push(...await transferRows(usual));
  const small = await seedSite(SMALL);
  if (chosen("B2")) rows.push(...await startRows(small, usual));
  if (chosen("B3")) rows.push(...await memoryRows(usual));
  if (chosen("B4")) rows.push(...await growthRows(small));
  const { engine, variant, only, large } = options;
  const short = printTable(rows, { engine, variant });
  if (only === undefined) await writeResults(rows, { engine, variant, large });
  return options.check ? short : 0;
}

let short = 1;
try {
  short = await main();
} finally {
  await Deno.remove(folder, { recursive: true });
}
Deno.exit(short > 0 ? 1 : 0);

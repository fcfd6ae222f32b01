// The benchmark: seeds stores, starts the real server, measures it and the limits of the machine in one run.
import { parseArgs } from "node:util";
import { answerHelp } from "../core/command_line.ts";
import { inTurns, type Requests, runLoad } from "./load.ts";
import { assertTools, growth, type Process, startProcess } from "./processes.ts";
import { environment, openPermissions } from "../tests/start_task.ts";
import { printTable, type Row, writeResults } from "./report.ts";
import { emptySite, seedSite, serve, type Server, signIn, type Site, start } from "./site.ts";
import { measureTransfers, type Throughput, type Transfers } from "./transfers.ts";
import { limitRequests, type Workload, workloads } from "./workloads.ts";

answerHelp(
  `Usage: deno task bench [--engine kv|sqlite|postgres] [--variant NAME] [--only W1,W2,…] [--rounds 3]
  [--duration SECONDS] [--large] [--check]

Measures the server against the limits of the machine in one run; docs/performance.md explains the rows.
--check fails where a row is behind its limit.`,
);

const { values: options } = parseArgs({
  options: {
    engine: { type: "string", default: "kv" },
    variant: { type: "string", default: "compact" },
    only: { type: "string" },
    rounds: { type: "string", default: "3" },
    /** Seconds of each measurement. */
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

/** Whether a row is to be measured: `--only W1,B2` names some, and without it all are. */
function chosen(name: string): boolean {
  return options.only === undefined || options.only.split(",").includes(name);
}

/** The median; of an even number of values, the upper of the middle two. */
function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function startLimits(): Promise<Process> {
  return startProcess({
    script: "bench/limits.ts",
    permissions: openPermissions,
    env: environment,
    args: [folder],
    cwd: root,
    port: /port (\d+)/,
    probe: "/bare",
  });
}

const samples = new Map<string, { reached: number; limit: number }[]>();
function note(name: string, reached: number, limit: number): void {
  samples.set(name, [...samples.get(name) ?? [], { reached, limit }]);
}

/** The medians of the rounds. The ratio is taken in each round, since the speed of a machine changes between rounds. */
function summary(name: string): { reached: number; limit: number; ratio: number } {
  const rounds = samples.get(name) ?? [];
  return {
    reached: median(rounds.map(({ reached }) => reached)),
    limit: median(rounds.map(({ limit }) => limit)),
    ratio: median(rounds.map(({ reached, limit }) => reached / limit)),
  };
}

/** Seconds of load that are not counted: code is compiled, memory filled. */
const WARM_UP = 1;

async function warmUp(server: Server, coming: readonly Workload[]): Promise<void> {
  for (const workload of coming) {
    await runLoad(server.origin, { ...loadOf(workload, server), duration: WARM_UP });
  }
}

function loadOf({ requests }: Workload, { site, token }: Server): Requests {
  return { requests: requests(site.seeded, site.rows), token };
}

/** One round: measures each workload in turns with the limit that it is compared to. */
async function round(server: Server, limits: Process): Promise<void> {
  const w2 = workloads.find(({ name }) => name === "W2")!;
  for (const workload of workloads.filter(({ name }) => chosen(name))) {
    const { name, against } = workload;
    const limit = against === "W2"
      ? { origin: server.origin, ...loadOf(w2, server) }
      : { origin: limits.origin, requests: [limitRequests[against]] };
    const ours = { origin: server.origin, ...loadOf(workload, server) };
    // Too few logins fit into a turn of one second to be measured, so their turns are longer.
    const time = against === "argon2id"
      ? { turns: 2, duration: Math.max(10, duration) }
      : { turns: duration, duration };
    const [reached, reference] = await inTurns(ours, limit, time);
    note(name, reached, reference);
  }
  if (chosen("W6")) await measureBeside(server);
}

/** Compares W1 while logins (W6) run beside it with W1 alone. */
async function measureBeside(server: Server): Promise<void> {
  const [w1, w6] = ["W1", "W6"].map((name) =>
    workloads.find((workload) => workload.name === name)!
  );
  const reads = { origin: server.origin, ...loadOf(w1!, server) };
  const besides = { ...reads, beside: { ...loadOf(w6!, server), connections: 8 } };
  const [beside, alone] = await inTurns(besides, reads, { turns: 2, duration });
  note("W1 beside W6", beside, alone);
}

/** B4: measures the same workloads on a small and a large store, in turns. */
async function measureGrowth(small: Site, large: Site): Promise<void> {
  await using few = await serve(small);
  await using many = await serve(large);
  const growing = workloads.filter(({ name }) => ["W1", "W2", "W7"].includes(name));
  await warmUp(few, growing);
  await warmUp(many, growing);
  for (let i = 0; i < rounds; i++) {
    for (const workload of growing) {
      const [reached, reference] = await inTurns(
        { origin: many.origin, ...loadOf(workload, many) },
        { origin: few.origin, ...loadOf(workload, few) },
        { turns: duration, duration },
      );
      note(`${workload.name} growth`, reached, reference);
    }
  }
}

/** Seconds from the start of a server's process to its first answer: the median of five starts. */
async function startTimes(site: () => Promise<Pick<Site, "folder" | "env">>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    await using server = await start(await site());
    times.push(server.startedIn / 1000);
  }
  return median(times);
}

function workloadRows(): Row[] {
  const rows = workloads.filter(({ name }) => chosen(name)).map((workload): Row => {
    const { reached, limit, ratio } = summary(workload.name);
    return {
      name: workload.name,
      what: workload.what,
      value: reached,
      unit: "req/s",
      against: `${workload.against} ${Math.round(limit)}`,
      ratio,
      floor: options.engine === "kv" || workload.everywhere ? workload.floor : undefined,
      aim: workload.aim,
      peer: workload.peer,
    };
  });
  if (chosen("W6")) {
    const { reached, limit, ratio } = summary("W1 beside W6");
    rows.push({
      name: "W1",
      what: "the same, beside logins",
      value: reached,
      unit: "req/s",
      against: `W1 alone ${Math.round(limit)}`,
      ratio,
      floor: 0.5,
    });
  }
  return rows;
}

/** The limit that no workload is compared to: it shows what one read of KV per request costs. */
async function limitRow({ origin }: Process): Promise<Row> {
  const { rate } = await runLoad(origin, { requests: [limitRequests["kv-get"]], duration });
  const what = "for comparison: bare Hono with one raw KV get";
  return { name: "", what, value: rate, unit: "req/s" };
}

async function transferRows(site: Site): Promise<Row[]> {
  await using limits = await startLimits();
  await using server = await serve(site);
  // These transfers only warm both servers up; they are not counted.
  await measureTransfers(server, limits, 3);
  const measured: Transfers[] = [];
  for (let i = 0; i < rounds; i++) measured.push(await measureTransfers(server, limits, 5));
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
      what: `memory grown in the second half of ${5 * rounds} uploads`,
      value: growth(measured.flatMap(({ memories }) => memories)),
      unit: "MiB",
      ceiling: 60,
    },
  ];
}

async function startRows(usual: Site): Promise<Row[]> {
  const empty = await startTimes(() => emptySite(folder, options));
  const many = await startTimes(() => Promise.resolve(usual));
  return [
    {
      name: "B2",
      what: "start to first answer, empty",
      value: empty,
      unit: "s",
      // Postgres takes longer than 0.6 s for creating the tables and indexes alone.
      ceiling: options.engine === "postgres" ? undefined : 0.6,
    },
    {
      name: "B2",
      what: `the same, ${usual.rows} rows`,
      value: many,
      unit: "s",
      ceiling: Math.min(0.6, Math.max(0.4, empty * 1.15)),
    },
  ];
}

/** MiB of a server that has had no requests but the probe of its start, a second after it. */
async function memoryAtRest(site: Pick<Site, "folder" | "env">): Promise<number> {
  await using server = await start(site);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  return await server.memory();
}

async function memoryRows(site: Site): Promise<Row[]> {
  const atRest = await memoryAtRest(await emptySite(folder, options));
  await using server = await start(site);
  const token = await signIn(server.origin);
  const requests = workloads[1]!.requests(site.seeded, site.rows);
  await runLoad(server.origin, { requests, token, duration });
  return [
    { name: "B3", what: "memory at rest, empty", value: atRest, unit: "MiB", ceiling: 120 },
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
  const large = await seedSite(folder, options, options.large ? LARGE : USUAL * 2);
  await measureGrowth(small, large);
  return ["W1", "W2", "W7"].map((name) => {
    const { reached, limit, ratio } = summary(`${name} growth`);
    return {
      name: "B4",
      what: `${name} at ${large.rows} rows against ${SMALL}`,
      value: reached,
      unit: "req/s",
      against: `${Math.round(limit)}`,
      ratio,
      floor: 0.8,
      aim: 1,
    };
  });
}

async function main(): Promise<number> {
  await assertTools();
  const usual = await seedSite(folder, options, USUAL);
  const rows: Row[] = [];
  {
    await using limits = await startLimits();
    await using server = await serve(usual);
    await warmUp(server, workloads.filter(({ name }) => chosen(name)));
    for (let i = 0; i < rounds; i++) await round(server, limits);
    rows.push(...workloadRows());
    if (options.only === undefined) rows.push(await limitRow(limits));
  }
  if (chosen("B1") && options.variant === "compact") rows.push(...await transferRows(usual));
  const small = await seedSite(folder, options, SMALL);
  if (chosen("B2")) rows.push(...await startRows(usual));
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

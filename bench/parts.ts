// The rows that need servers of their own: transfers, starts, first questions, memory, growth.
import { delay } from "../core/delay.ts";
import { median, runLoad } from "./load.ts";
import { loadOf, Samples, type Summary, warmUp, workloadNamed } from "./measure.ts";
import { growth, type Process } from "./processes.ts";
import type { Row } from "./report.ts";
import { serve, type Server, type Site, start } from "./site.ts";
import { type EngineName, type RowName, targetOf } from "./targets.ts";
import { type CsvTransfer, exportUsers, importUsers, summaryOf } from "./csv.ts";
import { measureTransfers, type Throughput, type Transfers } from "./transfers.ts";
import { limitLoad, newEachTime, type Workload, writes } from "./workloads.ts";

/** What the parts share. */
export interface Run {
  readonly engine: EngineName;
  readonly rounds: number;
  /** Seconds of each measurement. */
  readonly duration: number;
  startLimits(): Promise<Process>;
  /** A new place with a store that was never opened. */
  newSite(): Promise<Pick<Site, "folder" | "env">>;
  /** A new place with a store of so many users and as many documents. */
  seed(rows: number): Promise<Site>;
}

function rowOf(run: Run, key: RowName, row: Omit<Row, "name" | "target">): Row {
  return { name: key.split(" ")[0]!, ...row, target: targetOf(key, run.engine) };
}

/** Milliseconds between two looks, and of processor time that a server may take between them though nobody asks it. */
const REST = { every: 500, most: 50 };

/** Waits until the server has filled its memory: with what workloads have left behind that takes many seconds. */
async function atRest(server: Process): Promise<void> {
  for (let before = -Infinity, now = 0; now - before > REST.most;) {
    await delay(REST.every);
    [before, now] = [now, await server.processorTime()];
  }
}

/** B1: files through the API, against the same bytes in raw chunks. */
export async function transferRows(run: Run, site: Site): Promise<Row[]> {
  await using limits = await run.startLimits();
  await using server = await serve(site);
  await atRest(server);
  // These transfers only warm both servers up; they are not counted.
  await measureTransfers(server, limits, 3);
  const measured: Transfers[] = [];
  for (let i = 0; i < run.rounds; i++) measured.push(await measureTransfers(server, limits, 5));
  const of = (whose: "ours" | "raw", key: keyof Throughput) =>
    median(measured.map((one) => one[whose][key]));
  const row = (key: keyof Throughput): Row =>
    rowOf(run, `B1 ${key}`, {
      what: `${key} of 10 MB`,
      value: of("ours", key),
      unit: "MiB/s",
      against: `raw KV chunks ${Math.round(of("raw", key))}`,
      ratio: of("ours", key) / of("raw", key),
    });
  return [
    row("upload"),
    row("download"),
    rowOf(run, "B1 memory", {
      what: `memory grown in the second half of ${5 * run.rounds} uploads`,
      value: growth(measured.flatMap(({ memories }) => memories)),
      unit: "MiB",
    }),
  ];
}

/** How many starts are measured. The first one after a change of the sources is another: it compiles them. */
const STARTS = 5;

/** Measures a server that is started as a user's: nothing watches it. */
async function ofStart(
  site: Pick<Site, "folder" | "env">,
  measure: (server: Process) => number | Promise<number>,
): Promise<number> {
  await using server = await start({ ...site, watched: false });
  return await measure(server);
}

/** B2: seconds from the start of a server's process to its first answer, of a new store and a filled one in turns. */
export async function startRows(run: Run, site: Site): Promise<Row[]> {
  const startedIn = (server: Process) => server.startedIn / 1000;
  const ofEmpty: number[] = [], ofFilled: number[] = [];
  for (let i = 0; i < STARTS; i++) {
    ofEmpty.push(await ofStart(await run.newSite(), startedIn));
    ofFilled.push(await ofStart(site, startedIn));
  }
  const empty = median(ofEmpty);
  const row = rowOf(run, "B2 filled", {
    what: `the same, ${site.rows.toLocaleString("en")} rows`,
    value: median(ofFilled),
    unit: "s",
  });
  const most = Math.min(row.target.most!, Math.max(0.4, empty * 1.15));
  return [
    rowOf(run, "B2 empty", { what: "start to first answer, empty", value: empty, unit: "s" }),
    { ...row, target: { ...row.target, most } },
  ];
}

/** Asks a server that has just started one question. @returns Seconds, and how long the event loop was held meanwhile. */
async function firstAnswer(
  site: Site,
  token: string,
  path: string,
): Promise<{ seconds: number; hold: number }> {
  await using server = await start(site);
  // The start itself is not meant.
  await server.longestHold();
  const began = performance.now();
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(server.origin + path, { headers });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`Cannot ask for ${path}: ${response.status}`);
  return { seconds: (performance.now() - began) / 1000, hold: await server.longestHold() };
}

/** How long one who comes right after the start waits: the median of the rounds, and the longest hold of all. */
async function firstRow(
  run: Run,
  key: "B5 page" | "B5 search" | "L4" | "L5",
  what: string,
  [site, token, path]: [site: Site, token: string, path: string],
): Promise<Row> {
  const measured: { seconds: number; hold: number }[] = [];
  for (let i = 0; i < run.rounds; i++) measured.push(await firstAnswer(site, token, path));
  return rowOf(run, key, {
    what,
    value: median(measured.map(({ seconds }) => seconds)),
    unit: "s",
    hold: Math.max(...measured.map(({ hold }) => hold)),
  });
}

const SECOND_PAGE = "/api/users?page=2&limit=10";

/** B5: the first questions after the start. */
export async function firstRows(run: Run, site: Site, token: string): Promise<Row[]> {
  const search = `/api/documents?search=cument+${site.rows / 2}`;
  return [
    await firstRow(run, "B5 page", "first page 2 after the start", [site, token, SECOND_PAGE]),
    await firstRow(run, "B5 search", "first search after the start", [site, token, search]),
  ];
}

/** B6: users as CSV, all of them out, and as many in as one import takes. */
export async function csvRows(run: Run, site: Site): Promise<Row[]> {
  await using server = await serve(site);
  await atRest(server);
  const measure = async (transfer: () => Promise<CsvTransfer>) => {
    const measured: CsvTransfer[] = [];
    for (let i = 0; i < run.rounds; i++) measured.push(await transfer());
    return summaryOf(measured);
  };
  // The first one only warms the server up.
  await exportUsers(server);
  const out = await measure(() => exportUsers(server));
  const dry = await measure(() => importUsers(server, true));
  const real = await measure(() => importUsers(server, false));
  const row = (key: RowName, what: string, { seconds, hold }: CsvTransfer) =>
    rowOf(run, key, { what, value: seconds, unit: "s", hold });
  return [
    row("B6 export", `${site.rows.toLocaleString("en")} users out as CSV`, out),
    rowOf(run, "B6 memory", { what: "memory grown by it", value: out.grown, unit: "MiB" }),
    row("B6 dry run", "10,000 users in, a dry run", dry),
    row("B6 import", "10,000 users in", real),
  ];
}

/** B3: at rest, and after all that is new each time has been asked, beside writes. */
export async function memoryRows(run: Run, site: Site): Promise<Row[]> {
  const atRest: number[] = [];
  for (let i = 0; i < STARTS; i++) atRest.push(await ofStart(await run.newSite(), memoryAtRest));
  await using server = await serve({ ...site, watched: false });
  return [
    rowOf(run, "B3 at rest", { what: "memory at rest, empty", value: median(atRest), unit: "MiB" }),
    rowOf(run, "B3 after all", await memoryAfterAll(run, server)),
  ];
}

/** Milliseconds from the start to rest: by then V8 has given back what the start has left behind. */
const TO_REST = 10_000;

/** MiB of a server that has had no requests but the probe of its start. */
async function memoryAtRest(server: Process): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, TO_REST));
  return await server.memory();
}

async function memoryAfterAll(
  { duration }: Run,
  server: Server,
): Promise<Pick<Row, "what" | "value" | "unit">> {
  const { rows, seeded: { ids } } = server.site;
  const { token } = server;
  for (const workload of newEachTime) {
    await Promise.all([
      runLoad(server.origin, { ...loadOf(workload, server), duration }),
      runLoad(server.origin, { ...writes, ids, token, duration }),
    ]);
  }
  const what = `after all of it, ${(2 * rows).toLocaleString("en")} rows`;
  return { what, value: await server.memory(), unit: "MiB" };
}

/** B4: the same workloads on a small and a large store, in turns. */
export async function growthRows(run: Run, small: Site, large: Site): Promise<Row[]> {
  await using few = await serve(small);
  await using many = await serve(large);
  const w1 = workloadNamed("W1");
  const growing = [{ ...w1, ...w1.again }, workloadNamed("W2"), workloadNamed("W7")];
  const samples = new Samples();
  await measureGrowth(run, samples, growing, [many, few]);
  const sizes = [large, small].map(({ rows }) => rows.toLocaleString("en"));
  return growing.map(({ name }) =>
    rowOf(run, "B4", {
      what: `${name} at ${sizes[0]} rows against ${sizes[1]}`,
      ...compared(samples.summary(name)),
    })
  );
}

/** Measures workloads on the one server in turns with the other. */
async function measureGrowth(
  run: Run,
  samples: Samples,
  growing: readonly Pick<Workload, "name" | "requests">[],
  [many, few]: readonly [Server, Server],
): Promise<void> {
  for (const server of [few, many]) await warmUp(server, growing);
  const time = { turns: run.duration, duration: run.duration };
  for (let i = 0; i < run.rounds; i++) {
    for (const workload of growing) {
      const [one, other] = [many, few].map((server) => ({ ...loadOf(workload, server), server }));
      await samples.measure(workload.name, one!, other!, time);
    }
  }
}

function compared({ reached, reference, ratio }: Summary, against = "") {
  return {
    value: reached.rate,
    unit: "req/s",
    against: `${against}${Math.round(reference.rate).toLocaleString("en")}`,
    ratio,
    p99: reached.p99,
    hold: reached.hold,
    errors: reached.errors + reference.errors,
  };
}

/** Milliseconds that a page from memory takes at most, and after which it is not waited for any longer. */
const QUICK = 3, FILLED_WITHIN = 300_000;
/** MiB that hold the lists of a million users and documents. */
const FITS = "2048";

/** L: at a million rows, with the memory that is the default and with one that holds all of them. */
export async function largeRows(run: Run, usual: Site, large: Site): Promise<Row[]> {
  const [rows, token] = await largeByDefault(run, large);
  const size = `${large.rows.toLocaleString("en")} rows`;
  const search = `/api/documents?search=cument+${large.rows / 2}`;
  return [
    ...rows,
    await largeFitting(run, usual, large),
    await firstRow(run, "L4", `first page 2 after the start, ${size}`, [large, token, SECOND_PAGE]),
    await firstRow(run, "L5", `first search after the start, ${size}`, [large, token, search]),
  ];
}

const pages = workloadNamed("W8");

async function largeByDefault(run: Run, site: Site): Promise<[rows: Row[], token: string]> {
  await using limits = await run.startLimits();
  await using server = await serve(site);
  await warmUp(server, [pages]);
  const load = loadOf(pages, server);
  const bare = { ...load, ...limitLoad("bare", load.requests), server: limits };
  const samples = new Samples();
  const time = { turns: run.duration, duration: run.duration };
  for (let i = 0; i < run.rounds; i++) {
    await samples.measure("L1", { ...load, server }, bare, time);
  }
  const summary = samples.summary("L1");
  const rows = [
    rowOf(run, "L1", {
      what: `${pages.what}, ${site.rows.toLocaleString("en")} rows`,
      ...compared(summary, "bare "),
      bareHold: summary.reference.hold,
    }),
    rowOf(run, "L2", await memoryAfterAll(run, server)),
  ];
  return [rows, server.token];
}

/** Until lists are answered from memory: before, a database answers them meanwhile, or they wait. */
async function filled({ origin, token, site }: Server): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const end = performance.now() + FILLED_WITHIN;
  for (let quick = 0; quick < 20 && performance.now() < end;) {
    const page = 1 + Math.floor(Math.random() * site.rows / 10);
    const began = performance.now();
    await (await fetch(`${origin}/api/users?sort=-email&page=${page}`, { headers })).body?.cancel();
    quick = performance.now() - began < QUICK ? quick + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function largeFitting(run: Run, usual: Site, large: Site): Promise<Row> {
  await using few = await serve(usual);
  await using many = await serve({ ...large, env: { ...large.env, CACHE_MAX_MB: FITS } });
  for (const server of [few, many]) await filled(server);
  const samples = new Samples();
  await measureGrowth(run, samples, [pages], [many, few]);
  return rowOf(run, "L3", {
    what: `${pages.what}, CACHE_MAX_MB=${FITS}, against ${usual.rows.toLocaleString("en")} rows`,
    ...compared(samples.summary(pages.name)),
  });
}

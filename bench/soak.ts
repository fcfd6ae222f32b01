// Sustained load: mixed reads and writes below the peak for minutes, then thousands of connections at once.
import { parseArgs } from "node:util";
import { answerHelp } from "../core/command_line.ts";
import { type Requests, runLoad } from "./load.ts";
import { loadOf, workloadNamed } from "./measure.ts";
import { assertTools, growth } from "./processes.ts";
import { inNewFolder, seedSite, serve, type Server } from "./site.ts";
import { newEachTime, writes } from "./workloads.ts";

answerHelp(
  `Usage: deno task soak [--minutes 10] [--rows 100000] [--connections 5000] [--interval SECONDS]
  [--p99 MILLISECONDS] [--write-p99 MILLISECONDS] [--growth MIB]

Mixed reads and writes below the peak for minutes, then thousands of connections at once; fails on any error, where
answers are slow, and where memory grows.`,
);

const { values: options } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    rows: { type: "string", default: "100000" },
    connections: { type: "string", default: "5000" },
    /** Seconds of each run of load; memory is looked at after it. */
    interval: { type: "string", default: "30" },
    /** Milliseconds within which 99 of 100 reads must be answered: give more on a shared machine. */
    p99: { type: "string", default: "20" },
    /** The same of writes, which wait for each other where many ask: see core/write_delay.ts. */
    "write-p99": { type: "string", default: "100" },
    /** MiB that the peak of memory in the second half may be above that in the first: give more for a short run. */
    growth: { type: "string", default: "64" },
  },
});
const rows = Number(options.rows);
const interval = Number(options.interval);
const limits = {
  reads: Number(options.p99),
  writes: Number(options["write-p99"]),
  growth: Number(options.growth),
};

/** The part of the peak rate that the sustained load aims at. */
const SHARE = 0.7;
/** Connections of the sustained load: those that read, and those that write. */
const CONNECTIONS = { reads: 256, writes: 64 };

/**
 * A mix that is new each time: ids, pages, sorts, filters and searches at random, and the figures. Five of a hundred
 * requests write: they create documents, and rename users, so that these move in the lists.
 */
function mixed(server: Server): Requests {
  const asked = [...newEachTime, workloadNamed("W7")].filter((workload) =>
    workload.as === undefined
  );
  const reads = asked.flatMap((workload) => loadOf(workload, server).requests);
  const rounds = Array.from(
    { length: writes.requests.length * 19 },
    (_, i) => reads[i % reads.length]!,
  );
  return {
    requests: [...rounds, ...writes.requests],
    ids: server.site.seeded.ids,
    token: server.token,
  };
}

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

/** The reads of a mix and its writes, and which part of its requests these are. */
function apart(mix: Requests) {
  const isRead = (request: string) => request.startsWith("GET");
  const reading = { ...mix, requests: mix.requests.filter(isRead) };
  const writing = { ...mix, requests: mix.requests.filter((request) => !isRead(request)) };
  return { reading, writing, written: writing.requests.length / mix.requests.length };
}

/** @returns What went wrong, each as a line of text. */
async function sustain(server: Server, mix: Requests): Promise<string[]> {
  // Until memory is filled and each list was made once: for as long a slow machine answers hardly anything.
  await runLoad(server.origin, { ...mix, duration: 15 });
  const peak = await runLoad(server.origin, { ...mix, duration: 10 });
  const rate = peak.rate * SHARE;
  say(`peak ${Math.round(peak.rate)} req/s; ${Math.round(rate)} req/s from here on`);
  const { reading, writing, written } = apart(mix);
  const run = (load: Requests, connections: number, part: number) =>
    runLoad(server.origin, {
      ...load,
      connections,
      rate: Math.round(rate * part),
      duration: interval,
    });
  const problems: string[] = [];
  const memories: number[] = [];
  for (let second = 0; second < Number(options.minutes) * 60; second += interval) {
    await server.longestHold();
    // Each has a p99 of its own: of both together it would be that of the slowest fifth of the writes.
    const [read, wrote] = await Promise.all([
      run(reading, CONNECTIONS.reads, 1 - written),
      run(writing, CONNECTIONS.writes, written),
    ]);
    const memory = await server.memory();
    memories.push(memory);
    const reached = read.rate + wrote.rate, errors = read.errors + wrote.errors;
    say(
      `${second + interval} s: ${Math.round(reached)} req/s ` +
        `(${Math.round(reached / peak.rate * 100)} %), p99 ${read.p99} ms, ` +
        `of writes ${wrote.p99} ms, longest hold ${await server.longestHold()} ms, ` +
        `${errors} errors, ${Math.round(memory)} MiB`,
    );
    if (errors > 0) problems.push(`${errors} errors`);
    if (read.p99 > limits.reads) problems.push(`p99 of ${read.p99} ms`);
    if (wrote.p99 > limits.writes) problems.push(`p99 of writes of ${wrote.p99} ms`);
  }
  const grown = growth(memories);
  if (grown > limits.growth) problems.push(`${Math.round(grown)} MiB grown`);
  return problems;
}

/** Every one of thousands of open connections gets its answers. */
async function crowd(server: Server, mix: Requests): Promise<string[]> {
  const connections = Number(options.connections);
  const load = { ...apart(mix).reading, duration: 15, connections };
  const { rate, p99, errors } = await runLoad(server.origin, load);
  say(`${connections} connections: ${Math.round(rate)} req/s, p99 ${p99} ms, ${errors} errors`);
  return errors > 0 ? [`${errors} errors with ${connections} connections`] : [];
}

/** @returns What went wrong, each as a line of text. */
async function main(folder: string): Promise<string[]> {
  await assertTools();
  const site = await seedSite(folder, { engine: "kv", variant: "compact" }, rows);
  await using server = await serve(site);
  const mix = mixed(server);
  return [...await sustain(server, mix), ...await crowd(server, mix)];
}

const problems = await inNewFolder(main);
say(problems.length === 0 ? "ok" : `short: ${problems.join(", ")}`);
Deno.exit(problems.length === 0 ? 0 : 1);

// Sustained load: mixed reads and writes below the peak for minutes, then thousands of connections at once.
import { parseArgs } from "node:util";
import { answerHelp } from "../core/command_line.ts";
import { runLoad } from "./load.ts";
import { assertTools, growth, type Process, startQuarterdeck } from "./processes.ts";
import { seedStore, signIn } from "./site.ts";
import { workloads } from "./workloads.ts";
import type { Seeded } from "./seed.ts";

answerHelp(
  `Usage: deno task soak [--minutes 10] [--rows 100000] [--connections 5000] [--interval SECONDS]
  [--p99 MILLISECONDS] [--growth MIB]

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
    /** Milliseconds within which 99 of 100 requests must be answered: give more on a shared machine. */
    p99: { type: "string", default: "20" },
    /** MiB that the peak of memory in the second half may be above that in the first: give more for a short run. */
    growth: { type: "string", default: "64" },
  },
});
const rows = Number(options.rows);
const interval = Number(options.interval);
const limits = { p99: Number(options.p99), growth: Number(options.growth) };

/** The part of the peak rate that the sustained load aims at. */
const SHARE = 0.7;
/** Connections of the sustained load: many, as a pause between requests takes at least a whole millisecond. */
const CONNECTIONS = 256;

/** A mix in which five of a hundred requests write; the rest read one user, lists, searches and figures. */
function mixed(seeded: Seeded): string[] {
  const [w1, w2, , w4, w5, , w7] = workloads.map((workload) => workload.requests(seeded, rows));
  return Array.from({ length: 1000 }, (_, i) => {
    const turn = i % 20;
    if (turn === 0) return w5![0]!;
    if (turn < 3) return w2![0]!;
    if (turn === 3) return w4![i % w4!.length]!;
    return turn === 4 ? w7![0]! : w1![i]!;
  });
}

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

/** @returns What went wrong, each as a line of text. */
async function sustain(server: Process, requests: string[], token: string): Promise<string[]> {
  const peak = await runLoad(server.origin, { requests, token, duration: 10 });
  // A millisecond less than the connections need for the share: the answer takes about that long.
  const pause = Math.max(1, Math.floor(1000 * CONNECTIONS / (peak.rate * SHARE) - 1));
  say(`peak ${Math.round(peak.rate)} req/s; each of ${CONNECTIONS} connections pauses ${pause} ms`);
  const problems: string[] = [];
  const memories: number[] = [];
  for (let second = 0; second < Number(options.minutes) * 60; second += interval) {
    const load = { requests, token, duration: interval, connections: CONNECTIONS, pause };
    const { rate, p99, errors } = await runLoad(server.origin, load);
    const memory = await server.memory();
    memories.push(memory);
    const share = Math.round(rate / peak.rate * 100);
    say(
      `${second + interval} s: ${
        Math.round(rate)
      } req/s (${share} %), p99 ${p99} ms, ${errors} errors, ${Math.round(memory)} MiB`,
    );
    if (errors > 0) problems.push(`${errors} errors`);
    if (p99 > limits.p99) problems.push(`p99 of ${p99} ms`);
  }
  const grown = growth(memories);
  if (grown > limits.growth) problems.push(`${Math.round(grown)} MiB grown`);
  return problems;
}

/** Every one of thousands of open connections gets its answers. */
async function crowd(server: Process, requests: string[], token: string): Promise<string[]> {
  const connections = Number(options.connections);
  const { rate, p99, errors } = await runLoad(server.origin, {
    requests,
    token,
    duration: 15,
    connections,
  });
  say(`${connections} connections: ${Math.round(rate)} req/s, p99 ${p99} ms, ${errors} errors`);
  return errors > 0 ? [`${errors} errors with ${connections} connections`] : [];
}

await assertTools();
const folder = await Deno.makeTempDir({ prefix: "quarterdeck-soak-" });
let problems: string[];
try {
  const url = `kv:${folder}/soak.kv`;
  const seeded = await seedStore(url, rows);
  const env = { DATABASE_URL: url, JWT_ACCESS_EXPIRES: "1d" };
  await using server = await startQuarterdeck(folder, env);
  const token = await signIn(server.origin);
  const requests = mixed(seeded);
  problems = await sustain(server, requests, token);
  const reads = requests.filter((request) => request.startsWith("GET"));
  problems.push(...await crowd(server, reads, token));
} finally {
  await Deno.remove(folder, { recursive: true });
}
say(problems.length === 0 ? "ok" : `short: ${problems.join(", ")}`);
Deno.exit(problems.length === 0 ? 0 : 1);

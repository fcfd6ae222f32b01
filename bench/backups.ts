// A backup beside requests: how much longer they take meanwhile, and how long the event loop is held.
import { parseArgs } from "node:util";
import { answerHelp, print } from "../core/command_line.ts";
import { delay } from "../core/delay.ts";
import { MIB } from "../core/units.ts";
import {
  backupTable,
  type Measured,
  MOST,
  type Report,
  type Round,
  shortcomings,
} from "./backup_table.ts";
import { type Load, median, runLoad } from "./load.ts";
import { loadOf, workloadNamed } from "./measure.ts";
import { assertTools } from "./processes.ts";
import { inNewFolder, seedSite, serve, type Server, signIn, type Site } from "./site.ts";
import { LONGEST_HOLD } from "./targets.ts";
import { credentials, writes } from "./workloads.ts";

answerHelp(`Usage: deno task bench:backup [options]

  --engine kv         or sqlite, postgres, or several: kv,sqlite,postgres
  --rows 100000       users, and as many documents
  --megabytes 1024    of files
  --rounds 3          of load alone, then beside a backup

Requests come at a part of the peak rate. Prints a table (medians of the rounds), and fails where their 99th percentile is
more than ${MOST} times the usual, where the event loop is held for more than ${LONGEST_HOLD} ms and for longer than without a
backup, or where a request or a backup fails.`);

const { values: options } = parseArgs({
  options: {
    engine: { type: "string", default: "kv" },
    rows: { type: "string", default: "100000" },
    megabytes: { type: "string", default: "1024" },
    rounds: { type: "string", default: "3" },
  },
});

/** The part of the peak rate that is asked for. */
const SHARE = 0.4;
const CONNECTIONS = 32;
/** Seconds of each measurement; a backup takes several. */
const TURN = 2;
/** Bytes of each file. */
const FILE = 32 * MIB;
/** Files of bytes that nothing compresses, by the API. */
async function addFiles(server: Server, megabytes: number): Promise<void> {
  const bytes = new Uint8Array(FILE);
  for (let n = 0; n * FILE < megabytes * MIB; n++) {
    for (let at = 0; at < FILE; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
    const body = new FormData();
    body.set("file", new Blob([bytes], { type: "application/octet-stream" }), `${n}.bin`);
    await ask(server, "POST", "/files/upload", { body });
  }
}

async function ask(
  server: Server,
  method: string,
  path: string,
  { body, token = server.token }: { readonly body?: BodyInit; readonly token?: string } = {},
) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${server.origin}/api${path}`, { method, headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text).data;
}

function mixOf(server: Server): Omit<Load, "duration"> {
  const names = ["W1", "W3", "W4", "W7"] as const;
  const reads = names.flatMap((name) => loadOf(workloadNamed(name), server).requests);
  const requests = Array.from({ length: 19 }, (_, n) => reads[n % reads.length]!);
  return {
    requests: [...requests, ...requests, ...writes.requests],
    ids: server.site.seeded.ids,
    token: server.token,
    connections: CONNECTIONS,
  };
}

/** Seconds at a time, as long as it is to go on. */
async function measure(
  server: Server,
  load: Omit<Load, "duration">,
  goesOn: (turn: number) => boolean,
): Promise<Measured> {
  const turns: Measured[] = [];
  await server.longestHold();
  while (goesOn(turns.length)) {
    const { p99, errors } = await runLoad(server.origin, { ...load, duration: TURN });
    if (errors > 0) throw new Error(`${errors} requests failed`);
    turns.push({ p99, hold: await server.longestHold() });
  }
  return {
    p99: median(turns.map(({ p99 }) => p99)),
    hold: Math.max(...turns.map(({ hold }) => hold)),
  };
}

/** The load beside one backup, which is waited for. */
async function beside(
  server: Server,
  load: Omit<Load, "duration">,
): Promise<{ meanwhile: Measured; seconds: number; size: number }> {
  const began = performance.now();
  // It takes a proof of the last minutes, and the rounds before may have taken longer.
  const token = await signIn(server.origin, credentials);
  const { id } = await ask(server, "POST", "/backups", { token });
  let backup = { state: "running", size: 0 };
  const watching = (async () => {
    while (backup.state === "running") {
      await delay(100);
      backup = await ask(server, "GET", `/backups/${id}`);
    }
    return (performance.now() - began) / 1000;
  })();
  const meanwhile = await measure(server, load, () => backup.state === "running");
  const seconds = await watching;
  if (backup.state !== "done") throw new Error(`The backup ${id} is ${backup.state}`);
  return { meanwhile, seconds, size: backup.size / MIB };
}

async function measureEngine(folder: string, engine: string): Promise<Report> {
  const seeded = await seedSite(folder, { engine, variant: "compact" }, Number(options.rows));
  const env = {
    ...seeded.env,
    BACKUP_DIR: `${seeded.folder}/backups`,
    BACKUP_KEEP: "1",
    UPLOAD_MAX_BYTES: "64MB",
    STORAGE_QUOTA: "100GB",
  };
  const site: Site = { ...seeded, env };
  await using server = await serve(site);
  await addFiles(server, Number(options.megabytes));
  const mix = mixOf(server);
  const peak = await runLoad(server.origin, { ...mix, duration: 5 });
  const load = { ...mix, rate: Math.round(peak.rate * SHARE) };
  print(`${engine}: peak ${Math.round(peak.rate)} req/s, asked for ${load.rate}`);
  const rounds: Round[] = [];
  let backupSize = 0;
  for (let n = 0; n < Number(options.rounds); n++) {
    const usual = await measure(server, load, (turn) => turn < 5);
    const { meanwhile, seconds, size } = await beside(server, load);
    backupSize = size;
    rounds.push({ usual, meanwhile, seconds });
    print(
      `  p99 ${usual.p99.toFixed(1)} ms, beside a backup ${
        meanwhile.p99.toFixed(1)
      } ms; longest hold ` +
        `${usual.hold} ms, beside a backup ${meanwhile.hold} ms; ${seconds.toFixed(1)} s`,
    );
  }
  return { engine, rate: load.rate, size: backupSize, rounds };
}

async function main(folder: string): Promise<string[]> {
  await assertTools();
  const reports: Report[] = [];
  for (const engine of options.engine.split(",")) {
    reports.push(await measureEngine(folder, engine));
  }
  print(`\n${backupTable(reports)}\n`);
  return reports.flatMap(shortcomings);
}

const problems = await inNewFolder(main);
print(problems.length === 0 ? "ok" : `short: ${problems.join(", ")}`);
Deno.exit(problems.length === 0 ? 0 : 1);

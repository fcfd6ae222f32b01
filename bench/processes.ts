// The processes of a benchmark: servers on one core, load on the other, and what they use.

import { configPath, environment, permissions } from "../tests/start_task.ts";

/** Where servers and load run; on one core they share it. */
const CORES = navigator.hardwareConcurrency > 1
  ? { server: "0", load: "1" }
  : { server: "0", load: "0" };

const root = new URL("..", import.meta.url).pathname;

export interface Process extends AsyncDisposable {
  readonly origin: string;
  /** Milliseconds from the spawn to the first answer. */
  readonly startedIn: number;
  /** Resident memory, in MiB. */
  memory(): Promise<number>;
}

export interface StartOptions {
  /** The script, relative to the repo. */
  readonly script: string;
  readonly permissions: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Finds the port in what the process prints. */
  readonly port: RegExp;
  /** Asked until it answers. */
  readonly probe: string;
}

/** Starts a server on its core. */
export async function startProcess(options: StartOptions): Promise<Process> {
  const began = performance.now();
  const child = new Deno.Command("taskset", {
    args: [
      "-c",
      CORES.server,
      Deno.execPath(),
      "run",
      "--quiet",
      "--config",
      configPath,
      ...options.permissions,
      root + options.script,
      ...options.args ?? [],
    ],
    cwd: options.cwd,
    env: options.env,
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const { port, drained } = await readPort(child.stdout, options.port);
  const origin = `http://127.0.0.1:${port}`;
  await (await fetch(origin + options.probe)).body?.cancel();
  return {
    origin,
    startedIn: performance.now() - began,
    memory: () => residentMemory(child.pid),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await drained;
      await child.status;
    },
  };
}

/** The server as a user starts it, with the permissions of its task. */
export async function startQuarterdeck(
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Process> {
  return await startProcess({
    script: "main.ts",
    permissions,
    env: { ...environment, PORT: "0", HOST: "127.0.0.1", LOG_LEVEL: "warn", ...env },
    cwd,
    port: /listens on http:\/\/localhost:(\d+)/,
    probe: "/livez",
  });
}

async function readPort(stdout: ReadableStream<Uint8Array>, pattern: RegExp) {
  const reader = stdout.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let port: string | undefined;
  while ((port = pattern.exec(text)?.[1]) === undefined) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`Cannot start the server: it ended after '${text}'`);
    text += decoder.decode(value);
  }
  const drained = (async () => {
    while (!(await reader.read()).done);
  })();
  return { port, drained };
}

async function residentMemory(pid: number): Promise<number> {
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "rss=", "-p", String(pid)] })
    .output();
  return Number(new TextDecoder().decode(stdout)) / 1024;
}

export interface Load {
  /** One request a line: method, path, JSON body, parted by tabs. */
  readonly requests: readonly string[];
  readonly token?: string;
  /** @default 32 */
  readonly connections?: number;
  /** Seconds. */
  readonly duration: number;
  /** Milliseconds that each connection waits between its requests. @default 0 */
  readonly pause?: number;
}

export interface Measured {
  /** Requests a second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p99: number;
  /** Answers other than 2xx and 3xx, and socket errors. */
  readonly errors: number;
}

/** Runs wrk on the load's core. */
export async function runLoad(origin: string, load: Load): Promise<Measured> {
  const file = await Deno.makeTempFile();
  await Deno.writeTextFile(file, load.requests.join("\n") + "\n");
  const { stdout, stderr, success } = await new Deno.Command("taskset", {
    args: [
      "-c",
      CORES.load,
      "wrk",
      "-t1",
      `-c${load.connections ?? 32}`,
      `-d${load.duration}s`,
      "--timeout",
      "10s",
      "--latency",
      "-s",
      `${root}bench/requests.lua`,
      origin,
      "--",
      file,
      load.token ?? "",
      load.pause ? String(load.pause) : "",
    ],
  }).output();
  await Deno.remove(file);
  await drain(origin, load);
  const text = new TextDecoder().decode(stdout);
  if (!success) throw new Error(`Cannot run wrk: ${new TextDecoder().decode(stderr)}${text}`);
  return parseWrk(text);
}

/** The server goes on with what wrk left behind; one more request is answered after it. */
async function drain(origin: string, { requests, token = "" }: Load): Promise<void> {
  const [method = "GET", path = "/", body] = requests[0]!.split("\t");
  const response = await fetch(origin + path, {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: body || undefined,
  });
  await response.body?.cancel();
}

function parseWrk(text: string): Measured {
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1] ?? 0);
  const [, amount = "0", unit = "ms"] = /99%\s+([\d.]+)(us|ms|s)/.exec(text) ?? [];
  const p99 = Number(amount) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? 1);
  const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0);
  const socket = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(text);
  const broken = (socket?.slice(1) ?? []).reduce((sum, count) => sum + Number(count), 0);
  return { rate, p99, errors: refused + broken };
}

/** @throws When wrk or taskset is missing, naming the package. */
export async function assertTools(): Promise<void> {
  for (
    const [tool, debian] of [
      ["wrk", "wrk"],
      ["taskset", "util-linux"],
      ["ps", "procps"],
    ] as const
  ) {
    try {
      await new Deno.Command(tool, { args: ["--version"], stdout: "null", stderr: "null" })
        .output();
    } catch {
      throw new Error(`Cannot measure: '${tool}' is missing. On Debian: apt-get install ${debian}`);
    }
  }
}

// The processes of a benchmark: servers on one core, load on the other, and what they use.

import { configPath, environment, permissionsFor } from "../tests/start_task.ts";

/** The cores that servers and load run on; a machine with a single core has them share it. */
export const CORES = navigator.hardwareConcurrency > 1
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
  /** Path that is requested until it answers: then the server has started. */
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
    permissions: permissionsFor(env, cwd),
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

/** How far the peak of the second half is above that of the first; lows only tell when garbage was collected. */
export function growth(memories: readonly number[]): number {
  const half = Math.ceil(memories.length / 2);
  return Math.max(...memories.slice(half)) - Math.max(...memories.slice(0, half));
}

/** @throws When wrk or taskset is missing; the message names the Debian package. */
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

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
  /** Milliseconds of processor time that it has used by now. */
  processorTime(): Promise<number>;
  /** Milliseconds that the event loop was held at worst since this was last asked; NaN where it is not watched. */
  longestHold(): Promise<number>;
  signal(name: Deno.Signal): void;
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
  /** Whether its event loop is watched. @default false */
  readonly watched?: boolean;
  /** Scripts that are loaded before it, relative to the repo. @default none */
  readonly preload?: readonly string[];
}

const running = new Set<Deno.ChildProcess>();

/** Ends the servers that run, without waiting for what they do. */
export async function endServers(): Promise<void> {
  await Promise.all([...running].map(async (child) => {
    child.kill("SIGKILL");
    await child.status;
  }));
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
      ...[...options.watched ? ["bench/hold.ts"] : [], ...options.preload ?? []]
        .flatMap((script) => ["--preload", root + script]),
      root + options.script,
      ...options.args ?? [],
    ],
    cwd: options.cwd,
    env: options.env,
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  running.add(child);
  void child.status.then(() => running.delete(child));
  const output = new Output(child.stdout);
  const origin = `http://127.0.0.1:${await output.find(options.port)}`;
  await (await fetch(origin + options.probe)).body?.cancel();
  return {
    origin,
    startedIn: performance.now() - began,
    memory: () => residentMemory(child.pid),
    processorTime: () => processorTime(child.pid),
    async longestHold() {
      if (!options.watched) return NaN;
      child.kill("SIGUSR2");
      return Number(await output.find(/held ([\d.]+) ms/));
    },
    signal: (name) => child.kill(name),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await output.ended;
      await child.status;
    },
  };
}

/** The server as a user starts it, with the permissions of its task; to watch its event loop takes 3 MiB. */
export async function startQuarterdeck(
  cwd: string,
  env: Readonly<Record<string, string>>,
  { preload = [], watched = true }: Partial<Pick<StartOptions, "preload" | "watched">> = {},
): Promise<Process> {
  return await startProcess({
    script: "main.ts",
    permissions: permissionsFor(env, cwd),
    env: { ...environment, PORT: "0", HOST: "127.0.0.1", LOG_LEVEL: "warn", ...env },
    cwd,
    port: /listens on http:\/\/localhost:(\d+)/,
    probe: "/livez",
    watched,
    preload,
  });
}

/** What a process prints, read to its end: a full pipe would stop the process. */
class Output {
  /** Settled when the process has closed its output. */
  readonly ended: Promise<void>;
  #text = "";
  #more = Promise.withResolvers<void>();
  #done = false;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.ended = this.#read(stream);
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      this.#text += text;
      this.#more.resolve();
      this.#more = Promise.withResolvers();
    }
    this.#done = true;
    this.#more.resolve();
  }

  /** The first group of the next match; what was printed up to it is done with. */
  async find(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.#text);
      if (found) {
        this.#text = this.#text.slice(found.index + found[0].length);
        return found[1]!;
      }
      if (this.#done) throw new Error(`Cannot go on: the process ended after '${this.#text}'`);
      await this.#more.promise;
    }
  }
}

async function residentMemory(pid: number): Promise<number> {
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "rss=", "-p", String(pid)] })
    .output();
  return Number(new TextDecoder().decode(stdout)) / 1024;
}

/** Of user and system, from /proc/PID/stat (proc(5)), which counts hundredths of a second. */
async function processorTime(pid: number): Promise<number> {
  // Deno itself reads /proc with all permissions only.
  const { stdout } = await new Deno.Command("cat", { args: [`/proc/${pid}/stat`] }).output();
  const stat = new TextDecoder().decode(stdout);
  // The name of the program, in parentheses, may hold spaces; after it the fields begin with the third.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
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

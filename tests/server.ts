// The server as a user starts it: a process of its own, a folder of its own, a free port.
import assert from "node:assert/strict";
import { configPath, environment, permissionsFor } from "./start_task.ts";

export interface Server extends AsyncDisposable {
  readonly origin: string;
  /** Where it runs and keeps its data. */
  readonly folder: string;
  readonly process: Deno.ChildProcess;
  /** What it printed at start. */
  readonly announced: string;
  /** All that it has printed by now. */
  printed(): string;
  /** All that it has logged, once it has ended, where that is kept. */
  readonly logged: Promise<string>;
  /** Sends the signal and waits for the end. @default "SIGTERM" */
  stop(signal?: Deno.Signal): Promise<Deno.CommandStatus>;
}

const main = new URL("../main.ts", import.meta.url).pathname;

/** The administrator is there from the start, unless ADMIN_PASSWORD is given as empty. */
const DEFAULTS = {
  PORT: "0",
  HOST: "127.0.0.1",
  LOG_LEVEL: "error",
  ADMIN_PASSWORD: "a password for tests",
};

export interface StartOptions {
  /** File descriptors that the process may have: `ulimit -n`. @default those of this process */
  readonly descriptors?: number;
  /** Whether `logged` keeps the log instead of showing it. @default false */
  readonly keepLog?: boolean;
}

/**
 * @param env Settings; PORT is a free one unless given, and ADMIN_PASSWORD is set.
 * @param folder Of an earlier server, to start again on its data.
 */
export async function startServer(
  env: Record<string, string> = {},
  folder?: string,
  { descriptors, keepLog = false }: StartOptions = {},
): Promise<Server> {
  const home = folder ?? await Deno.makeTempDir({ prefix: "quarterdeck-" });
  const flags = permissionsFor(env, home);
  const words = ["run", "--quiet", "--config", configPath, ...flags, main];
  const limited = ["-c", `ulimit -n ${descriptors}; exec "$0" "$@"`, Deno.execPath(), ...words];
  const process = new Deno.Command(descriptors === undefined ? Deno.execPath() : "bash", {
    args: descriptors === undefined ? words : limited,
    cwd: home,
    env: { ...environment, ...DEFAULTS, ...env },
    stdin: "null",
    stdout: "piped",
    stderr: keepLog ? "piped" : "inherit",
  }).spawn();
  const logged = keepLog ? new Response(process.stderr).text() : Promise.resolve("");
  const { announced, rest, printed } = await readAnnouncement(process.stdout);
  const origin = /listens on (http:\/\/localhost:\d+)/.exec(announced)?.[1];
  assert.ok(origin, `the server did not start: ${announced}`);

  async function stop(signal: Deno.Signal = "SIGTERM") {
    try {
      process.kill(signal);
    } catch {
      // It has ended already.
    }
    await rest;
    return await process.status;
  }
  return {
    origin: origin.replace("localhost", "127.0.0.1"),
    folder: home,
    process,
    announced,
    printed,
    logged,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      if (!folder) await Deno.remove(home, { recursive: true });
    },
  };
}

/**
 * Milliseconds that a server which was stopped has waited for parts that did not end, by its log (from LOG_LEVEL=warn on).
 * What a busy machine takes besides is not in it.
 */
export function waitedInVain(logged: string): number {
  const waits = [...logged.matchAll(/: not done in (\d+) ms/g)].map(([, wait]) => Number(wait));
  return waits.reduce((sum, wait) => sum + wait, 0);
}

/** Milliseconds that a server gives itself at its end, whatever hangs. */
export const END = 3000;

/**
 * A POST of JSON whose body the server reads: it tells when it does (RFC 9110, 10.1.1). Its connection is closed after
 * the answer.
 *
 * @param length Bytes that the head promises; Infinity: in chunks, without a length. @default those of the body
 */
export async function requestBegun(
  origin: string,
  path: string,
  { body, length }: { body: string; length?: number },
): Promise<Deno.TcpConn> {
  const { hostname, port } = new URL(origin);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const head = [
    `POST ${path} HTTP/1.1`,
    "host: x",
    "connection: close",
    "content-type: application/json",
    "expect: 100-continue",
    length === Infinity ? "transfer-encoding: chunked" : `content-length: ${length ?? body.length}`,
  ].join("\r\n");
  await connection.write(new TextEncoder().encode(`${head}\r\n\r\n${body}`));
  // No more than that: on a busy machine the answer is there by then, and is the caller's to read.
  const told = new Uint8Array("HTTP/1.1 100 Continue\r\n\r\n".length);
  for (let at = 0; at < told.length;) {
    const read = await connection.read(told.subarray(at));
    assert.ok(read, "the server said nothing");
    at += read;
  }
  assert.equal(new TextDecoder().decode(told), "HTTP/1.1 100 Continue\r\n\r\n");
  return connection;
}

/** Reads until the line that says where the data is; then goes on beside. */
async function readAnnouncement(stdout: ReadableStream<Uint8Array>) {
  const reader = stdout.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .getReader();
  let announced = "";
  while (!/Data: .*\n/.test(announced)) {
    const { value, done } = await reader.read();
    if (done) break;
    announced += value;
  }
  let printed = announced;
  const rest = (async () => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      printed += value;
    }
  })();
  return { announced, rest, printed: () => printed };
}

// Streams of events: how much memory each takes, how soon an event reaches all, how soon each of many events reaches
// one, and what the server has to do for that; beside it the same with a server that does nothing else.
import { parseArgs } from "node:util";
import { answerHelp, print } from "../core/command_line.ts";
import { environment, openPermissions } from "../tests/start_task.ts";
import { credentials } from "./workloads.ts";
import { assertTools, type Process, startProcess, startQuarterdeck } from "./processes.ts";
import { emptySite, inNewFolder } from "./site.ts";

answerHelp(`Usage: deno task bench:events [options]

  --streams 5000  open at the end; the delay is measured with 1,000 at most
  --events 200    whose delay is measured
  --engine kv     or sqlite, postgres
  --processes 1   2: who writes does so at another process of the same store (postgres)
  --bare          the server to compare with, alone`);

const { values: options } = parseArgs({
  options: {
    streams: { type: "string", default: "5000" },
    events: { type: "string", default: "200" },
    engine: { type: "string", default: "kv" },
    processes: { type: "string", default: "1" },
    bare: { type: "boolean", default: false },
  },
});
const STREAMS = Number(options.streams);
/** Streams while the delay of single events is measured. */
const WATCHING = Math.min(1000, STREAMS);
const EVENTS = Number(options.events);
/** Connections that are opened at a time. */
const AT_A_TIME = 100;
/** Events before it is measured: code is compiled. */
const WARM_UP = 20;

/** Milliseconds, monotonic. */
const now = () => performance.now();

/** Where streams are open, and how something is written that they are told of. */
interface Side {
  readonly name: string;
  readonly server: Process;
  readonly token: string;
  write(title: string): Promise<void>;
}

async function main(): Promise<void> {
  if (options.processes !== "1" && options.engine !== "postgres") {
    throw new Error(
      `Cannot measure: two processes share a store on postgres, not ${options.engine}`,
    );
  }
  await assertTools();
  if (!options.bare) await inNewFolder(measureQuarterdeck);
  await inNewFolder(async (folder) => {
    await using server = await startProcess({
      script: "bench/bare_events.ts",
      permissions: openPermissions,
      env: environment,
      cwd: folder,
      port: /port (\d+)/,
      probe: "/livez",
      watched: true,
    });
    await measure({ name: "bare", server, token: "none", write: writerTo(server, "none") });
  });
}

async function measureQuarterdeck(folder: string): Promise<void> {
  const site = await emptySite(folder, { engine: options.engine, variant: "compact" });
  const bound = String(2 * STREAMS);
  const env = {
    ...site.env,
    ADMIN_PASSWORD: credentials.password,
    JWT_SECRET: "an access secret of the benchmark",
    REFRESH_TOKEN_SECRET: "a refresh secret of the benchmark",
    EVENT_STREAMS: bound,
    EVENT_STREAMS_PER_USER: bound,
    RATE_LIMIT: "false",
  };
  const start = () => startQuarterdeck(site.folder, env);
  await using server = await start();
  const token = await signIn(server);
  if (options.processes === "1") {
    return await measure({ name: "quarterdeck", server, token, write: writerTo(server, token) });
  }
  await using other = await start();
  const write = writerTo(other, token);
  await measure({ name: "quarterdeck, written at another process", server, token, write });
}

async function post(origin: string, path: string, body: unknown, token: string): Promise<Response> {
  const answer = await fetch(`${origin}/api${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`Cannot measure: POST ${path}: ${await answer.text()}`);
  return answer;
}

async function signIn({ origin }: Process): Promise<string> {
  const { password } = credentials;
  const answer = await post(origin, "/auth/login", { email: "admin@example.com", password }, "");
  return (await answer.json()).data.accessToken;
}

function writerTo({ origin }: Process, token: string): Side["write"] {
  return async (title) => {
    await (await post(origin, "/documents", { title }, token)).body?.cancel();
  };
}

async function measure({ name, server, token, write }: Side): Promise<void> {
  const streams: Stream[] = [];
  const open = async (count: number) => {
    while (streams.length < count) {
      const some = Math.min(AT_A_TIME, count - streams.length);
      const opening = Array.from({ length: some }, () => Stream.open(server.origin, token));
      streams.push(...await Promise.all(opening));
    }
  };
  /** Writes something; the milliseconds until one stream and until all were told. */
  const tell = async (title: string, n = 0) => {
    const asked = now();
    const one = streams[n % streams.length]!.next();
    const all = Promise.all(streams.map((stream) => stream.next()));
    await write(title);
    return { one: await one - asked, all: Math.max(...await all) - asked };
  };

  await write("warm");
  const before = await server.memory();
  await open(WATCHING);
  for (let n = 0; n < WARM_UP; n++) await tell(`warm ${n}`);
  await server.longestHold();
  const usedBefore = await server.processorTime();
  const delays: number[] = [];
  for (let n = 0; n < EVENTS; n++) delays.push((await tell(`event ${n}`, n)).one);
  const used = (await server.processorTime() - usedBefore) / EVENTS;
  const held = await server.longestHold();
  delays.sort((a, b) => a - b);
  const at = (share: number) => delays[Math.floor(share * (delays.length - 1))]!.toFixed(1);
  print(
    `${name}: delay with ${WATCHING} streams p50 ${at(0.5)} ms, p99 ${
      at(0.99)
    } ms after the request; ` +
      `an event takes ${used.toFixed(1)} ms of the processor, and holds the event loop for ${
        held.toFixed(1)
      } ms at worst`,
  );

  await open(STREAMS);
  const opened = await server.memory();
  const { all } = await tell("to all");
  const after = await server.memory();
  const each = (opened - before) * 1024 / STREAMS;
  print(
    `${name}: an event to ${STREAMS} streams ${all.toFixed(0)} ms after the request; memory ${
      before.toFixed(0)
    } MiB before, ${opened.toFixed(0)} MiB with all open (${each.toFixed(1)} KiB each), ${
      after.toFixed(0)
    } MiB afterwards`,
  );
  for (const stream of streams) stream.close();
}

/** A connection that tells when events of documents come on it. */
class Stream {
  #next = Promise.withResolvers<number>();

  private constructor(readonly connection: Deno.TcpConn) {
    this.#read();
  }

  static async open(origin: string, token: string): Promise<Stream> {
    const { hostname, port } = new URL(origin);
    const connection = await Deno.connect({ hostname, port: Number(port) });
    const head = `GET /api/events?collections=documents HTTP/1.1\r\nhost: x\r\n` +
      `authorization: Bearer ${token}\r\n\r\n`;
    await connection.write(new TextEncoder().encode(head));
    const first = new Uint8Array(4096);
    const text = new TextDecoder().decode(first.subarray(0, await connection.read(first) ?? 0));
    if (!text.includes(" 200 ")) throw new Error(`Cannot open a stream: ${text}`);
    return new Stream(connection);
  }

  /** When the next event comes. */
  next(): Promise<number> {
    return this.#next.promise;
  }

  close(): void {
    this.connection.close();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    const piece = new Uint8Array(4096);
    try {
      for (let read; (read = await this.connection.read(piece)) !== null;) {
        if (!decoder.decode(piece.subarray(0, read)).includes("event: documents")) continue;
        const { resolve } = this.#next;
        this.#next = Promise.withResolvers();
        resolve(now());
      }
    } catch {
      // It was closed.
    }
  }
}

await main();

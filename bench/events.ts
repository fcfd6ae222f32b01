// Streams of events: how much memory many of them take, how soon an event reaches all, and how soon each of many events
// reaches one. Starts a server of its own: deno task bench:events [streams].
import { print } from "../core/command_line.ts";
import { startServer } from "../tests/server.ts";

const STREAMS = Number(Deno.args[0] ?? 5000);
/** Streams while the delay of single events is measured, and the events. */
const WATCHING = Math.min(1000, STREAMS);
const EVENTS = 200;
const PASSWORD = "watched by many people";
/** Connections that are opened at a time. */
const AT_A_TIME = 100;

/** Milliseconds, monotonic. */
const now = () => performance.now();

async function main(): Promise<void> {
  const bound = String(2 * STREAMS);
  await using server = await startServer({
    ADMIN_PASSWORD: PASSWORD,
    EVENT_STREAMS: bound,
    EVENT_STREAMS_PER_USER: bound,
    RATE_LIMIT: "false",
  });
  const ask = async (method: string, path: string, body: unknown, token = "") => {
    const answer = await fetch(`${server.origin}/api${path}`, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`Cannot measure: ${method} ${path}: ${await answer.text()}`);
    return (await answer.json()).data;
  };
  const { accessToken } = await ask("POST", "/auth/login", {
    email: "admin@example.com",
    password: PASSWORD,
  });
  const write = (title: string) => ask("POST", "/documents", { title }, accessToken);
  const pid = server.process.pid;
  const streams: Stream[] = [];
  const open = async (count: number) => {
    while (streams.length < count) {
      const some = Math.min(AT_A_TIME, count - streams.length);
      streams.push(
        ...await Promise.all(
          Array.from({ length: some }, () => Stream.open(server.origin, accessToken)),
        ),
      );
    }
  };

  await write("warm");
  const before = await residentMiB(pid);
  await open(WATCHING);
  const delays: number[] = [];
  for (let n = 0; n < EVENTS; n++) {
    const asked = now();
    const told = streams[n % streams.length]!.next();
    const all = Promise.all(streams.map((stream) => stream.next()));
    await write(`event ${n}`);
    delays.push(await told - asked);
    await all;
  }
  delays.sort((a, b) => a - b);
  const at = (share: number) => delays[Math.floor(share * (delays.length - 1))]!.toFixed(1);
  print(
    `delay with ${WATCHING} streams: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms after the request`,
  );

  await open(STREAMS);
  const opened = await residentMiB(pid);
  const all = Promise.all(streams.map((stream) => stream.next()));
  const asked = now();
  await write("to all");
  await all;
  print(
    `an event to ${STREAMS} streams: ${(now() - asked).toFixed(0)} ms after the request`,
  );
  const after = await residentMiB(pid);
  print(`memory: ${before} MiB before, ${opened} MiB with all open, ${after} MiB afterwards`);
  for (const stream of streams) stream.close();
}

/** A connection that counts the events of documents that come on it. */
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

async function residentMiB(pid: number): Promise<number> {
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "rss=", "-p", String(pid)] })
    .output();
  return Math.round(Number(new TextDecoder().decode(stdout)) / 1024);
}

await main();

// A KV Connect server for tests, over memory: https://github.com/denoland/denokv/blob/main/proto/kv-connect.md
// It can be told to fail as servers and networks do.
import { Database } from "./database.ts";
import { decode, encode, READ, WRITE } from "./messages.ts";
import { pause } from "../until.ts";
import { Wire } from "./wire.ts";

export type Method = "metadata" | "snapshot_read" | "atomic_write" | "watch";

/**
 * What becomes of a call: the connection is cut before it is done, after it is done, or in the middle of the answer;
 * it is never answered; it is answered with an error of HTTP; or the database refuses.
 */
export type Fault =
  | "lost"
  | "answer lost"
  | "answer cut"
  | "silence"
  | "disabled"
  | { readonly status: number; readonly text: string };

export interface KvConnectOptions {
  /** The newest version that is spoken; public servers speak 2 or 3. @default 3 */
  readonly version?: 2 | 3;
  /** Milliseconds that the tokens of the metadata exchange are good for. @default a day */
  readonly lifetime?: number;
}

/** What `DENO_KV_ACCESS_TOKEN` has to be. */
export const ACCESS_TOKEN = "an access token of the tests";

/** What the public server allows: https://github.com/denoland/denokv/blob/main/proto/limits.rs */
const LIMITS = {
  keyBytes: 2048,
  valueBytes: 65_536,
  ranges: 10,
  entries: 1000,
  checks: 10,
  mutations: 1000,
  commitBytes: 819_200,
} as const;
const DATABASE_ID = "5f2c2a5e-7f1b-4c36-9d7c-0d6f7e1f7a11";

class Refusal extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

export class KvConnect implements AsyncDisposable {
  /** What the metadata exchange asks for. */
  accessToken = ACCESS_TOKEN;
  readonly database = new Database();
  /** Calls that came, whatever became of them. */
  readonly calls: Record<Method, number> = {
    metadata: 0,
    snapshot_read: 0,
    atomic_write: 0,
    watch: 0,
  };
  /** Asked for each call. */
  fault: (method: Method) => Fault | undefined = () => undefined;
  /** Tokens of the data path, with when they expire, in milliseconds since the epoch. */
  readonly #tokens = new Map<string, number>();
  readonly #end = new AbortController();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #wire: Wire;

  constructor(readonly options: KvConnectOptions = {}) {
    this.#server = Deno.serve({
      hostname: "127.0.0.1",
      port: 0,
      signal: this.#end.signal,
      onListen() {},
      onError: (error) =>
        new Response(String(error instanceof Error ? error.message : error), {
          status: error instanceof Refusal ? error.status : 500,
        }),
    }, (request, { remoteAddr }) => this.#answer(request, remoteAddr.port));
    this.#wire = new Wire(this.#server.addr.port);
    this.#wire.listen();
  }

  get url(): string {
    return `http://127.0.0.1:${this.#wire.port}`;
  }

  /** Cuts every connection, and takes no other until `resume`. */
  stop(): void {
    this.#wire.close();
  }

  /** Listens again, on the port that it had before. */
  resume(): void {
    this.#wire.listen();
  }

  /** From now on, tokens of earlier metadata exchanges are refused. */
  revokeTokens(): void {
    this.#tokens.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    this.#end.abort();
    await this.#server.finished;
  }

  /** @param port Of the connection. */
  async #answer(request: Request, port: number): Promise<Response> {
    const body = await request.bytes();
    const { pathname } = new URL(request.url);
    const method = pathname === "/" ? "metadata" : /^\/v2\/(\w+)$/.exec(pathname)?.[1];
    if (!method || !(method in this.calls)) throw new Refusal(404, "Resource not found.");
    this.calls[method as Method]++;
    const fault = this.fault(method as Method);
    if (fault === "silence") return await new Promise<never>(() => {});
    if (fault === "lost") return this.#cut(port);
    if (typeof fault === "object") throw new Refusal(fault.status, fault.text);
    if (method === "metadata") return this.#exchange(request, body);
    this.#admit(request);
    if (method === "watch") return this.#watch(decode("Watch", body).keys);
    const answer = fault === "disabled" ? refused(method) : this.#operate(method, body);
    if (fault === "answer lost") return this.#cut(port);
    const headers = {
      "content-type": "application/x-protobuf",
      "content-length": String(answer.length),
    };
    if (fault !== "answer cut") return new Response(answer as BodyInit, { headers });
    const half = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(answer.subarray(0, answer.length >> 1)),
      // So that the first half is on its way.
      pull: () => pause(20).then(() => void this.#cut(port)),
    }, { highWaterMark: 0 });
    return new Response(half, { headers });
  }

  #cut(port: number): Response {
    this.#wire.cut(port);
    return new Response();
  }

  #exchange(request: Request, body: Uint8Array): Response {
    if (request.headers.get("authorization") !== `Bearer ${this.accessToken}`) {
      throw new Refusal(401, "Invalid access token.");
    }
    const { supportedVersions } = JSON.parse(new TextDecoder().decode(body));
    const { version = 3, lifetime = 86_400_000 } = this.options;
    if (!supportedVersions.includes(version)) {
      throw new Refusal(400, "No protocol version matches.");
    }
    const token = crypto.randomUUID();
    const expires = Date.now() + lifetime;
    this.#tokens.set(token, expires);
    return Response.json({
      version,
      databaseId: DATABASE_ID,
      endpoints: [{ url: "/v2", consistency: "strong" }],
      token,
      expiresAt: new Date(expires).toISOString(),
    });
  }

  #admit({ headers }: Request): void {
    const token = /^Bearer (.+)$/.exec(headers.get("authorization") ?? "")?.[1];
    if (!((this.#tokens.get(token ?? "") ?? 0) > Date.now())) {
      throw new Refusal(401, "Invalid access token.");
    }
    if (headers.get("x-denokv-version") !== String(this.options.version ?? 3)) {
      throw new Refusal(400, "Unexpected protocol version.");
    }
    if (headers.get("x-denokv-database-id") !== DATABASE_ID) {
      throw new Refusal(400, "Invalid database id.");
    }
  }

  #operate(method: string, body: Uint8Array): Uint8Array {
    if (method === "snapshot_read") {
      const { ranges } = decode("SnapshotRead", body);
      most("read ranges", ranges.length, LIMITS.ranges);
      most("entries", ranges.reduce((sum, { limit }) => sum + limit, 0), LIMITS.entries);
      return encode("SnapshotReadOutput", {
        ranges: ranges.map((range) => ({ values: this.database.read(range) })),
        readIsStronglyConsistent: true,
        status: READ.success,
      });
    }
    const { checks, mutations } = decode("AtomicWrite", body);
    most("checks", checks.length, LIMITS.checks);
    most("mutations", mutations.length, LIMITS.mutations);
    most("bytes", body.length, LIMITS.commitBytes);
    for (const { key, value } of mutations) {
      most("bytes of a key", key.length, LIMITS.keyBytes);
      most("bytes of a value", value?.data.length ?? 0, LIMITS.valueBytes);
    }
    const written = this.database.write(checks, mutations);
    return encode("AtomicWriteOutput", {
      status: "versionstamp" in written ? WRITE.success : WRITE.checkFailure,
      ...written,
    });
  }

  /** Each answer goes after its length, in four bytes, little-endian. */
  #watch(keys: readonly { readonly key: Uint8Array }[]): Response {
    let last: (string | undefined)[] = keys.map(() => undefined);
    let changed = this.database.changed();
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      for (;;) {
        changed = this.database.changed();
        const entries = keys.map(({ key }) => this.database.get(key));
        const stamps = entries.map((entry) => entry?.versionstamp.toHex() ?? "");
        const news = stamps.map((stamp, n) => stamp !== last[n]);
        last = stamps;
        if (news.includes(true)) {
          const outputs = entries.map((entry, n) => ({
            changed: news[n]!,
            ...(entry && news[n] ? { entryIfChanged: entry } : {}),
          }));
          const message = encode("WatchOutput", { status: READ.success, keys: outputs });
          return controller.enqueue(framed(message));
        }
        await changed.happened;
      }
    };
    return new Response(new ReadableStream({ pull, cancel: () => changed.forget() }));
  }
}

function framed(message: Uint8Array): Uint8Array {
  const frame = new Uint8Array(4 + message.length);
  new DataView(frame.buffer).setUint32(0, message.length, true);
  frame.set(message, 4);
  return frame;
}

function refused(method: string): Uint8Array {
  return method === "snapshot_read"
    ? encode("SnapshotReadOutput", { readDisabled: true, status: READ.disabled })
    : encode("AtomicWriteOutput", { status: WRITE.disabled });
}

function most(what: string, given: number, limit: number): void {
  if (given > limit) throw new Refusal(400, `Too many ${what}: ${given}, allowed are ${limit}.`);
}

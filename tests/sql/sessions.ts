// Sessions of Postgres that the clients of a test file use one after the other: to begin and to end one takes the server
// many times what a test asks of it.
import { Buffer } from "node:buffer";
import { EventEmitter } from "node:events";
import net from "node:net";

/** A query is its type, the length of the rest, and its text with a zero behind it. */
const DISCARD_ALL = Buffer.from("Q\0\0\0\x10discard all\0");
const DISCARDED = Buffer.from("DISCARD ALL\0");
const READY = Buffer.from("Z\0\0\0\x05I");
/** What a server that asks for no password begins with. */
const LET_IN = Buffer.from("R\0\0\0\x08\0\0\0\0");
const TERMINATE = Buffer.from("X\0\0\0\x04");

interface Address {
  readonly port: number;
  readonly host: string;
}

/** By server and by what a client begins with: database, user and settings. */
const resting = new Map<string, Session[]>();

async function takeResting(key: string): Promise<Session | undefined> {
  const session = resting.get(key)?.pop();
  if (!session || await session.isClean) return session;
  session.socket.destroy();
  return await takeResting(key);
}

/** Ends the sessions that nobody uses. */
export function endSessions(): void {
  for (const session of [...resting.values()].flat()) session.socket.destroy();
  resting.clear();
}

/** A session, and the client that uses it. */
class Session {
  readonly socket: net.Socket;
  client: ReusedSocket | null;
  /** The server's first answer; for each client. */
  greeting = Buffer.alloc(0);
  /** Whether it may be used again, once it is known. */
  isClean = Promise.resolve(true);
  #heard = Buffer.alloc(0);
  #cleaned: ((isClean: boolean) => void) | null = null;

  constructor({ port, host }: Address, readonly key: string, client: ReusedSocket) {
    this.client = client;
    this.socket = net.connect(port, host);
    this.socket.setNoDelay(true);
    this.socket.on("data", (chunk: Buffer) => this.#hear(chunk));
    this.socket.on("error", (error) => this.client?.emit("error", error));
    this.socket.on("close", () => {
      this.#cleaned?.(false);
      this.client?.emit("close");
    });
  }

  /** As a new one, for the next client. */
  rest(): void {
    this.client = null;
    if (!this.greeting.subarray(0, LET_IN.length).equals(LET_IN)) {
      this.socket.destroy();
      return;
    }
    this.#heard = Buffer.alloc(0);
    this.isClean = new Promise((resolve) => this.#cleaned = resolve);
    this.socket.write(DISCARD_ALL);
    resting.set(this.key, [...resting.get(this.key) ?? [], this]);
  }

  #hear(chunk: Buffer): void {
    if (!endsReady(this.greeting)) this.greeting = Buffer.concat([this.greeting, chunk]);
    if (this.client) return void this.client.emit("data", chunk);
    this.#heard = Buffer.concat([this.#heard, chunk]);
    if (endsReady(this.#heard)) this.#cleaned?.(this.#heard.includes(DISCARDED));
  }
}

function endsReady(answer: Buffer): boolean {
  return answer.subarray(-READY.length).equals(READY);
}

/** What the driver takes for the socket of one connection. */
export class ReusedSocket extends EventEmitter {
  writable = true;
  #address: Address = { port: 0, host: "" };
  #session: Session | null = null;

  connect(port: number, host: string): this {
    this.#address = { port, host };
    queueMicrotask(() => this.emit("connect"));
    return this;
  }

  write(bytes: Buffer, done?: () => void): boolean {
    if (bytes.equals(TERMINATE)) {
      this.#leave()?.rest();
      done?.();
    } else if (this.#session) {
      this.#session.socket.write(bytes, done);
    } else {
      void this.#begin(bytes);
    }
    return true;
  }

  async #begin(startup: Buffer): Promise<void> {
    const key = `${this.#address.host}:${this.#address.port} ${startup.toString("latin1")}`;
    const found = await takeResting(key);
    if (!this.writable) return found?.rest();
    if (found) {
      this.#session = found;
      found.client = this;
      this.emit("data", found.greeting);
    } else {
      this.#session = new Session(this.#address, key, this);
      this.#session.socket.write(startup);
    }
  }

  /** Is no client any more. @returns The session that it had. */
  #leave(): Session | null {
    const session = this.#session;
    this.#session = null;
    this.writable = false;
    if (session) session.client = null;
    return session;
  }

  end(): void {
    this.destroy();
  }

  /** Ends the session, unless that rests already. */
  destroy(error?: Error): this {
    this.#leave()?.socket.destroy();
    queueMicrotask(() => {
      if (error) this.emit("error", error);
      this.emit("close");
    });
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

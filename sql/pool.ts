// The connections to Postgres, with a deadline for each answer. When the server goes silent, one probe asks it for all.
import type { PostgresPoolClient } from "kysely";
import pg from "pg";
import { delay } from "../core/delay.ts";
import { CopyOut } from "./copy.ts";

/** Milliseconds between two probes of a silent server, and how long one probe may take. */
const PROBE = { interval: 500, timeout: 2000 };
/** Milliseconds that a request for a connection waits for the probe before it fails. */
const PROBE_WAIT = 500;

/** Worded so that dialect.ts takes it for a lost connection. */
export const SILENT = "Connection terminated: the server does not answer";

/**
 * The pool as Kysely uses it.
 *
 * @param deadline Milliseconds for a connection and its first answer together, and for each answer after it.
 */
export function withDeadline(pool: pg.Pool, probe: Probe, deadline: number) {
  const open = async (): Promise<DeadlineClient> => {
    const asked = performance.now();
    await probe.passed();
    return new DeadlineClient(await pool.connect(), probe, deadline, asked);
  };
  return {
    options: pool.options,
    end: () => {
      probe.stop();
      return pool.end();
    },
    connect: async () => await open() as unknown as PostgresPoolClient,
    /** @param copy A COPY of one column; see CopyOut. */
    bytes: async (copy: string): Promise<Uint8Array[]> => {
      const client = await open();
      try {
        return await client.bytes(copy);
      } finally {
        client.release();
      }
    },
  };
}

/** A connection that did not answer in time is closed: the next query would wait for it in vain. */
class DeadlineClient {
  #silent = false;
  /** When the deadline of the present answer began to run. */
  #since: number;

  constructor(
    readonly client: pg.PoolClient,
    readonly probe: Probe,
    readonly deadline: number,
    asked: number,
  ) {
    this.#since = asked;
  }

  query = (text: string, values: readonly unknown[]): Promise<pg.QueryResult> =>
    this.#timely((left) => {
      const config = { text, values: values as unknown[], query_timeout: left };
      return this.client.query(config as pg.QueryConfig);
    });

  /** @param text A COPY of one column; see CopyOut. */
  bytes = (text: string): Promise<Uint8Array[]> =>
    this.#timely((left) =>
      new Promise((resolve, reject) => {
        const copy = new CopyOut(text, left);
        copy.callback = (error, values = []) => error ? reject(error) : resolve(values);
        this.client.query(copy);
      })
    );

  /** @param ask Is given the milliseconds that are left until the deadline. */
  async #timely<A>(ask: (left: number) => Promise<A>): Promise<A> {
    // A rollback to a silent server would wait for a whole deadline again.
    if (this.#silent) throw new Error(SILENT);
    try {
      return await ask(Math.max(this.#since + this.deadline - performance.now(), 1));
    } catch (error) {
      if (error instanceof Error && /read timeout/.test(error.message)) {
        this.#silent = true;
        this.probe.start();
      }
      throw error;
    } finally {
      this.#since = performance.now();
    }
  }

  release = (destroy?: boolean): void => {
    this.client.release(destroy || this.#silent);
  };
}

/** Asks a server that went silent, on connections of its own, until it answers. */
export class Probe {
  #answered: Promise<void> | null = null;
  #stopped = false;

  constructor(readonly connection: pg.ClientConfig) {}

  start(): void {
    this.#answered ??= this.#ask().finally(() => this.#answered = null);
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Returns at once unless the server is silent. @throws It stays silent for longer than `PROBE_WAIT`. */
  async passed(): Promise<void> {
    if (!this.#answered) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(SILENT)), PROBE_WAIT);
    });
    try {
      await Promise.race([this.#answered, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #ask(): Promise<void> {
    while (!this.#stopped) {
      const client = new pg.Client({
        ...this.connection,
        connectionTimeoutMillis: PROBE.timeout,
        query_timeout: PROBE.timeout,
      });
      client.on("error", () => {});
      try {
        await client.connect();
        await client.query("select 1");
        return;
      } catch {
        await delay(PROBE.interval);
      } finally {
        client.end().catch(() => {});
      }
    }
  }
}

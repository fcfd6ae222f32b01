// The connections to Postgres, with a deadline for each answer. When the server goes silent, one probe asks it for all.
import type { CompiledQuery, PostgresPoolClient } from "kysely";
import pg from "pg";
import { delay } from "../core/delay.ts";
import { answerTo, ReadTimeout } from "./answer.ts";
import { copyOut } from "./copy.ts";
import { BEGIN } from "./dialect.ts";
import type { Run } from "./engine.ts";
import { deallocate, StatementNames } from "./statement_names.ts";

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
  let ended: Promise<void> | undefined;
  return {
    options: pool.options,
    end: () => {
      probe.stop();
      // Kysely ends it where it has run a statement; whoever does without it has to. It may be ended once.
      return ended ??= pool.end();
    },
    connect: async () => await open() as unknown as PostgresPoolClient,
    transaction: async <R>(work: (run: Run) => Promise<R>): Promise<R> => {
      const client = await open();
      try {
        return await transaction(client, work);
      } finally {
        client.release();
      }
    },
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

/**
 * Its first statement is sent with its beginning, and is a commit's journal entry, which is not written where that was
 * refused (`commitLock`). What came after would be committed by itself, and is not sent.
 */
async function transaction<R>(
  client: DeadlineClient,
  work: (run: Run) => Promise<R>,
): Promise<R> {
  const begun = client.query(BEGIN, []);
  begun.catch(() => {});
  const run = async ({ sql: text, parameters }: CompiledQuery) => {
    const { rows, rowCount } = await client.query(text, parameters);
    await begun;
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  };
  try {
    const result = await work(run as Run);
    await begun;
    const { command } = await client.query("commit", []);
    // Postgres answers so, and with no error, where a statement has failed.
    if (command !== "COMMIT") throw new Error("Cannot commit: the transaction was rolled back");
    return result;
  } catch (error) {
    // A connection that cannot roll back is not used again.
    await client.query("rollback", []).catch(() => client.spoil());
    throw error;
  }
}

/** The names of the statements that are prepared on each connection. */
const namesOf = new WeakMap<pg.PoolClient, StatementNames>();

/**
 * A connection that did not answer in time is closed: the next query would wait for it in vain. Statements are sent
 * without waiting for the answers of earlier ones, as those of one transaction are.
 */
class DeadlineClient {
  #silent = false;
  #spoilt = false;
  readonly names: StatementNames;
  /** When the deadline of the present answer began to run. */
  #since: number;

  constructor(
    readonly client: pg.PoolClient,
    readonly probe: Probe,
    readonly deadline: number,
    asked: number,
  ) {
    this.#since = asked;
    const known = namesOf.get(client);
    this.names = known ?? new StatementNames();
    if (!known) namesOf.set(client, this.names);
  }

  query = (text: string, values: readonly unknown[]): Promise<pg.QueryResult> =>
    this.#timely((left) => {
      const { name, outdated } = this.names.of(text);
      if (outdated) deallocate(this.client, outdated);
      return answerTo(this.client, { text, values: values as unknown[], name }, left);
    });

  /** @param text A COPY of one column; see CopyOut. */
  bytes = (text: string): Promise<Uint8Array[]> =>
    this.#timely(async (left) => {
      const { client } = this as { client: { pipeline?: boolean } };
      // The client takes queries of other kinds than its own only one at a time.
      client.pipeline = false;
      try {
        return await copyOut(this.client, text, left);
      } finally {
        client.pipeline = true;
      }
    });

  /** @param ask Is given the milliseconds that are left until the deadline. */
  async #timely<A>(ask: (left: number) => Promise<A>): Promise<A> {
    // A rollback to a silent server would wait for a whole deadline again.
    if (this.#silent) throw new Error(SILENT);
    try {
      return await ask(Math.max(this.#since + this.deadline - performance.now(), 1));
    } catch (error) {
      if (error instanceof ReadTimeout) {
        this.#silent = true;
        this.probe.start();
      }
      throw error;
    } finally {
      this.#since = performance.now();
    }
  }

  /** Has it closed instead of used again. */
  spoil(): void {
    this.#spoilt = true;
  }

  release = (destroy?: boolean): void => {
    this.client.release(destroy || this.#silent || this.#spoilt);
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

// Reads on a few connections to Postgres: each statement is sent at once, behind those that are still unanswered.
import { Buffer } from "node:buffer";
import { nextTick } from "node:process";
import type { Duplex } from "node:stream";
import pg from "pg";
import { answerTo, ReadTimeout } from "./answer.ts";
import { type Probe, SILENT } from "./pool.ts";
import { deallocate, StatementNames } from "./statement_names.ts";

/** Milliseconds without an answer after which a connection gets further statements only where no other is left. */
const STUCK = 100;
/** The type of a row has changed since a statement was prepared: a newer program has added a column. */
const RESULT_TYPE_CHANGED = "0A000";

export type Row = Record<string, unknown>;

export interface PipelineOptions {
  /** How many connections at most. */
  readonly max: number;
  /** Milliseconds for each answer. */
  readonly deadline: number;
}

export class Pipelines {
  readonly #open = new Set<Pipeline>();
  #opening: Promise<Pipeline> | null = null;
  #closed = false;

  /** @param connection With the client's option `pipeline`. */
  constructor(
    readonly connection: pg.ClientConfig,
    readonly probe: Probe,
    readonly options: PipelineOptions,
  ) {}

  async ask(text: string, values: readonly unknown[]): Promise<Row[]> {
    const asked = performance.now();
    await this.probe.passed();
    const pipeline = this.#best() ?? await this.#another();
    try {
      return await pipeline.ask(text, values, asked + this.options.deadline - performance.now());
    } catch (error) {
      if (error instanceof ReadTimeout) this.probe.start();
      throw error;
    }
  }

  /** How many connections are open. */
  get size(): number {
    return this.#open.size;
  }

  async end(): Promise<void> {
    this.#closed = true;
    await this.#opening?.catch(() => {});
    await Promise.all([...this.#open].map((pipeline) => pipeline.end()));
  }

  /** The one with the fewest statements under way; null while there is none. */
  #best(): Pipeline | null {
    let best: Pipeline | null = null;
    for (const pipeline of this.#open) if (!best || pipeline.load < best.load) best = pipeline;
    if (best && best.load > 0 && this.#open.size < this.options.max) {
      // Nobody waits for it, so that an outage shows in the statements of those that are there.
      this.#another().catch(() => {});
    }
    return best;
  }

  #another(): Promise<Pipeline> {
    this.#opening ??= this.#connect().finally(() => this.#opening = null);
    return this.#opening;
  }

  async #connect(): Promise<Pipeline> {
    if (this.#closed) throw new Error("Client was closed and is not queryable");
    const client = new pg.Client(this.connection);
    const pipeline = new Pipeline(client);
    const lost = () => this.#open.delete(pipeline);
    client.on("error", lost).on("end", lost);
    await client.connect().catch((error) => {
      client.end().catch(() => {});
      throw error;
    });
    gatherWrites(client);
    this.#open.add(pipeline);
    return pipeline;
  }
}

class Pipeline {
  readonly #names = new StatementNames();
  #unanswered = 0;
  #answeredAt = 0;

  constructor(readonly client: pg.Client) {}

  /** Statements under way, and more than any number of them when nothing has been answered for long. */
  get load(): number {
    const stuck = this.#unanswered > 0 && performance.now() - this.#answeredAt > STUCK;
    return stuck ? this.#unanswered + 1e6 : this.#unanswered;
  }

  /** @param left Milliseconds. */
  async ask(text: string, values: readonly unknown[], left: number): Promise<Row[]> {
    if (left <= 0) throw new Error(SILENT);
    if (this.#unanswered++ === 0) this.#answeredAt = performance.now();
    try {
      return await this.#query(text, values, left);
    } finally {
      this.#unanswered--;
      this.#answeredAt = performance.now();
    }
  }

  async #query(text: string, values: readonly unknown[], left: number): Promise<Row[]> {
    const { name, outdated } = this.#names.of(text);
    if (outdated) deallocate(this.client, outdated);
    const query = { text, values: values as unknown[], name };
    try {
      return (await answerTo<pg.QueryResult>(this.client, query, left)).rows;
    } catch (error) {
      if (name === undefined || (error as { code?: string }).code !== RESULT_TYPE_CHANGED) {
        throw error;
      }
      this.#names.drop(text);
      deallocate(this.client, name);
      return (await answerTo<pg.QueryResult>(this.client, { text, values: query.values }, left))
        .rows;
    }
  }

  async end(): Promise<void> {
    await this.client.end().catch(() => {});
  }
}

/**
 * Makes one write of all that a connection sends in one turn of the event loop. The client writes each message of a
 * statement by itself, and a write costs as much as what Postgres does for a short statement.
 */
export function gatherWrites(client: pg.Client): void {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
  const write = stream.write.bind(stream) as (bytes: Uint8Array, done?: () => void) => boolean;
  let gathered: Uint8Array[] = [];
  const send = () => {
    const bytes = gathered.length === 1 ? gathered[0]! : Buffer.concat(gathered);
    gathered = [];
    if (bytes.length > 0 && stream.writable) write(bytes);
  };
  // The client's own way to gather the messages of a statement, which the runtime writes one by one all the same.
  Object.assign(stream, {
    cork: undefined,
    uncork: undefined,
    write: (bytes: Uint8Array, done?: () => void): boolean => {
      if (done) {
        send();
        return write(bytes, done);
      }
      if (gathered.push(bytes) === 1) nextTick(send);
      return true;
    },
  });
}

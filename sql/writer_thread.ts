// Large commits to a file of SQLite, each on a thread of its own: SQLite does what it is asked at once, and the end of a
// transaction of some thousand records alone would hold the event loop for a tenth of a second or more.
import type { CompiledQuery } from "kysely";
import { StoreUnavailable } from "../storage/port.ts";
import type { Run } from "./engine.ts";
import { BEGIN } from "./sqlite_file.ts";
import type { FromWriter, ToWriter } from "./writer_worker.ts";

type Answer = Extract<FromWriter, { readonly rows: unknown[] }>;

export class WriterThread {
  /** Settles when the transaction under way has ended; null where there is none. */
  underWay: Promise<void> | null = null;

  constructor(readonly path: string) {}

  /** Commits what the statements write, unless one of them fails or `work` throws. One at a time. */
  async transaction<R>(work: (run: Run) => Promise<R>): Promise<R> {
    // It may throw, where the system gives no thread.
    const writer = new Writer(this.path);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.underWay = promise;
    const run = async ({ sql: text, parameters }: CompiledQuery) => {
      const { rows, changes } = await writer.ask({ text, parameters });
      return { rows, numAffectedRows: changes === undefined ? undefined : BigInt(changes) };
    };
    try {
      await writer.ask({ path: this.path });
      await writer.ask(statement(BEGIN));
      const result = await work(run as Run);
      await writer.ask(statement("commit"));
      return result;
    } catch (error) {
      // It may have been rolled back already; and it is when the connection is closed.
      await writer.ask(statement("rollback")).catch(() => {});
      throw error;
    } finally {
      await writer.close();
      this.underWay = null;
      resolve();
    }
  }
}

function statement(text: string): ToWriter {
  return { text, parameters: [] };
}

/** One thread, which answers in the order in which it is asked. */
class Writer {
  readonly #worker = new Worker(import.meta.resolve("./writer_worker.ts"), { type: "module" });
  readonly #waiting: PromiseWithResolvers<Answer>[] = [];
  #failure: StoreUnavailable | null = null;

  constructor(path: string) {
    this.#worker.onmessage = ({ data }: MessageEvent<FromWriter>) => {
      const waiting = this.#waiting.shift()!;
      if ("rows" in data) waiting.resolve(data);
      else waiting.reject(Object.assign(new Error(data.problem), { table: data.table }));
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#failure = new StoreUnavailable(`Cannot write ${path}: ${event.message}`);
      for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#failure);
    };
  }

  ask(what: ToWriter): Promise<Answer> {
    if (this.#failure) return Promise.reject(this.#failure);
    const answer = Promise.withResolvers<Answer>();
    this.#waiting.push(answer);
    this.#worker.postMessage(what);
    return answer.promise;
  }

  async close(): Promise<void> {
    await this.ask("close").catch(() => {});
    this.#worker.terminate();
  }
}

// Follows the journal: makes memory forget what other processes have changed, and hands new entries to listeners.
import { sql } from "kysely";
import type { JournalEntry } from "../storage/port.ts";
import type { Engine } from "./engine.ts";
import type { OtherCommit } from "./memory.ts";
import { HOUR } from "../core/units.ts";
import { JOURNAL_RETENTION } from "../storage/limits.ts";

/** Entries read at a time. */
const BATCH = 500;
/** Milliseconds between removals of old entries. */
const PRUNE_INTERVAL = HOUR;
/** Milliseconds before what failed is tried again. */
const RETRY_DELAY = 500;
/** Digits of a position, so that their order as text is that of the numbers. */
const SEQ_DIGITS = 16;
const POSITION = /^0\d{15}$/;

/** Calls back with the origin of each commit, and with null when some may have been missed. */
export type Listen = (
  onCommit: (origin: string | null) => void,
) => { close(): Promise<void> };

export interface FeedOptions {
  /** Milliseconds between looks at the journal; null: no other process can write. */
  readonly interval: number | null;
  /** False when nothing can have been written by others since the last call. */
  readonly changed: () => boolean;
  /** What this process is committing while it does other things, until memory has it; null where there is nothing. */
  readonly committing: () => Promise<void> | null;
}

export class Feed {
  /** Newest entry that the memory has followed. */
  position = 0;
  /** Newest entry that is known to exist. */
  #head = 0;
  #waiting: (() => void)[] = [];
  #syncing: Promise<void> | null = null;
  #nextSync: Promise<void> | null = null;
  #behind = false;
  /** That of this process when it last looked at the journal. */
  #origin: string;
  /** The newest commit of this process that memory has. */
  #committed = 0;
  #prunedAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #closing = new AbortController();

  constructor(readonly engine: Engine, readonly options: FeedOptions) {
    this.#origin = engine.origin;
  }

  /** Follows the journal from its present end on: memory is still empty, so earlier entries do not matter. */
  async start(): Promise<void> {
    const started = performance.now();
    this.options.changed();
    const [row] = await this.engine.rows<{ seq: number | null }>(
      sql`select max(seq) as seq from journal`,
    );
    this.position = this.#head = row?.seq ?? 0;
    this.engine.memory.reached(this.position);
    this.engine.memory.confirm(this.options.interval === null ? Infinity : started);
    this.#schedule();
  }

  /** The position of the newest entry that is known to exist; empty when there is none. */
  get end(): string {
    return this.#head === 0 ? "" : positionOf(this.#head);
  }

  /** To be called when a commit of this process is durable. */
  committed(version: number): void {
    this.#head = Math.max(this.#head, version);
    this.#committed = version;
    this.#wake();
  }

  /** Follows the journal to its end. When it resolves, memory knows every commit that was done before the call. */
  sync(): Promise<void> {
    if (!this.#syncing) {
      return this.#syncing = this.#follow().finally(() => this.#syncing = null);
    }
    // The run that is under way may have read the journal too early.
    return this.#nextSync ??= this.#syncing.catch(() => {}).then(() => {
      this.#nextSync = null;
      return this.sync();
    });
  }

  /** When the oldest entry was written that is there; null when there is none. ISO 8601. */
  async since(): Promise<string | null> {
    const [row] = await this.engine.rows<{ at: unknown }>(
      sql`select at from journal order by seq limit 1`,
    );
    return row ? this.engine.dialect.decode("timestamp", row.at) as string : null;
  }

  changes(
    { after, signal }: { after?: string; signal?: AbortSignal },
  ): AsyncIterable<JournalEntry> {
    return this.#read(after === undefined ? this.#head : Number(after) || 0, signal);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    this.#wake();
    await (this.#nextSync ?? this.#syncing)?.catch(() => {});
  }

  async *#read(position: number, signal?: AbortSignal): AsyncIterable<JournalEntry> {
    const ended = () => this.#closing.signal.aborted || signal?.aborted;
    const onAbort = () => this.#wake();
    signal?.addEventListener("abort", onAbort);
    try {
      while (!ended()) {
        const entries = await this.#entries(position).catch(() => null);
        if (ended()) return;
        for (const entry of entries ?? []) {
          yield entry;
          position = Number(entry.seq);
          if (ended()) return;
        }
        if (entries === null) await this.#pause();
        else if (entries.length < BATCH && this.#head <= position) await this.#next();
      }
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async #entries(after: number): Promise<JournalEntry[]> {
    const rows = await this.engine.rows<Record<string, unknown>>(
      sql`select * from journal where seq > ${after} order by seq limit ${sql.lit(BATCH)}`,
    );
    const last = rows.at(-1)?.seq as number | undefined;
    // What an entry tells of is to be read by whoever sees the entry.
    if (rows.some((row) => this.#isUnderWay(row))) await this.options.committing();
    if (last !== undefined && last > this.position) await this.sync();
    return rows.map((row) => this.#decoded(row));
  }

  /** Whether memory does not know it yet, though it is a commit of this process. */
  #isUnderWay({ origin, seq }: Record<string, unknown>): boolean {
    return origin === this.engine.origin && seq as number > this.#committed;
  }

  /** The entry at a position; null where there is none. */
  async entry(position: string): Promise<JournalEntry | null> {
    if (!POSITION.test(position)) return null;
    const [row] = await this.engine.rows<Record<string, unknown>>(
      sql`select * from journal where seq = ${Number(position)}`,
    );
    return row ? this.#decoded(row) : null;
  }

  #decoded(row: Record<string, unknown>): JournalEntry {
    const { dialect } = this.engine;
    return {
      seq: positionOf(row.seq as number),
      at: dialect.decode("timestamp", row.at) as string,
      actor: {
        userId: row.actor_id as string | null,
        ...(row.ip === null ? {} : { ip: row.ip as string }),
        ...(row.request_id === null ? {} : { requestId: row.request_id as string }),
        ...(row.traceparent === null ? {} : { traceparent: row.traceparent as string }),
      },
      changes: dialect.decode("list", row.changes) as JournalEntry["changes"],
    };
  }

  async #follow(): Promise<void> {
    const started = performance.now();
    // Reset only when all was followed: after a failure on the way the next call must go on.
    this.#behind ||= this.options.changed() || this.engine.origin !== this.#origin;
    if (this.#behind) {
      while (await this.#followBatch());
      this.#behind = false;
    }
    if (this.options.interval !== null) this.engine.memory.confirm(started);
  }

  /** @returns Whether there may be more. */
  async #followBatch(): Promise<boolean> {
    const { origin, dialect, memory } = this.engine;
    this.#origin = origin;
    const rows = await this.engine.rows<{ seq: number; changes: unknown }>(
      sql`select seq, case when origin = ${origin} then null else changes end as changes
        from journal where seq > ${this.position} order by seq limit ${sql.lit(BATCH)}`,
    );
    let others: OtherCommit[] = [];
    for (const { seq, changes } of rows) {
      if (changes !== null) {
        const decoded = dialect.decode("list", changes) as JournalEntry["changes"];
        others.push({ changes: decoded, version: seq });
        continue;
      }
      if (seq <= this.#committed) continue;
      // Whoever commits it is about to tell memory of it: what came before it is followed before.
      if (!await this.#tell(others, seq - 1, origin)) return true;
      others = [];
      await this.options.committing();
      // Nobody could tell memory: whether it is durable was not known.
      if (origin !== this.engine.origin) return true;
      this.position = seq;
    }
    if (!await this.#tell(others, rows.at(-1)?.seq ?? this.position, origin)) return true;
    memory.reached(this.position);
    if (this.position > this.#head) {
      this.#head = this.position;
      this.#wake();
    }
    return rows.length === BATCH;
  }

  /** @returns False when the origin was renewed meanwhile: which entries are its own is then to be asked again. */
  async #tell(others: readonly OtherCommit[], upTo: number, origin: string): Promise<boolean> {
    if (others.length > 0) await this.engine.memory.follow(others);
    if (origin !== this.engine.origin) return false;
    this.position = upTo;
    return true;
  }

  #schedule(): void {
    const { interval } = this.options;
    if (this.#closing.signal.aborted) return;
    this.#timer = setTimeout(async () => {
      if (interval !== null) await this.sync().catch(() => {});
      await this.#prune().catch(() => {});
      this.#schedule();
    }, interval ?? PRUNE_INTERVAL);
    // Without other writers the timer only prunes, and must not keep the process alive.
    if (interval === null) Deno.unrefTimer(this.#timer);
  }

  async #prune(): Promise<void> {
    if (performance.now() - this.#prunedAt < PRUNE_INTERVAL) return;
    this.#prunedAt = performance.now();
    const oldest = new Date(this.engine.clock().getTime() - JOURNAL_RETENTION).toISOString();
    // By the order of the entries, which is that of their times: to look at all of them would hold SQLite's event loop.
    await this.engine.alone(
      sql`delete from journal where seq < coalesce(
        (select seq from journal where at >= ${oldest} order by seq limit 1),
        (select max(seq) + 1 from journal)
      )`,
    );
  }

  #next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, RETRY_DELAY);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

export function positionOf(seq: number): string {
  return String(seq).padStart(SEQ_DIGITS, "0");
}

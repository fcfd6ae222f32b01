// Opens Postgres: a pool that survives lost connections, values as records hold them, TLS as the URL says, and notifications.
import { readFileSync } from "node:fs";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { type Database, JOURNAL_CHANNEL } from "./dialect.ts";
import type { ReadChunks, Span } from "./blobs.ts";
import { copyOut } from "./copy.ts";
import type { Pipelined } from "./engine.ts";
import type { Listen } from "./feed.ts";
import { gatherWrites, Pipelines } from "./pipeline.ts";
import { Probe, withDeadline } from "./pool.ts";

export interface PoolOptions {
  /** How many connections at most, two at least; one more listens for changes. @default 10 */
  readonly max?: number;
  /** Milliseconds. @default 30000 */
  readonly statementTimeoutMs?: number;
  /** Milliseconds to connect, or to wait for a free connection. @default 5000 */
  readonly connectionTimeoutMs?: number;
  /** Makes what a connection is held over. @default a TCP socket */
  readonly stream?: pg.ClientConfig["stream"];
}

export interface OpenPostgres {
  readonly db: Kysely<Database>;
  /** Host, port and database; no user, no password. */
  readonly description: string;
  /** To be ended by the caller, before `db`. */
  readonly pipelined: Pipelined;
  readonly listen: Listen;
  readonly readChunks: ReadChunks;
  /** For migrations and copies. */
  unhurried(): Unhurried;
}

/** One connection without a time limit on statements. */
export interface Unhurried {
  /** The caller has to destroy it. */
  readonly db: Kysely<Database>;
  /** On the same connection, and so in the transaction that is open there. */
  readonly readChunks: ReadChunks;
}

/** Milliseconds that the client waits beyond the server's own timeout: the server may be gone without a word. */
const GRACE = 1000;
/**
 * Milliseconds, at most: a process that hangs in a transaction is cut off, so that those that wait for its locks get
 * their turn before they give up.
 */
const TRANSACTION_IDLE = 3000;
const LOCK_WAIT = 5000;
/** How many of the connections are for reads, which share them. */
const READERS = 4;
/** Milliseconds between the listener's checks that its connection is alive, and how long it waits for an answer. */
const HEARTBEAT = { interval: 15_000, timeout: 5000 };
/** Milliseconds before the listener connects again: doubling, within these bounds. */
const RECONNECT = { first: 100, last: 2000 };
/**
 * What lists read is in memory or on solid state, where a page out of turn costs hardly more than the next one: by the
 * default, of disks that turn, matches are counted in the table, not in an index. To compile a plan takes 50 to 300 ms.
 */
const PLANNING = "-c random_page_cost=1.1 -c jit=off";
const TYPES = { int8: 20, numeric: 1700, date: 1082, timestamptz: 1184 } as const;

export function openPostgres(url: string, options: PoolOptions = {}): OpenPostgres {
  const { max = 10, statementTimeoutMs = 30_000, connectionTimeoutMs = 5000 } = options;
  const { connectionString, ssl, description } = parsePostgresUrl(url);
  const connection: pg.ClientConfig = {
    connectionString,
    ssl,
    application_name: "quarterdeck",
    connectionTimeoutMillis: connectionTimeoutMs,
    keepAlive: true,
    stream: options.stream,
    types: { getTypeParser },
  };
  const limited = {
    ...connection,
    statement_timeout: statementTimeoutMs,
    lock_timeout: Math.min(LOCK_WAIT, statementTimeoutMs),
    idle_in_transaction_session_timeout: Math.min(TRANSACTION_IDLE, statementTimeoutMs),
    options: `${PLANNING} ${Deno.env.get("PGOPTIONS") ?? ""}`,
  };
  const readers = Math.max(1, Math.min(READERS, Math.floor(max / 2)));
  const sharing = { ...limited, pipeline: true } as pg.ClientConfig;
  const pool = new pg.Pool({ ...sharing, max: Math.max(1, max - readers) });
  // Lost connections show in the queries that were using them; those that were idle are just replaced.
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    client.on("error", () => {});
    gatherWrites(client);
  });
  const deadline = statementTimeoutMs + GRACE;
  const probe = new Probe(connection);
  const timely = withDeadline(pool, probe, deadline);
  const reads = new Pipelines(sharing, probe, { max: readers, deadline });
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: timely }) });
  return {
    db,
    description,
    pipelined: {
      ask: (text, parameters) => reads.ask(text, parameters),
      transaction: (work) => timely.transaction(work),
      end: async () => {
        await reads.end();
        await timely.end();
      },
    },
    listen: (onCommit) => new Listener(connection, onCommit),
    readChunks: (id, span) => timely.bytes(copyOfChunks(id, span)),
    unhurried: () => openUnhurried(connection),
  };
}

function openUnhurried(connection: pg.ClientConfig): Unhurried {
  let client: pg.PoolClient | undefined;
  const pool = new pg.Pool({ ...connection, max: 1 });
  pool.on("error", () => {});
  pool.on("connect", (connected) => client = connected);
  return {
    db: new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }),
    readChunks: async (id, span) => {
      if (!client) throw new Error("Cannot read bytes: there is no connection yet");
      return await copyOut(client, copyOfChunks(id, span));
    },
  };
}

/** COPY takes no parameters. */
function copyOfChunks(id: string, { first, last, part }: Span): string {
  const bytes = part ? `substr(bytes, ${part.offset + 1}, ${part.length})` : "bytes";
  return `copy (select ${bytes} from blob_chunks where blob_id = ${pg.escapeLiteral(id)}
    and n between ${first} and ${last} order by n) to stdout (format binary)`;
}

/** Timestamps as ISO 8601, dates as text, and counts and sums as numbers. */
// deno-lint-ignore no-explicit-any -- pg's own type
function getTypeParser(oid: number, format?: any): (value: any) => unknown {
  if (format !== "binary") {
    if (oid === TYPES.int8 || oid === TYPES.numeric) return Number;
    if (oid === TYPES.date) return (text: string) => text;
    if (oid === TYPES.timestamptz) return isoTime;
  }
  return pg.types.getTypeParser(oid, format);
}

/** `2026-11-21 09:24:44.12+00` as ISO 8601. */
function isoTime(text: string): string {
  if (text.length <= 26 && text.endsWith("+00") && text[10] === " ") {
    return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, "0")}Z`;
  }
  return new Date(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00")).toISOString();
}

/** @throws The text is not a URL, or its sslmode is unknown. The message holds no password. */
export function parsePostgresUrl(
  url: string,
): { connectionString: string; ssl: pg.ClientConfig["ssl"]; description: string } {
  if (!URL.canParse(url)) {
    throw new Error(
      "Cannot open Postgres: the URL must have the form postgres://user@host/database",
    );
  }
  const parsed = new URL(url);
  const host = parsed.searchParams.get("host") ?? (parsed.hostname || "localhost");
  const description = `${host}:${parsed.port || 5432}${parsed.pathname}`;
  const ssl = tls(parsed.searchParams);
  for (const name of ["sslmode", "sslrootcert"]) parsed.searchParams.delete(name);
  return { connectionString: parsed.href, ssl, description };
}

/** What each sslmode checks: https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-SSLMODE-STATEMENTS */
function tls(parameters: URLSearchParams): pg.ClientConfig["ssl"] {
  const mode = parameters.get("sslmode") ?? "disable";
  const root = parameters.get("sslrootcert");
  const ca = root ? readFileSync(root, "utf8") : undefined;
  switch (mode) {
    case "disable":
      return false;
    case "require":
    case "no-verify":
      // With a root certificate at hand, libpq checks it in this mode too.
      return ca && mode === "require"
        ? { ca, checkServerIdentity: () => undefined }
        : { rejectUnauthorized: false };
    case "verify-ca":
      return { ca, checkServerIdentity: () => undefined };
    case "verify-full":
      return { ca, rejectUnauthorized: true };
    default:
      throw new Error(
        `Cannot open Postgres: sslmode must be disable, require, verify-ca or verify-full, received '${mode}'`,
      );
  }
}

/** A connection of its own that hears of commits, and comes back when it is lost. */
class Listener {
  #client: pg.Client | null = null;
  /** For the next attempt to connect, or the next check that the connection is alive. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #delay = RECONNECT.first;
  #closed = false;
  #connecting: Promise<void>;

  constructor(
    readonly config: pg.ClientConfig,
    readonly onCommit: (origin: string | null) => void,
  ) {
    this.#connecting = this.#connect();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#connecting;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({ ...this.config, query_timeout: HEARTBEAT.timeout });
    client.on("error", () => this.#lost(client));
    client.on("end", () => this.#lost(client));
    client.on("notification", ({ payload }) => this.onCommit(payload ?? null));
    this.#client = client;
    try {
      await client.connect();
      await client.query(`listen ${JOURNAL_CHANNEL}`);
      this.#delay = RECONNECT.first;
      this.onCommit(null);
      this.#beat(client);
    } catch {
      this.#lost(client);
    }
  }

  #beat(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#timer = setTimeout(() => {
      client.query("select 1").then(() => this.#beat(client), () => this.#lost(client));
    }, HEARTBEAT.interval);
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    clearTimeout(this.#timer);
    client.end().catch(() => {});
    if (this.#closed) return;
    this.#timer = setTimeout(() => this.#connecting = this.#connect(), this.#delay);
    this.#delay = Math.min(this.#delay * 2, RECONNECT.last);
  }
}

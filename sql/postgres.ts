// Opens Postgres: a pool that survives lost connections, values as records hold them, TLS as the URL says, and notifications.
import { readFileSync } from "node:fs";
import { Kysely, PostgresDialect, type PostgresPoolClient } from "kysely";
import pg from "pg";
import { type Database, JOURNAL_CHANNEL } from "./dialect.ts";
import type { Listen } from "./store.ts";

export interface PoolOptions {
  /** Connections. One more listens for changes. @default 10 */
  readonly max?: number;
  /** Milliseconds. @default 30000 */
  readonly statementTimeoutMs?: number;
  /** Milliseconds to connect, or to wait for a free connection. @default 5000 */
  readonly connectionTimeoutMs?: number;
}

export interface OpenPostgres {
  readonly db: Kysely<Database>;
  /** Host, port and database; no user, no password. */
  readonly description: string;
  readonly listen: Listen;
}

/** Milliseconds that the client waits beyond the server's own timeout: the server may be gone without a word. */
const GRACE = 2000;
/** Milliseconds between signs of life of the listener, and to wait for one. */
const HEARTBEAT = { interval: 15_000, timeout: 5000 };
/** Milliseconds before the listener connects again: doubling, within these bounds. */
const RECONNECT = { first: 100, last: 2000 };
const TYPES = { bytea: 17, int8: 20, numeric: 1700, date: 1082, timestamptz: 1184 } as const;

export function openPostgres(url: string, options: PoolOptions = {}): OpenPostgres {
  const { max = 10, statementTimeoutMs = 30_000, connectionTimeoutMs = 5000 } = options;
  const { connectionString, ssl, description } = parsePostgresUrl(url);
  const connection: pg.ClientConfig = {
    connectionString,
    ssl,
    application_name: "quarterdeck",
    connectionTimeoutMillis: connectionTimeoutMs,
    keepAlive: true,
    types: { getTypeParser },
  };
  const pool = new pg.Pool({
    ...connection,
    max,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + GRACE,
    // A process that hangs must not keep the others from committing.
    idle_in_transaction_session_timeout: statementTimeoutMs,
  });
  // Lost connections show in the queries that were using them; those that were idle are just replaced.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return {
    db: new Kysely<Database>({ dialect: new PostgresDialect({ pool: withoutSilent(pool) }) }),
    description,
    listen: (onCommit) => new Listener(connection, onCommit),
  };
}

/** The pool, but a connection that did not answer in time is closed: the next query would wait for it in vain. */
function withoutSilent(pool: pg.Pool) {
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  const wrap = (client: pg.PoolClient) => {
    let silent = false;
    const query = async (text: string, values: readonly unknown[]) => {
      try {
        return await client.query(text, values as unknown[]);
      } catch (error) {
        silent ||= error instanceof Error && /read timeout/.test(error.message);
        throw error;
      }
    };
    return { query, release: (destroy?: boolean) => client.release(destroy || silent) };
  };
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect();
      const known = clients.get(client) ?? wrap(client) as unknown as PostgresPoolClient;
      clients.set(client, known);
      return known;
    },
  };
}

/** Timestamps as ISO 8601, dates as text, and counts and sums as numbers. */
// deno-lint-ignore no-explicit-any -- pg's own type
function getTypeParser(oid: number, format?: any): (value: any) => unknown {
  if (format !== "binary") {
    if (oid === TYPES.int8 || oid === TYPES.numeric) return Number;
    if (oid === TYPES.date) return (text: string) => text;
    if (oid === TYPES.timestamptz) return isoTime;
    if (oid === TYPES.bytea) return bytesOf;
  }
  return pg.types.getTypeParser(oid, format);
}

/** `\\xc0ffee` as bytes: natively, which is many times faster than the client's own. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.fromHex(text.slice(2));
}

/** `2026-11-21 09:24:44.12+00` as ISO 8601. */
function isoTime(text: string): string {
  return new Date(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00")).toISOString();
}

/** @throws The URL is none, or its sslmode is unknown. The message holds no password. */
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
  /** Of the next connection, or of the next sign of life. */
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

// Opens the store that a URL names. Each engine is loaded only when it is used.
import { fileProblem } from "../core/private_files.ts";
import type { CopySource } from "./copying.ts";
import type { LiveSource } from "./live.ts";
import type { Store } from "./port.ts";
import { assertFinished } from "./state.ts";

export interface OpenOptions {
  /** `kv:path`, `kv:http://…`, `kv:` for the bound database of Deno Deploy, `sqlite:path` or `postgres://…`. */
  readonly url: string;
  /** @default the system's time */
  readonly clock?: () => Date;
  /** How many bytes of records are kept in memory. @default 96 MiB */
  readonly cacheMaxBytes?: number;
  /** Whether a store that a copy has not finished is opened all the same. @default false */
  readonly acceptUnfinished?: boolean;
  /**
   * For SQLite only: commits reach the disk some megabytes at a time, and all when the store is closed. For a file that
   * is thrown away unless it becomes whole. @default false
   */
  readonly lazy?: boolean;
  /**
   * As a server asks for a file of its own: others are refused who ask for the same, and a disk without room for the
   * reserve of storage/room.ts counts as full. Those who do not ask may open a file of SQLite beside it, as commands do
   * beside a server; one of Deno KV has one process always. @default false
   */
  readonly alone?: boolean;
  /** For PostgreSQL only: how many connections, and time limits in milliseconds. */
  readonly database?: {
    readonly poolSize: number;
    readonly statementTimeout: number;
    readonly connectionTimeout: number;
  };
}

/**
 * @throws {StoreLocked} Another process has the file.
 * @throws {StoreUnavailable} The server of the database cannot be reached.
 * @throws {StoreUnfinished} A copy into it was not finished.
 * @throws The URL names no engine, or the store has the layout of a newer program.
 */
export async function openStore(options: OpenOptions): Promise<Store> {
  const store = await openEngine(options);
  if (options.acceptUnfinished) return store;
  try {
    await assertFinished(store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openEngine(options: OpenOptions): Promise<Store> {
  const { url, clock, cacheMaxBytes, lazy, alone, database } = options;
  await assertEngine(url);
  if (url.startsWith("kv:")) {
    const { openKvStore } = await import("../kv/store.ts");
    const path = url.slice("kv:".length) || undefined;
    return await openKvStore({ path, clock, cacheMaxBytes, serves: alone });
  }
  if (!/^(sqlite:.|postgres(ql)?:\/\/)/.test(url)) {
    // Not the whole URL: it may hold a password.
    throw new Error(
      `Cannot open the store: its URL must have the form kv:path, sqlite:path or postgres://user@host/database, received one that starts with '${
        url.slice(0, 1 + url.indexOf(":")) || url.slice(0, 8)
      }'`,
    );
  }
  const { openSqlStore } = await import("../sql/store.ts");
  const pool = database && {
    max: database.poolSize,
    statementTimeoutMs: database.statementTimeout,
    connectionTimeoutMs: database.connectionTimeout,
  };
  return await openSqlStore({ url, clock, cacheMaxBytes, lazy, alone, pool });
}

/**
 * Both engines have files of SQLite, as many other programs do, and each would make an empty store within any of them.
 *
 * @throws {Error} The file is of another engine than the URL names, or of another program.
 */
export async function assertEngine(url: string): Promise<void> {
  const [, engine, path = ""] = /^(kv|sqlite):(?!https?:)(.+)$/s.exec(url) ?? [];
  const tables = new Set<unknown>();
  try {
    if ((await Deno.stat(path)).size === 0) return;
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const rows = database.prepare("select name from sqlite_master where type = 'table'").all();
      for (const { name } of rows) tables.add(name);
    } finally {
      database.close();
    }
  } catch {
    // There is none, or the engine tells what is wrong with it.
    return;
  }
  // Deno KV makes the first of these before the other: a start that is killed leaves it alone.
  const ofKv = tables.has("migration_state") || tables.has("kv");
  const ofSqlite = tables.has("migrations");
  if (tables.size === 0 || (engine === "kv" ? ofKv : ofSqlite)) return;
  const problem = ofKv
    ? `it is a file of Deno KV: name it kv:${path}`
    : ofSqlite
    ? `it is a file of SQLite: name it sqlite:${path}`
    : "it is a database of another program: name a file that is not there yet";
  throw fileProblem(path, new Error(problem));
}

/** The newest layout that this version of the program knows of an engine's files. */
export async function layoutOf(engine: "kv" | "sqlite"): Promise<string> {
  if (engine === "kv") return String((await import("../kv/notes.ts")).LAYOUT);
  return Object.keys((await import("../sql/migrate.ts")).migrations).at(-1)!;
}

/**
 * Reads a database on Postgres as it is at one position of its journal.
 *
 * @param work Gets what can be copied, and the position.
 */
export async function withSnapshot<R>(
  url: string,
  work: (source: CopySource, position: string) => Promise<R>,
): Promise<R> {
  const { withPostgresSnapshot } = await import("../sql/snapshot.ts");
  return await withPostgresSnapshot(url, work);
}

/** Reads a store on a KV server, of which there is no snapshot, while others write. */
export async function withLive<R>(
  url: string,
  work: (source: LiveSource) => Promise<R>,
): Promise<R> {
  const { withLiveKv } = await import("../kv/live.ts");
  return await withLiveKv(url.slice("kv:".length), work);
}

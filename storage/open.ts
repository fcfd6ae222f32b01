// Opens the store that a URL names. Each engine is loaded only when it is used.
import type { Store } from "./store.ts";

export interface OpenOptions {
  /** `kv:path`, `kv:http://…`, `kv:` for the bound database of Deno Deploy, `sqlite:path` or `postgres://…`. */
  readonly url: string;
  /** @default the system's time */
  readonly clock?: () => Date;
  /** For decoded records, in bytes. @default 64 MiB */
  readonly cacheMaxBytes?: number;
  /** Of PostgreSQL: connections, and milliseconds. */
  readonly database?: {
    readonly poolSize: number;
    readonly statementTimeout: number;
    readonly connectionTimeout: number;
  };
}

/**
 * @throws {StoreLocked} Another process has the file of Deno KV open.
 * @throws {StoreUnavailable} The server of the database cannot be reached.
 * @throws The URL names no engine.
 */
export async function openStore(options: OpenOptions): Promise<Store> {
  const { url, clock, cacheMaxBytes, database } = options;
  if (url.startsWith("kv:")) {
    const { openKvStore } = await import("./kv/store.ts");
    return await openKvStore({ path: url.slice("kv:".length) || undefined, clock, cacheMaxBytes });
  }
  if (!/^(sqlite:.|postgres(ql)?:\/\/)/.test(url)) {
    // Not the whole URL: it may hold a password.
    throw new Error(
      `Cannot open the store: its URL must have the form kv:path, sqlite:path or postgres://user@host/database, received one that starts with '${
        url.slice(0, 1 + url.indexOf(":")) || url.slice(0, 8)
      }'`,
    );
  }
  const { openSqlStore } = await import("./sql/store.ts");
  const pool = database && {
    max: database.poolSize,
    statementTimeoutMs: database.statementTimeout,
    connectionTimeoutMs: database.connectionTimeout,
  };
  return await openSqlStore({ url, clock, cacheMaxBytes, pool });
}

// What several processes may share: each kind, for tests of them all.
import { KvConnect } from "./kv_connect/server.ts";
import "./kv_connect/open.ts";
import { postgresDatabase, type TestDatabase } from "./sql/databases.ts";

/** An empty database, and the server behind it; processes that tests start know its access token. */
export function kvConnectDatabase(): TestDatabase & { readonly server: KvConnect } {
  const server = new KvConnect();
  return { url: `kv:${server.url}`, server, drop: () => server[Symbol.asyncDispose]() };
}

const kinds = { Postgres: postgresDatabase, "KV Connect": kvConnectDatabase };

/** Runs with a new database of each kind in turn. */
export function eachShared(name: string, run: (database: TestDatabase) => Promise<void>): void {
  for (const [kind, create] of Object.entries(kinds)) {
    Deno.test(`${name} (${kind})`, async () => {
      const database = await create();
      try {
        await run(database);
      } finally {
        await database.drop();
      }
    });
  }
}

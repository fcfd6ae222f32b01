// The store of the tests of routes and services: in memory, or on the engine that TEST_ENGINE names.
import pg from "pg";
import { openSqlStore } from "../sql/store.ts";
import type { Store } from "../storage/port.ts";
import { postgresDatabase } from "./sql/databases.ts";
import { openTestStore } from "./storage/open.ts";

type Open = (clock: () => Date) => Promise<Store>;

const engines: Readonly<Record<string, Open>> = {
  kv: (clock) => openTestStore({ clock }),
  sqlite: (clock) => openSqlStore({ url: "sqlite::memory:", clock }),
  postgres: openPostgres,
};

const engine = Deno.env.get("TEST_ENGINE") ?? "kv";

/** An empty store. */
export const openOnEngine: Open = engines[engine] ??
  (() =>
    Promise.reject(
      new Error(`Cannot test: TEST_ENGINE is '${engine}', not kv, sqlite or postgres`),
    ));

/** A database of this test file, with a connection that empties it. */
interface Site {
  readonly url: string;
  readonly client: pg.Client;
  /** Whether a store is open on it. */
  busy: boolean;
  drop(): Promise<void>;
}

const sites: Site[] = [];

async function freeSite(): Promise<Site> {
  const free = sites.find((site) => !site.busy);
  if (free) return free;
  const { url, drop } = await postgresDatabase();
  const client = new pg.Client(url);
  await client.connect();
  // What a test writes need not outlive the machine.
  await client.query(
    `alter database ${new URL(url).pathname.slice(1)} set synchronous_commit = off`,
  );
  const site = { url, client, busy: false, drop };
  sites.push(site);
  return site;
}

/** Emptied between tests: that is several times faster than a new database for each. */
async function openPostgres(clock: () => Date): Promise<Store> {
  const site = await freeSite();
  site.busy = true;
  const store = await openSqlStore({ url: site.url, clock, pool: { max: 4 } });
  const close = store.close.bind(store);
  store.close = async () => {
    await close();
    await empty(site.client);
    site.busy = false;
  };
  return store;
}

async function empty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename !~ 'migration'",
  );
  // Without triggers the order does not matter.
  const deletions = rows.map(({ name }) => `delete from "${name}";`).join("");
  await client.query(`begin; set local session_replication_role = replica; ${deletions} commit;`);
}

if (engine === "postgres") {
  Deno.test.afterAll(async () => {
    for (const { client, drop } of sites.splice(0)) {
      await client.end();
      await drop();
    }
  });
}

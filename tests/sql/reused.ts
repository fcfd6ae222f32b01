// Databases on Postgres that the tests of a file use one after the other, emptied in between: that is several times
// faster than a new one for each.
import type { Duplex } from "node:stream";
import pg from "pg";
import { openSqlStore } from "../../sql/store.ts";
import type { Store } from "../../storage/port.ts";
import { type OpenOptions, postgresDatabase, type TestDatabase } from "./databases.ts";
import { endSessions, ReusedSocket } from "./sessions.ts";

/** A database of this test file, with a connection that empties it. */
interface Site {
  readonly url: string;
  readonly client: pg.Client;
  /** Whether a test uses it. */
  busy: boolean;
  drop(): Promise<void>;
}

const sites: Site[] = [];

/** An empty database, until it is dropped. The file that uses it has to call `dropReused` after all of its tests. */
export async function reusedDatabase(): Promise<TestDatabase> {
  const site = sites.find(({ busy }) => !busy) ?? await createSite();
  site.busy = true;
  return {
    url: site.url,
    async drop() {
      await empty(site.client);
      site.busy = false;
    },
  };
}

/** An empty store on such a database. */
export async function openReused(options: OpenOptions): Promise<Store> {
  const { url, drop } = await reusedDatabase();
  // TLS begins anew on each socket.
  const stream = /[?&]sslmode=/.test(url)
    ? undefined
    : () => new ReusedSocket() as unknown as Duplex;
  const store = await openSqlStore({ ...options, url, pool: { ...options.pool, stream } });
  const close = store.close.bind(store);
  store.close = async () => {
    await close();
    await drop();
  };
  return store;
}

export async function dropReused(): Promise<void> {
  endSessions();
  for (const { client, drop } of sites.splice(0)) {
    await client.end();
    await drop();
  }
}

async function createSite(): Promise<Site> {
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

async function empty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename !~ 'migration'",
  );
  // Without triggers the order does not matter.
  const deletions = rows.map(({ name }) => `delete from "${name}";`).join("");
  await client.query(`begin; set local session_replication_role = replica; ${deletions} commit;`);
}

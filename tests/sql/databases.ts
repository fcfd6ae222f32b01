// Databases for tests of the relational engine: each test has its own, and it goes with the test.
import pg from "pg";
import { roles } from "../../models/roles.ts";
import { openSqlStore, type SqlOptions } from "../../sql/store.ts";
import type { Store } from "../../storage/port.ts";

export type OpenOptions = Omit<SqlOptions, "url">;

const SERVER_URL = Deno.env.get("TEST_DATABASE_URL") ??
  "postgres://postgres@127.0.0.1:5432/postgres";

/** A database's URL, and its end. */
export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

export async function sqliteFile(): Promise<TestDatabase> {
  const directory = await Deno.makeTempDir({ prefix: "quarterdeck-sqlite-" });
  return {
    url: `sqlite:${directory}/store.db`,
    drop: () => Deno.remove(directory, { recursive: true }),
  };
}

let migrated: Promise<TestDatabase & { readonly path: string }> | undefined;

/** A file at the newest schema: a copy, since to bring one there takes as long as a test. Call `dropMigrated` at the end. */
export async function migratedFile(): Promise<TestDatabase> {
  const { path } = await (migrated ??= migrate());
  const { url, drop } = await sqliteFile();
  await Deno.copyFile(path, pathOf(url));
  return { url, drop };
}

/** An empty store in such a file, which goes when the store closes. */
export async function openMigrated(options: OpenOptions): Promise<Store> {
  return await openIn(await migratedFile(), options);
}

export async function dropMigrated(): Promise<void> {
  const file = migrated;
  migrated = undefined;
  await (await file)?.drop();
}

async function migrate() {
  const { url, drop } = await sqliteFile();
  await (await openSqlStore({ url })).close();
  return { url, path: pathOf(url), drop };
}

const pathOf = (url: string) => url.slice("sqlite:".length);

export async function postgresDatabase(serverUrl = SERVER_URL): Promise<TestDatabase> {
  const name = `quarterdeck_test_${crypto.randomUUID().replaceAll("-", "")}`;
  await onServer(serverUrl, `create database ${name} template template0`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => onServer(serverUrl, `drop database ${name} with (force)`),
  };
}

/** Runs one statement on a connection of its own. */
export async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Runs with a new database of each engine in turn. */
export function eachEngine(
  name: string,
  run: (database: TestDatabase, engine: "sqlite" | "postgres") => Promise<void>,
): void {
  for (
    const [engine, create] of [["sqlite", sqliteFile], ["postgres", postgresDatabase]] as const
  ) {
    Deno.test(`${name} (${engine})`, async () => {
      const database = await create();
      try {
        await run(database, engine);
      } finally {
        await database.drop();
      }
    });
  }
}

/** A store with the roles that users of the storage tests have; the database goes when it closes. */
export async function openForSuite(database: TestDatabase, options: OpenOptions): Promise<Store> {
  const store = await openIn(database, options);
  await addRoles(store);
  return store;
}

/** A store whose database goes when it closes. */
async function openIn(database: TestDatabase, options: OpenOptions): Promise<Store> {
  const store = await openSqlStore({ ...options, url: database.url }).catch(async (error) => {
    await database.drop();
    throw error;
  });
  const close = store.close.bind(store);
  store.close = async () => {
    await close();
    await database.drop();
  };
  return store;
}

/** Users refer to their role: the relational engine holds no user without one. */
export async function addRoles(store: Store, names = ["user", "admin", "guest"]): Promise<void> {
  const at = "2026-01-01T00:00:00.000Z";
  await store.load(
    roles,
    names.map((name) => ({
      id: name,
      createdAt: at,
      updatedAt: at,
      name,
      label: name,
      permissions: [],
      builtIn: true,
      customised: false,
    })),
  );
}

// What benchmarks share: a seeded store, and signing in to its server.
import { openPermissions } from "../tests/start_task.ts";
import { endServers, type Process, startQuarterdeck } from "./processes.ts";
import type { Seeded } from "./seed.ts";
import { sailorEmail } from "./people.ts";
import { credentials } from "./workloads.ts";

const root = new URL("..", import.meta.url).pathname;

export interface Site {
  readonly rows: number;
  readonly folder: string;
  readonly seeded: Seeded;
  readonly env: Readonly<Record<string, string>>;
  /** Scripts that its server loads before it starts, relative to the repo. @default none */
  readonly preload?: readonly string[];
  /** Whether the event loop of its server is watched. @default true */
  readonly watched?: boolean;
}

/** A running server on the data of a site. */
export interface Server extends Process {
  readonly site: Site;
  /** Access token of the administrator that the seed makes. */
  readonly token: string;
  /** Access token of a plain user, who sees a part of the documents. */
  readonly memberToken: string;
  /** API key of the administrator. */
  readonly apiKey: string;
}

/** Fills a store with `rows` users and documents, and makes the environment variables that lead a server to it. */
export async function seedSite(
  folder: string,
  { engine, variant }: { readonly engine: string; readonly variant: string },
  rows: number,
): Promise<Site> {
  const home = await Deno.makeTempDir({ dir: folder });
  const url = await storeUrl(engine, home);
  const seeded = await seedStore(url, rows, home);
  const env = {
    DATABASE_URL: url,
    VARIANT: variant,
    RATE_LIMIT: "true",
    // The tokens must outlive the run, in variant full too.
    JWT_ACCESS_EXPIRES: "1d",
    JWT_EXPIRES_IN: "1d",
  };
  return { rows, folder: home, seeded, env };
}

/** A new folder, and the address of a store that was never opened. */
export async function emptySite(
  folder: string,
  { engine, variant }: { readonly engine: string; readonly variant: string },
): Promise<Pick<Site, "folder" | "env">> {
  const home = await Deno.makeTempDir({ dir: folder });
  const env = { DATABASE_URL: await storeUrl(engine, home), VARIANT: variant };
  return { folder: home, env };
}

/** Where a new store is, of an engine. */
export async function storeUrl(engine: string, home: string): Promise<string> {
  if (engine === "kv") return `kv:${home}/bench.kv`;
  if (engine === "sqlite") return `sqlite:${home}/bench.db`;
  // Of this run alone: another one beside it has its own.
  const database = `quarterdeck_bench_${Deno.pid}_${databases.size}`;
  await runOnPostgres([
    `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`,
    `CREATE DATABASE ${database}`,
  ]);
  databases.add(database);
  return POSTGRES.replace(/\/[^/?]*(\?|$)/, `/${database}$1`);
}

const POSTGRES = Deno.env.get("BENCH_DATABASE_URL") ??
  "postgres://postgres@127.0.0.1:5432/postgres";
const databases = new Set<string>();

/** Drops the databases that were made. */
async function dropDatabases(): Promise<void> {
  await runOnPostgres([...databases].map((name) => `DROP DATABASE ${name} WITH (FORCE)`));
  databases.clear();
}

async function runOnPostgres(statements: readonly string[]): Promise<void> {
  if (statements.length === 0) return;
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: POSTGRES });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/**
 * Runs what needs stores, in a new folder. Whatever ends it, a signal too, takes the servers, the databases and the
 * folder with it.
 */
export async function inNewFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "quarterdeck-bench-" });
  let cleaned: Promise<void> | undefined;
  const cleanUp = () => cleaned ??= removeAll(folder);
  const onSignal = () => void cleanUp().finally(() => Deno.exit(1));
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) Deno.addSignalListener(signal, onSignal);
  try {
    return await work(folder);
  } finally {
    await cleanUp();
    for (const signal of signals) Deno.removeSignalListener(signal, onSignal);
  }
}

async function removeAll(folder: string): Promise<void> {
  await endServers();
  await dropDatabases();
  await Deno.remove(folder, { recursive: true });
}

/** Starts a server on the site's data. */
export function start(
  { folder, env, preload, watched }: Pick<Site, "folder" | "env" | "preload" | "watched">,
): Promise<Process> {
  return startQuarterdeck(folder, env, { preload, watched });
}

/** Starts a server and signs in. */
export async function serve(site: Site): Promise<Server> {
  const server = await start(site);
  const { password } = credentials;
  const token = await signIn(server.origin, credentials);
  return {
    ...server,
    site,
    token,
    apiKey: await makeKey(server.origin, token),
    memberToken: await signIn(server.origin, { email: sailorEmail(1, site.rows), password }),
  };
}

async function makeKey(origin: string, token: string): Promise<string> {
  const response = await fetch(`${origin}/api/auth/keys`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ name: "Benchmark", scopes: ["users:view"] }),
  });
  if (!response.ok) throw new Error(`Cannot make an API key: ${await response.text()}`);
  return (await response.json()).data.key;
}

/**
 * Fills the store that the URL names with `rows` users and documents, in a process of its own.
 *
 * @param folder Where the file of ids is written.
 */
export async function seedStore(url: string, rows: number, folder: string): Promise<Seeded> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      ...openPermissions,
      "bench/seed.ts",
      "--url",
      url,
      "--rows",
      String(rows),
      "--ids",
      `${folder}/ids.txt`,
    ],
    cwd: root,
  }).output();
  if (!success) throw new Error(`Cannot seed: ${new TextDecoder().decode(stderr)}`);
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** @returns The access token. */
export async function signIn(
  origin: string,
  person: { readonly email: string; readonly password: string },
): Promise<string> {
  const response = await fetch(`${origin}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(person),
  });
  if (!response.ok) throw new Error(`Cannot sign in: ${await response.text()}`);
  return (await response.json()).accessToken;
}

// Stores of the first release, opened by the program of today: all that they held is there, field by field.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { allCollections } from "../../../models/all.ts";
import { migrations } from "../../../sql/migrate.ts";
import { openStore } from "../../../storage/open.ts";
import { answersOf } from "../../fixtures/answers.ts";
import {
  ACCOUNTS,
  ENGINES,
  type FixtureEngine,
  loadStatements,
  readFixture,
  SECRETS,
} from "../../fixtures/first_layout.ts";
import { startServer } from "../../server.ts";
import { openDatabase } from "../../sql/queries.ts";
import { postgresDatabase } from "../../sql/databases.ts";
import { pause } from "../../until.ts";

interface Restored extends AsyncDisposable {
  readonly url: string;
  /** The file, of engines that have one. */
  readonly path: string | null;
  readonly answers: Record<string, unknown>;
}

async function restore(engine: FixtureEngine): Promise<Restored> {
  const { store, answers } = await readFixture(engine);
  if (engine === "postgres") {
    const { url, drop } = await postgresDatabase();
    await loadStatements(url, store);
    return { url, path: null, answers, [Symbol.asyncDispose]: drop };
  }
  const folder = await Deno.makeTempDir({ prefix: "quarterdeck-first-" });
  const path = `${folder}/store`;
  await Deno.writeFile(path, store);
  return {
    url: `${engine}:${path}`,
    path,
    answers,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** Every record with its version, by collection and id. */
async function recordsOf(url: string): Promise<Map<string, unknown>> {
  const store = await openStore({ url });
  try {
    const records = new Map<string, unknown>();
    for (const declaration of allCollections) {
      for await (const record of store.from(declaration).scan()) {
        records.set(`${declaration.name} ${record.id}`, record);
      }
    }
    assert.deepEqual(await Array.fromAsync(store.check()), []);
    return records;
  } finally {
    await store.close();
  }
}

/** What signing in and reading change by themselves. */
const MOVING: ReadonlySet<string> = new Set(["lastLoginAt", "views", "updatedAt"]);

/** Asserts that what was told then is told now: further fields may have come. */
function assertHolds(then: unknown, now: unknown, where: string): void {
  if (Array.isArray(then)) {
    assert.ok(Array.isArray(now) && now.length === then.length, where);
    then.forEach((one, n) => assertHolds(one, now[n], `${where}[${n}]`));
  } else if (then !== null && typeof then === "object") {
    assert.ok(now !== null && typeof now === "object", where);
    for (const [field, value] of Object.entries(then)) {
      if (MOVING.has(field)) continue;
      assertHolds(value, (now as Record<string, unknown>)[field], `${where}.${field}`);
    }
  } else assert.equal(now, then, where);
}

for (const engine of ENGINES) {
  Deno.test(`first layout (${engine}): all that the API told is told today, with the old passwords`, async () => {
    await using restored = await restore(engine);
    const env = { ...SECRETS, DATABASE_URL: restored.url };
    {
      await using server = await startServer(env);
      const now = await answersOf(server.origin, ACCOUNTS);
      // A route that was not there then told nothing.
      const told = Object.entries(restored.answers).filter(([, then]) => then !== null);
      assert.ok(told.length > 150, `${told.length}`);
      for (const [path, then] of told) assertHolds(then, now[path], path);
    }
    const after = await recordsOf(restored.url);
    {
      await using server = await startServer(env);
      assert.equal((await fetch(`${server.origin}/readyz`)).status, 200);
    }
    assert.deepEqual(await recordsOf(restored.url), after, "a second start changes nothing");
  });
}

/** Everything in a file of SQLite, as it is stored. */
function rowsOf(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
    return Object.fromEntries(tables.map(({ name }) => [
      String(name),
      database.prepare(`select * from "${name}"`).all(),
    ]));
  } finally {
    database.close();
  }
}

for (const engine of ["kv", "sqlite"] as const) {
  Deno.test(`first layout (${engine}): of a program yet to come, it is refused and left as it is`, async () => {
    await using restored = await restore(engine);
    await (await openStore({ url: restored.url })).close();
    if (engine === "kv") {
      const kv = await Deno.openKv(restored.path!);
      await kv.set(["note", "layout"], "99");
      kv.close();
    } else {
      const database = new DatabaseSync(restored.path!);
      database.exec("insert into migrations values ('9999_future', '2126-01-01T00:00:00Z')");
      database.close();
    }
    const before = rowsOf(restored.path!);
    await assert.rejects(openStore({ url: restored.url }), /newer version of the program/);
    assert.deepEqual(rowsOf(restored.path!), before);
  });
}

for (const engine of ["sqlite", "postgres"] as const) {
  Deno.test(`first layout (${engine}): kill -9 while it is migrated leaves the old layout or the new one`, async () => {
    const old = ["0001_engine", "0002_people", "0003_content", "0004_activity"];
    const all = Object.keys(migrations);
    const code = `
      import { openStore } from ${JSON.stringify(import.meta.resolve("../../../storage/open.ts"))};
      await import(${JSON.stringify(import.meta.resolve("../../../sql/store.ts"))});
      console.log("begins");
      await openStore({ url: Deno.env.get("URL_OF_STORE") });
      console.log("is open");
      setInterval(() => {}, 1000);`;
    const config = new URL("../../../deno.json", import.meta.url).pathname;
    const seen = new Set<number>();
    for (let delay = 0; !seen.has(all.length); delay = 2 * delay + 4) {
      await using restored = await restore(engine);
      const child = new Deno.Command(Deno.execPath(), {
        args: ["eval", "-q", "--config", config, code],
        env: { URL_OF_STORE: restored.url },
        stdout: "piped",
        stderr: "inherit",
      }).spawn();
      const reader = child.stdout.getReader();
      await reader.read();
      await pause(delay);
      child.kill("SIGKILL");
      await child.status;
      await reader.cancel();
      const { query, close } = openDatabase(restored.url);
      const rows = await query<{ name: string }>("select name from migrations order by name");
      await close();
      const names = rows.map(({ name }) => name);
      assert.deepEqual(names, names.length === old.length ? old : all, `after ${delay} ms`);
      seen.add(names.length);
      const records = await recordsOf(restored.url);
      assert.ok([...records.keys()].filter((key) => key.startsWith("documents ")).length === 13);
    }
    assert.ok(seen.has(old.length), "none was killed before the end");
  });
}

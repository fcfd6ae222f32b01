// kill -9 in the middle of an import: after the restart either no user of it is there, or all are.
import assert from "node:assert/strict";
import { delay } from "../../../core/delay.ts";
import { auditLog } from "../../../models/audit.ts";
import { users } from "../../../models/users.ts";
import { openStore } from "../../../storage/open.ts";
import { startServer } from "../../server.ts";
import { kvFile } from "../../services/backups/stores.ts";
import { postgresDatabase, sqliteFile, type TestDatabase } from "../../sql/databases.ts";
import { openDatabase } from "../../sql/queries.ts";
import { until } from "../../until.ts";

const PASSWORD = "survives a crash";
const ROWS = 4000;

/** How often it is cut, each time at another moment. */
const TRIES = 4;

/** Starts an import and kills the server after so many milliseconds. @returns How many milliseconds it took, if it ended. */
async function importCut(
  env: Record<string, string>,
  home: string,
  { mark, after }: { mark: string; after: number },
): Promise<number | null> {
  const server = await startServer(env, home);
  try {
    const login = await fetch(`${server.origin}/api/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "admin@example.com", password: PASSWORD }),
    });
    const token = (await login.json()).data.accessToken;
    const lines = Array.from({ length: ROWS }, (_, n) => `Sailor ${n},${mark}-${n}@example.com`);
    const began = performance.now();
    const sent = fetch(`${server.origin}/api/users/import?dryRun=false`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "text/csv" },
      body: ["name,email", ...lines].join("\n"),
    }).then(async (response) => {
      assert.equal(response.status, 200, await response.text());
      return performance.now() - began;
    });
    sent.catch(() => {});
    await Promise.race([delay(after), sent]);
    await server.stop("SIGKILL");
    return await sent.catch((error) => {
      if (error instanceof assert.AssertionError) throw error;
      return null;
    });
  } finally {
    await server.stop("SIGKILL");
  }
}

/** Opening it finishes what was decided, as the next start of a server does. @returns The users, and records of them. */
async function countAll(url: string) {
  const store = await openStore({ url });
  try {
    const target = { action: "insert", target: "users" };
    return {
      users: await store.from(users).count(),
      listed: (await Array.fromAsync(store.from(users).scan())).length,
      audited: await store.from(auditLog).count(target),
    };
  } finally {
    await store.close();
  }
}

/** What a killed process has asked of Postgres may go on there for a moment. */
async function settled(url: string): Promise<void> {
  if (!url.startsWith("postgres:")) return;
  const { query, close } = openDatabase(url);
  const others = () =>
    query(
      "select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
  await until(async () => (await others()).length === 0, "the end of its connections");
  await close();
}

async function crashImports({ url, drop }: TestDatabase): Promise<void> {
  const home = await Deno.makeTempDir({ prefix: "quarterdeck-" });
  const env = {
    VARIANT: "compact",
    DATABASE_URL: url,
    ADMIN_EMAIL: "admin@example.com",
    ADMIN_PASSWORD: PASSWORD,
  };
  try {
    // One that is not cut tells how long it takes here.
    const whole = await importCut(env, home, { mark: "whole", after: 60_000 });
    assert.ok(whole !== null);
    let before = await countAll(url);
    assert.equal(before.users, ROWS + 1);
    let cut = 0;
    for (let n = 0; n < TRIES; n++) {
      const after = whole * (n + 1) / (TRIES + 1);
      const took = await importCut(env, home, { mark: `cut${n}`, after });
      await settled(url);
      const now = await countAll(url);
      const more = now.users - before.users;
      assert.ok(more === 0 || more === ROWS, `${more} of ${ROWS} users are there`);
      assert.equal(now.listed, now.users, "the count is that of the records");
      assert.equal(now.audited - before.audited, more, "each has its entry in the audit log");
      if (took !== null) assert.equal(more, ROWS, "an import that was answered is there");
      else cut++;
      before = now;
    }
    assert.ok(cut > 0, "every import was through before the server was killed");
  } finally {
    await Deno.remove(home, { recursive: true });
    await drop();
  }
}

Deno.test("imports: killed in the middle, the old state is there or the new one", async (t) => {
  const engines = { kv: kvFile, sqlite: sqliteFile, postgres: postgresDatabase };
  for (const [engine, create] of Object.entries(engines)) {
    await t.step(engine, async () => await crashImports(await create()));
  }
});

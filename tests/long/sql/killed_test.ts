// kill -9 in the middle of a migration: the database is as it was, or new as a whole, and the next start goes on.
import assert from "node:assert/strict";
import { sql } from "kysely";
import pg from "pg";
import { postgresDialect } from "../../../sql/dialect.ts";
import { migrations } from "../../../sql/migrate.ts";
import { openPostgres } from "../../../sql/postgres.ts";
import { openStore } from "../../../storage/open.ts";
import { said, task } from "../../services/backups/stores.ts";
import { postgresDatabase } from "../../sql/databases.ts";
import { openDatabase } from "../../sql/queries.ts";
import { pause, until } from "../../until.ts";

/** Of `pg_advisory_xact_lock`: see sql/dialect.ts. */
const MIGRATION_LOCK = 7_119_301;

/** Brings a database to what an older version of the program made. */
async function migrateTo(url: string, count: number): Promise<void> {
  const { db, pipelined } = openPostgres(url);
  await db.transaction().execute(async (tx) => {
    await sql`create table migrations (name text primary key, applied_at timestamptz not null)`
      .execute(tx);
    for (const [name, load] of Object.entries(migrations).slice(0, count)) {
      const { up } = await load();
      await up(tx, postgresDialect);
      await sql`insert into migrations (name, applied_at) values (${name}, now())`.execute(tx);
    }
  });
  await pipelined.end();
  await db.destroy();
}

/** Every column and every migration that there is. */
async function layoutOf(url: string): Promise<string[]> {
  const { query, close } = openDatabase(url);
  const columns = await query<{ text: string }>(
    `select table_name || '.' || column_name || ' ' || data_type as text
      from information_schema.columns where table_schema = 'public' order by 1`,
  );
  const applied = columns.length === 0
    ? []
    : await query<{ text: string }>("select name as text from migrations order by 1");
  await close();
  return [...columns, ...applied].map(({ text }) => text);
}

async function isMigrating(url: string): Promise<boolean> {
  const { query, close } = openDatabase(url);
  const held = await query(
    `select 1 from pg_locks where locktype = 'advisory' and objid = ${MIGRATION_LOCK}
      and database = (select oid from pg_database where datname = current_database())`,
  );
  await close();
  return held.length > 0;
}

/** Holds a migration up in its middle, where it makes a foreign key, until the connection ends. */
async function barrier(url: string) {
  const client = new pg.Client(url);
  await client.connect();
  await client.query("begin");
  await client.query("lock table pg_trigger in share mode");
  return {
    async isReached() {
      const { rows } = await client.query(
        `select 1 from pg_locks where not granted and relation = 'pg_trigger'::regclass
          and database = (select oid from pg_database where datname = current_database())`,
      );
      return rows.length > 0;
    },
    end: () => client.end(),
  };
}

/** It may have ended in time. */
function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

for (const [from, count] of [["an empty database", 0], ["an older layout", 5]] as const) {
  Deno.test(`migration: killed at any moment from ${from}, it is the old layout or the new (postgres)`, async () => {
    const whole = await postgresDatabase();
    await (await openStore({ url: whole.url })).close();
    const newest = await layoutOf(whole.url);
    await whole.drop();
    let cut = 0;
    // Once held up in the middle, and at moments that a busy machine may find too late.
    for (const milliseconds of [null, 0, 20, 50, 100, 200, 400]) {
      const { url, drop } = await postgresDatabase();
      try {
        if (count > 0) await migrateTo(url, count);
        const old = await layoutOf(url);
        const held = milliseconds === null ? await barrier(url) : null;
        const child = await task("verify", ["--store", url]);
        await until(async () =>
          held
            ? await held.isReached()
            : await isMigrating(url) || (await layoutOf(url)).length > old.length
        );
        await pause(milliseconds ?? 0);
        kill(child);
        await child.output();
        await held?.end();
        // What its connection was doing ends with it.
        await until(async () => !await isMigrating(url));
        const found = await layoutOf(url);
        if (found.length !== newest.length) {
          cut++;
          assert.deepEqual(found, old);
        } else assert.deepEqual(found, newest);
        const next = await said(await task("verify", ["--store", url]));
        assert.equal(next.code, 0, next.text);
        assert.deepEqual(await layoutOf(url), newest);
      } finally {
        await drop();
      }
    }
    assert.ok(cut > 0, "no migration was killed in the middle");
  });
}

// Reads that share connections to Postgres: each gets its own answer or error, and prepared statements are bounded.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import pg from "pg";
import { gatherWrites, Pipelines } from "../../sql/pipeline.ts";
import { Probe } from "../../sql/pool.ts";
import { StatementNames } from "../../sql/statement_names.ts";
import { onServer, postgresDatabase } from "./databases.ts";

async function withPipelines(
  max: number,
  run: (pipelines: Pipelines, url: string) => Promise<void>,
): Promise<void> {
  const database = await postgresDatabase();
  const connection = {
    connectionString: database.url,
    application_name: "pipelines",
    pipeline: true,
  };
  const pipelines = new Pipelines(connection, new Probe(connection), { max, deadline: 20_000 });
  try {
    await run(pipelines, database.url);
  } finally {
    await pipelines.end();
    await database.drop();
  }
}

async function valueOf(pipelines: Pipelines, text: string, ...values: unknown[]): Promise<unknown> {
  const [row] = await pipelines.ask(text, values);
  return Object.values(row ?? {})[0];
}

Deno.test("each of many reads at once has its own answer, and an error is that of one alone", () =>
  withPipelines(2, async (pipelines) => {
    // What comes while one is busy opens another one.
    await valueOf(pipelines, "select 1");
    while (pipelines.size < 2) {
      await Promise.all([1, 2].map((n) => valueOf(pipelines, "select $1::int", n)));
    }
    const settled = await Promise.allSettled(
      Array.from(
        { length: 300 },
        (_, n) => valueOf(pipelines, "select 100 / ($1::int % 50) + $1::int as v", n),
      ),
    );
    settled.forEach((result, n) => {
      if (n % 50 === 0) {
        assert.ok(result.status === "rejected" && result.reason.code === "22012", `${n}`);
      } else {
        assert.deepEqual(result, {
          status: "fulfilled",
          value: Math.trunc(100 / (n % 50)) + n,
        });
      }
    });
    assert.equal(pipelines.size, 2);
  }));

Deno.test("reads whose connection is lost fail, and later ones have a new connection", () =>
  withPipelines(1, async (pipelines, url) => {
    await valueOf(pipelines, "select 1");
    const lost = Promise.allSettled([1, 2, 3].map(() => pipelines.ask("select pg_sleep(30)", [])));
    await until(url, "query like 'select pg_sleep%'");
    await onServer(
      url,
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep%'",
    );
    const reasons = (await lost).map((result) => result.status === "rejected" && result.reason);
    for (const reason of reasons) assert.match(String(reason), /terminat/);
    assert.equal(await valueOf(pipelines, "select 2"), 2);
  }));

/** Waits until a connection to the database is as wanted. */
async function until(url: string, wanted: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  while (true) {
    const { rows } = await client.query(
      `select 1 from pg_stat_activity
        where application_name = 'pipelines' and datname = current_database() and ${wanted}`,
    );
    if (rows.length > 0) break;
  }
  await client.end();
}

Deno.test("reads do not wait behind a long one while there are other connections", () =>
  withPipelines(2, async (pipelines, url) => {
    await valueOf(pipelines, "select 1");
    const gate = new pg.Client(url);
    await gate.connect();
    await gate.query("select pg_advisory_lock(1)");
    const long = pipelines.ask("select pg_advisory_lock(1)", []);
    // Asked while the second connection is being opened, it may be behind the long one: its answer is not waited for.
    const early = valueOf(pipelines, "select 2");
    while (pipelines.size < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    for (let n = 0; n < 20; n++) assert.equal(await valueOf(pipelines, "select 3"), 3);
    await gate.query("select pg_advisory_unlock(1)");
    assert.equal(await early, 2);
    await long;
    await gate.end();
  }));

Deno.test("what comes again is prepared, and never more than a number of statements", () =>
  withPipelines(1, async (pipelines) => {
    for (let n = 0; n < 400; n++) {
      for (let time = 0; time < 2; time++) {
        assert.equal(await valueOf(pipelines, `select ${n} + $1::int`, time), n + time);
      }
    }
    const prepared = () =>
      valueOf(pipelines, "select count(*)::int from pg_prepared_statements where name like 's%'");
    assert.equal(await prepared(), 128);
    for (let n = 0; n < 5000; n++) await valueOf(pipelines, `select ${n} as once`);
    assert.equal(await prepared(), 128);
  }));

Deno.test("a prepared read of a table that gets a column meanwhile is answered", () =>
  withPipelines(1, async (pipelines, url) => {
    await onServer(url, "create table t (a int)");
    await onServer(url, "insert into t values (1)");
    const read = () => pipelines.ask("select * from t where a = $1", [1]);
    for (let n = 0; n < 3; n++) assert.deepEqual((await read()).map(plain), [{ a: 1 }]);
    await onServer(url, "alter table t add column b int default 2");
    const rows = await Promise.all([read(), read(), read()]);
    assert.deepEqual(rows.map(([row]) => plain(row!)), Array(3).fill({ a: 1, b: 2 }));
    assert.deepEqual((await read()).map(plain), [{ a: 1, b: 2 }]);
  }));

function plain(row: object): object {
  return { ...row };
}

Deno.test("names: from the second time on, the least recently used goes first", () => {
  const names = new StatementNames();
  assert.deepEqual(names.of("a"), {});
  assert.deepEqual(names.of("a"), { name: "s0" });
  for (let n = 1; n < 128; n++) {
    names.of(`${n}`);
    assert.deepEqual(names.of(`${n}`), { name: `s${n}` });
  }
  assert.deepEqual(names.of("a"), { name: "s0" });
  names.of("b");
  assert.deepEqual(names.of("b"), { name: "s128", outdated: "s1" });
  assert.deepEqual(names.of("1"), {});
  names.drop("a");
  assert.deepEqual(names.of("a"), {});
});

Deno.test("names: what is best run by its values is planned anew each time", () => {
  const names = new StatementNames();
  for (let time = 0; time < 3; time++) {
    assert.deepEqual(names.of("select * from t where search_text like $1"), {});
    assert.deepEqual(names.of("select count(*) as total from t where a = $1"), {});
  }
  names.of("insert into t (search_text) values ($1)");
  assert.deepEqual(names.of("insert into t (search_text) values ($1)"), { name: "s0" });
});

Deno.test("what is written in one turn is one write, in order, and the end comes last", async () => {
  const written: string[] = [];
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const stream = Object.assign(new EventEmitter(), {
    writable: true,
    cork: () => {},
    write: (bytes: Uint8Array, done?: () => void) => {
      written.push(text(bytes));
      done?.();
      return true;
    },
  });
  gatherWrites({ connection: { stream } } as unknown as pg.Client);
  const send = (part: string, done?: () => void) =>
    stream.write(new TextEncoder().encode(part), done);
  send("a");
  send("b");
  await new Promise((resolve) => setTimeout(resolve, 0));
  send("c");
  let ended = false;
  send("end", () => ended = true);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.deepEqual(written, ["ab", "c", "end"]);
  assert.ok(ended);
  assert.equal(stream.cork, undefined);
});

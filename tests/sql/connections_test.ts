// Connections to Postgres: TLS as the URL says, and a network that swallows everything.
import assert from "node:assert/strict";
import { connect, createServer, type Socket } from "node:net";
import { CompiledQuery, sql } from "kysely";
import pg from "pg";
import { tags } from "../../models/documents.ts";
import { users } from "../../models/users.ts";
import type { Engine } from "../../sql/engine.ts";
import { openPostgres, parsePostgresUrl } from "../../sql/postgres.ts";
import { openSqlStore } from "../../sql/store.ts";
import { StoreUnavailable } from "../../storage/port.ts";
import { addPerson, server } from "../storage/people.ts";
import { persistently, until } from "../until.ts";
import { createCluster } from "./cluster.ts";
import { addRoles, onServer, postgresDatabase } from "./databases.ts";

/** A way to a server that can stop passing anything on, without a word. */
async function proxyTo(url: string) {
  const target = new URL(url);
  let silent: Socket[] = [];
  let open: Socket[] = [];
  const server = createServer((from) => {
    const to = connect(Number(target.port || 5432), target.hostname);
    open.push(from, to);
    from.on("error", () => to.destroy()).on("close", () => to.destroy());
    to.on("error", () => from.destroy()).on("close", () => from.destroy());
    from.on("data", (data) => silent.includes(from) || to.write(data));
    to.on("data", (data) => silent.includes(from) || from.write(data));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxied = new URL(url);
  const address = server.address();
  proxied.port = String(typeof address === "object" ? address?.port : "");
  return {
    url: proxied.href,
    /** The connections there are go silent; new ones work. */
    silence: () => {
      silent = open;
      open = [];
    },
    close: () => {
      for (const socket of [...open, ...silent]) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

Deno.test("connections that go silent are given up after the timeout, and replaced", async () => {
  const database = await postgresDatabase();
  const proxy = await proxyTo(database.url);
  const store = await openSqlStore({ url: proxy.url, pool: { max: 2, statementTimeoutMs: 3000 } });
  await addRoles(store);
  const ann = await addPerson(store, "Ann");
  proxy.silence();
  const early = await Promise.allSettled([addPerson(store, "Bob"), store.ping()]);
  const failures = early.filter((result) => result.status === "rejected");
  assert.ok(failures.length > 0);
  assert.ok(failures.every(({ reason }) => reason instanceof StoreUnavailable));
  const carl = await persistently(() => addPerson(store, "Carl"));
  assert.deepEqual(await store.blobs.get("none"), null);
  assert.ok(carl.id > ann.id);
  await store.close();
  await proxy.close();
  await database.drop();
});

Deno.test("a store whose tables are gone, as while a dump is restored, is unavailable until they are back", async () => {
  const database = await postgresDatabase();
  const store = await openSqlStore({ url: database.url });
  await addRoles(store);
  await addPerson(store, "Ann");
  await onServer(database.url, "alter table users rename to users_gone");
  await onServer(database.url, "alter table journal rename to journal_gone");
  await assert.rejects(store.ping(), StoreUnavailable);
  await assert.rejects(addPerson(store, "Bob"), StoreUnavailable);
  await assert.rejects(async () => await store.from(users).get("none"), StoreUnavailable);
  await onServer(database.url, "alter table users_gone rename to users");
  await onServer(database.url, "alter table journal_gone rename to journal");
  await store.ping();
  await addPerson(store, "Carl");
  assert.equal(await store.from(users).count(), 2);
  await store.close();
  await database.drop();
});

Deno.test("a database that lets nobody in, as while it is worked on, is unavailable until it does", async () => {
  const database = await postgresDatabase();
  const url = new URL(database.url);
  const name = url.pathname.slice(1);
  url.pathname = "/postgres";
  const allow = (allowed: boolean) =>
    onServer(url.href, `alter database ${name} allow_connections ${allowed}`);
  const store = await openSqlStore({ url: database.url });
  await addRoles(store);
  await addPerson(store, "Ann");
  await allow(false);
  await onServer(
    url.href,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  );
  await assert.rejects(store.ping(), StoreUnavailable);
  await assert.rejects(addPerson(store, "Bob"), StoreUnavailable);
  await assert.rejects(addPerson(store, "Bob"), StoreUnavailable);
  await allow(true);
  await persistently(() => addPerson(store, "Carl"));
  assert.equal(await store.from(users).count(), 2);
  await store.close();
  await database.drop();
});

Deno.test("a commit whose transaction is refused its beginning leaves nothing, in the journal neither", async () => {
  const database = await postgresDatabase();
  const store = await openSqlStore({ url: database.url });
  const prototype = pg.Client.prototype as unknown as {
    query: (asked: { readonly text: string }, answered: unknown) => unknown;
  };
  const { query } = prototype;
  try {
    await addRoles(store);
    await addPerson(store, "Ann");
    const position = store.position();
    prototype.query = function (asked, answered) {
      const sent = asked.text.startsWith("begin") ? { text: "begin anew" } : asked;
      return query.call(this, sent, answered);
    };
    await assert.rejects(addPerson(store, "Bob"), /syntax error/);
    prototype.query = query;
    assert.equal(await store.from(users).count(), 1);
    const { own } = store as unknown as { own: Engine };
    const left = await own.rows(sql`select seq from journal where seq > ${Number(position)}`);
    assert.deepEqual(left, []);
    const carl = await addPerson(store, "Carl");
    assert.deepEqual(await store.from(users).get(carl.id), carl);
    assert.equal(await store.from(users).count(), 2);
  } finally {
    prototype.query = query;
    await store.close();
    await database.drop();
  }
});

Deno.test("a transaction in which a statement has failed does not count as committed", async () => {
  const database = await postgresDatabase();
  const { db, pipelined } = openPostgres(database.url);
  await assert.rejects(
    pipelined.transaction((run) => run(CompiledQuery.raw("select from nothing")).catch(() => {})),
    /^Error: Cannot commit: the transaction was rolled back$/,
  );
  const one = await pipelined.transaction((run) => run(CompiledQuery.raw("select 1 as n")));
  assert.deepEqual(one.rows, [{ n: 1 }]);
  await pipelined.end();
  await db.destroy();
  await database.drop();
});

Deno.test("sslmode: require encrypts, verify-full wants the name of the certificate, disable neither", async () => {
  const cluster = await createCluster();
  const certificate = `${cluster.directory}/server.crt`;
  const key = `${cluster.directory}/server.key`;
  const { success } = await new Deno.Command("openssl", {
    // deno-fmt-ignore -- an option and its value to a line
    args: [
      "req", "-new", "-x509", "-nodes", "-days", "2",
      "-subj", "/CN=localhost",
      "-addext", "subjectAltName=DNS:localhost",
      "-out", certificate,
      "-keyout", key,
    ],
    stderr: "null",
  }).output();
  assert.ok(success);
  await cluster.own(key);
  for (
    const [name, value] of [["ssl_cert_file", certificate], ["ssl_key_file", key], ["ssl", "on"]]
  ) {
    await onServer(cluster.url, `alter system set ${name} = '${value}'`);
  }
  await onServer(cluster.url, "select pg_reload_conf()");
  const encrypted = async (host: string, parameters: string) => {
    const url = cluster.url.replace("127.0.0.1", host) + parameters;
    const store = await openSqlStore({ url, pool: { max: 1 } });
    await store.close();
    return true;
  };
  try {
    // Only encrypted connections are let in.
    const rules = `${cluster.directory}/data/pg_hba.conf`;
    await Deno.writeTextFile(rules, "hostssl all all 127.0.0.1/32 trust\n");
    await cluster.stop("fast");
    await cluster.start();
    await assert.rejects(encrypted("127.0.0.1", ""), StoreUnavailable);
    await assert.rejects(encrypted("127.0.0.1", "?sslmode=disable"), StoreUnavailable);
    assert.ok(await encrypted("127.0.0.1", "?sslmode=require"));
    await assert.rejects(encrypted("localhost", "?sslmode=verify-full"), StoreUnavailable);
    const trusted = `&sslrootcert=${certificate}`;
    assert.ok(await encrypted("localhost", `?sslmode=verify-full${trusted}`));
    assert.ok(await encrypted("127.0.0.1", `?sslmode=verify-ca${trusted}`));
    await assert.rejects(
      encrypted("127.0.0.1", `?sslmode=verify-full${trusted}`),
      StoreUnavailable,
    );
  } finally {
    await cluster.remove();
  }
});

Deno.test("plans are made for memory and solid state, unless the URL says otherwise", async () => {
  const { url, drop } = await postgresDatabase();
  const costOf = async (url: string) => {
    const { db, pipelined } = openPostgres(url);
    const { rows } = await sql<{ cost: string }>`
      select current_setting('random_page_cost') as cost`.execute(db);
    await pipelined.end();
    await db.destroy();
    return rows[0]!.cost;
  };
  assert.equal(await costOf(url), "1.1");
  assert.equal(await costOf(`${url}?options=${encodeURIComponent("-c random_page_cost=3")}`), "3");
  await drop();
});

Deno.test("a URL's description names the server, and neither user nor password", () => {
  const { description } = parsePostgresUrl(
    "postgres://me:s3cret@db.example.com:6432/app?sslmode=require",
  );
  assert.equal(description, "db.example.com:6432/app");
  assert.throws(
    () => parsePostgresUrl("postgres://me:s3cret@db/app?sslmode=maybe"),
    (error: Error) => {
      assert.match(error.message, /sslmode must be .* received 'maybe'/);
      assert.doesNotMatch(error.message, /s3cret/);
      return true;
    },
  );
});

Deno.test("a store that is closed leaves no connection behind, though it did nothing but commit", async () => {
  const database = await postgresDatabase();
  const url = new URL(database.url);
  const [name] = url.pathname.split("/").slice(1);
  url.pathname = "/postgres";
  const client = new pg.Client(url.href);
  await client.connect();
  try {
    const store = await openSqlStore({ url: database.url });
    await store.transact(server, (tx) => void tx.insert(tags, { name: "one" }));
    await store.close();
    await until(async () => {
      const { rows } = await client.query(
        "select from pg_stat_activity where datname = $1",
        [name],
      );
      return rows.length === 0;
    }, "the end of all connections");
  } finally {
    await client.end();
    await database.drop();
  }
});

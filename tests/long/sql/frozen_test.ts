// A Postgres that stops where it is, and a process that hangs in a transaction: others wait for seconds, not for half a minute.
import assert from "node:assert/strict";
import pg from "pg";
import { CompiledQuery } from "kysely";
import { users } from "../../../models/users.ts";
import { openPostgres } from "../../../sql/postgres.ts";
import { openSqlStore } from "../../../sql/store.ts";
import { type Store, StoreUnavailable } from "../../../storage/port.ts";
import { harness } from "../../harness.ts";
import { addPerson } from "../../storage/people.ts";
import { pause, until } from "../../until.ts";
import { createCluster } from "../../sql/cluster.ts";
import { addRoles, postgresDatabase } from "../../sql/databases.ts";

/** Of `pg_advisory_xact_lock`: who migrates has the one, who commits the other. See dialect.ts. */
const MIGRATION_LOCK = 7_119_301;
const COMMIT_LOCK = 7_119_302;

async function elapsed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

Deno.test("a request to a frozen Postgres is answered 503 within its deadline, and works after it", async () => {
  const cluster = await createCluster();
  const open = () => openSqlStore({ url: cluster.url, pool: { statementTimeoutMs: 5000 } });
  const h = await harness({ open });
  try {
    const body = { title: "Log", content: "# Day one" };
    assert.equal((await h.ask("POST", "/api/documents", { as: "admin", body })).status, 201);
    await cluster.freeze();
    const file = () => {
      const form = new FormData();
      form.append("file", new File(["hello"], "hello.txt"));
      return form;
    };
    const headers = { "idempotency-key": "once" };
    // One statement that is not answered: what a whole request may take, and a busy machine as much again.
    const deadline = elapsed(() => assert.rejects(h.store.ping(), StoreUnavailable));
    const took = await Promise.all([
      ["POST", "/api/documents", { as: "admin", body, headers }] as const,
      ["POST", "/api/documents", { as: "admin", body }] as const,
      ["POST", "/api/files/upload", { as: "admin", body: file() }] as const,
      ["GET", "/api/documents?search=log", { as: "admin" }] as const,
      ["DELETE", `/api/users/${h.accounts.other.id}`, { as: "super" }] as const,
    ].map(async ([method, path, ask]) =>
      await elapsed(async () => {
        const { status } = await h.ask(method, path, ask);
        assert.equal(status, 503, `${method} ${path}`);
      })
    ));
    assert.ok(Math.max(...took) < 2 * await deadline, `${took.map(Math.round)} ms`);
    // By now it is known to be silent: nobody waits for the whole deadline again.
    const half = Math.max(...took) / 2;
    let again = Infinity;
    // A busy machine may stop for a while, but not each time.
    for (let i = 0; i < 5 && again >= half; i++) {
      const one = await elapsed(() => h.ask("GET", "/api/documents", { as: "admin" }));
      again = Math.min(again, one);
    }
    assert.ok(again < half, `${again} ms`);
    await cluster.thaw();
    await until(async () =>
      (await h.ask("POST", "/api/documents", { as: "admin", body })).status === 201
    );
  } finally {
    await cluster.thaw();
    await h[Symbol.asyncDispose]();
    await cluster.remove();
  }
});

async function withStore(run: (store: Store, url: string) => Promise<void>) {
  const database = await postgresDatabase();
  const store = await openSqlStore({ url: database.url });
  try {
    await addRoles(store);
    await run(store, database.url);
  } finally {
    await store.close();
    await database.drop();
  }
}

Deno.test("a process that hangs with an open transaction is cut off, and the others commit", async () => {
  await withStore(async (store, url) => {
    const hanging = openPostgres(url, { max: 1 });
    let hung = false;
    const hang = Promise.withResolvers<void>();
    const cutOff = hanging.db.transaction().execute(async (tx) => {
      await tx.executeQuery(CompiledQuery.raw(`select pg_advisory_xact_lock(${COMMIT_LOCK})`));
      hung = true;
      await hang.promise;
    }).catch((error) => error);
    await until(() => hung);
    // Were it not cut off, the wait for its lock would end first, and the commit fail.
    await addPerson(store, "Ann");
    assert.equal(await store.from(users).count(), 1);
    hang.resolve();
    assert.match(String(await cutOff), /idle-in-transaction|terminated|not queryable/);
    await hanging.db.destroy();
  });
});

Deno.test("a lock that a foreign program keeps is waited for for seconds, then told as unavailable", async () => {
  await withStore(async (store, url) => {
    const foreign = new pg.Client(url);
    await foreign.connect();
    await foreign.query("begin");
    await foreign.query(`select pg_advisory_xact_lock(${COMMIT_LOCK})`);
    await assert.rejects(addPerson(store, "Ann"), (error: unknown) => {
      assert.ok(error instanceof StoreUnavailable);
      // https://www.postgresql.org/docs/current/errcodes-appendix.html: lock_not_available, not the statement's timeout.
      assert.equal((error.cause as { code?: string }).code, "55P03");
      return true;
    });
    await foreign.query("rollback");
    await foreign.end();
    await addPerson(store, "Bob");
  });
});

Deno.test("migrations take what they take, whatever the deadline of requests", async () => {
  const database = await postgresDatabase();
  const foreign = new pg.Client(database.url);
  await foreign.connect();
  await foreign.query("begin");
  await foreign.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
  const pool = { statementTimeoutMs: 1000 };
  const opening = openSqlStore({ url: database.url, pool });
  await pause(2500);
  await foreign.query("rollback");
  await foreign.end();
  const store = await opening;
  await store.close();
  await database.drop();
});

// Postgres goes away under load and comes back: nothing acknowledged is lost, and the store recovers by itself.
import assert from "node:assert/strict";
import { tags } from "../../../models/documents.ts";
import { users } from "../../../models/users.ts";
import { openSqlStore } from "../../../sql/store.ts";
import { StoreUnavailable } from "../../../storage/port.ts";
import { addPerson, server } from "../../storage/people.ts";
import { pause, until } from "../../until.ts";
import { createCluster } from "../../sql/cluster.ts";
import { addRoles, onServer } from "../../sql/databases.ts";

const WRITERS = 12;

Deno.test("Postgres stops under write load: what was acknowledged is there, and work goes on", async () => {
  const cluster = await createCluster();
  const store = await openSqlStore({
    url: cluster.url,
    pool: { connectionTimeoutMs: 3000, statementTimeoutMs: 3000 },
  });
  try {
    await addRoles(store);
    const ann = await addPerson(store, "Ann");
    const acknowledged = new Set<string>();
    const failures: unknown[] = [];
    let writing = true;
    let afterOutage = 0;
    let back = false;
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let n = 0; writing; n++) {
        try {
          const tag = await store.transact(
            server,
            (tx) => tx.insert(tags, { name: `${writer}-${n}` }),
          );
          acknowledged.add(tag.id);
          if (back) afterOutage++;
        } catch (error) {
          failures.push(error);
          await pause(20);
        }
      }
    });
    for (const mode of ["fast", "immediate"] as const) {
      const before = acknowledged.size;
      await until(() => acknowledged.size > before, "a commit");
      back = false;
      await cluster.stop(mode);
      await pause(100);
      await assert.rejects(store.ping(), StoreUnavailable);
      // What others may have changed is not answered from memory for longer than two seconds.
      await pause(2100);
      await assert.rejects(async () => await store.from(users).get(ann.id), StoreUnavailable);
      await cluster.start();
      back = true;
      afterOutage = 0;
      await until(() => afterOutage >= 50, "the work of the writers");
    }
    writing = false;
    await Promise.all(writers);
    assert.ok(failures.length > 0);
    for (const failure of failures) assert.ok(failure instanceof StoreUnavailable, String(failure));
    const stored = new Set<string>();
    for await (const { id } of store.from(tags).scan()) stored.add(id);
    assert.deepEqual([...acknowledged].filter((id) => !stored.has(id)), []);
    assert.equal(await store.from(tags).count(), stored.size);
    assert.deepEqual(await store.from(users).get(ann.id), ann);
  } finally {
    await store.close();
    await cluster.remove();
  }
});

Deno.test("a Postgres that cannot be reached is unavailable, and the message holds no password", async () => {
  const url = "postgres://someone:s3cret@127.0.0.1:1/none";
  await assert.rejects(openSqlStore({ url }), (error: unknown) => {
    assert.ok(error instanceof StoreUnavailable);
    assert.doesNotMatch(`${Deno.inspect(error)} ${error.stack}`, /s3cret/);
    return true;
  });
  await assert.rejects(openSqlStore({ url: "postgres://a:s3cret@[x" }), (error: unknown) => {
    assert.doesNotMatch(Deno.inspect(error), /s3cret/);
    return true;
  });
});

Deno.test("connections that an administrator ends are replaced", async () => {
  const cluster = await createCluster();
  const store = await openSqlStore({ url: cluster.url });
  try {
    await addRoles(store);
    const ann = await addPerson(store, "Ann");
    await onServer(
      cluster.url,
      "select pg_terminate_backend(pid, 60000) from pg_stat_activity where application_name = 'quarterdeck'",
    );
    await pause(50);
    const changed = await store.transact(server, (tx) => tx.update(users, ann, { bio: "new" }));
    assert.deepEqual(await store.from(users).get(ann.id), changed);
  } finally {
    await store.close();
    await cluster.remove();
  }
});

// The lease of a large commit on a shared store: abandoned by what is seen of it, whatever any clock says.
import assert from "node:assert/strict";
import { Client } from "../../kv/client.ts";
import { LEASE_KEY } from "../../kv/keys.ts";
import { LargeCommits } from "../../kv/large_commit.ts";
import { documents } from "../../models/documents.ts";
import { folders } from "../../models/folders.ts";
import { type Entity, StoreUnavailable } from "../../storage/port.ts";
import { openConnected } from "../kv_connect/open.ts";
import { KvConnect } from "../kv_connect/server.ts";
import { server as actor } from "../storage/people.ts";
import { until } from "../until.ts";

const HOUR = 60 * 60 * 1000;

async function withLease(
  at: number,
  run: (client: Client, renew: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const client = new Client(await Deno.openKv(":memory:"));
  const value = { transaction: "of another process", decided: false, at };
  const renew = () => client.commit([{ kind: "set", key: LEASE_KEY, value }]);
  try {
    await renew();
    await run(client, renew);
  } finally {
    client.close();
  }
}

for (const [clock, skew] of [["ahead", HOUR], ["behind", -HOUR], ["right", 0]] as const) {
  Deno.test(`lease: one that is not renewed is taken over when its holder's clock was ${clock}`, () =>
    withLease(Date.now() + skew, async (client) => {
      await new LargeCommits(client, true, 100).settled();
      assert.equal((await client.get(LEASE_KEY)).value, null);
    }));

  Deno.test(`lease: one that is renewed is left alone when its holder's clock is ${clock}`, () =>
    withLease(Date.now() + skew, async (client, renew) => {
      const large = new LargeCommits(client, true, 60_000);
      let settled = false;
      const waiting = large.settled().then(() => settled = true);
      for (let n = 0; n < 5; n++) {
        await renew();
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
      assert.equal(settled, false);
      assert.notEqual((await client.get(LEASE_KEY)).value, null);
      await client.commit([{ kind: "delete", key: LEASE_KEY }]);
      await waiting;
    }));
}

/** @param run Gets a store in memory with nobody on it, and ends with no lease. */
async function withFree(run: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client(await Deno.openKv(":memory:"));
  try {
    await run(client);
    assert.equal((await client.get(LEASE_KEY)).value, null);
  } finally {
    client.close();
  }
}

/** Inserts of records with this collection's name and a number as their ids. */
function inserts({ name: collection }: { readonly name: string }, count: number) {
  const fields = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" };
  return Array.from({ length: count }, (_, n) => {
    const after = { id: `${collection}${n}`, rev: "", ...fields, ownerId: "a", slot: `${n}` };
    return { kind: "insert", collection, after: after as Entity } as const;
  });
}

Deno.test("lease: while one holds it, no process commits, and then each does", async () => {
  await using server = new KvConnect();
  const stores = [await openConnected(server), await openConnected(server)] as const;
  const client = new Client(await Deno.openKv(server.url));
  let committed = 0;
  const commit = async (store: typeof stores[number], ...of: Parameters<typeof inserts>) => {
    const position = await store.commit(inserts(...of), { actor });
    committed++;
    return position;
  };
  let commits: Promise<string>[] = [];
  const calls = () => server.calls.atomic_write;
  const before = stores[0].position();
  const held = await new LargeCommits(client, true).hold(async () => {
    const called = calls();
    // One that fits an operation of KV, and one that does not.
    commits = [commit(stores[0], folders, 1), commit(stores[1], documents, 30)];
    await until(() => calls() >= called + 2);
    assert.equal(committed, 0);
    return "done";
  });
  assert.equal(held, "done");
  for (const position of await Promise.all(commits)) assert.ok(position > before);
  assert.equal((await client.get(LEASE_KEY)).value, null);
  client.close();
  for (const store of stores) await store.close();
});

Deno.test("lease: whoever held it and is gone, keeps nobody", () =>
  withFree(async (client) => {
    await client.commit([{ kind: "set", key: ["folders", "a"], value: "{}" }]);
    const { promise, resolve } = Promise.withResolvers<void>();
    const gone = new LargeCommits(client, true).hold(() => promise);
    const other = new LargeCommits(client, true, 50);
    await until(async () => (await client.get(LEASE_KEY)).value !== null);
    await other.settled();
    assert.equal((await client.get(LEASE_KEY)).value, null);
    assert.equal((await client.get(["folders", "a"])).value, "{}");
    // It comes back, and learns that others may have written.
    resolve();
    assert.equal(await gone, null);
  }));

Deno.test("lease: what fails while it is held lets it go", () =>
  withFree(async (client) => {
    const large = new LargeCommits(client, true);
    await assert.rejects(large.hold(() => Promise.reject(new Error("no"))), /no/);
  }));

Deno.test("lease: whose commit it was taken from is told that the store was unavailable", async () => {
  await using server = new KvConnect();
  const store = await openConnected(server);
  const client = new Client(await Deno.openKv(server.url));
  const commit = store.commit(inserts(folders, 3000), { actor });
  const refused = assert.rejects(commit, (error) => error instanceof StoreUnavailable);
  await until(async () => (await client.get(LEASE_KEY)).value !== null);
  await client.commit([{ kind: "delete", key: LEASE_KEY }]);
  await refused;
  client.close();
  await store.close();
});

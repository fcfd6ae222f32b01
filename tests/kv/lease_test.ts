// The lease of a large commit on a shared store: abandoned by what is seen of it, whatever any clock says.
import assert from "node:assert/strict";
import { Client } from "../../kv/client.ts";
import { LEASE_KEY } from "../../kv/keys.ts";
import { LargeCommits } from "../../kv/large_commit.ts";

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

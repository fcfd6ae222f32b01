// Deno KV by KV Connect: answers that are lost, servers that fail, tokens that end. What is written is written once.
import assert from "node:assert/strict";
import { Client } from "../../../kv/client.ts";
import { RemoteKv } from "../../../kv/remote.ts";
import { KvStore, openKvStore } from "../../../kv/store.ts";
import { documents } from "../../../models/documents.ts";
import { type User, users } from "../../../models/users.ts";
import { type Store, StoreUnavailable } from "../../../storage/port.ts";
import { openConnected } from "../../kv_connect/open.ts";
import {
  type Fault,
  KvConnect,
  type KvConnectOptions,
  type Method,
} from "../../kv_connect/server.ts";
import { freePort } from "../../ports.ts";
import { addPerson, person, server as actor } from "../../storage/people.ts";
import { pause, until } from "../../until.ts";

/** Milliseconds until a server counts as lost, here: longer than a busy machine may stop for. */
const TIMEOUT = 3000;

/** Two stores on one server: as one process would have it, and as another one sees what it does. */
async function connected(
  run: (kv: { server: KvConnect; store: Store; other: Store }) => Promise<void>,
  options: KvConnectOptions = {},
): Promise<void> {
  await using server = new KvConnect(options);
  const other = await openConnected(server);
  const client = new Client(await RemoteKv.open(server.url, TIMEOUT));
  const store = await KvStore.open(client, null, { path: server.url, shared: true });
  try {
    await run({ server, store, other });
  } finally {
    server.fault = () => undefined;
    await store.close();
    await other.close();
  }
}

/** Does it to one call of the method: the one that comes after `skipped` others. */
function once(server: KvConnect, method: Method, fault: Fault, skipped = 0): void {
  let left = skipped;
  server.fault = (called) => called === method && left-- === 0 ? fault : undefined;
}

const unavailable = (error: unknown) => error instanceof StoreUnavailable;

async function entriesSince(store: Store, after: string): Promise<number> {
  const [signal, end] = [new AbortController(), store.position()];
  let count = 0;
  for await (const { seq } of store.changes({ after, signal: signal.signal })) {
    count++;
    if (seq >= end) break;
  }
  return count;
}

for (const fault of ["answer lost", "answer cut", "lost"] as const) {
  Deno.test(`KV Connect: a commit whose connection is cut (${fault}) is done, once`, () =>
    connected(async ({ server, store, other }) => {
      const before = store.position();
      let tries = 0;
      once(server, "atomic_write", fault);
      const ann = await store.transact(actor, (tx) => {
        tries++;
        return tx.insert(users, person("Ann", { email: "ann@example.com" }));
      });
      assert.equal(tries, 1, "a plan that is committed is not planned again");
      once(server, "atomic_write", fault);
      const current = (await store.from(users).get(ann.id))!;
      const anna = await store.transact(actor, (tx) => tx.update(users, current, { name: "Anna" }));
      for (const one of [store, other]) {
        const [seen] = (await one.from(users).list()).rows;
        assert.equal(seen!.name, "Anna");
        assert.equal(await one.from(users).count(), 1);
      }
      // Its version is right too: else nothing could change it.
      await store.transact(actor, (tx) => tx.update(users, anna, { name: "Annabel" }));
      assert.equal(await entriesSince(store, before), 3);
    }));
}

Deno.test("KV Connect: a conflict stays one when its answer is lost", () =>
  connected(async ({ server, store, other }) => {
    const ann = await addPerson(store, "Ann");
    await other.transact(actor, async (tx) => {
      tx.update(users, (await tx.from(users).get(ann.id))!, { name: "Anna" });
    });
    once(server, "atomic_write", "answer lost");
    const stale = store.commit([
      { kind: "update", collection: "users", before: ann, after: { ...ann, name: "Lost" } as User },
    ], { actor });
    await assert.rejects(stale, { name: "VersionConflict" });
    assert.equal((await store.from(users).get(ann.id))!.name, "Anna");
  }));

for (const fault of ["answer lost", "answer cut"] as const) {
  Deno.test(`KV Connect: a large commit is whole wherever a connection is cut (${fault})`, () =>
    connected(async ({ server, store, other }) => {
      const ann = await addPerson(store, "Ann");
      const title = "x".repeat(60);
      const large = (n: number) =>
        store.transact(actor, (tx) => {
          for (let i = 0; i < 40; i++) {
            tx.insert(documents, {
              title,
              content: "c".repeat(20_000),
              type: "other",
              size: 1,
              ownerId: ann.id,
              id: `d${n}-${i}`,
            });
          }
        });
      const calls = server.calls.atomic_write;
      await large(0);
      const writes = server.calls.atomic_write - calls;
      assert.ok(writes > 8, `${writes} writes`);
      let made = 40;
      for (let n = 1; n <= writes; n += 2) {
        once(server, "atomic_write", fault, n - 1);
        await large(n).catch((error) => {
          // An answer that broke off while the log was dropped or cleared.
          if (!unavailable(error)) throw error;
        });
        server.fault = () => undefined;
        const found = await store.from(documents).getMany(
          Array.from({ length: 40 }, (_, i) => `d${n}-${i}`),
        );
        assert.ok(found.every((document) => document !== null), `cut at write ${n}`);
        assert.equal(await other.from(documents).count(), made += 40);
      }
      const [first] = (await store.from(documents).list({ limit: 1 })).rows;
      await store.transact(actor, (tx) => tx.remove(documents, first!));
      assert.equal(await other.from(documents).count(), made - 1);
      assert.deepEqual(await Array.fromAsync(store.check()), []);
    }));

  Deno.test(`KV Connect: bytes are stored wherever a connection is cut (${fault})`, () =>
    connected(async ({ server, store }) => {
      const bytes = crypto.getRandomValues(new Uint8Array(60_000));
      const long = new Uint8Array(20 * bytes.length).map((_, n) => bytes[n % bytes.length]!);
      let writes = Infinity;
      for (let n = 0; n <= writes; n++) {
        once(server, "atomic_write", fault, n - 1);
        const before = server.calls.atomic_write;
        const put = store.blobs.put(new Blob([long]).stream(), { maxBytes: long.length });
        const { id } = await put.catch((error) => {
          if (!unavailable(error)) throw error;
          return { id: null };
        });
        if (n === 0) writes = server.calls.atomic_write - before;
        server.fault = () => undefined;
        if (id === null) continue;
        const read = new Uint8Array(await new Response(await store.blobs.get(id)).arrayBuffer());
        assert.ok(read.length === long.length && read.every((byte, at) => byte === long[at]));
        await store.blobs.remove(id);
      }
      assert.deepEqual(await Array.fromAsync(store.blobs.list()), [], "nothing is left over");
    }));
}

Deno.test("KV Connect: a read whose connection is cut is asked again", () =>
  connected(async ({ server, store }) => {
    const { id } = await addPerson(store, "Ann");
    for (const fault of ["lost", "answer lost", "answer cut"] as const) {
      for (let n = 0; n < 3; n++) {
        once(server, "snapshot_read", fault, n);
        assert.equal((await store.from(users).list()).total, 1, `${fault} ${n}`);
        assert.equal((await store.from(users).get(id))!.name, "Ann");
      }
    }
  }));

Deno.test("KV Connect: tokens that expire, or are revoked, are renewed unseen", () =>
  connected(async ({ server, store }) => {
    for (let n = 0; n < 3; n++) {
      await addPerson(store, `A${n}`);
      const exchanges = server.calls.metadata;
      server.revokeTokens();
      assert.equal(await store.from(users).count(), n + 1);
      await addPerson(store, `B${n}`).then((b) =>
        store.transact(actor, (tx) => tx.remove(users, b))
      );
      assert.ok(server.calls.metadata > exchanges);
    }
  }));

Deno.test("KV Connect: all that a server has refused for its token is asked again, reads and writes", async () => {
  await using server = new KvConnect();
  const remote = await RemoteKv.open(server.url, TIMEOUT);
  try {
    // As the client of Deno before 2.9 has it, which does not ask for another token by itself.
    const refusal = new TypeError("KV Connect failed to call (status=401 Unauthorized)");
    const answers = [true, false, true].map((repeatable, n) => {
      const tries: Deno.Kv[] = [];
      return remote.run(async (kv) => {
        tries.push(kv);
        await pause(20 * n);
        if (tries.length === 1) throw refusal;
        assert.notEqual(tries[0], kv);
        return n;
      }, repeatable);
    });
    assert.deepEqual(await Promise.all(answers), [0, 1, 2]);
    const entry = await remote.run((kv) => kv.get(["nobody"]), true);
    assert.equal(entry.value, null);
  } finally {
    remote.close();
  }
});

Deno.test("KV Connect: a server that fails for a moment is waited for", () =>
  connected(async ({ server, store }) => {
    let left = 2;
    server.fault = () => left-- > 0 ? { status: 503, text: "Try again later." } : undefined;
    await addPerson(store, "Ann");
    assert.equal(await store.from(users).count(), 1);
  }));

const outages: Readonly<Record<string, (server: KvConnect) => void>> = {
  "answers 503": (server) => {
    server.fault = () => ({ status: 503, text: "Try again later." });
  },
  "does not answer": (server) => {
    server.fault = () => "silence";
  },
  "cuts every connection": (server) => {
    server.fault = () => "lost";
  },
  "is not there": (server) => server.stop(),
  "knows the access token no longer": (server) => {
    server.revokeTokens();
    server.accessToken = "another one";
  },
};

for (const [what, begin] of Object.entries(outages)) {
  Deno.test(`KV Connect: while a server ${what} the store is unavailable; when it is back, nothing old comes`, () =>
    connected(async ({ server, store, other }) => {
      const { accessToken } = server;
      await addPerson(store, "Ann");
      await begin(server);
      await assert.rejects(addPerson(store, "Given up"), unavailable);
      // It is known by now: nobody waits any more, and nobody's request is kept for later.
      const calls = server.calls.atomic_write;
      const began = performance.now();
      const refused = Array.from({ length: 50 }, (_, n) => addPerson(store, `Given up ${n}`));
      for (const one of refused) await assert.rejects(one, unavailable);
      await assert.rejects(store.ping(), unavailable);
      assert.ok(performance.now() - began < TIMEOUT);
      assert.ok(server.calls.atomic_write - calls <= 1);

      server.fault = () => undefined;
      server.accessToken = accessToken;
      if (what === "is not there") server.resume();
      await until(() => store.ping().then(() => true, () => false), "the store");
      const names = async (one: Store) =>
        (await one.from(users).list({ sort: "name" })).rows.map(({ name }) => name);
      const back = await names(store);
      const known = back.filter((name) => name === "Ann" || name === "Given up");
      assert.deepEqual(back, known, "of what came while it was known, nothing is done");
      await addPerson(store, "Zoe");
      await pause(2 * TIMEOUT);
      assert.deepEqual(await names(other), [...back, "Zoe"]);
      assert.deepEqual(await names(store), [...back, "Zoe"]);
    }));
}

Deno.test("KV Connect: while writes are disabled, reads go on, and nothing is half done", () =>
  connected(async ({ server, store, other }) => {
    const ann = await addPerson(store, "Ann");
    server.fault = (method) => method === "atomic_write" ? "disabled" : undefined;
    await assert.rejects(
      store.transact(actor, (tx) => tx.update(users, ann, { name: "Anna" })),
      (error: Error) => unavailable(error) && /Writes are disabled/.test(error.message),
    );
    await assert.rejects(store.blobs.put(new Blob(["x"]).stream(), { maxBytes: 1 }), unavailable);
    assert.equal((await store.from(users).get(ann.id))!.name, "Ann");
    await store.ping();
    server.fault = () => undefined;
    await store.transact(actor, (tx) => tx.update(users, ann, { name: "Anna" }));
    assert.equal((await other.from(users).list()).rows[0]!.name, "Anna");
  }));

Deno.test("KV Connect: a commit of more checks than the server allows is done all the same", () =>
  connected(async ({ store, other }) => {
    await store.transact(actor, (tx) => {
      for (let n = 0; n < 30; n++) tx.insert(users, person(`P${n}`));
    });
    assert.equal(await other.from(users).count(), 30);
    assert.equal(await entriesSince(store, ""), 1);
  }));

Deno.test("KV Connect: a server of the older protocol will do", () =>
  connected(async ({ store, other }) => {
    await addPerson(store, "Ann");
    assert.equal(await other.from(users).count(), 1);
  }, { version: 2 }));

Deno.test("KV Connect: a server that cannot be reached, or refuses the token, says so at start", async () => {
  const absent = openKvStore({ path: `http://user:secret@127.0.0.1:${freePort()}` });
  await assert.rejects(absent, { name: "StoreUnavailable", message: /^Cannot reach Deno KV: / });
  await using server = new KvConnect();
  server.accessToken = "another one";
  const refused = openConnected(server);
  await assert.rejects(refused, { name: "StoreUnavailable", message: /Invalid access token/ });
});

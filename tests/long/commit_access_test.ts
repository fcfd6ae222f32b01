// Whoever loses the right to a request between its check and its commit has nothing committed, on any declared route.
import assert from "node:assert/strict";
import type { Endpoint } from "../../http/endpoint.ts";
import { documents } from "../../models/documents.ts";
import { files } from "../../models/files.ts";
import { sessions } from "../../models/sessions.ts";
import { checkins } from "../../models/snippets.ts";
import { users } from "../../models/users.ts";
import { principalOfToken } from "../../services/accounts/principals.ts";
import { signIn } from "../../services/accounts/sessions.ts";
import { planUserDeletion } from "../../services/content/deletions.ts";
import type { Store } from "../../storage/port.ts";
import { openOnEngine } from "../engine.ts";
import { type Harness, harness } from "../harness.ts";
import { type Interposed, interposedHarness } from "../interposed.ts";
import { form } from "../uploads.ts";
import { type Scene, sceneOf, writeTo, writingEndpointsOnce } from "../writes.ts";

const server = { userId: null };

/** What may happen to a caller, and how the request is answered then. */
interface Loss {
  readonly status: (endpoint: Endpoint) => number;
  happen(store: Store, scene: Scene): Promise<void>;
}

const losses: Readonly<Record<string, Loss>> = {
  suspended: {
    status: () => 401,
    happen: (store, { caller }) =>
      store.transact(server, async (tx) => {
        const user = await tx.from(users).get(caller.id);
        tx.update(users, user!, { status: "suspended" });
      }),
  },
  "logged out": {
    status: () => 401,
    happen: (store, { caller }) =>
      store.transact(server, async (tx) => {
        const { rows } = await tx.from(sessions).list({ where: { userId: caller.id }, limit: 100 });
        for (const session of rows) tx.remove(sessions, session);
      }),
  },
  deleted: {
    status: () => 401,
    async happen(store, { h, caller }) {
      const heir = await principalOfToken(store, h.app.services.tokens, h.tokens.super);
      await store.transact(server, async (tx) => {
        const user = await tx.from(users).get(caller.id);
        await planUserDeletion(tx, user!, heir!);
      });
    },
  },
  "stripped of every permission": {
    status: ({ access }) => access === "authenticated" || access === "optional" ? 200 : 403,
    happen: (store, { caller }) =>
      store.transact(server, async (tx) => {
        const user = await tx.from(users).get(caller.id);
        tx.update(users, user!, { role: "guest", permissions: [] });
      }),
  },
};

/** Routes that commit nothing, and logging out: it takes nothing but the session that it ends. */
const EXEMPT = new Set([
  "/markdown",
  "/files/search",
  "/files/{id}/link",
  "/auth/logout",
  "/auth/passkeys/options",
  "/events/ticket",
  "/auth/step-up/passkey/options",
]);

for (const variant of ["compact", "full", "web", "snippets"]) {
  Deno.test(`access in the commit: lost in between, nothing is committed (${variant})`, async (t) => {
    await using h = await interposedHarness({ variant, env: { RATE_LIMIT: "false" } });
    const { store } = h;
    for (const endpoint of writingEndpointsOnce(h)) {
      if (EXEMPT.has(endpoint.path)) continue;
      await t.step(`${endpoint.method} ${endpoint.path}`, async () => {
        for (const [name, loss] of Object.entries(losses)) {
          const wanted = loss.status(endpoint);
          const blobs = await blobCount(store);
          const { status, commits } = await attempt(h, store, endpoint, loss);
          if (wanted === 200) {
            assert.ok(status < 300, `${name}: ${status}`);
            continue;
          }
          assert.equal(status, wanted, name);
          assert.equal(commits, 0, `${name}: something was committed`);
          if (endpoint.upload) assert.equal(await blobCount(store), blobs, `${name}: bytes stay`);
        }
        const { status } = await attempt(h, store, endpoint, null);
        assert.ok(status < 300, `the request is not good: ${status}`);
      });
    }
  });
}

/** Sends the request; the loss happens when its plan is made and not yet committed. */
async function attempt(
  h: Harness,
  store: Interposed,
  endpoint: Endpoint,
  loss: Loss | null,
): Promise<{ status: number; commits: number }> {
  const scene = await sceneOf(h);
  const { path, body } = await writeTo(endpoint, scene);
  let before = store.committed.length;
  store.beforeCommit = async () => {
    store.beforeCommit = null;
    await loss?.happen(store, scene);
    before = store.committed.length;
  };
  const { token } = scene;
  const { status } = await h.ask(endpoint.method.toUpperCase(), path, { token, body });
  assert.equal(store.beforeCommit, null, `${endpoint.path} commits nothing`);
  return { status, commits: store.committed.length - before };
}

async function blobCount(store: Store): Promise<number> {
  return (await Array.fromAsync(store.blobs.list())).length;
}

Deno.test("access in the commit: the sender of a slow body is suspended before its end", async () => {
  await using h = await harness({ open: openOnEngine });
  const scene = await sceneOf(h);
  const half = Promise.withResolvers<void>();
  const encoded = new Response(form());
  const bytes = await encoded.bytes();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes.subarray(0, bytes.length - 40)),
    async pull(controller) {
      await half.promise;
      controller.enqueue(bytes.subarray(bytes.length - 40));
      controller.close();
    },
  }, { highWaterMark: 0 });
  const reply = h.ask("POST", "/api/files/upload", {
    token: scene.token,
    headers: { "content-type": encoded.headers.get("content-type")! },
    body,
  });
  await losses.suspended!.happen(h.store, scene);
  half.resolve();
  assert.equal((await reply).status, 401);
  assert.equal(await h.store.from(files).count(), 0);
  assert.equal(await blobCount(h.store), 0);
});

Deno.test("access in the commit: what a plan decides by the caller's rights it decides by those of the commit", async () => {
  await using h = await interposedHarness();
  const { store } = h;
  const { token, caller } = await sceneOf(h);
  // An admin may create users too, and so passes the endpoint's rule again; but may not make another super_admin.
  store.beforeCommit = async () => {
    store.beforeCommit = null;
    await store.transact(server, async (tx) => {
      const user = await tx.from(users).get(caller.id);
      tx.update(users, user!, { role: "admin" });
    });
  };
  const body = { name: "Next", email: "next@example.com", role: "super_admin" };
  const reply = await h.ask("POST", "/api/users", { token, body });
  assert.equal(reply.status, 403, reply.text);
  assert.equal(await h.store.from(users).findBy("email", "next@example.com"), null);
});

Deno.test("access in the commit: a check-in whose session ends before its commit counts for nothing", async () => {
  await using h = await interposedHarness();
  const { store } = h;
  const { caller } = await sceneOf(h);
  const { cookie, session } = await signIn(h.store, h.app.services.tokens, caller, {});
  store.beforeCommit = async () => {
    store.beforeCommit = null;
    await store.transact(server, async (tx) => {
      tx.remove(sessions, (await tx.from(sessions).get(session.id))!);
    });
  };
  const headers = { cookie: `quarterdeck.session-token=${cookie}` };
  assert.equal((await h.ask("POST", "/api/checkin", { headers })).status, 401);
  assert.equal(await h.store.from(checkins).count(), 0);
});

Deno.test("access in the commit: many writes of a user who signs in meanwhile all succeed", async () => {
  await using h = await harness({ env: { RATE_LIMIT: "false" } });
  const { token, caller } = await sceneOf(h);
  const WRITES = 60;
  const signIns = async () => {
    for (let n = 0; n < 10; n++) {
      const user = await h.store.from(users).get(caller.id);
      await signIn(h.store, h.app.services.tokens, user!, {});
    }
  };
  const creations = Array.from(
    { length: WRITES },
    (_, n) => h.ask("POST", "/api/documents", { token, body: { title: `Log ${n}`, content: "" } }),
  );
  const [, ...replies] = await Promise.all([signIns(), ...creations]);
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [201]);
  assert.equal(await h.store.from(documents).count(), WRITES);
});

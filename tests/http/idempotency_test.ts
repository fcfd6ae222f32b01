// Idempotency-Key: whatever dies between the steps of a request, a repetition finds either nothing or the answer.
import assert from "node:assert/strict";
import { type App, createApp } from "../../app.ts";
import { sha256 } from "../../core/hashing.ts";
import type { Endpoint } from "../../http/endpoint.ts";
import { documents } from "../../models/documents.ts";
import { files } from "../../models/files.ts";
import { idempotentAnswers } from "../../models/idempotency.ts";
import { users } from "../../models/users.ts";
import type { Mail } from "../../services/messaging/mailer.ts";
import type { Change, Store } from "../../storage/port.ts";
import { openOnEngine } from "../engine.ts";
import { type Harness, harness } from "../harness.ts";
import { type Interposed, interposedHarness, killed } from "../interposed.ts";
import { form, png } from "../uploads.ts";
import { sceneOf, type WriteRequest, writeTo, writingEndpointsOnce } from "../writes.ts";

const KEY = "one key for all";

Deno.test("idempotency: of what was sent only a keyed digest is kept, as a password may be in it", async () => {
  await using h = await harness();
  const body = {
    name: "Grace",
    email: "g@example.com",
    password: "seven wide seas",
  };
  const headers = { "idempotency-key": KEY };
  assert.equal((await h.ask("POST", "/api/users", { as: "super", headers, body })).status, 201);
  const { rows: [kept] } = await h.store.from(idempotentAnswers).list({});
  assert.match(kept!.requestHash, /^[\da-f]{64}$/);
  assert.notEqual(kept!.requestHash, sha256(`\n${JSON.stringify(body)}`));
  assert.equal((await h.ask("POST", "/api/users", { as: "super", headers, body })).status, 201);
});

/** The application on the same store as a process that starts after another was killed has it. */
function restarted(h: Harness, store: Store, mails: Mail[] = []): App {
  const running = new Set<Promise<void>>();
  const mailer = {
    state: () => ({ urgent: running.size, notices: 0, sent: mails.length, failed: 0 }),
    inBackground(compose: () => Mail | null | Promise<Mail | null>) {
      const run = Promise.resolve().then(compose).then((mail) => {
        if (mail) mails.push(mail);
      });
      running.add(run);
    },
    idle: async () => void await Promise.all(running),
    close: () => Promise.resolve(),
  };
  return createApp({ store, settings: h.settings, mailer, clock: h.clock.now });
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly etag: string | null;
  readonly replayed: boolean;
}

async function send(
  app: App,
  method: string,
  { path, body }: WriteRequest,
  { token, key = KEY }: { token: string; key?: string },
): Promise<Answer> {
  // Both state their own type.
  const isForm = body instanceof FormData || body instanceof Blob;
  const response = await app.fetch(
    new Request(`http://localhost${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "idempotency-key": key,
        ...(body === undefined || isForm ? {} : { "content-type": "application/json" }),
      },
      body: body === undefined ? undefined : isForm ? body : JSON.stringify(body),
    }),
  );
  return {
    status: response.status,
    text: await response.text(),
    etag: response.headers.get("etag"),
    replayed: response.headers.has("idempotency-replayed"),
  };
}

/** Commits of a request's work: not those that keep an answer, those of counters, and what follows a deletion's beginning. */
function works(committed: readonly (readonly Change[])[]): number {
  const beside = new Set(["idempotentAnswers", "visits", "visitors", "documentViews"]);
  const goesOn = ({ kind, collection }: Change) =>
    collection === "deletions" && (kind === "remove" || kind === "update");
  return committed.filter((changes) =>
    changes.some(({ kind, collection }) => kind !== "check" && !beside.has(collection)) &&
    !changes.some(goesOn)
  ).length;
}

/** Where the process is killed: from there on nothing of it reaches the store. */
const DEATHS: Readonly<Record<string, (store: Interposed) => void>> = {
  "before the commit": (store) => {
    store.beforeCommit = () => {
      throw killed();
    };
  },
  "after the commit, before anybody hears of it": (store) => {
    store.afterCommit = () => {
      store.afterCommit = null;
      store.beforeCommit = () => {
        throw killed();
      };
      throw killed();
    };
  },
  "before the answer is kept": (store) => {
    store.afterCommit = () => {
      store.beforeCommit = () => {
        throw killed();
      };
    };
  },
  "after the answer is kept": (store) => {
    let commits = 0;
    store.afterCommit = () => {
      if (++commits < 2) return;
      store.beforeCommit = () => {
        throw killed();
      };
    };
  },
};

function posts(h: Harness): Endpoint[] {
  return writingEndpointsOnce(h).filter(({ method, secret, raw, path }) =>
    method === "post" && !secret && !raw && path !== "/files/search"
  );
}

for (const variant of ["compact", "full"]) {
  Deno.test(`idempotency: killed at any step, a retry finds nothing or the answer (${variant})`, async (t) => {
    await using h = await interposedHarness({ variant, env: { RATE_LIMIT: "false" } });
    const { store } = h;
    for (const endpoint of posts(h)) {
      await t.step(`post ${endpoint.path}`, async () => {
        for (const [death, arm] of Object.entries(DEATHS)) {
          const scene = await sceneOf(h);
          const request = await writeTo(endpoint, scene);
          const before = store.committed.length;
          arm(store);
          const first = await send(h.app, "POST", request, scene);
          store.beforeCommit = store.afterCommit = null;

          const app = restarted(h, store);
          const second = await send(app, "POST", request, scene);
          assert.ok(second.status < 300, `${death}: ${second.text}`);
          assert.equal(works(store.committed.slice(before)), 1, `${death}: the work is done once`);
          assert.equal(second.replayed, death !== "before the commit", death);
          if (first.status < 300) {
            const { replayed: _, ...expected } = first;
            assert.deepEqual({ ...second, replayed: undefined }, {
              ...expected,
              replayed: undefined,
            });
          }
          const third = await send(app, "POST", request, scene);
          assert.deepEqual(third, { ...second, replayed: true }, death);
          await app.services.backups.idle();
        }
      });
    }
  });
}

Deno.test("idempotency: the answer is given though it cannot be kept, and made again for a repetition", async () => {
  await using h = await interposedHarness();
  const { store } = h;
  const scene = await sceneOf(h);
  const request = { path: "/api/documents", body: { title: "Ship log", content: "x" } };
  DEATHS["before the answer is kept"]!(store);
  const first = await send(h.app, "POST", request, scene);
  assert.equal(first.status, 201, first.text);
  store.beforeCommit = store.afterCommit = null;
  const again = await send(h.app, "POST", request, scene);
  assert.equal(again.text, first.text);
  assert.equal(await h.store.from(documents).count(), 1);
});

Deno.test("idempotency: what made a request fail is what its sender is told", async () => {
  await using h = await interposedHarness();
  const { store } = h;
  const scene = await sceneOf(h);
  store.beforeCommit = () => {
    throw killed();
  };
  const request = { path: "/api/documents", body: { title: "Ship log", teamId: "nobody's" } };
  const { status, text } = await send(h.app, "POST", request, scene);
  assert.equal(status, 400, text);
  assert.match(text, /team/);
});

Deno.test("idempotency: two processes with one key do the work once", async () => {
  await using h = await harness({ open: openOnEngine });
  const scene = await sceneOf(h);
  const request = { path: "/api/documents", body: { title: "Ship log", content: "# One" } };
  const apps = [h.app, restarted(h, h.store), restarted(h, h.store)];
  const answers = await Promise.all(apps.map((app) => send(app, "POST", request, scene)));
  assert.deepEqual(answers.map(({ status }) => status), [201, 201, 201]);
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  assert.equal(await h.store.from(documents).count(), 1);
});

Deno.test("idempotency: an upload is known by its bytes, and those of a repetition are removed", async () => {
  await using h = await harness({ open: openOnEngine });
  const scene = await sceneOf(h);
  const upload = (text: string, name = "picture.png") =>
    send(h.app, "POST", {
      path: "/api/files/upload",
      body: form({ bytes: png(text), name }),
    }, scene);
  const first = await upload("these bytes");
  assert.equal(first.status, 201, first.text);
  const again = await upload("these bytes");
  assert.deepEqual([again.status, again.text, again.replayed], [201, first.text, true]);
  assert.equal((await upload("other bytes")).status, 422);
  assert.equal((await upload("these bytes", "another.png")).status, 422);
  assert.equal(await h.store.from(files).count(), 1);
  assert.equal((await Array.fromAsync(h.store.blobs.list())).length, 1);
});

Deno.test("idempotency: an upload whose answer was lost leaves the bytes of its first try alone", async () => {
  await using h = await interposedHarness();
  const { store } = h;
  const scene = await sceneOf(h);
  const request = () => ({ path: "/api/files/upload", body: form({ bytes: png("bytes") }) });
  DEATHS["before the answer is kept"]!(store);
  const first = await send(h.app, "POST", request(), scene);
  store.beforeCommit = store.afterCommit = null;
  const again = await send(restarted(h, store), "POST", request(), scene);
  assert.deepEqual([again.status, again.text], [201, first.text]);
  assert.equal((await Array.fromAsync(store.blobs.list())).length, 1);
  const { id } = JSON.parse(again.text).data;
  const download = await h.ask("GET", `/api/files/${id}/download`, { token: scene.token });
  assert.equal(download.status, 200);
});

Deno.test("idempotency: an invitation that died with its process is mailed by the retry; its link stays secret", async () => {
  await using h = await interposedHarness();
  const { store } = h;
  const scene = await sceneOf(h);
  const request = { path: "/api/users", body: { name: "Ada", email: "ada@example.com" } };
  DEATHS["after the commit, before anybody hears of it"]!(store);
  const first = await send(h.app, "POST", request, scene);
  assert.equal(first.status, 503);
  store.beforeCommit = store.afterCommit = null;
  assert.deepEqual(h.mails, []);
  const [kept] = (await store.from(idempotentAnswers).list()).rows;

  const mails: Mail[] = [];
  const app = restarted(h, store, mails);
  assert.equal((await send(app, "POST", request, scene)).status, 201);
  await app.services.mailer.idle();
  assert.deepEqual(mails.map(({ to }) => to), ["ada@example.com"]);
  const token = /token=([\w-]+)/.exec(mails[0]!.text)![1]!;
  assert.equal(JSON.stringify(kept).includes(token), false);
  assert.equal(atob(kept!.outcome!).includes(token), false);
  const body = { token, password: "a fine passphrase" };
  assert.equal((await h.ask("POST", "/api/auth/reset-password", { body })).status, 200);
  assert.equal(await store.from(users).findBy("email", "ada@example.com") === null, false);
});

Deno.test("idempotency: what the request made is gone: the repetition says so and makes nothing", async () => {
  await using h = await interposedHarness();
  const { store } = h;
  const scene = await sceneOf(h);
  const request = { path: "/api/documents", body: { title: "Ship log", content: "x" } };
  DEATHS["before the answer is kept"]!(store);
  const { text } = await send(h.app, "POST", request, scene);
  store.beforeCommit = store.afterCommit = null;
  const { id } = JSON.parse(text).data;
  assert.equal((await h.ask("DELETE", `/api/documents/${id}`, scene)).status, 200);
  assert.equal((await send(h.app, "POST", request, scene)).status, 409);
  assert.equal(await h.store.from(documents).count(), 0);
});

Deno.test("idempotency: what the request made is hidden from its caller since: the repetition does not show it", async () => {
  await using h = await harness({ variant: "full" });
  await h.grant("user", "documents:create", "documents:update");
  await h.grant("other", "documents:update");
  // Too long to be kept as an answer: it is made anew of the record.
  const long = (word: string) => word.repeat(150_000 / word.length);
  const body = { title: "Ship log", content: long("calm ") };
  const { data } = await h.ask("POST", "/api/documents", { as: "user", body });
  const path = `/api/documents/${data.id}`;
  const save = (content: string) => h.ask("PUT", path, { as: "user", body: { content } });
  await save(long("storm "));
  const { id: userId } = h.accounts.other;
  await h.ask("POST", `${path}/share`, { as: "user", body: { userId, permission: "edit" } });
  const headers = { "idempotency-key": KEY };
  const restore = () =>
    h.ask("POST", `${path}/revisions/1/restore`, { as: "other", headers, body: {} });
  assert.equal((await restore()).status, 200);
  await save(long("gale "));
  assert.equal((await restore()).data.content, long("gale "));
  await h.ask("POST", `${path}/unshare`, { as: "user", body: { userId } });
  const again = await restore();
  assert.equal(again.status, 409);
  assert.equal(JSON.stringify(again.body).includes("gale"), false);
});

// The store goes out of reach between any two steps of a request or a count: 503 or the answer, nothing half-done or lost.
import assert from "node:assert/strict";
import { documents, documentViews } from "../models/documents.ts";
import { files } from "../models/files.ts";
import { visits } from "../models/dashboard.ts";
import { emailLinks, passwordResets, sessions } from "../models/sessions.ts";
import { snippets } from "../models/snippets.ts";
import { users } from "../models/users.ts";
import { planEmailLink } from "../services/accounts/verification.ts";
import { removeExpiredSnippets } from "../services/snippets/snippets.ts";
import { sweep } from "../services/sweep.ts";
import { StoreUnavailable } from "../storage/port.ts";
import { type Failing, failing } from "./failing.ts";
import { openOnEngine } from "./engine.ts";
import { type Ask, type Harness, harness, PASSWORD } from "./harness.ts";

async function open(): Promise<Harness & { readonly store: Failing }> {
  const h = await harness({
    variant: "full",
    env: { RATE_LIMIT: "false" },
    open: async (clock) => failing(await openOnEngine(clock), clock),
  });
  return h as Harness & { readonly store: Failing };
}

/** What is taken for a PDF. */
const bytesOf = (name: string) => `%PDF-1.4\nbytes of ${name}\n%%EOF\n`;

function form(name: string): FormData {
  const data = new FormData();
  data.set("file", new Blob([bytesOf(name)], { type: "application/pdf" }), `${name}.pdf`);
  return data;
}

async function upload(h: Harness, name: string): Promise<string> {
  const reply = await h.ask("POST", "/api/files/upload", { as: "super", body: form(name) });
  return reply.data.id;
}

interface Kind {
  readonly path: string;
  /** What is sent, twice alike. @param round Its number. */
  ask(h: Harness, round: number): Promise<Ask>;
  /** What has to be there: nothing or all of it after a failure, all of it after the next try. */
  done(h: Harness, round: number, sent: Ask): Promise<"nothing" | "all" | "a part">;
}

const KINDS: Readonly<Record<string, Kind>> = {
  "sign-in": {
    path: "/api/auth/login",
    ask: ({ accounts: { user } }) =>
      Promise.resolve({ body: { email: user.email, password: PASSWORD } }),
    done: () => Promise.resolve("all"),
  },
  "refresh": {
    path: "/api/auth/refresh",
    async ask(h) {
      const body = { email: h.accounts.user.email, password: PASSWORD };
      const { data } = await h.ask("POST", "/api/auth/login", { body });
      return { body: { refreshToken: data.refreshToken } };
    },
    done: () => Promise.resolve("all"),
  },
  "create": {
    path: "/api/documents",
    ask: (_, round) =>
      Promise.resolve({
        as: "super",
        headers: { "idempotency-key": `create-${round}` },
        body: { title: `Round ${round}`, content: "text" },
      }),
    async done(h, round) {
      const count = await h.store.from(documents).count({ title: `Round ${round}` });
      return count === 0 ? "nothing" : count === 1 ? "all" : "a part";
    },
  },
  "upload": {
    path: "/api/files/upload",
    ask: (_, round) =>
      Promise.resolve({
        as: "super",
        headers: { "idempotency-key": `upload-${round}` },
        body: form(`round-${round}`),
      }),
    async done(h, round) {
      const { rows } = await h.store.from(files).list({ where: { name: `round-${round}.pdf` } });
      if (rows.length === 0) return "nothing";
      const reply = await h.ask("GET", `/api/files/${rows[0]!.id}/download`, { as: "super" });
      return rows.length === 1 && reply.text === bytesOf(`round-${round}`) ? "all" : "a part";
    },
  },
  "batch delete": {
    path: "/api/files/batch-delete",
    async ask(h, round) {
      const ids = [await upload(h, `a${round}`), await upload(h, `b${round}`)];
      return { as: "super", body: { ids } };
    },
    async done(h, _, sent) {
      const { ids } = sent.body as { ids: string[] };
      const found = await h.store.from(files).getMany(ids);
      const left = found.filter((file) => file !== null).length;
      return left === 0 ? "all" : left === ids.length ? "nothing" : "a part";
    },
  },
};

for (const [name, { path, ask, done }] of Object.entries(KINDS)) {
  Deno.test(`outages: between every two steps of ${name}`, async () => {
    await using h = await open();
    for (let step = 1, failed = true; failed; step++) {
      assert.ok(step < 200, "the request never gets through");
      const sent = await ask(h, step);
      h.store.failFrom(step);
      // The harness takes no 500.
      const { status, text } = await h.ask("POST", path, sent);
      failed = h.store.recover();
      assert.ok(failed || step > 1, "it never asked the store");
      assert.ok(status < 300 || failed && status === 503, `step ${step}: ${status} ${text}`);
      const state = await done(h, step, sent);
      assert.notEqual(state, "a part", `step ${step}`);
      if (status < 300) assert.equal(state, "all", `step ${step}`);
      if (status < 300) continue;
      const again = await h.ask("POST", path, sent);
      assert.ok(again.status < 300, `after step ${step}: ${again.status} ${again.text}`);
      assert.equal(await done(h, step, sent), "all", `after step ${step}`);
    }
  });
}

Deno.test("outages: between every two steps of writing counts, none is lost or counted twice", async () => {
  await using h = await open();
  const document = await h.ask("POST", "/api/documents", {
    as: "super",
    body: { title: "Read", content: "often" },
  });
  const { id } = document.data;
  const counters = [h.app.services.visits, h.app.services.documentViews];
  for (const counter of counters) await counter.flush();
  const day = h.clock.now().toISOString().slice(0, 10);
  const before = (await h.store.from(visits).get(day))!;
  let rounds = 0;
  for (let failed = true; failed;) {
    rounds++;
    h.app.services.visits.visit(h.accounts.user.id);
    h.app.services.documentViews.open(id);
    failed = false;
    for (const counter of counters) {
      h.store.failFrom(rounds);
      const outcome = await counter.flush().then(() => "written", () => "failed");
      const down = h.store.recover();
      assert.equal(outcome, down ? "failed" : "written");
      failed ||= down;
    }
  }
  assert.ok(rounds > 3, `${rounds} rounds`);
  for (const counter of counters) await counter.flush();
  assert.equal((await h.store.from(visits).get(day))!.visits, before.visits + rounds);
  assert.equal((await h.store.from(documentViews).get(id))!.views, rounds);
});

interface Job {
  readonly name: string;
  run(h: Harness): Promise<void>;
  /** How much there still is that it has to remove. */
  left(h: Harness): Promise<number>;
}

const JOBS: readonly Job[] = [
  {
    name: "sweep",
    run: (h) => sweep(h, h.clock.now()),
    left: async ({ store }) =>
      await store.from(passwordResets).count() + await store.from(sessions).count() +
      await store.from(emailLinks).count(),
  },
  {
    name: "remove expired snippets",
    run: ({ store, clock }) => removeExpiredSnippets(store, 30, clock.now()),
    left: async ({ store }) => await store.from(snippets).count(),
  },
];

/** Of an outage, alone or of several parts. */
function isOutage(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isOutage);
  return error instanceof StoreUnavailable;
}

for (const { name, run, left } of JOBS) {
  Deno.test(`outages: between every two steps of '${name}', and the next run ends what is left`, async () => {
    await using h = await open();
    for (let step = 1, failed = true; failed; step++) {
      assert.ok(step < 500, "the job never gets through");
      await h.ask("POST", "/api/share", { body: { content: "short-lived" } });
      await h.ask("POST", "/api/auth/forgot-password", { body: { email: h.accounts.user.email } });
      await h.store.transact({ userId: null }, (tx) => {
        const [name, email] = ["Nobody", `nobody${step}@example.com`];
        const { role } = h.accounts.user;
        const unverifiedSince = tx.now;
        const user = tx.insert(users, {
          name,
          email,
          role,
          permissions: [],
          status: "active",
          unverifiedSince,
        });
        return planEmailLink(tx, user, "verify");
      });
      h.clock.advance(60 * 24 * 60 * 60 * 1000);
      assert.ok(await left(h) > 0);
      h.store.failFrom(step);
      const outcome = await run(h).then(() => null, (error) => error);
      failed = h.store.recover();
      assert.ok(failed || step > 1, "it never asked the store");
      assert.equal(outcome !== null, failed, `step ${step}: ${outcome}`);
      assert.ok(outcome === null || isOutage(outcome), `step ${step}: ${outcome}`);
      if (failed) await run(h);
      assert.equal(await left(h), 0, `after step ${step}`);
    }
  });
}

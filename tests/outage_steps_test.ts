// The store goes out of reach between any two steps of a request: 503 or the answer, and nothing half-done.
import assert from "node:assert/strict";
import { documents } from "../models/documents.ts";
import { files } from "../models/files.ts";
import { during, failingHarness as open, OUTAGES } from "./failing.ts";
import { type Ask, type Harness, PASSWORD } from "./harness.ts";

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

for (const how of OUTAGES) {
  for (const [name, { path, ask, done }] of Object.entries(KINDS)) {
    Deno.test(`outages: the store ${how} between any two steps of ${name}`, async () => {
      await using h = await open();
      for (let step = 1, failed = true; failed; step++) {
        assert.ok(step < 200, "the request never gets through");
        const sent = await ask(h, step);
        // The harness takes no 500.
        const tried = await during(h.store, { step, how }, async () => {
          const asked = h.ask("POST", path, sent);
          if (how === "hangs") {
            await Promise.race([asked, h.store.silent()]);
            assert.equal((await h.app.fetch(new Request("http://localhost/livez"))).status, 200);
          }
          return await asked;
        });
        failed = tried.failed;
        assert.ok(failed || step > 1, "it never asked the store");
        if (tried.outcome.status === "rejected") throw tried.outcome.reason;
        const { status, text } = tried.outcome.value;
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
}

// What the server tells its administrators of itself, and nobody else; never a secret.
import assert from "node:assert/strict";
import { reportSettings } from "../../../config/report.ts";
import { parseSettings } from "../../../config/settings.ts";
import { variants } from "../../../config/variants.ts";
import { variableNames } from "../../../config/settings.ts";
import { delay } from "../../../core/delay.ts";
import { openKvStore } from "../../../kv/store.ts";
import { users } from "../../../models/users.ts";
import { seedRoles } from "../../../services/accounts/first_start.ts";
import { principalOfToken } from "../../../services/accounts/principals.ts";
import { startJobs } from "../../../services/jobs.ts";
import { openSqlStore } from "../../../sql/store.ts";
import type { Store } from "../../../storage/port.ts";
import { dropReused, openReused } from "../../sql/reused.ts";
import { type Account, harness } from "../../harness.ts";

const SECRETS = {
  JWT_SECRET: "sekrit-access-secret-of-more-than-32",
  REFRESH_TOKEN_SECRET: "sekrit-refresh-secret-of-more-than-32",
  SESSION_SECRET: "sekrit-session-secret-of-more-than-32",
  ADMIN_PASSWORD: "sekrit-password",
  AUDIT_KEY: "sekrit-audit-key-of-more-than-32-chars",
  METRICS_TOKEN: "sekrit-metrics-token",
  SMTP_URL: "smtp://mailer:sekrit-smtp@mail.example.com:587?requireTLS=true",
  DATABASE_URL:
    "postgres://dba:sekrit%40db@db.example.com:5433/desk?application_name=desk&sslpassword=sekrit",
  OIDC_PROVIDERS:
    '[{"name":"company","issuer":"https://id.example.com","clientId":"desk","clientSecret":"sekrit-oidc"}]',
};

const ENGINES: Readonly<Record<string, () => Promise<Store>>> = {
  kv: () => inFolder((path) => openKvStore({ path })),
  sqlite: () => inFolder((path) => openSqlStore({ url: `sqlite:${path}` })),
  postgres: () => openReused({ clock: () => new Date() }),
};
Deno.test.afterAll(dropReused);

/** A store in a file, which goes with the store. */
async function inFolder(open: (path: string) => Promise<Store>): Promise<Store> {
  const folder = await Deno.makeTempDir();
  const store = await open(`${folder}/store`);
  const close = store.close.bind(store);
  store.close = async () => {
    await close();
    await Deno.remove(folder, { recursive: true });
  };
  return store;
}

Deno.test("system: settings are for those who hold system:view", async () => {
  await using h = await harness({ variant: "full" });
  const path = "/api/system/settings";
  assert.equal((await h.ask("GET", path)).status, 401);
  for (const as of ["guest", "user", "admin"] as Account[]) {
    assert.equal((await h.ask("GET", path, { as })).status, 403, as);
  }
  assert.equal((await h.ask("GET", path, { as: "super" })).status, 200);
  await h.grant("user", "system:view");
  assert.equal((await h.ask("GET", path, { as: "user" })).status, 200);
  const made = await h.ask("POST", "/api/auth/keys", {
    as: "super",
    body: { name: "Documents", scopes: ["documents:view"] },
  });
  assert.equal((await h.ask("GET", path, { token: made.data.key })).status, 403);
  const { data } = await h.ask("GET", "/api/permissions?search=system", { as: "super" });
  assert.ok(data.some((one: { name: string }) => one.name === "system:view"));
});

Deno.test("system: health tells of the process, the store, the journal, and what waits", async () => {
  await using h = await harness({ variant: "full", env: { BACKUP_DIR: "no/such/folder" } });
  const path = "/api/system/health";
  for (const as of [null, "user", "admin"] as const) {
    assert.equal((await h.ask("GET", path, { as })).status, as ? 403 : 401);
  }
  const before = (await h.ask("GET", path, { as: "super" })).data;
  assert.equal(before.records.users, 5);
  assert.equal(before.journal.position, h.store.position());
  assert.equal(before.store.engine, h.store.engine);
  assert.equal(before.time, h.clock.now().toISOString());
  assert.ok(before.process.memory.rss > 0 && before.process.uptime > 0);
  assert.ok(before.store.cache.maxBytes > 0);
  assert.deepEqual(before.audit, { seq: 0, linkedAt: null, position: "", checkpointAt: null });
  assert.deepEqual(before.webhooks, { active: 0, pending: 0 });
  assert.deepEqual(before.jobs, []);

  const hook = { url: "https://hooks.example.com/x", events: ["documents.*"] };
  const made = await h.ask("POST", "/api/webhooks", { as: "super", body: hook });
  await h.ask("POST", `/api/webhooks/${made.data.id}/test`, { as: "super" });
  await h.ask("POST", "/api/documents", { as: "super", body: { title: "One" } });
  await h.app.services.audit.link();
  const stream = await h.app.services.events.open(
    (await principalOfToken(h.store, h.app.services.tokens, h.tokens.super))!,
    { topics: null, records: false, ip: "127.0.0.1" },
  );
  const after = (await h.ask("GET", path, { as: "super" })).data;
  await stream.cancel();
  assert.deepEqual(after.webhooks, { active: 1, pending: 1 });
  assert.equal(after.records.documents, 1);
  assert.equal(after.events.open, 1);
  assert.ok(after.audit.seq > 0 && after.audit.linkedAt !== null);
  assert.ok(after.journal.position > before.journal.position);
  assert.ok(after.journal.since <= after.time);
});

Deno.test("system: health tells of jobs when they ran, how often they failed and why", async () => {
  await using h = await harness();
  const { services } = h.app;
  const jobs = [
    { name: "works", every: 1, run: () => Promise.resolve() },
    { name: "fails", every: 1, run: () => Promise.reject(new Error("the disk is gone")) },
    { name: "is not needed", every: 1, isNeeded: () => false, run: () => Promise.resolve() },
  ];
  const stop = startJobs(services, jobs);
  while (services.jobs.reports.some(({ runs }) => runs < 2)) await delay(2);
  await stop();
  const { data } = await h.ask("GET", "/api/system/health", { as: "super" });
  const [works, fails] = data.jobs;
  assert.deepEqual(data.jobs.map((one: { name: string }) => one.name), ["works", "fails"]);
  assert.deepEqual([works.failures, works.lastFailure, works.running], [0, null, false]);
  assert.equal(works.lastStartedAt, h.clock.now().toISOString());
  assert.deepEqual([fails.failures, fails.lastFailure.reason], [fails.runs, "the disk is gone"]);
});

for (const [engine, open] of Object.entries(ENGINES)) {
  Deno.test(`system: ${engine} tells its version, size, memory and journal`, async () => {
    const store = await open();
    try {
      assert.equal((await store.facts()).journalSince, null);
      await seedRoles(store, variants.compact!);
      await store.from(users).list();
      const { version, layout, size, memory, journalSince } = await store.facts();
      assert.ok(engine === "kv" ? version === null : /^\d+\.\d+/.test(version!), `${version}`);
      assert.match(layout, /^\d/);
      assert.ok(size! > 1000, `${size} bytes`);
      assert.ok(memory.maxBytes > memory.bytes && memory.bytes >= 0);
      assert.ok(Math.abs(Date.parse(journalSince!) - Date.now()) < 60_000, `${journalSince}`);
    } finally {
      await store.close();
    }
  });
}

Deno.test("system: no secret is among the settings, whole or in a URL, whichever variant", async () => {
  for (const variant of ["compact", "full", "web"]) {
    await using h = await harness({ variant, env: SECRETS });
    const { text, data } = await h.ask("GET", "/api/system/settings", { as: "super" });
    assert.equal(/sekrit|\bdba\b|mailer/.test(text), false, text);
    const names = data.map((one: { name: string }) => one.name);
    const aliases = data.flatMap((one: { aliases: string[] }) => one.aliases);
    assert.deepEqual([...names, ...aliases].sort(), variableNames(h.settings.variant).sort());
    const of = (name: string) => data.find((one: { name: string }) => one.name === name);
    assert.equal(of("SMTP_URL").value, "smtp://…@mail.example.com:587?requireTLS=true");
    assert.equal(
      of("DATABASE_URL").value,
      "postgres://…@db.example.com:5433/desk?application_name=desk&sslpassword=…",
    );
    for (const name of ["ADMIN_PASSWORD", "AUDIT_KEY", "METRICS_TOKEN"]) {
      const { value, set, secret, source } = of(name);
      assert.deepEqual([value, set, secret, source], [null, true, true, "environment"], name);
    }
  }
});

Deno.test("system: a setting has its value as it counts, where it is from, its default and what it means", () => {
  const env = {
    JWT_SECRET: SECRETS.JWT_SECRET,
    VITE_API_URL: "/v1",
    JWT_ACCESS_EXPIRES: "5m",
    DENO_KV_PATH: "https://kv:sekrit@kv.example.com/",
  };
  const origins: Record<string, "file" | "generated"> = {
    JWT_SECRET: "generated",
    JWT_ACCESS_EXPIRES: "file",
  };
  const all = reportSettings(env, parseSettings(env), (name) => origins[name] ?? "environment");
  const brief = (name: string) => {
    const one = all.find((variable) => variable.name === name)!;
    return [one.value, one.source, one.default];
  };
  assert.deepEqual(brief("JWT_SECRET"), [null, "generated", null]);
  assert.deepEqual(brief("VITE_API_URL"), ["/v1", "environment", "/api"]);
  assert.deepEqual(brief("JWT_ACCESS_EXPIRES"), ["5m", "file", "15m"]);
  assert.deepEqual(brief("JWT_REFRESH_EXPIRES"), ["7d", "default", "7d"]);
  assert.deepEqual(brief("PORT"), ["8000", "default", "8000"]);
  assert.deepEqual(brief("PUBLIC_URL"), ["http://localhost:8000", "default", null]);
  assert.deepEqual(brief("DENO_KV_PATH"), ["https://…@kv.example.com/", "environment", null]);
  assert.deepEqual(brief("DATABASE_URL"), ["kv:https://…@kv.example.com/", "default", null]);
  assert.deepEqual(brief("CORS_ORIGIN"), ["*", "default", null]);
});

for (const [name, variant] of Object.entries(variants)) {
  Deno.test(`system: each variable of ${name} says what it means`, () => {
    const secret = "a secret that is long enough for tests";
    const env = { VARIANT: name, JWT_SECRET: secret, SESSION_SECRET: secret };
    const complete = { ...env, REFRESH_TOKEN_SECRET: `${secret}, another` };
    const all = reportSettings(complete, parseSettings(complete), () => "environment");
    assert.equal(all.length > 40, true, variant.name);
    assert.deepEqual(all.filter(({ meaning }) => meaning === "").map((one) => one.name), []);
  });
}

// The first run: only who is at the machine names the administrator, only while there is none, and one of those who try.
import assert from "node:assert/strict";
import { createApp } from "../../../app.ts";
import type { Environment } from "../../../config/environment.ts";
import { parseSettings } from "../../../config/settings.ts";
import { users } from "../../../models/users.ts";
import { seedRoles } from "../../../services/accounts/first_start.ts";
import { openOnEngine } from "../../engine.ts";
import { harness } from "../../harness.ts";

const BODY = { name: "Grace Keel", email: "grace@example.com", password: "a quiet harbour" };

interface Ask {
  readonly from?: string;
  readonly host?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** The application on a store without anybody. */
async function empty(env: Record<string, string> = {}) {
  const settings = parseSettings({
    VARIANT: "compact",
    JWT_SECRET: "an access secret for tests, long enough",
    SESSION_SECRET: "a session secret for tests, long enough",
    LOG_LEVEL: "fatal",
    ...env,
  });
  const store = await openOnEngine(() => new Date());
  await seedRoles(store, settings.variant);
  const mailer = {
    state: () => ({ urgent: 0, notices: 0, sent: 0, failed: 0 }),
    inBackground() {},
    idle: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const app = createApp({ store, settings, mailer });
  async function ask(method: string, path: string, { from, host, headers, body }: Ask = {}) {
    const request = new Request(`http://${host ?? "localhost:8000"}/api${path}`, {
      method,
      headers: { ...(body ? { "content-type": "application/json" } : {}), ...headers },
      body: body ? JSON.stringify(body) : undefined,
    });
    const remoteAddr = { transport: "tcp", hostname: from ?? "127.0.0.1", port: 1 };
    const response = await app.fetch(request, { remoteAddr });
    const { headers: received, status } = response;
    return { status, headers: received, body: await response.json() };
  }
  return { store, ask, [Symbol.asyncDispose]: () => store.close() };
}

for (const variant of ["compact", "full", "web", "snippets"]) {
  Deno.test(`setup: the administrator is named once and signed in (${variant})`, async () => {
    const REFRESH_TOKEN_SECRET = "a refresh secret for tests, long enough";
    await using site = await empty({ VARIANT: variant, REFRESH_TOKEN_SECRET });
    assert.deepEqual((await site.ask("GET", "/setup")).body.data, { needed: true });
    const body = { ...BODY, confirmPassword: BODY.password };
    const { status, body: answer, headers } = await site.ask("POST", "/setup", { body });
    assert.equal(status, 200, JSON.stringify(answer));
    assert.equal(answer.user.role, "super_admin");
    assert.equal(answer.user.emailVerified, true);
    assert.ok(answer.token);
    assert.equal("data" in answer, variant !== "web");
    assert.match(headers.get("cache-control")!, /no-store/);
    assert.deepEqual((await site.ask("GET", "/setup")).body.data, { needed: false });
    const again = { ...body, email: "mallory@example.com" };
    assert.equal((await site.ask("POST", "/setup", { body: again })).status, 409);
    const login = await site.ask("POST", "/auth/login", { body });
    assert.equal(login.status, 200);
    assert.equal(await site.store.from(users).count(), 1);
  });
}

Deno.test("setup: of those who try at once, one alone is let through", async () => {
  await using site = await empty();
  const tries = Array.from({ length: 6 }, (_, n) => ({ ...BODY, email: `p${n}@example.com` }));
  const answers = await Promise.all(tries.map((body) => site.ask("POST", "/setup", { body })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409]);
  assert.equal(await site.store.from(users).count({ role: "super_admin" }), 1);
});

Deno.test("setup: accounts that register before are no obstacle, and get nothing by it", async () => {
  await using site = await empty();
  const registered = await site.ask("POST", "/auth/register", { body: BODY, from: "192.0.2.7" });
  assert.equal(registered.body.user.role, "user");
  assert.equal(
    (await site.ask("POST", "/setup", { body: BODY })).status,
    409,
    "the address is taken",
  );
  const body = { ...BODY, email: "admin@example.com" };
  assert.equal((await site.ask("POST", "/setup", { body })).status, 200);
});

const ELSEWHERE: Readonly<Record<string, Ask>> = {
  "another machine": { from: "192.0.2.7" },
  "a machine of the same network": { from: "10.0.0.7" },
  "another machine by IPv6": { from: "2001:db8::1" },
  "a name that was made to lead here (DNS rebinding)": { host: "rebound.example:8000" },
  "an address of the network": { host: "192.168.0.2:8000" },
  "a name that begins like this machine's": { host: "localhost.example" },
  "a name below this machine's": { host: "evil.localhost:8000" },
  "a proxy": { headers: { "x-forwarded-for": "127.0.0.1" } },
  "a proxy that names the host": { headers: { "x-forwarded-host": "localhost" } },
  "a proxy by RFC 7239": { headers: { forwarded: "for=127.0.0.1" } },
  "a proxy that tells itself alone": { headers: { via: "1.1 proxy" } },
  "nginx": { headers: { "x-real-ip": "127.0.0.1" } },
  "another site's page": { headers: { origin: "https://evil.example" } },
  "another site's page, by its fetch metadata": { headers: { "sec-fetch-site": "cross-site" } },
  "another port's page": { headers: { origin: "http://localhost:1234" } },
  "a page without an origin": { headers: { origin: "null" } },
};

Deno.test("setup: only from this machine, by its name, through no proxy and from no other site's page", async () => {
  await using site = await empty();
  for (const [who, ask] of Object.entries(ELSEWHERE)) {
    assert.equal((await site.ask("POST", "/setup", { ...ask, body: BODY })).status, 403, who);
    assert.deepEqual((await site.ask("GET", "/setup", ask)).body.data, { needed: false }, who);
  }
  assert.equal(await site.store.from(users).count(), 0);
  const here: readonly Ask[] = [
    { host: "[::1]:8000", from: "::1" },
    { host: "127.0.0.1:8000", from: "::ffff:127.0.0.1" },
    { headers: { origin: "http://localhost:8000", "sec-fetch-site": "same-origin" } },
  ];
  for (const ask of here) {
    assert.deepEqual((await site.ask("GET", "/setup", ask)).body.data, { needed: true });
  }
  const { status } = await site.ask("POST", "/setup", { ...here[2], body: BODY });
  assert.equal(status, 200);
});

Deno.test("setup: not where the administrator is chosen otherwise, or others reach the server", () => {
  const of = (env: Environment) =>
    parseSettings({ JWT_SECRET: "an access secret for tests, long enough", ...env }).setup;
  for (const HOST of ["0.0.0.0", "::", "127.0.0.1", "::1", "localhost"]) {
    assert.equal(of({ HOST }), true, HOST);
  }
  assert.equal(of({ PUBLIC_URL: "http://127.0.0.1:9000", ADMIN_PASSWORD: "" }), true);
  for (
    const env of [
      { ADMIN_EMAIL: "a@example.com" },
      { ADMIN_PASSWORD: "a quiet harbour" },
      { USE_MOCK: "true" },
      { DENO_ENV: "production" },
      { DENO_DEPLOYMENT_ID: "a" },
      { HOST: "192.168.0.2" },
      { PUBLIC_URL: "https://desk.example" },
      { TRUSTED_PROXIES: "10.0.0.0/8" },
    ]
  ) assert.equal(of(env), false, JSON.stringify(env));
});

Deno.test("setup: where it is off, an empty store is not open to it either", async () => {
  await using site = await empty({ ADMIN_PASSWORD: "a quiet harbour" });
  assert.deepEqual((await site.ask("GET", "/setup")).body.data, { needed: false });
  assert.equal((await site.ask("POST", "/setup", { body: BODY })).status, 409);
});

Deno.test("setup: a weak password and what is no person are refused; tries are limited", async () => {
  await using h = await harness();
  const ask = (body: unknown) => h.ask("POST", "/api/setup", { body });
  for (const password of ["short12", "password", "12345678"]) {
    assert.equal((await ask({ ...BODY, password })).status, 400, password);
  }
  for (const part of [{ name: "" }, { email: "nobody" }, { confirmPassword: "another" }]) {
    assert.equal((await ask({ ...BODY, ...part })).status, 400);
  }
  for (let n = 0; n < 20; n++) assert.equal((await ask(BODY)).status, 409);
  assert.equal((await ask(BODY)).status, 429);
});

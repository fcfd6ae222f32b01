// The guard of variant web: what is public, where others are sent, and what another site may not do.
import assert from "node:assert/strict";
import fc from "fast-check";
import { type Harness, harness, PASSWORD, type Reply } from "../harness.ts";
import { assertHolds, scenarios } from "../scenario.ts";

const CLEARED = "token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax";
const html = { accept: "text/html" };

function assertRedirect(reply: Reply, location: string) {
  assert.equal(reply.status, 302);
  assert.equal(reply.headers.get("location"), location);
}

const PUBLIC = [
  "/login",
  "/register",
  "/forgot-password",
  "/reset-password",
  "/accept-invitation",
  "/verify-email",
  "/confirm-email",
  "/oidc",
  "/setup",
];

scenarios("guard without a cookie", {
  variant: "web",
  rows: [
    ...PUBLIC.map((path) => ({
      name: `${path} is public`,
      method: "GET",
      path,
      status: 200,
    })),
    { name: "/loginx is not a page", method: "GET", path: "/loginx", status: 404 },
    ...[
      ["/dashboard", "%2Fdashboard"],
      ["/dashboard/x?a=1&b=%20c", "%2Fdashboard%2Fx%3Fa%3D1%26b%3D%2520c"],
      ["/dashboards", "%2Fdashboards"],
      ["/users?page=2", "%2Fusers%3Fpage%3D2"],
      ["/users/abc", "%2Fusers%2Fabc"],
      ["/account/security", "%2Faccount%2Fsecurity"],
      ["/second-factor", "%2Fsecond-factor"],
    ].map(([path, back]) => ({
      name: `${path}: the login page, which leads back`,
      method: "GET",
      path: path!,
      status: 302,
      after: (_: Harness, reply: Reply) => assertRedirect(reply, `/login?redirect=${back}`),
    })),
    ...["/api/users", "/api/users/me", "/api/nothing", "/api/authx"].map((path) => ({
      name: `${path}: 401`,
      method: "GET",
      path,
      status: 401,
      after(_: Harness, reply: Reply) {
        assert.deepEqual(Object.keys(reply.body), ["error"]);
        assert.equal(typeof reply.body.error, "string");
      },
    })),
    { name: "/api/auth is public", method: "GET", path: "/api/auth/nothing", status: 404 },
    { name: "health is public", method: "GET", path: "/api/health", status: 200 },
    {
      name: "the API's description is public",
      method: "GET",
      path: "/api/openapi.json",
      status: 200,
    },
    {
      name: "Markdown is public",
      method: "POST",
      path: "/api/markdown",
      body: { markdown: "# a" },
      status: 200,
    },
    {
      name: "a bearer token does for the API",
      method: "GET",
      path: "/api/users/me",
      as: "user",
      status: 200,
    },
    {
      name: "a bad bearer token: 401",
      method: "GET",
      path: "/api/users/me",
      token: "x.y.z",
      status: 401,
      holds: { error: "Sign in first: the access token is missing, invalid or expired" },
    },
  ],
});

scenarios("guard with a bad cookie", {
  variant: "web",
  rows: ["/dashboard", "/users", "/api/users"].map((path) => ({
    name: `${path}: the login page, and the cookie is cleared`,
    method: "GET",
    path,
    headers: { cookie: "a=b; token=x.y.z" },
    status: 302,
    after(_: Harness, reply: Reply) {
      assertRedirect(reply, "/login");
      assert.equal(reply.headers.get("set-cookie"), CLEARED);
    },
  })),
});

Deno.test("guard with a bad cookie: a client that asks for JSON gets 401, and the cookie is cleared", async () => {
  await using h = await harness({ variant: "web" });
  const headers = { cookie: "token=x.y.z", accept: "application/json" };
  const reply = await h.ask("GET", "/api/users", { headers });
  assert.equal(reply.status, 401);
  assert.equal(reply.headers.get("set-cookie"), CLEARED);
});

Deno.test("guard without a console: nobody is sent to a login page that is not there", async () => {
  await using h = await harness({ variant: "web", env: { CONSOLE: "false" } });
  for (const headers of [{ cookie: "token=bad" }, { ...html, cookie: "token=bad" }]) {
    const reply = await h.ask("GET", "/api/users/me", { headers });
    assert.deepEqual([reply.status, Object.keys(reply.body)], [401, ["error"]]);
    assert.equal(reply.headers.get("set-cookie"), CLEARED);
  }
  assert.equal((await h.ask("GET", "/api/users/me", { headers: html })).status, 401);
  const headers = { cookie: `token=${h.tokens.user}` };
  assert.equal((await h.ask("GET", "/api/users/me", { headers })).status, 200);
});

Deno.test("guard: only the cookie of this very name counts", async () => {
  await using h = await harness({ variant: "web" });
  const { admin } = h.tokens;
  const names = ["xtoken", "token2", "Token", "a=token", "my.token", "x; Xtoken"];
  for (const name of names) {
    const reply = await h.ask("GET", "/dashboard", { headers: { cookie: `${name}=${admin}` } });
    assertRedirect(reply, "/login?redirect=%2Fdashboard");
  }
  const name = fc.stringMatching(/^[\w!#$%&'*+.^`|~-]{1,12}$/).filter((text) => text !== "token");
  await fc.assert(
    fc.asyncProperty(fc.array(name, { maxLength: 4 }), fc.nat(4), async (names, at) => {
      const others = names.map((other) => `${other}=x.y.z`);
      const cookie = [...others.slice(0, at), `token=${admin}`, ...others.slice(at)].join("; ");
      const reply = await h.ask("GET", "/api/users/me", { headers: { cookie } });
      assert.equal(reply.data?.id, h.accounts.admin.id, cookie);
      const without = { cookie: others.join("; ") };
      assert.equal((await h.ask("GET", "/api/users/me", { headers: without })).status, 401);
    }),
    { numRuns: 100 },
  );
});

/** Signs in as a browser does; the value of the cookie `token`. */
async function cookieOf(h: Harness, email = "user@example.com"): Promise<string> {
  const reply = await h.ask("POST", "/api/auth/login", { body: { email, password: PASSWORD } });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(Object.keys(reply.body).sort(), ["success", "token", "user"]);
  const set = reply.headers.getSetCookie().find((cookie) => cookie.startsWith("token="))!;
  assert.match(set, /^token=[^;]+; Max-Age=900; Path=\/; HttpOnly; SameSite=Lax$/);
  return set.slice("token=".length, set.indexOf(";"));
}

const ends: Readonly<Record<string, (h: Harness, cookie: string) => Promise<Reply>>> = {
  "logging out": (h, cookie) =>
    h.ask("POST", "/api/auth/logout", { headers: { cookie: `token=${cookie}` } }),
  "suspension": (h) =>
    h.ask("PUT", `/api/users/${h.accounts.user.id}`, {
      as: "super",
      body: { status: "suspended" },
    }),
  "a new password from an administrator": (h) =>
    h.ask("PUT", `/api/users/${h.accounts.user.id}`, {
      as: "super",
      body: { password: "another fine phrase" },
    }),
  "changing the password elsewhere": (h) =>
    h.ask("POST", "/api/auth/change-password", {
      as: "user",
      body: { currentPassword: PASSWORD, newPassword: "another fine phrase" },
    }),
  "deletion": (h) => h.ask("DELETE", `/api/users/${h.accounts.user.id}`, { as: "super" }),
};
for (const [name, end] of Object.entries(ends)) {
  Deno.test(`session: ${name} ends it at once`, async () => {
    await using h = await harness({ variant: "web" });
    const cookie = await cookieOf(h);
    const headers = { cookie: `token=${cookie}`, ...html };
    assert.equal((await h.ask("GET", "/dashboard", { headers })).status, 200);
    assert.ok((await end(h, cookie)).status < 400);
    assertRedirect(await h.ask("GET", "/dashboard", { headers }), "/login");
  });
}

Deno.test("session: whoever works goes on, whoever rests for 15 minutes does not, and the session's end stands", async () => {
  await using h = await harness({ variant: "web", env: { JWT_REFRESH_EXPIRES: "1h" } });
  let cookie = await cookieOf(h);
  const visit = async () => {
    const reply = await h.ask("GET", "/dashboard", { headers: { cookie: `token=${cookie}` } });
    const set = /^token=([^;]+)/.exec(reply.headers.get("set-cookie") ?? "");
    if (set) cookie = set[1]!;
    return { status: reply.status, renewed: set !== null };
  };
  assert.deepEqual(await visit(), { status: 200, renewed: false });
  for (let minutes = 0; minutes < 40; minutes += 10) {
    h.clock.advance(10 * 60_000);
    assert.deepEqual(await visit(), { status: 200, renewed: true });
  }
  h.clock.advance(8 * 60_000);
  assert.deepEqual(await visit(), { status: 200, renewed: false });
  h.clock.advance(13 * 60_000);
  assert.equal((await visit()).status, 302);
});

const sites: readonly [name: string, headers: Record<string, string>, refused: boolean][] = [
  ["no browser", {}, false],
  ["our own page", { origin: "http://localhost", "sec-fetch-site": "same-origin" }, false],
  ["our own page behind TLS", { origin: "https://localhost" }, false],
  ["an allowed origin", { origin: "https://front.example", "sec-fetch-site": "cross-site" }, false],
  ["a foreign origin", { origin: "https://evil.example" }, true],
  ["another port", { origin: "http://localhost:81" }, true],
  ["an opaque origin", { origin: "null" }, true],
  ["a subdomain", { origin: "http://x.localhost" }, true],
  ["a look-alike", { origin: "http://localhost.evil.example" }, true],
  ["another scheme", { origin: "ftp://localhost" }, true],
  ["another site, no origin", { "sec-fetch-site": "cross-site" }, true],
];
for (const [name, headers, refused] of sites) {
  Deno.test(`cross-site: ${name}: ${refused ? "refused" : "accepted"}`, async () => {
    await using h = await harness({
      variant: "web",
      env: { CORS_ORIGIN: "https://front.example" },
    });
    const withCookie = { ...headers, cookie: `token=${h.tokens.user}` };
    const change = await h.ask("PUT", "/api/users/me", { headers: withCookie, body: { bio: "x" } });
    assert.equal(change.status, refused ? 403 : 200);
    if (refused) assertHolds(change.body, { success: false });
    const read = await h.ask("GET", "/api/users/me", { headers: withCookie });
    assert.equal(read.status, 200, "reading is left to CORS");
    const bearer = await h.ask("PUT", "/api/users/me", { as: "user", headers, body: { bio: "y" } });
    assert.equal(bearer.status, 200, "a bearer token is not sent by browsers themselves");
    const page = await h.ask("POST", "/login", { headers, body: {} });
    assert.equal(page.status, refused ? 403 : 405, "pages take no forms");
    for (const path of ["login", "register", "refresh", "forgot-password", "reset-password"]) {
      const reply = await h.ask("POST", `/api/auth/${path}`, { headers, body: {} });
      assert.equal(reply.status, refused ? 403 : 400, `${path} by the API`);
      assert.equal(reply.headers.get("set-cookie"), null);
    }
    const good = { email: "user@example.com", password: PASSWORD };
    const byApi = await h.ask("POST", "/api/auth/login", { headers, body: good });
    assert.equal(byApi.status, refused ? 403 : 200);
    assert.equal(byApi.headers.has("set-cookie"), !refused);
  });
}

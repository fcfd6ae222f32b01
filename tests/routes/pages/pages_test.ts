// The console at its paths, and what of it differs in variant web, without a browser.
import assert from "node:assert/strict";
import { PAGES } from "../../../console/pages.ts";
import { type Harness, harness, PASSWORD, type Reply } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";

const html = { accept: "text/html,*/*" };
const PATHS = PAGES.map(({ path }) => path.replace(":id", "abc"));
const open = new Set(
  PAGES.filter((page) => "public" in page).map(({ path }): string => path),
);

const good = { email: "user@example.com", password: PASSWORD };
const fresh = {
  name: "New Person",
  email: "new@example.com",
  password: "a quiet harbour",
  confirmPassword: "a quiet harbour",
};

/** What the page tells the console of the server. */
function placeIn({ text }: Reply) {
  const [, content = ""] = /<meta name="quarterdeck" content="([^"]*)">/.exec(text) ?? [];
  return JSON.parse(
    content.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&"),
  );
}

function assertConsole(reply: Reply, path: string) {
  assert.equal(reply.status, 200, path);
  const policy = reply.headers.get("content-security-policy")!;
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
  assert.match(policy, /form-action 'self'; frame-ancestors 'none'; base-uri 'none'/);
  assert.doesNotMatch(policy, /unsafe/);
  assert.equal(reply.headers.get("cache-control"), "no-store");
  assert.equal(reply.headers.get("referrer-policy"), "same-origin");
  assert.doesNotMatch(reply.text, / style="| on\w+="|<script>/);
  assert.equal(placeIn(reply).api, "/api");
}

for (const variant of ["compact", "full", "web"]) {
  Deno.test(`pages: ${variant} answers with the console at each of its paths`, async () => {
    await using h = await harness({ variant });
    const signedIn = { ...html, cookie: `token=${h.tokens.user}` };
    for (const path of PATHS) {
      assertConsole(await h.ask("GET", path, { headers: signedIn }), path);
      const stranger = await h.ask("GET", path, { headers: html });
      if (variant !== "web" || open.has(path)) {
        assertConsole(stranger, path);
        continue;
      }
      assert.equal(stranger.status, 302, path);
      const back = encodeURIComponent(path);
      assert.equal(stranger.headers.get("location"), `/login?redirect=${back}`);
    }
  });
}

Deno.test("pages: what the page asks for is served, to be kept by browsers", async () => {
  await using h = await harness({ variant: "web" });
  const { text } = await h.ask("GET", "/login", { headers: html });
  const files = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, file]) => file!);
  assert.ok(files.length > 3, text);
  for (const file of files) {
    const { status, headers } = await h.ask("GET", file);
    assert.equal(status, 200, file);
    assert.match(headers.get("cache-control")!, /immutable/);
  }
});

Deno.test("pages: the page is the same for everyone, and whatever the address says", async () => {
  await using h = await harness({ variant: "web" });
  const plain = await h.ask("GET", "/login");
  const odd = "/login?redirect=https%3A%2F%2Fevil.example&notice=%3Cscript%3E";
  assert.equal((await h.ask("GET", odd)).text, plain.text);
  const cookie = `token=${h.tokens.admin}`;
  assert.equal((await h.ask("GET", "/login", { headers: { cookie } })).text, plain.text);
});

Deno.test("pages: it says what the server has, and whether people may register", async () => {
  for (const REGISTRATION of ["true", "false"]) {
    await using h = await harness({ variant: "web", env: { REGISTRATION } });
    const place = placeIn(await h.ask("GET", "/register"));
    assert.equal(place.registration, REGISTRATION === "true");
    assert.equal(place.variant, "web");
    for (const module of ["users", "dashboard", "events"]) {
      assert.ok(place.modules.includes(module));
    }
    assert.deepEqual(place.open, h.settings.variant.open);
    for (const module of ["documents", "roles"]) assert.ok(!place.modules.includes(module));
    const refused = await h.ask("POST", "/api/auth/register", { body: fresh });
    assert.equal(refused.status, REGISTRATION === "true" ? 201 : 403);
  }
});

for (const variant of ["full", "web"]) {
  Deno.test(`pages: in production ${variant} has no page of components`, async () => {
    const production = {
      DENO_ENV: "production",
      PUBLIC_URL: "https://admin.example.com",
    };
    const path = "/console/components";
    for (const [env, status, development] of [[{}, 200, true], [production, 404, false]] as const) {
      await using h = await harness({ variant, env });
      const signedIn = { ...html, cookie: `token=${h.tokens.user}` };
      const page = await h.ask("GET", path, { headers: signedIn });
      assert.equal(page.status, status);
      // The console, which is sent for what is not there too, does not show it either.
      assert.equal(placeIn(page).development, development);
      const stranger = await h.ask("GET", path, { headers: html });
      assert.equal(stranger.status, variant === "web" ? 302 : status);
    }
  });
}

Deno.test("pages: the unknown is a page for browsers, and an error for programs", async () => {
  await using h = await harness({ variant: "web" });
  const page = await h.ask("GET", "/nowhere", { headers: html });
  assert.ok(page.status === 404 && page.text.includes('id="console"'));
  assert.equal((await h.ask("GET", "/nowhere")).body.success, false);
  const head = await h.ask("HEAD", "/nowhere", { headers: html });
  assert.match(`${head.status} ${head.headers.get("content-type")}`, /^404 text\/html/);
  const below = await h.ask("GET", "/api/nowhere", { as: "user", headers: html });
  assert.deepEqual([below.status, below.body.success], [404, false]);
  const sent = await h.ask("POST", "/nowhere", { headers: html, body: {} });
  assert.deepEqual([sent.status, sent.body.success], [404, false]);
});

Deno.test("pages: forms are sent to the API alone", async () => {
  await using h = await harness({ variant: "web" });
  for (const path of ["/login", "/register", "/reset-password"]) {
    const reply = await h.ask("POST", path, { body: good });
    assert.deepEqual([reply.status, reply.headers.get("allow")], [405, "GET, HEAD, OPTIONS"], path);
  }
});

Deno.test("pages: without the console there are none but those that mailed links open", async () => {
  for (const variant of ["compact", "web"]) {
    await using h = await harness({ variant, env: { CONSOLE: "false" } });
    for (const path of ["/login", "/register", "/dashboard", "/documents", "/nowhere"]) {
      for (const cookie of ["", "token=bad", `token=${h.tokens.user}`]) {
        const { status, text } = await h.ask("GET", path, { headers: { ...html, cookie } });
        assert.equal(status, 404, path);
        assert.match(text, /There is nothing at this path/, path);
      }
    }
    const mailed = await h.ask("GET", "/reset-password", { headers: html });
    assert.equal(mailed.status, 200);
    assert.doesNotMatch(mailed.text, /<script/);
  }
});

scenarios("web: the shapes of the API", {
  variant: "web",
  rows: [
    {
      name: "register",
      method: "POST",
      path: "/api/auth/register",
      body: fresh,
      status: 201,
      holds: { success: true, user: { email: "new@example.com", role: "user" } },
      after: (_, reply) => assert.deepEqual(Object.keys(reply.body).sort(), ["success", "user"]),
    },
    ...[
      { name: "x" },
      { email: "y" },
      { password: "12345", confirmPassword: "12345" },
      { confirmPassword: "another harbour" },
      { confirmPassword: undefined },
    ].map((wrong) => ({
      name: `register with ${JSON.stringify(wrong)}`,
      method: "POST",
      path: "/api/auth/register",
      body: { ...fresh, ...wrong },
      status: 400,
      holds: { success: false },
      after: (_: Harness, reply: Reply) => assert.equal(typeof reply.body.message, "string"),
    })),
    {
      name: "register with a taken e-mail",
      method: "POST",
      path: "/api/auth/register",
      body: { ...fresh, email: "USER@example.com" },
      status: 409,
      holds: { success: false },
    },
    {
      name: "log in with a short password",
      method: "POST",
      path: "/api/auth/login",
      body: { ...good, password: "12345" },
      status: 400,
      holds: { success: false },
    },
    {
      name: "log in with a wrong password",
      method: "POST",
      path: "/api/auth/login",
      body: { ...good, password: "123456" },
      status: 401,
      holds: { error: "E-mail or password is wrong" },
    },
    {
      name: "list users",
      method: "GET",
      path: "/api/users?search=person&limit=2",
      as: "admin",
      status: 200,
      holds: { success: true, pagination: { page: 1, limit: 2, total: 5, totalPages: 3 } },
    },
    {
      name: "create a user with e-mail and name alone",
      method: "POST",
      path: "/api/users",
      as: "admin",
      body: { email: "made@example.com", name: "Made" },
      status: 201,
      holds: { success: true, data: { role: "user" }, message: "The user is created" },
    },
    ...[{ email: "made@example.com" }, { name: "Made" }].map((body) => ({
      name: `create a user with ${Object.keys(body)} alone`,
      method: "POST",
      path: "/api/users",
      as: "admin" as const,
      body,
      status: 400,
      holds: { success: false },
    })),
    {
      name: "an unknown user",
      method: "GET",
      path: "/api/users/nobody",
      as: "admin",
      status: 404,
      holds: { success: false, message: "There is no such user" },
    },
    {
      name: "log out",
      method: "POST",
      path: "/api/auth/logout",
      as: "user",
      status: 200,
      holds: { success: true },
      after(_, reply) {
        const cleared = reply.headers.getSetCookie();
        assert.ok(cleared.some((set) => set.startsWith("token=; Max-Age=0; Path=/")));
      },
    },
  ],
});

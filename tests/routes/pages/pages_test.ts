// The pages of variant web, without a browser: forms, errors beside fields, headers, permissions.
import assert from "node:assert/strict";
import { type Harness, harness, PASSWORD, type Reply } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";

const form = { "content-type": "application/x-www-form-urlencoded" };
const encode = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const cookie = (h: Harness, account: keyof Harness["tokens"]) => ({
  cookie: `token=${h.tokens[account]}`,
});

function post(path: string, fields: Record<string, string>) {
  return { method: "POST", path, headers: form, body: encode(fields) };
}

function shows(...texts: string[]) {
  return (_: Harness, reply: Reply) => {
    for (const text of texts) assert.ok(reply.text.includes(text), `no ${text} in ${reply.text}`);
  };
}

function leadsTo(location: string) {
  return (_: Harness, reply: Reply) => assert.equal(reply.headers.get("location"), location);
}

const good = { email: "user@example.com", password: PASSWORD };
const fresh = {
  name: "New Person",
  email: "new@example.com",
  password: "a quiet harbour",
  confirmPassword: "a quiet harbour",
};

scenarios("pages: log in", {
  variant: "web",
  rows: [
    {
      name: "to the dashboard",
      ...post("/login", good),
      status: 303,
      after: leadsTo("/dashboard"),
    },
    {
      name: "back to where it was asked for",
      ...post("/login", { ...good, redirect: "/users?page=2" }),
      status: 303,
      after: leadsTo("/users?page=2"),
    },
    {
      name: "back to a path beyond ASCII, encoded",
      ...post("/login", { ...good, redirect: "/users/€ü/%C3%A9?q=💩" }),
      status: 303,
      after: leadsTo("/users/%E2%82%AC%C3%BC/%C3%A9?q=%F0%9F%92%A9"),
    },
    {
      name: "a notice of no such name is none",
      method: "GET",
      path: "/login?notice=constructor",
      status: 200,
      absent: ["native code"],
    },
    {
      name: "never elsewhere",
      ...post("/login", { ...good, redirect: "//evil.example" }),
      status: 303,
      after: leadsTo("/dashboard"),
    },
    {
      name: "a bad redirect is not in the form",
      method: "GET",
      path: "/login?redirect=https%3A%2F%2Fevil.example",
      status: 200,
      absent: ["evil.example"],
    },
    {
      name: "a wrong password: the e-mail is kept, the password is not",
      ...post("/login", { ...good, password: "wrong password", redirect: "/users" }),
      status: 401,
      absent: ["wrong password"],
      after: shows("E-mail or password is wrong", 'value="user@example.com"', 'value="/users"'),
    },
    {
      name: "an e-mail that is none, beside its field",
      ...post("/login", { ...good, email: '"><script>alert(1)</script>' }),
      status: 400,
      absent: ["<script"],
      after: shows('id="email-error"', 'aria-invalid="true"', "Must be a valid e-mail address"),
    },
    {
      name: "a short password, beside its field",
      ...post("/login", { ...good, password: "short" }),
      status: 400,
      after: shows('id="password-error"'),
    },
    { name: "an empty form", ...post("/login", {}), status: 400 },
    {
      name: "JSON is not a form",
      ...post("/login", good),
      headers: { "content-type": "application/json" },
      status: 415,
    },
    { name: "a huge form", ...post("/login", { email: "a".repeat(70_000) }), status: 413 },
    { name: "NUL in a form", ...post("/register", { ...fresh, name: "a\0b" }), status: 400 },
  ],
});

scenarios("pages: register", {
  variant: "web",
  rows: [
    {
      name: "then log in",
      ...post("/register", fresh),
      status: 303,
      async after(h, reply) {
        leadsTo("/login?notice=registered")(h, reply);
        const login = await h.ask("POST", "/login", { headers: form, body: encode(fresh) });
        assert.equal(login.status, 303);
      },
    },
    {
      name: "a taken e-mail",
      ...post("/register", { ...fresh, email: "user@example.com" }),
      status: 409,
      absent: ["a quiet harbour"],
      after: shows("There is an account with this e-mail already", 'value="New Person"'),
    },
    {
      name: "two passwords",
      ...post("/register", { ...fresh, confirmPassword: "another harbour" }),
      status: 400,
      after: shows("The two passwords differ", 'id="confirmPassword-error"'),
    },
    {
      name: "a common password",
      ...post("/register", { ...fresh, password: "password", confirmPassword: "password" }),
      status: 400,
      after: shows('id="password-error"', "10,000 most common"),
    },
    {
      name: "every field is wrong",
      ...post("/register", { name: "x", email: "y", password: "z" }),
      status: 400,
      after: shows('id="name-error"', 'id="email-error"', 'id="password-error"'),
    },
    {
      name: "every field is wrong, in ways that no schema sees too",
      ...post("/register", { name: "x", email: "y", password: "password", confirmPassword: "z" }),
      status: 400,
      after: shows(
        'id="name-error"',
        'id="email-error"',
        'id="password-error"',
        'id="confirmPassword-error"',
      ),
    },
  ],
});

scenarios("pages: registration is closed", {
  variant: "web",
  env: { REGISTRATION: "false" },
  rows: [
    { name: "the page says so", method: "GET", path: "/register", status: 200, absent: ["<form"] },
    { name: "the form is refused", ...post("/register", fresh), status: 403 },
    {
      name: "no link leads there",
      method: "GET",
      path: "/login",
      status: 200,
      absent: ["/register"],
    },
  ],
});

Deno.test("pages: a forgotten password is set by the link of the mail, once", async () => {
  await using h = await harness({ variant: "web" });
  const ask = (path: string, fields: Record<string, string>) =>
    h.ask("POST", path, { headers: form, body: encode(fields) });
  const unknown = await ask("/forgot-password", { email: "nobody@example.com" });
  const known = await ask("/forgot-password", { email: "user@example.com" });
  assert.deepEqual([known.status, known.text], [200, unknown.text]);
  assert.equal(h.mails.length, 1);
  const path = /\/reset-password\?token=[\w-]+/.exec(JSON.stringify(h.mails[0]))![0];
  const page = await h.ask("GET", path);
  assert.equal(page.headers.get("referrer-policy"), "same-origin");
  const [, token] = /name="token" value="([^"]+)"/.exec(page.text)!;
  const passwords = { password: "a quiet harbour", confirmPassword: "a quiet harbour" };
  const differ = await ask("/reset-password", {
    token: token!,
    ...passwords,
    confirmPassword: "x",
  });
  assert.equal(differ.status, 400);
  assert.ok(differ.text.includes(token!), "the link goes on after a mistake");
  assert.equal((await ask("/reset-password", { token: token!, ...passwords })).status, 303);
  const again = await ask("/reset-password", { token: token!, ...passwords });
  assert.equal(again.status, 400);
  assert.ok(again.text.includes("The link is not valid any more"));
  const login = await ask("/login", { email: "user@example.com", password: "a quiet harbour" });
  assert.equal(login.status, 303);
});

Deno.test("pages: too many guesses are told to wait, in the page", async () => {
  await using h = await harness({ variant: "web" });
  const body = encode({ ...good, password: "wrong password" });
  const ask = () => h.ask("POST", "/login", { headers: form, body });
  for (let i = 0; i < 10; i++) assert.equal((await ask()).status, 401);
  const reply = await ask();
  assert.equal(reply.status, 429);
  assert.ok(reply.text.includes('role="alert"'));
});

Deno.test("pages: a strict policy, and no script anywhere", async () => {
  await using h = await harness({ variant: "web" });
  const paths = [
    "/login",
    "/register",
    "/forgot-password",
    "/reset-password",
    "/accept-invitation",
    "/verify-email",
    "/confirm-email",
    "/dashboard",
    "/users",
  ];
  for (const path of paths) {
    const headers = path === "/dashboard" || path === "/users" ? cookie(h, "admin") : {};
    const reply = await h.ask("GET", path, { headers });
    assert.equal(reply.status, 200);
    const policy = reply.headers.get("content-security-policy")!;
    assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|script-src/);
    assert.equal(reply.headers.get("x-content-type-options"), "nosniff");
    assert.equal(reply.headers.get("cache-control"), "no-store");
    assert.doesNotMatch(reply.text, /<script| style="| on\w+="/);
    for (const [, asset] of reply.text.matchAll(/(?:href)="(\/assets\/[^"]+)"/g)) {
      assert.equal((await h.ask("GET", asset!)).status, 200);
    }
  }
});

Deno.test("pages: users are for holders of users:view; search and paging are the API's", async () => {
  await using h = await harness({ variant: "web" });
  const users = (query: string, account: "admin" | "user" = "admin") =>
    h.ask("GET", `/users${query}`, { headers: cookie(h, account) });
  assert.equal((await users("", "user")).status, 403);
  const dashboard = await h.ask("GET", "/dashboard", { headers: cookie(h, "user") });
  assert.ok(!dashboard.text.includes('href="/users"'));

  const found = await users("?search=guest");
  assert.ok(found.text.includes("guest@example.com") && !found.text.includes("other@example.com"));
  const second = await users("?limit=2&page=2&search=person");
  assert.ok(
    second.text.includes("Page 2 of 3") && second.text.includes("search=person&amp;page=3"),
  );
  assert.ok(
    (await users("?search=%3Cscript%3Ealert(1)%3C/script%3E")).text.includes("&lt;script&gt;"),
  );
  assert.equal((await users("?page=0")).status, 400);
  assert.equal((await users("?sort=passwordHash")).status, 400);
});

Deno.test("pages: signed-in people pass the start and the log-in, the unknown is a page", async () => {
  await using h = await harness({ variant: "web" });
  const start = await h.ask("GET", "/", { headers: cookie(h, "user") });
  assert.deepEqual([start.status, start.headers.get("location")], [303, "/dashboard"]);
  const login = await h.ask("GET", "/login?redirect=%2Fusers", { headers: cookie(h, "admin") });
  assert.deepEqual([login.status, login.headers.get("location")], [303, "/users"]);
  const page = await h.ask("GET", "/nowhere", { headers: { accept: "text/html,*/*" } });
  assert.ok(page.status === 404 && page.text.includes("There is nothing at this address"));
  assert.equal((await h.ask("GET", "/nowhere")).body.success, false);
});

Deno.test("pages: there are none in other variants", async () => {
  await using h = await harness({ variant: "compact" });
  for (const path of ["/login", "/register", "/dashboard", "/users"]) {
    assert.equal((await h.ask("GET", path)).status, 404);
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

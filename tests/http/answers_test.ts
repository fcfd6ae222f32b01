// What holds for every route: unknown paths and methods, headers, CORS, request ids, idempotency, and the API document.
import assert from "node:assert/strict";
import { documents } from "../../models/documents.ts";
import { openStore } from "../../storage/open.ts";
import { harness, PASSWORD } from "../harness.ts";
import { scenarios } from "../scenario.ts";
import { form, png } from "../uploads.ts";

scenarios("http", {
  rows: [
    {
      name: "an unknown path: 404 in the envelope",
      method: "GET",
      path: "/api/nothing",
      status: 404,
      holds: { success: false, error: { code: "NOT_FOUND" } },
    },
    {
      name: "a method the path does not take: 405 with Allow",
      method: "DELETE",
      path: "/api/auth/login",
      status: 405,
      holds: { error: { code: "METHOD_NOT_ALLOWED" } },
      after: (_, reply) => assert.equal(reply.headers.get("allow"), "POST, OPTIONS"),
    },
    {
      name: "403 comes before 400",
      method: "POST",
      path: "/api/users",
      as: "guest",
      body: "{broken",
      headers: { "content-type": "application/json" },
      status: 403,
    },
    {
      name: "401 comes before 403",
      method: "POST",
      path: "/api/users",
      status: 401,
      after: (_, reply) => assert.equal(reply.headers.get("www-authenticate"), "Bearer"),
    },
    {
      name: "NUL in a text: 400",
      method: "PUT",
      path: "/api/users/me",
      as: "user",
      body: { name: "a\0b" },
      status: 400,
    },
    {
      name: "a lone surrogate in a text: 400",
      method: "PUT",
      path: "/api/users/me",
      as: "user",
      body: '{"name":"a\\ud800b"}',
      headers: { "content-type": "application/json" },
      status: 400,
    },
    {
      name: "a body nested thousands deep: read all the same",
      method: "PUT",
      path: "/api/users/me",
      as: "user",
      body: `{"name":"A \\ud83d\\ude00","deep":${"[".repeat(9000)}${"]".repeat(9000)}}`,
      headers: { "content-type": "application/json" },
      status: 200,
    },
    {
      name: "a body nested deeper than the stack: 400",
      method: "PUT",
      path: "/api/users/me",
      as: "user",
      body: `{"name":"A","deep":${"[".repeat(30_000)}${"]".repeat(30_000)}}`,
      headers: { "content-type": "application/json" },
      status: 400,
      details: ["body"],
    },
    {
      name: "health",
      method: "GET",
      path: "/api/health",
      status: 200,
      holds: { status: "healthy" },
      after(_, reply) {
        assert.equal(typeof reply.body.uptime, "number");
        assert.ok(!Number.isNaN(Date.parse(reply.body.timestamp)));
      },
    },
    { name: "livez", method: "GET", path: "/livez", status: 200 },
    { name: "readyz", method: "GET", path: "/readyz", status: 200 },
  ],
});

scenarios("http under another base path", {
  env: { API_URL: "/v9/" },
  rows: [
    { name: "routes are there", method: "GET", path: "/v9/users/me", as: "user", status: 200 },
    { name: "and nowhere else", method: "GET", path: "/api/users/me", as: "user", status: 404 },
  ],
});

Deno.test("http: health is 503 when the store cannot be reached", async () => {
  const h = await harness();
  await h.store.close();
  const reply = await h.ask("GET", "/api/health");
  assert.equal(reply.status, 503);
  assert.equal(reply.body.status, "unhealthy");
  assert.equal(typeof reply.body.error, "string");
  assert.equal((await h.ask("GET", "/readyz")).status, 503);
  assert.equal((await h.ask("GET", "/livez")).status, 200);
});

Deno.test("http: a good request id is kept, a bad one replaced", async () => {
  await using h = await harness();
  const ask = (id: string) => h.ask("GET", "/livez", { headers: { "x-request-id": id } });
  assert.equal((await ask("trace-12345678")).headers.get("x-request-id"), "trace-12345678");
  assert.notEqual((await ask("bad id {}")).headers.get("x-request-id"), "bad id {}");
});

Deno.test("http: CORS allows any origin without credentials, or the configured with", async () => {
  const origin = "https://admin.example.com";
  {
    await using h = await harness();
    const reply = await h.ask("GET", "/livez", { headers: { origin } });
    assert.equal(reply.headers.get("access-control-allow-origin"), "*");
    assert.equal(reply.headers.get("access-control-allow-credentials"), null);
    const preflight = await h.ask("OPTIONS", "/api/users", {
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
      },
    });
    assert.equal(preflight.status, 204);
    assert.match(preflight.headers.get("access-control-allow-methods")!, /PATCH/);
  }
  await using h = await harness({ env: { CORS_ORIGIN: origin } });
  const allowed = await h.ask("GET", "/livez", { headers: { origin } });
  assert.equal(allowed.headers.get("access-control-allow-origin"), origin);
  assert.equal(allowed.headers.get("access-control-allow-credentials"), "true");
  const foreign = await h.ask("GET", "/livez", { headers: { origin: "https://evil.example" } });
  assert.equal(foreign.headers.get("access-control-allow-origin"), null);
  assert.equal(foreign.headers.get("vary"), "Origin");
});

Deno.test("http: HEAD answers as GET without a body", async () => {
  await using h = await harness();
  const reply = await h.ask("HEAD", "/api/users/me", { as: "user" });
  assert.deepEqual([reply.status, reply.text], [200, ""]);
});

Deno.test("http: a repeated POST with its Idempotency-Key runs once", async () => {
  await using h = await harness();
  const post = (key: string, name: string, as: "admin" | "super" = "admin") =>
    h.ask("POST", "/api/users", {
      as,
      headers: { "idempotency-key": key },
      body: { name, email: `${name.replace(" ", ".")}@example.com`, password: "a fine password" },
    });
  const first = await post("k1", "New One");
  const again = await post("k1", "New One");
  assert.equal(again.text, first.text);
  assert.equal(again.status, 201);
  assert.equal(again.headers.get("idempotency-replayed"), "true");
  const reused = await post("k1", "New Two");
  assert.deepEqual([reused.status, reused.body.error.code], [422, "IDEMPOTENCY_KEY_REUSED"]);
  assert.equal((await post("k1", "New Three", "super")).status, 201, "keys are the caller's own");
  h.clock.advance(24 * 3_600_000 + 1);
  const login = { email: "admin@example.com", password: PASSWORD };
  const { data } = await h.ask("POST", "/api/auth/login", { body: login });
  const later = await h.ask("POST", "/api/users", {
    token: data.accessToken,
    headers: { "idempotency-key": "k1" },
    body: { name: "New Four", email: "four@example.com", password: "a fine password" },
  });
  assert.equal(later.status, 201, "after a day the key is free");
});

Deno.test("http: a failed POST may be tried again with its key; of two at once one runs", async () => {
  await using h = await harness();
  const post = (body: unknown) =>
    h.ask("POST", "/api/users", { as: "admin", headers: { "idempotency-key": "k" }, body });
  assert.equal((await post({ name: "No Mail" })).status, 400);
  const body = { name: "With Mail", email: "with@example.com", password: "a fine password" };
  const replies = await Promise.all([post(body), post(body), post(body)]);
  const statuses = replies.map((reply) => reply.status);
  assert.ok(statuses.includes(201));
  assert.ok(statuses.every((status) => status === 201 || status === 409));
  assert.equal(new Set(replies.filter((r) => r.status === 201).map((r) => r.data.id)).size, 1);
});

Deno.test("http: the API document is OpenAPI 3.1 and names every endpoint; the page loads its script from here", async () => {
  await using h = await harness();
  const { body } = await h.ask("GET", "/api/openapi.json");
  assert.equal(body.openapi, "3.1.0");
  const operations = Object.values(body.paths as Record<string, object>).flatMap((path) =>
    Object.keys(path).filter((method) => method !== "patch")
  );
  assert.equal(operations.length, h.app.endpoints.length);
  const page = await h.ask("GET", "/api/docs");
  assert.match(page.headers.get("content-security-policy")!, /script-src 'self'/);
  assert.equal(/src="https?:/.test(page.text), false);
  const script = await h.ask("GET", "/api/docs/swagger-ui.js");
  assert.equal(script.status, 200);
  assert.ok(script.text.length > 100_000);
});

Deno.test("http: an answer with a version is kept for its caller alone", async () => {
  await using h = await harness({ env: { CORS_ORIGIN: "https://admin.example.com" } });
  const one = await h.ask("GET", "/api/users/me", { as: "user" });
  assert.equal(one.headers.get("vary"), "Authorization, Cookie");
  const headers = {
    origin: "https://admin.example.com",
    "if-none-match": one.headers.get("etag")!,
  };
  const same = await h.ask("GET", "/api/users/me", { as: "user", headers });
  assert.equal(same.status, 304);
  assert.equal(same.headers.get("vary"), "Origin, Authorization, Cookie");
});

Deno.test("http: an Idempotency-Key is for one query and one upload", async () => {
  await using h = await harness();
  await h.grant("user", "files:create");
  const send = (query: string, more = "") =>
    h.ask("POST", `/api/files/upload${query}`, {
      as: "user",
      headers: { "idempotency-key": "k", "content-length": String(400 + more.length) },
      body: form({ bytes: png(more) }),
    });
  assert.equal((await send("")).status, 201);
  assert.equal((await send("")).headers.get("idempotency-replayed"), "true");
  assert.equal((await send("?name=other.png")).status, 422);
  assert.equal((await send("", "another picture")).status, 422);
});

Deno.test("http: an Idempotency-Key is for one path", async () => {
  await using h = await harness();
  const ask = {
    as: "admin",
    headers: { "idempotency-key": "k" },
    body: { title: "Same", start: "2026-12-01T09:00:00Z" },
  } as const;
  const document = await h.ask("POST", "/api/documents", ask);
  const event = await h.ask("POST", "/api/calendar/events", ask);
  assert.deepEqual([document.status, event.status], [201, 201]);
  assert.notEqual(event.data.id, document.data.id);
});

Deno.test("http: one user's list never holds another's records", async () => {
  await using h = await harness();
  await h.store.transact({ userId: null }, (tx) => {
    tx.insert(documents, {
      title: "Hidden",
      content: "",
      type: "document",
      size: 0,
      ownerId: h.accounts.super.id,
    });
  });
  const reply = await h.ask("GET", "/api/documents", { as: "user" });
  assert.equal(reply.body.pagination.total, 0);
});

Deno.test("http: what memory holds is answered at once, with no promise in between", async () => {
  const open = (clock: () => Date) => openStore({ url: "kv::memory:", clock });
  await using api = await harness({ open });
  const { accounts, app, tokens } = api;
  const lists = ["/api/users?sort=updatedAt", "/api/documents?sort=updatedAt"];
  for (const path of [...lists, `/api/users/${accounts.user.id}`]) {
    // What is asked first has to be read.
    await api.ask("GET", path, { as: "admin" });
    const headers = { authorization: `Bearer ${tokens.admin}` };
    const answer = app.fetch(new Request(`http://localhost${path}`, { headers }));
    assert.ok(answer instanceof Response, path);
    assert.equal(answer.status, 200);
    await answer.body?.cancel();
  }
});

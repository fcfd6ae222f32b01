// What a client asks for beside the resource: problem details, short answers, the methods of a path, pages to go on to.
import assert from "node:assert/strict";
import { harness } from "../harness.ts";
import { scenarios } from "../scenario.ts";

const PROBLEM = { accept: "application/problem+json" };

scenarios("negotiation", {
  rows: [
    {
      name: "problem details say what the envelope does",
      method: "POST",
      path: "/api/users",
      as: "admin",
      headers: PROBLEM,
      body: { name: "x" },
      status: 400,
      after(_, reply) {
        assert.equal(reply.headers.get("content-type"), "application/problem+json");
        const { type, title, status, detail, code, errors } = JSON.parse(reply.text);
        assert.deepEqual(
          [type, title, status, code],
          [
            "/api/docs/errors#VALIDATION_ERROR",
            "The request is not valid",
            400,
            "VALIDATION_ERROR",
          ],
        );
        assert.match(detail, /^Cannot accept the request: name: /);
        const fields = errors.map(({ field }: { field: string }) => field);
        assert.deepEqual(fields, ["name", "email"]);
      },
    },
    {
      name: "an unknown path as problem details, where they are one of several types",
      method: "GET",
      path: "/api/nothing",
      headers: { accept: "text/html;q=0.1, Application/Problem+JSON; q=0.2, */*" },
      status: 404,
      after: (_, reply) => assert.equal(JSON.parse(reply.text).code, "NOT_FOUND"),
    },
    {
      name: "who refuses problem details gets the envelope",
      method: "GET",
      path: "/api/nothing",
      headers: { accept: "application/problem+json;q=0, */*" },
      status: 404,
      holds: { error: { code: "NOT_FOUND" } },
    },
    {
      name: "an Accept of junk changes nothing",
      method: "GET",
      path: "/api/nothing",
      headers: { accept: `;;=",problem+json${",;q=".repeat(2000)}` },
      status: 404,
      holds: { error: { code: "NOT_FOUND" } },
    },
    {
      name: "OPTIONS tells the methods of a path",
      method: "OPTIONS",
      path: "/api/users/me",
      status: 204,
      after(_, reply) {
        assert.equal(reply.text, "");
        assert.equal(reply.headers.get("allow"), "GET, PUT, PATCH, HEAD, OPTIONS");
      },
    },
    { name: "OPTIONS of nothing: 404", method: "OPTIONS", path: "/api/nothing", status: 404 },
    {
      name: "405 names them too",
      method: "POST",
      path: "/api/users/me",
      status: 405,
      after: (_, reply) =>
        assert.equal(reply.headers.get("allow"), "GET, PUT, PATCH, HEAD, OPTIONS"),
    },
    {
      name: "a write in short: 204 with the new version",
      method: "PUT",
      path: "/api/users/me",
      as: "user",
      headers: { prefer: "return=minimal" },
      body: { name: "Another Name" },
      status: 204,
      after(_, reply) {
        assert.equal(reply.text, "");
        assert.equal(reply.headers.get("preference-applied"), "return=minimal");
        assert.ok(reply.headers.get("etag"));
      },
    },
    {
      name: "what was ignored is told all the same",
      method: "PUT",
      path: "/api/users/me",
      as: "user",
      headers: { prefer: "return=minimal" },
      body: { name: "Another Name", nmae: "x" },
      status: 200,
      holds: { warnings: [{ field: "nmae" }], data: { name: "Another Name" } },
      after: (_, reply) => assert.equal(reply.headers.get("preference-applied"), null),
    },
    {
      name: "two preferences, both heeded",
      method: "PUT",
      path: "/api/users/me",
      as: "user",
      headers: { prefer: 'handling="strict", return=minimal' },
      body: { name: "Another Name" },
      status: 204,
      after: (_, reply) =>
        assert.equal(
          reply.headers.get("preference-applied"),
          "handling=strict, return=minimal",
        ),
    },
    {
      name: "credentials are shown whatever is preferred",
      method: "POST",
      path: "/api/auth/keys",
      as: "super",
      headers: { prefer: "return=minimal" },
      body: { name: "A key", scopes: ["users:view"] },
      status: 201,
      after: (_, reply) => assert.match(reply.data.key, /^qd_/),
    },
  ],
});

Deno.test("negotiation: the type of a problem leads to what it means", async () => {
  await using h = await harness({ variant: "web" });
  const { text } = await h.ask("GET", "/api/users", { headers: PROBLEM });
  const [path, code] = JSON.parse(text).type.split("#");
  const page = await h.ask("GET", path);
  assert.equal(page.status, 200);
  assert.ok(page.text.includes(`<tr id="${code}">`));
});

Deno.test("negotiation: what is made in short is named by Location, at a repetition too", async () => {
  await using h = await harness();
  const create = () =>
    h.ask("POST", "/api/documents", {
      as: "admin",
      headers: { "prefer": "return=minimal", "idempotency-key": "once" },
      body: { title: "Short" },
    });
  const made = await create();
  assert.deepEqual([made.status, made.text], [201, ""]);
  const location = made.headers.get("location")!;
  const { data } = await h.ask("GET", location, { as: "admin" });
  assert.equal(data.title, "Short");
  const again = await create();
  assert.deepEqual([again.status, again.text], [201, ""]);
  assert.equal(again.headers.get("location"), location);
  assert.equal(again.headers.get("idempotency-replayed"), "true");
});

Deno.test("negotiation: HEAD has the headers of GET on every path that can be read, and no body", async () => {
  for (const variant of ["compact", "full", "web", "snippets"]) {
    await using h = await harness({ variant });
    for (const { method, path, root } of h.app.endpoints) {
      if (method !== "get" || path.includes("{")) continue;
      const asked = root ? path : `/api${path}`;
      const got = await h.ask("GET", asked, { as: "super" });
      const head = await h.ask("HEAD", asked, { as: "super" });
      assert.deepEqual([head.status, head.text], [got.status, ""], asked);
      for (const [name, value] of got.headers) {
        if (name === "x-request-id" || name === "content-length") continue;
        assert.equal(head.headers.get(name), value, `${asked}: ${name}`);
      }
    }
  }
});

/** Of three pages of users: what Link names besides, in its order. */
const LINKED:
  readonly (readonly [page: number, ...linked: readonly [rel: string, page: number][]])[] = [
    [1, ["first", 1], ["next", 2], ["last", 3]],
    [2, ["first", 1], ["prev", 1], ["next", 3], ["last", 3]],
    [3, ["first", 1], ["prev", 2], ["last", 3]],
    [9, ["first", 1], ["prev", 3], ["last", 3]],
  ];

Deno.test("negotiation: Link leads from any page, also one beyond the last, to those that there are", async () => {
  await using h = await harness();
  for (const [page, ...linked] of LINKED) {
    const reply = await h.ask("GET", `/api/users?page=${page}&limit=2&sort=-name`, { as: "admin" });
    const links = linked.map(([rel, to]) =>
      `</api/users?page=${to}&limit=2&sort=-name>; rel="${rel}"`
    );
    assert.equal(reply.headers.get("link"), links.join(", "));
  }
});

Deno.test("negotiation: a walk by cursor is led on by Link, to its end", async () => {
  await using h = await harness();
  let at: string | null = "/api/users?limit=2&sort=name&cursor=";
  const first = await h.ask("GET", "/api/users?limit=2&sort=name", { as: "admin" });
  const seen: string[] = first.data.map(({ id }: { id: string }) => id);
  at = `/api/users?limit=2&sort=name&cursor=${first.body.pagination.nextCursor}`;
  for (let step = 0; at !== null; step++) {
    assert.ok(step < 10);
    const page = await h.ask("GET", at, { as: "admin" });
    seen.push(...page.data.map(({ id }: { id: string }) => id));
    const link: string = page.headers.get("link")!;
    assert.match(link, /<\/api\/users\?page=1&limit=2&sort=name>; rel="first"/);
    at = /<([^>]+)>; rel="next"/.exec(link)?.[1] ?? null;
  }
  assert.equal(new Set(seen).size, 5);
  assert.equal(seen.length, 5);
});

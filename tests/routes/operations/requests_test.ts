// The log of requests: live and the last of them, for who may look at the system, without what opens anything.
import assert from "node:assert/strict";
import { endpointsOf } from "../../../app.ts";
import { variants } from "../../../config/variants.ts";
import { endsWithSecret } from "../../../services/system/request_log.ts";
import { type Account, type Harness, harness } from "../../harness.ts";
import { Listener } from "../../event_stream.ts";
import { until } from "../../until.ts";

const PATH = "/api/system/requests";

async function follow(h: Harness, as: Account, query = ""): Promise<Listener> {
  const headers = { authorization: `Bearer ${h.tokens[as]}` };
  const response = await h.app.fetch(new Request(`http://localhost${PATH}${query}`, { headers }));
  assert.equal(response.status, 200, response.status === 200 ? "" : await response.text());
  assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  assert.equal(response.headers.get("x-accel-buffering"), "no");
  return new Listener(response);
}

async function recent(h: Harness, query = "") {
  const { data } = await h.ask("GET", `${PATH}/recent${query}`, { as: "super" });
  return data as Record<string, unknown>[];
}

Deno.test("requests: each is told live, with who asked what from where, and how it went", async () => {
  await using h = await harness();
  const boss = await follow(h, "super");
  const made = await h.ask("POST", "/api/documents", {
    as: "admin",
    body: { title: "One" },
    from: "192.0.2.7",
    headers: { "x-request-id": "request-1234" },
  });
  await until(() => boss.events.length >= 2, "the request");
  const { type, data } = boss.events.at(-1)!;
  assert.equal(type, "request");
  assert.ok(data.duration >= 0);
  assert.ok(Math.abs(Date.parse(data.time) - h.clock.now().getTime()) < 10_000, data.time);
  assert.deepEqual({ ...data, duration: 0 }, {
    time: data.time,
    method: "POST",
    path: "/api/documents",
    route: "/api/documents",
    status: 201,
    duration: 0,
    userId: h.accounts.admin.id,
    address: "192.0.2.7",
    requestId: "request-1234",
  });
  await h.ask("GET", `/api/documents/${made.data.id}?fields=title`, { as: "guest" });
  await until(() => boss.events.length >= 3, "the refusal");
  const refused = boss.events.at(-1)!.data;
  assert.deepEqual([refused.status, refused.route], [403, "/api/documents/{id}"]);
  assert.equal(refused.path, `/api/documents/${made.data.id}`);
  // Parts of a batch are requests too.
  const operations = [{ method: "GET", path: "/api/users/me" }, {
    method: "GET",
    path: "/api/users/none",
  }];
  await h.ask("POST", "/api/batch", { as: "super", body: { atomic: false, operations } });
  const [whole, second, first] = await recent(h);
  assert.deepEqual([whole, second, first].map((one) => [one!.path, one!.status, one!.address]), [
    ["/api/batch", 200, "127.0.0.1"],
    ["/api/users/none", 404, "127.0.0.1"],
    ["/api/users/me", 200, "127.0.0.1"],
  ]);
  await boss.drop();
  assert.equal(h.app.services.events.size, 0);
});

Deno.test("requests: filters by status, method and user, of the stream and of the last ones", async () => {
  await using h = await harness();
  const failures = await follow(h, "super", "?status=4xx,500&method=post,delete");
  const theirs = await follow(h, "super", `?user=${h.accounts.user.id}`);
  await h.ask("GET", "/api/nothing", { as: "user" });
  await h.ask("DELETE", "/api/documents/none", { as: "admin" });
  await h.ask("POST", "/api/documents", { as: "admin", body: { title: "One" } });
  await h.ask("GET", "/api/users/me", { as: "user" });
  await until(() => theirs.events.length >= 1 && failures.events.length >= 1, "both");
  assert.deepEqual(failures.events.map(({ data }) => `${data.method} ${data.status}`), [
    "DELETE 404",
  ]);
  assert.deepEqual(theirs.events.map(({ data }) => data.path), ["/api/users/me"]);
  const of = async (query: string) => (await recent(h, query)).map((one) => one.path);
  assert.deepEqual(await of("?status=404"), ["/api/documents/none", "/api/nothing"]);
  assert.deepEqual(await of("?method=delete"), ["/api/documents/none"]);
  assert.deepEqual(await of(`?user=${h.accounts.user.id}&status=2XX`), ["/api/users/me"]);
  for (const query of ["?status=abc", "?status=99", "?method=G-T", "?user=", "?page=1"]) {
    const { status } = await h.ask("GET", `${PATH}/recent${query}`, { as: "super" });
    assert.equal(status, 400, query);
  }
});

Deno.test("requests: the last 200 are kept, the newest first", async () => {
  await using h = await harness();
  for (let n = 0; n < 230; n++) await h.app.fetch(new Request(`http://localhost/livez?${n}`));
  await h.app.fetch(new Request("http://localhost/readyz"));
  const kept = await recent(h);
  assert.equal(kept.length, 200);
  assert.deepEqual(kept.slice(0, 2).map(({ path }) => path), ["/readyz", "/livez"]);
});

Deno.test("requests: nothing that opens anything is told: no query, no key of a picture or a link", async () => {
  await using h = await harness();
  const secret = "sekritsekritsekritsekritsekrit";
  const boss = await follow(h, "super", "?ticket=sekrit");
  const shared = await h.ask("POST", "/api/share", {
    as: "user",
    body: { content: "x", userId: h.accounts.user.id },
  });
  const paths = [
    `/api/avatars/${secret}`,
    `/api/rest/avatars/${secret}`,
    `/api/files/1/signed?signature=${secret}`,
    `/reset-password?token=${secret}`,
    `/api/auth/oidc/company/callback?code=${secret}&state=${secret}`,
    `/api/events?ticket=${secret}`,
    `/nothing/${secret}`,
    `/api/users/me#${secret}`,
    `/api/users/${secret}`,
    `/api/calendar/events/${secret}/attendees`,
    `/s/${shared.data.id}`,
    `/api/share/${shared.data.id}`,
    `/api/%00${secret}%0d%0adata: x`,
  ];
  for (const path of paths) {
    // A browser is answered with a page where nothing is served.
    for (const accept of ["*/*", "text/html"]) {
      const request = new Request(`http://localhost${path}`, { headers: { accept } });
      await (await h.app.fetch(request)).body?.cancel();
    }
  }
  const log = await recent(h);
  assert.ok(log.length >= paths.length);
  await until(() => boss.events.length > 2 * paths.length, "all of them");
  for (const text of [JSON.stringify(log), boss.text]) {
    assert.equal(text.includes("sekrit"), false, text);
    assert.equal(text.includes(shared.data.id), false);
    assert.match(text, /\/api\/avatars\/…/);
  }
});

Deno.test("requests: each pattern that anyone may open by what it holds is known to hold it", () => {
  const open = endpointsOf(variants.full!).filter(({ access, path }) =>
    (access === "public" || access === "optional") && path.includes("{")
  ).map(({ path }) => path);
  assert.deepEqual(open.filter((path) => !endsWithSecret(path)).sort(), [
    // Opened by their queries.
    "/auth/oidc/{provider}",
    "/auth/oidc/{provider}/callback",
    "/files/{id}/signed",
  ]);
});

Deno.test("requests: only who may look at the system, and only for as long as they may", async () => {
  await using h = await harness({ env: { EVENT_STREAMS_PER_USER: "1" } });
  for (const path of [PATH, `${PATH}/recent`]) {
    assert.equal((await h.ask("GET", path)).status, 401);
    assert.equal((await h.ask("GET", path, { as: "admin" })).status, 403);
  }
  await h.grant("user", "system:view");
  const stream = await follow(h, "user");
  assert.equal((await h.ask("GET", PATH, { as: "user" })).status, 429);
  const body = { permissions: [] };
  await h.ask("PUT", `/api/users/${h.accounts.user.id}`, { as: "super", body });
  await stream.end();
  const boss = await follow(h, "super");
  await h.ask("POST", "/api/auth/logout", { as: "super" });
  await boss.end();
  assert.equal(h.app.services.events.size, 0);
});

Deno.test("requests: a ticket opens the stream, once", async () => {
  await using h = await harness();
  const { data } = await h.ask("POST", "/api/events/ticket", { as: "super" });
  const open = () =>
    h.app.fetch(new Request(`http://localhost${PATH}?ticket=${encodeURIComponent(data.ticket)}`));
  const first = await open();
  assert.equal(first.status, 200);
  assert.equal((await open()).status, 401);
  await first.body!.cancel();
});

Deno.test("requests: a flood is told in part, and how much was left out; who does not read is cut off", async () => {
  await using h = await harness();
  const reader = await follow(h, "super");
  const ask = () => h.app.fetch(new Request("http://localhost/livez"));
  for (let n = 0; n < 400; n++) await ask();
  h.clock.advance(100);
  await ask();
  const told = () => reader.events.filter(({ type }) => type === "request").length;
  const skipped = () =>
    reader.events.filter(({ type }) => type === "skipped").reduce(
      (sum, { data }) => sum + data.count,
      0,
    );
  // The opening of the stream itself is a request.
  await until(() => told() + skipped() === 402, "all of them");
  assert.deepEqual([told(), skipped()], [101, 301]);
  await reader.drop();

  const headers = { authorization: `Bearer ${h.tokens.super}` };
  const { body } = await h.app.fetch(new Request(`http://localhost${PATH}`, { headers }));
  const log = h.app.services.requests;
  const answered = {
    method: "GET",
    url: `http://localhost/${"a".repeat(400)}`,
    status: 200,
    duration: 1,
    address: "::1",
    requestId: "x".repeat(128),
    startedAt: 0,
    userId: "y".repeat(100),
    route: "z".repeat(90_000),
  };
  for (let n = 0; n < 20; n++) log.note(answered);
  assert.equal(h.app.services.events.size, 0);
  await assert.rejects(async () => {
    for await (const _ of body!);
  });
});

// The stream of events: how it is opened, what it tells, how it ends.
import assert from "node:assert/strict";
import { listen } from "../../event_stream.ts";
import { type Account, type Harness, harness, PASSWORD } from "../../harness.ts";
import { users } from "../../../models/users.ts";
import { sessions } from "../../../models/sessions.ts";
import { until } from "../../until.ts";

const server = { userId: null };

async function write(h: Harness, as: Account, method: string, path: string, body?: unknown) {
  const reply = await h.ask(method, `/api${path}`, { as, body });
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
  return { data: reply.data, position: reply.headers.get("x-journal-position")! };
}

function newDocument(h: Harness, as: Account, title = "Plans") {
  return write(h, as, "POST", "/documents", { title });
}

Deno.test("events: a write is told to who sees the record, with its place in the journal", async () => {
  await using h = await harness();
  await h.grant("user", "documents:create", "documents:update", "documents:delete");
  const own = await listen(h, "user");
  const admin = await listen(h, "admin");
  const other = await listen(h, "other");
  const { response } = own;
  assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  assert.equal(response.headers.get("x-accel-buffering"), "no");
  assert.match(response.headers.get("cache-control")!, /no-store/);
  assert.match(response.headers.get("cache-control")!, /no-transform/);

  const { data: { id }, position } = await newDocument(h, "user");
  const created = await own.event("documents.created", id);
  assert.ok(created.id.startsWith(`${position}-`), `${created.id} is in ${position}`);
  const { etag } = Object.fromEntries(
    (await h.ask("GET", `/api/documents/${id}`, { as: "user" })).headers,
  );
  const { at, ...rest } = created.data;
  assert.deepEqual(rest, {
    id,
    collection: "documents",
    op: "created",
    rev: etag!.replaceAll('"', ""),
    actor: h.accounts.user.id,
  });
  assert.equal(at, h.clock.now().toISOString());
  assert.match(own.text, /^retry: 3000\n/);

  await write(h, "user", "PUT", `/documents/${id}`, { title: "Better plans" });
  await write(h, "user", "DELETE", `/documents/${id}`);
  await own.event("documents.removed", id);
  await admin.event("documents.removed", id);
  const told = ["documents.created", "documents.updated", "documents.removed"].map((t) =>
    `${t} ${id}`
  );
  const ofDocuments = (lines: string[]) => lines.filter((line) => line.startsWith("documents"));
  assert.deepEqual(ofDocuments(own.told), told);
  assert.deepEqual(ofDocuments(admin.told), told);
  assert.equal(own.events.at(-1)!.data.rev, undefined);
  assert.deepEqual(ofDocuments(other.told), []);
});

Deno.test("events: collections and records are as asked for", async () => {
  await using h = await harness();
  await h.grant("user", "documents:create", "calendar:create");
  const some = await listen(h, "user", "?collections=events,users&records=true");
  const full = await listen(h, "user", "?records=true&collections=documents");
  const document = await newDocument(h, "user");
  const event = await write(h, "user", "POST", "/calendar/events", {
    title: "Meeting",
    start: "2026-11-22T09:00:00Z",
  });
  const told = await some.event("events.created", event.data.id);
  const shown = await h.ask("GET", `/api/calendar/events/${event.data.id}`, { as: "user" });
  assert.deepEqual(told.data.record, shown.data);
  assert.deepEqual(some.told.filter((line) => line.startsWith("documents")), []);
  const { data: { record } } = await full.event("documents.created", document.data.id);
  const read = await h.ask("GET", `/api/documents/${document.data.id}`, { as: "user" });
  // What is sent unasked is no view; the GET is one.
  assert.deepEqual(record, { ...read.data, views: 0 });
});

Deno.test("events: bad questions are refused, and name what is wrong", async () => {
  await using h = await harness();
  for (
    const [query, field] of [
      ["collections=documents,secrets", "collections"],
      ["records=maybe", "records"],
      ["lastEventId=yesterday", "lastEventId"],
      [`lastEventId=${"9".repeat(399)}`, "lastEventId"],
      [`lastEventId=${"9".repeat(4000)}`, "lastEventId"],
    ]
  ) {
    const reply = await h.ask("GET", `/api/events?${query}`, { as: "user" });
    assert.equal(reply.status, 400, `${query}: ${reply.text}`);
    assert.equal(reply.body.error.details[0].field, field, reply.text);
  }
  const byHeader = await h.ask("GET", "/api/events", {
    as: "user",
    headers: { "last-event-id": "x" },
  });
  assert.equal(byHeader.status, 400);
  assert.equal((await h.ask("GET", "/api/events")).status, 401);
  assert.equal(h.app.services.events.size, 0);
});

Deno.test("events: HEAD opens nothing that stays", async () => {
  await using h = await harness();
  const reply = await h.ask("HEAD", "/api/events", { as: "user" });
  assert.equal(reply.status, 200);
  await until(() => h.app.services.events.size === 0, "no stream");
});

Deno.test("events: a ticket opens one stream, within half a minute", async () => {
  await using h = await harness();
  const issue = async () =>
    (await h.ask("POST", "/api/events/ticket", { as: "user" })).data as {
      ticket: string;
      expiresIn: number;
    };
  const { ticket, expiresIn } = await issue();
  assert.equal(expiresIn, 30);
  const stream = await listen(h, null, `?ticket=${ticket}`);
  await write(h, "user", "PUT", "/users/me", { name: "Ann" });
  await stream.event("users.updated", h.accounts.user.id);
  const refused = async (text: string) =>
    assert.equal((await h.ask("GET", `/api/events?ticket=${text}`)).status, 401, text);
  await refused(ticket);
  await refused("nonsense");
  await refused("");
  const late = await issue();
  h.clock.advance(30_000);
  await refused(late.ticket);
  const ended = await issue();
  await h.store.transact(server, async (tx) => {
    const { rows } = await tx.from(sessions).list({ where: { userId: h.accounts.user.id } });
    for (const session of rows) tx.remove(sessions, session);
  });
  await refused(ended.ticket);
  assert.equal((await h.ask("POST", "/api/events/ticket")).status, 401);
});

Deno.test("events: in variant web a ticket opens a stream without a cookie", async () => {
  await using h = await harness({ variant: "web" });
  const { data } = await h.ask("POST", "/api/events/ticket", { as: "user" });
  const stream = await listen(h, null, `?ticket=${data.ticket}`);
  await write(h, "user", "PUT", "/users/me", { name: "Ann" });
  await stream.event("users.updated", h.accounts.user.id);
  for (const query of [`?ticket=${data.ticket}`, "?ticket=nonsense", "?ticket=", ""]) {
    assert.equal((await h.ask("GET", `/api/events${query}`)).status, 401, query);
  }
});

Deno.test("events: in variant web a ticket goes before a cookie that comes along, be it old or another's", async () => {
  await using h = await harness({ variant: "web" });
  const body = { email: h.accounts.other.email, password: PASSWORD };
  const { body: { token } } = await h.ask("POST", "/api/auth/login", { body });
  for (const cookie of [`token=${token}`, "token=old"]) {
    const { data } = await h.ask("POST", "/api/events/ticket", { as: "user" });
    const stream = await listen(h, null, `?ticket=${data.ticket}&collections=users`, { cookie });
    await write(h, "other", "PUT", "/users/me", { name: "Other" });
    await write(h, "user", "PUT", "/users/me", { name: "Ann" });
    await stream.event("users.updated", h.accounts.user.id);
    assert.deepEqual(stream.told, [`users.updated ${h.accounts.user.id}`], cookie);
    const headers = { cookie };
    const refused = await h.ask("GET", `/api/events?ticket=${data.ticket}`, { headers });
    assert.equal(refused.status, 401, cookie);
    await stream.drop();
  }
});

Deno.test("events: two at once with one ticket get one stream", async () => {
  await using h = await harness();
  const { data: { ticket } } = await h.ask("POST", "/api/events/ticket", { as: "user" });
  const ask = () => h.app.fetch(new Request(`http://localhost/api/events?ticket=${ticket}`));
  const answers = await Promise.all(Array.from({ length: 5 }, ask));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401, 401]);
  for (const { body } of answers) await body?.cancel();
});

Deno.test("events: the session cookie opens a stream for pages of the same origin alone", async () => {
  await using h = await harness({ env: { CORS_ORIGIN: "https://elsewhere.example" } });
  const login = await h.ask("POST", "/api/auth/login", {
    body: { email: h.accounts.user.email, password: "correct horse battery" },
  });
  const cookie = login.headers.getSetCookie().map((one) => one.split(";")[0]).join("; ");
  const status = async (headers: Record<string, string>) => {
    const response = await h.app.fetch(
      new Request("http://localhost/api/events", { headers: { cookie, ...headers } }),
    );
    await response.body?.cancel();
    return response.status;
  };
  assert.equal(await status({}), 200);
  assert.equal(await status({ "sec-fetch-site": "same-origin" }), 200);
  assert.equal(await status({ origin: "http://localhost", "sec-fetch-site": "same-origin" }), 200);
  assert.equal(await status({ "sec-fetch-site": "same-site" }), 401);
  assert.equal(await status({ "sec-fetch-site": "cross-site" }), 401);
  assert.equal(await status({ origin: "https://elsewhere.example" }), 401);
  assert.equal(await status({ cookie: "quarterdeck.session-token=guess" }), 401);
  // The cookie is a credential for nothing else.
  assert.equal((await h.ask("GET", "/api/users/me", { headers: { cookie } })).status, 401);
});

Deno.test("events: the end of the session, of the account's activity and of its rights reach the stream", async (t) => {
  const end = async (name: string, act: (h: Harness) => Promise<unknown>) => {
    await t.step(name, async () => {
      await using h = await harness();
      await h.grant("user", "documents:create");
      const stream = await listen(h, "user");
      const watching = await listen(h, "admin");
      await newDocument(h, "user");
      await stream.event("documents.created");
      await act(h);
      await stream.end();
      assert.equal(watching.ended, false);
    });
  };
  await end("log-out", (h) => write(h, "user", "POST", "/auth/logout"));
  await end(
    "suspension",
    (h) => write(h, "super", "PUT", `/users/${h.accounts.user.id}`, { status: "suspended" }),
  );
  await end("deletion", (h) => write(h, "super", "DELETE", `/users/${h.accounts.user.id}`));

  await t.step("fewer rights narrow it before what comes next", async () => {
    await using h = await harness();
    const stream = await listen(h, "admin");
    const watching = await listen(h, "super");
    const first = await newDocument(h, "super", "first");
    await stream.event("documents.created", first.data.id);
    await write(h, "super", "PUT", `/users/${h.accounts.admin.id}`, { role: "guest" });
    const second = await newDocument(h, "super", "second");
    // What is told goes by the rights at that moment: by then all streams have passed it.
    await watching.event("documents.created", second.data.id);
    await write(h, "super", "PUT", `/users/${h.accounts.admin.id}`, { role: "admin" });
    const third = await newDocument(h, "super", "third");
    await stream.event("documents.created", third.data.id);
    assert.ok(!stream.told.some((line) => line.includes(second.data.id)), stream.told.join());
  });
});

Deno.test("events: an API key opens what its scopes open, and its end ends the stream", async () => {
  await using h = await harness();
  const session = await h.ask("POST", "/api/auth/login", {
    body: { email: h.accounts.admin.email, password: "correct horse battery" },
  });
  const token = session.data.accessToken as string;
  const made = await h.ask("POST", "/api/auth/keys", {
    token,
    body: { name: "watcher", scopes: ["documents:view"] },
  });
  assert.equal(made.status, 201, made.text);
  const stream = await listen(h, null, "", { authorization: `Bearer ${made.data.key}` });
  await write(h, "super", "PUT", `/users/${h.accounts.user.id}`, { name: "Renamed" });
  const document = await newDocument(h, "admin");
  await stream.event("documents.created", document.data.id);
  assert.deepEqual(stream.told.filter((line) => line.startsWith("users")), []);
  assert.equal((await h.ask("DELETE", `/api/auth/keys/${made.data.id}`, { token })).status, 200);
  await stream.end();
});

Deno.test("events: one user, and one process, keep as many streams as the settings say", async () => {
  await using h = await harness({ env: { EVENT_STREAMS: "3", EVENT_STREAMS_PER_USER: "2" } });
  const first = await listen(h, "user");
  await listen(h, "user");
  const beyond = await h.ask("GET", "/api/events", { as: "user" });
  assert.equal(beyond.status, 429, beyond.text);
  assert.equal(beyond.headers.get("retry-after"), "10");
  await listen(h, "admin");
  const full = await h.ask("GET", "/api/events", { as: "super" });
  assert.equal(full.status, 503, full.text);
  await first.drop();
  await until(() => h.app.services.events.size === 2, "the stream's end");
  await listen(h, "user");
});

Deno.test("events: a client that comes again with its last id goes on behind it, within a commit too", async () => {
  await using h = await harness({ variant: "full" });
  const start = await listen(h, "super", "?collections=users");
  const one = await h.store.transact(server, async (tx) => {
    for (const account of ["user", "other", "guest"] as const) {
      const user = await tx.from(users).get(h.accounts[account].id);
      tx.update(users, user!, { name: `New ${account}` });
    }
  }).then(() => start.event("users.updated", h.accounts.guest.id));
  assert.equal(start.events.length, 3);
  const told = start.events.slice();
  for (const [n, { id }] of told.entries()) {
    const again = await listen(h, "super", `?collections=users&lastEventId=${id}`);
    await write(h, "super", "PUT", `/users/${h.accounts.admin.id}`, { name: `Admin ${n}` });
    await again.event("users.updated", h.accounts.admin.id);
    assert.deepEqual(
      again.events.slice(0, 2 - n).map(({ id }) => id),
      told.slice(n + 1).map(({ id }) => id),
    );
    await again.drop();
  }
  const earliest = await listen(h, "super", "?collections=users&lastEventId=earliest");
  await earliest.event("users.created", h.accounts.super.id);
  await earliest.reaches(one.id);
  // The header, which a browser sends when it connects again, goes before the address.
  const both = await listen(h, "super", "?collections=users&lastEventId=earliest", {
    "last-event-id": one.id,
  });
  const { position } = await write(h, "super", "PUT", `/users/${h.accounts.admin.id}`, {
    name: "Last",
  });
  await both.reaches(position);
  assert.ok(!both.told.some((line) => line.startsWith("users.created")), both.told.join());
});

Deno.test("events: what is older than the journal keeps is answered by one reset", async () => {
  await using h = await harness();
  const first = await listen(h, "super");
  const { position } = await newDocument(h, "super");
  await first.reaches(position);
  await first.drop();
  h.clock.advance(8 * 86_400_000);
  const login = await h.ask("POST", "/api/auth/login", {
    body: { email: h.accounts.super.email, password: "correct horse battery" },
  });
  const again = await listen(h, null, `?lastEventId=${first.lastEventId}&collections=documents`, {
    authorization: `Bearer ${login.data.accessToken}`,
  });
  const reset = await again.event("reset");
  assert.deepEqual(reset.data, { reason: "too-old", collections: null });
  const reply = await h.ask("POST", "/api/documents", {
    token: login.data.accessToken,
    body: { title: "New" },
  });
  await again.event("documents.created", reply.data.id);
  assert.deepEqual(again.told, ["reset", `documents.created ${reply.data.id}`]);
  assert.ok(again.lastEventId > reset.id);
});

Deno.test("events: an id of the store that this one was restored or moved from is answered by one reset", async () => {
  await using h = await harness();
  for (
    const id of [
      "9999999999999999",
      "9999999999999999-000001",
      "ffffffffffffffffffff",
      "ffffffffffffffffffff.0001",
    ]
  ) {
    const listener = await listen(h, "super", `?lastEventId=${id}&collections=documents`);
    const reset = await listener.event("reset");
    assert.equal(reset.data.collections, null);
    const { position } = await newDocument(h, "super");
    await listener.reaches(position);
    assert.equal(listener.told.length, 2, listener.told.join());
    assert.equal(listener.lastEventId.split("-")[0], position);
    await listener.drop();
  }
});

Deno.test("events: unread counts and the dashboard's figures are told, and not for each of many changes", async () => {
  await using h = await harness();
  const began = performance.now();
  /** At once, and then once a second at most, however long a busy machine takes for the changes. */
  const most = () => 2 + (performance.now() - began) / 1000;
  const reader = await listen(h, "user", "?collections=unread");
  const admin = await listen(h, "admin", "?collections=dashboard");
  const guest = await listen(h, "guest", "?collections=dashboard");
  const other = await listen(h, "other", "?collections=unread");
  for (let n = 0; n < 10; n++) {
    await write(h, "admin", "POST", "/messages", {
      recipientId: h.accounts.user.id,
      content: `${n}`,
    });
    await newDocument(h, "admin", `${n}`);
  }
  await until(() => reader.events.some(({ data }) => data.messages === 10), "the count");
  assert.deepEqual(reader.events.at(-1)!.data, { notifications: 10, messages: 10 });
  assert.equal(reader.events.at(-1)!.type, "unread.changed");
  assert.ok(reader.events.length <= most(), `${reader.events.length} counts`);
  await admin.event("dashboard.changed");
  await guest.event("dashboard.changed");
  assert.ok(admin.events.length <= most(), `${admin.events.length} tellings`);
  assert.deepEqual(other.events, []);
});

Deno.test("events: answers of writes name their place in the journal, others do not", async () => {
  await using h = await harness();
  const { position } = await newDocument(h, "super");
  const entry = await h.store.entry(position);
  assert.ok(entry?.changes.some(({ collection }) => collection === "documents"));
  const read = await h.ask("GET", "/api/documents", { as: "super" });
  assert.equal(read.headers.get("x-journal-position"), null);
  const refused = await h.ask("POST", "/api/documents", { as: "super", body: {} });
  assert.equal(refused.headers.get("x-journal-position"), null);
  const login = await h.ask("POST", "/api/auth/login", {
    body: { email: h.accounts.user.email, password: "correct horse battery" },
  });
  assert.ok(login.headers.get("x-journal-position")! > position);
});

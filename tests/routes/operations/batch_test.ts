// Batches: all in one commit or none, or one by one; with the rights, the errors and the traces of single requests.
import assert from "node:assert/strict";
import { auditLog } from "../../../models/audit.ts";
import { documents, documentTags } from "../../../models/documents.ts";
import { messages } from "../../../models/messages.ts";
import { users } from "../../../models/users.ts";
import { commitsOf, type Endpoint } from "../../../http/endpoint.ts";
import { everyMatch } from "../../../storage/every_match.ts";
import { StoreUnavailable, VersionConflict } from "../../../storage/port.ts";
import { type Ask, type Harness, harness, type Reply } from "../../harness.ts";
import { interposedHarness } from "../../interposed.ts";
import { scenarios } from "../../scenario.ts";
import { sceneOf, writeTo, writingEndpoints, writingEndpointsOnce } from "../../writes.ts";

interface Op {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly id?: string;
}

const post = (path: string, body: unknown): Op => ({ method: "POST", path: `/api${path}`, body });
const doc = (title: string, more = {}) => post("/documents", { title, content: "text", ...more });

function send(
  h: Harness,
  operations: readonly Op[],
  { atomic, ...ask }: Ask & { atomic?: boolean },
) {
  return h.ask("POST", "/api/batch", { ...ask, body: { operations, atomic } });
}

const statuses = (reply: Reply): number[] =>
  reply.data.map(({ status }: { status: number }) => status);

scenarios("batch: refused", {
  variant: "full",
  arrange: () => ({ fine: doc("Fine") }),
  rows: [
    {
      name: "without a caller",
      method: "POST",
      path: "/api/batch",
      body: { operations: [doc("A")] },
      status: 401,
    },
    { name: "empty", method: "POST", path: "/api/batch", as: "super", body: {}, status: 400 },
    {
      name: "too many operations",
      method: "POST",
      path: "/api/batch",
      as: "super",
      body: { operations: Array.from({ length: 101 }, () => doc("A")) },
      status: 400,
      details: ["operations"],
    },
    ...[
      ["an upload", post("/files/upload", {}), "path"],
      ["a download", { method: "GET", path: "/api/files/x/download" }, "path"],
      ["signing in", post("/auth/login", {}), "path"],
      ["credentials", { method: "DELETE", path: "/api/auth/sessions/x" }, "path"],
      ["a deletion in pieces", { method: "DELETE", path: "/api/users/x" }, "path"],
      ["itself", post("/batch", { operations: [] }), "path"],
      ["a page", { method: "GET", path: "/api/docs" }, "path"],
      ["a path that is not there", { method: "GET", path: "/api/nothing" }, "path"],
      ["a method that the path does not take", { method: "DELETE", path: "/api/users" }, "path"],
      ["another host", { method: "GET", path: "//example.com/api/users" }, "path"],
      ["a method that is none", { method: "TRACE", path: "/api/users" }, "method"],
      ["no path", { method: "GET", path: "api/users" }, "path"],
      ["a GET with a body", { method: "GET", path: "/api/users", body: {} }, "body"],
      ["a header", { ...doc("A"), headers: { Authorization: "Bearer x" } }, "headers"],
      ["a key of its own", { ...doc("A"), headers: { "Idempotency-Key": "x" } }, "headers"],
    ].map(([name, operation, field]) => ({
      name: `with ${name}`,
      method: "POST",
      path: "/api/batch",
      as: "super" as const,
      body: { operations: [doc("Fine"), operation] },
      status: 400,
      details: [`operations.1.${field}`],
      after: async (h: Harness) => assert.equal(await h.store.from(documents).count(), 0),
    })),
    {
      name: "with one id for two operations",
      method: "POST",
      path: "/api/batch",
      as: "super",
      body: { operations: [{ ...doc("A"), id: "a" }, doc("B"), { ...doc("C"), id: "a" }] },
      status: 400,
      details: ["operations.2.id"],
    },
    {
      name: "with a header that cannot be sent",
      method: "POST",
      path: "/api/batch",
      as: "super",
      body: { operations: [{ ...doc("A"), headers: { Prefer: "a\r\nb: c" } }] },
      status: 400,
      details: ["operations.0.headers.Prefer"],
    },
  ],
});

Deno.test("batch: all is committed at once, each sees what those before it made, and reads come after", async () => {
  await using h = await interposedHarness({ variant: "full" });
  const before = h.store.committed.length;
  const { id: first } = (await h.ask("POST", "/api/documents", {
    as: "super",
    body: { title: "First", content: "one" },
  })).data;
  const reply = await send(h, [
    { method: "GET", path: "/api/documents?sort=title", id: "list" },
    { method: "PUT", path: `/api/documents/${first}`, body: { title: "Second" }, id: "rename" },
    { method: "PATCH", path: `/api/documents/${first}`, body: { tags: ["red", "new"] } },
    doc("Another", { tags: ["red"] }),
    post(`/documents/${first}/tags`, { tags: ["blue"] }),
  ], { as: "super" });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(h.store.committed.length, before + 2, "one commit for the document, one for all");
  assert.deepEqual(statuses(reply).slice(0, 4), [200, 200, 200, 201], reply.text);
  const [list, renamed, tagged, made] = reply.data;
  assert.equal(list.id, "list");
  assert.deepEqual(list.body.data.map(({ title }: { title: string }) => title), [
    "Another",
    "Second",
  ]);
  const now = await h.ask("GET", `/api/documents/${first}`, { as: "super" });
  // The results show what the commit left, at its version.
  assert.equal(renamed.body.data.title, "Second");
  assert.equal(renamed.headers.ETag, now.headers.get("etag"));
  assert.equal(tagged.headers.ETag, now.headers.get("etag"));
  const shown = await h.ask("GET", `/api/documents/${made.body.data.id}`, { as: "super" });
  assert.equal(made.headers.ETag, shown.headers.get("etag"));
  assert.deepEqual(shown.data.tags.map(({ name }: { name: string }) => name), ["red"]);
});

Deno.test("batch: when one fails nothing is written or mailed, and the answer names it with its error", async () => {
  await using h = await interposedHarness({ variant: "full" });
  const before = h.store.committed.length;
  const fails: readonly (readonly [Op, number])[] = [
    [doc("", {}), 400],
    [{ method: "PUT", path: "/api/documents/nothing", body: { title: "New" } }, 404],
    [{ method: "GET", path: "/api/documents?page=none" }, 400],
    [post("/users", { name: "Twice", email: "new@example.com" }), 409],
    [post("/users", { name: "Known", email: "user@example.com" }), 409],
  ];
  for (const [operation, status] of fails) {
    const invited = post("/users", { name: "New", email: "new@example.com" });
    const list = { method: "GET", path: "/api/documents" };
    const reply = await send(h, [list, invited, { ...operation, id: "bad" }, doc("Too")], {
      as: "super",
    });
    assert.equal(reply.status, status, reply.text);
    assert.deepEqual(reply.body.operation, { index: 2, id: "bad" }, reply.text);
    if (status === 409) continue;
    const { method, path, body } = operation;
    const alone = await h.ask(method, path, { as: "super", body });
    assert.equal(reply.body.message, alone.body.message);
  }
  assert.equal(await h.store.from(documents).count(), 0);
  const mine = h.store.committed.slice(before).flat();
  assert.ok(mine.every(({ collection }) => collection !== "documents"));
});

Deno.test("batch: mails and notifications of a batch follow its commit, once, and never a failure", async () => {
  await using h = await interposedHarness({ variant: "full" });
  const invite = (n: number) => post("/users", { name: `New ${n}`, email: `new${n}@example.com` });
  let mailedBefore = -1;
  let tries = 0;
  h.store.beforeCommit = () => {
    mailedBefore = h.mails.length;
    if (tries++ < 2) throw new VersionConflict("users", "x");
  };
  const reply = await send(h, [invite(1), invite(2)], { as: "super" });
  assert.deepEqual(statuses(reply), [201, 201], reply.text);
  assert.equal(mailedBefore, 0);
  assert.equal(tries, 3);
  assert.deepEqual(h.mails.map(({ to }) => to).sort(), ["new1@example.com", "new2@example.com"]);
  h.store.beforeCommit = () => {
    throw new StoreUnavailable("gone");
  };
  assert.equal((await send(h, [invite(3)], { as: "super" })).status, 503);
  h.store.beforeCommit = null;
  assert.equal(h.mails.length, 2);
  assert.equal(await h.store.from(users).findBy("email", "new3@example.com"), null);
});

Deno.test("batch: two writers of one record both get through, and one batch holds what the other wrote", async () => {
  await using h = await harness({ variant: "full", env: { RATE_LIMIT: "false" } });
  const { data } = await h.ask("POST", "/api/documents", {
    as: "super",
    body: { title: "Shared", content: "" },
  });
  const add = (tag: string) =>
    send(h, [
      post(`/documents/${data.id}/tags`, { tags: [tag] }),
      { method: "PUT", path: `/api/documents/${data.id}`, body: { title: tag } },
    ], { as: "super" });
  const replies = await Promise.all(["a", "b", "c"].map(add));
  for (const reply of replies) {
    assert.deepEqual(statuses(reply).map((one) => one < 300), [true, true]);
  }
  assert.equal(await h.store.from(documentTags).count({ documentId: data.id }), 3);
});

Deno.test("batch: a record made, changed and removed in one batch leaves nothing but answers that say so", async () => {
  await using h = await harness({ variant: "full" });
  const { data } = await h.ask("POST", "/api/documents", {
    as: "super",
    body: { title: "Short-lived", content: "" },
  });
  const path = `/api/documents/${data.id}`;
  const reply = await send(h, [
    { method: "PUT", path, body: { title: "Renamed" } },
    { method: "DELETE", path },
    { method: "GET", path },
  ], { as: "super" });
  assert.deepEqual(statuses(reply), [200, 200, 404], reply.text);
  assert.equal(reply.data[0].headers.ETag, undefined);
  const again = await send(h, [{ method: "DELETE", path }, doc("Other")], { as: "super" });
  assert.equal(again.status, 404);
  assert.equal(await h.store.from(documents).count(), 0);
});

Deno.test("batch: each operation has the rights of its caller, those of the earlier operations included", async () => {
  await using h = await harness({ variant: "full" });
  const other = h.accounts.other.id;
  const raised = await send(h, [
    { method: "PUT", path: `/api/users/${other}`, body: { permissions: ["documents:create"] } },
  ], { as: "super" });
  assert.equal(raised.status, 200, raised.text);
  const denied = await send(
    h,
    [doc("Mine"), post("/users", { name: "N", email: "n@example.com" })],
    {
      as: "other",
    },
  );
  assert.equal(denied.status, 403);
  assert.equal(denied.body.operation.index, 1);
  assert.equal(await h.store.from(documents).count(), 0);
  // A right that the batch itself takes away is gone for what follows.
  const { id } = h.accounts.admin;
  const lowered = await send(h, [
    { method: "PUT", path: `/api/users/${id}`, body: { role: "user" } },
    doc("Later"),
  ], { as: "admin" });
  assert.ok([403, 409].includes(lowered.status), lowered.text);
  assert.equal((await h.store.from(users).get(id))!.role, "admin");
});

Deno.test("batch: an API key does in a batch what its scopes open, and the audit log names it", async () => {
  await using h = await harness({ variant: "full" });
  await h.ask("POST", "/api/auth/step-up", {
    as: "super",
    body: { password: "correct horse battery" },
  });
  const made = await h.ask("POST", "/api/auth/keys", {
    as: "super",
    body: { name: "Key", scopes: ["documents:*"] },
  });
  assert.equal(made.status, 201, made.text);
  const { key: token, id } = made.data;
  const fine = await send(h, [doc("One"), doc("Two")], { token });
  assert.deepEqual(statuses(fine), [201, 201], fine.text);
  const entries = await everyMatch(h.store, auditLog, { target: "documents" });
  assert.deepEqual(entries.map(({ apiKeyId }) => apiKeyId), [id, id]);
  const refused = await send(h, [doc("Three"), { method: "GET", path: "/api/users" }], { token });
  assert.equal(refused.status, 403);
  assert.equal(await h.store.from(documents).count(), 2);
  const each = await send(h, [doc("Three"), { method: "GET", path: "/api/auth/keys" }], {
    token,
    atomic: false,
  });
  assert.deepEqual(statuses(each), [201, 403]);
});

Deno.test("batch: If-Match holds for each, and what is not known is told or refused as alone", async () => {
  await using h = await harness({ variant: "full" });
  const made = await h.ask("POST", "/api/documents", {
    as: "super",
    body: { title: "Versioned", content: "" },
  });
  const path = `/api/documents/${made.data.id}`;
  const put = (etag: string, body: unknown = { title: "New" }): Op => ({
    method: "PUT",
    path,
    body,
    headers: { "if-match": etag },
  });
  assert.equal((await send(h, [doc("A"), put('"old"')], { as: "super" })).status, 412);
  const fine = await send(h, [put(made.headers.get("etag")!, { title: "New", titel: 1 })], {
    as: "super",
  });
  assert.equal(fine.data[0].body.warnings[0].field, "titel", fine.text);
  const strict: Op = { ...doc("A", { titel: 1 }), headers: { Prefer: "handling=strict" } };
  assert.equal((await send(h, [strict], { as: "super" })).status, 400);
});

Deno.test("batch: results are always sent, and an operation may do without its answer", async () => {
  await using h = await harness({ variant: "full" });
  const brief = { headers: { Prefer: "return=minimal" } };
  const reply = await send(h, [{ ...doc("A"), ...brief }, doc("B")], { as: "super", ...brief });
  assert.deepEqual(statuses(reply), [201, 201], reply.text);
  assert.equal(reply.data[0].body, undefined);
  assert.match(reply.data[0].headers.Location, /^\/api\/documents\//);
  assert.equal(reply.data[1].headers.Location, `/api/documents/${reply.data[1].body.data.id}`);
});

Deno.test("batch: one by one, a failure stops none of the others", async () => {
  await using h = await interposedHarness({ variant: "full" });
  const before = h.store.committed.length;
  const reply = await send(h, [
    doc("One"),
    doc(""),
    { method: "GET", path: "/api/nothing", id: "lost" },
    post("/batch", { operations: [] }),
    { method: "DELETE", path: "/api/documents/none" },
    { method: "GET", path: "/api/documents" },
    post("/share", { content: "a", language: "html" }),
    post("/share", { content: "b", language: "html" }),
  ], { as: "super", atomic: false });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(statuses(reply), [201, 400, 404, 400, 404, 200, 201, 201], reply.text);
  assert.equal(reply.data[2].id, "lost");
  assert.equal(reply.data[5].body.pagination.total, 1);
  assert.equal(reply.body.message, "4 of 8 operations are done");
  assert.equal(h.store.committed.length, before + 3);
});

Deno.test("batch: CSV goes on as it is, one by one", async () => {
  await using h = await harness();
  const csv = { ...post("/documents/import?dryRun=false", "title\nOne\nTwo\n"), id: "import" };
  const reply = await send(h, [csv, post("/documents/import", {})], { as: "super", atomic: false });
  assert.deepEqual(statuses(reply), [200, 415], reply.text);
  assert.equal(reply.data[0].body.data.created, 2);
});

for (const atomic of [true, false]) {
  Deno.test(`batch: sent again with its Idempotency-Key it is done once (atomic: ${atomic})`, async () => {
    await using h = await harness({ variant: "full" });
    const ask = { as: "super" as const, atomic, headers: { "idempotency-key": "k1" } };
    const operations = [doc("One"), doc("Two"), { method: "GET", path: "/api/documents" }];
    const first = await send(h, operations, ask);
    assert.deepEqual(statuses(first), [201, 201, 200], first.text);
    const second = await send(h, operations, ask);
    assert.deepEqual(second.data[0].body.data.id, first.data[0].body.data.id);
    assert.equal(await h.store.from(documents).count(), 2);
    const other = await send(h, [doc("Three")], ask);
    assert.equal(atomic ? other.status : other.data[0].status, 422);
  });
}

Deno.test("batch: an API key is shown no answer that its owner had under the same Idempotency-Key", async () => {
  await using h = await harness({ variant: "full" });
  const body = { name: "Key", scopes: ["documents:*"] };
  const { data: { key: token } } = await h.ask("POST", "/api/auth/keys", { as: "super", body });
  const headers = { "idempotency-key": "k1" };
  const operations = [doc("One"), { method: "GET", path: "/api/users" }];
  assert.deepEqual(statuses(await send(h, operations, { as: "super", headers })), [201, 200]);
  assert.equal((await send(h, operations, { token, headers })).status, 422);
});

Deno.test("batch: a process that dies between the commit and the answer leaves a batch that is repeated whole", async () => {
  await using h = await interposedHarness({ variant: "full" });
  const ask = { as: "super" as const, headers: { "idempotency-key": "k2" } };
  const operations = [doc("One", { tags: ["red"] }), { method: "GET", path: "/api/documents" }];
  h.store.afterCommit = (changes) => {
    if (!changes.some(({ collection }) => collection === "documents")) return;
    h.store.afterCommit = null;
    throw new StoreUnavailable("killed");
  };
  assert.equal((await send(h, operations, ask)).status, 503);
  const again = await send(h, operations, ask);
  assert.deepEqual(statuses(again), [201, 200], again.text);
  assert.equal(again.headers.get("idempotency-replayed"), "true");
  assert.equal(again.data[1].body.data[0].id, again.data[0].body.data.id);
  assert.equal(await h.store.from(documents).count(), 1);
});

Deno.test("batch: what is over the quota of its caller is refused whole", async () => {
  const env = { RECORDS_QUOTA: "5", RATE_LIMIT: "false" };
  await using h = await harness({ variant: "full", env });
  await h.grant("user", "documents:create");
  const many = Array.from({ length: 6 }, (_, n) => doc(`D${n}`));
  const reply = await send(h, many, { as: "user" });
  assert.equal(reply.status, 409, reply.text);
  assert.equal(await h.store.from(documents).count(), 0);
  assert.equal((await send(h, many.slice(1), { as: "user" })).status, 200);
});

Deno.test("batch: a group message to many is bounded together with what else is in the batch", async () => {
  await using h = await harness({ variant: "full", env: { RATE_LIMIT: "false" } });
  const people = await h.store.transact(
    { userId: null },
    (tx) =>
      Array.from(
        { length: 90 },
        (_, n) =>
          tx.insert(users, { ...h.accounts.user, id: undefined, email: `p${n}@example.com` }),
      ),
  );
  const participantIds = people.map(({ id }) => id);
  const message = post("/messages", { participantIds, content: "Hello" });
  const reply = await send(h, Array.from({ length: 8 }, () => message), { as: "super" });
  assert.equal(reply.status, 413, reply.text);
  assert.equal(await h.store.from(messages).count(), 0);
});

Deno.test("batch: answers that are too long together are left out, of what is done as of what is read", async () => {
  await using h = await harness({ variant: "full" });
  const made = await h.ask("POST", "/api/documents", {
    as: "super",
    body: { title: "Long", content: "x".repeat(400_000) },
  });
  const path = `/api/documents/${made.data.id}`;
  const reads = Array.from({ length: 25 }, () => ({ method: "GET", path }));
  const put = { method: "PUT", path, body: { title: "Short" } };
  const reply = await send(h, [...reads, put], { as: "super" });
  assert.ok(reply.text.length < 9_000_000);
  assert.equal(statuses(reply).filter((status) => status === 200).length, 21);
  assert.equal(reply.data[24].body.error.code, "PAYLOAD_TOO_LARGE");
  assert.match(reply.data[25].body.message, /ask for this one alone/);
  assert.equal(reply.data[25].status, 200);
});

for (const variant of ["compact", "full", "web", "snippets"]) {
  Deno.test(`batch: every route that writes stands in an atomic batch, or is refused there (${variant})`, async (t) => {
    await using h = await interposedHarness({ variant, env: { RATE_LIMIT: "false" } });
    const all = writingEndpointsOnce(h).filter(({ path }) => path !== "/batch");
    let together = 0;
    for (const endpoint of all) {
      await t.step(`${endpoint.method} ${endpoint.path}`, async () => {
        const scene = await sceneOf(h);
        const { path, body } = await writeTo(endpoint, scene);
        const operation = { method: endpoint.method.toUpperCase(), path, body: plain(body) };
        const { token } = scene;
        const before = h.store.committed.length;
        const reply = await send(h, [operation], {
          token,
          headers: { "idempotency-key": `${endpoint.operationId}` },
        });
        if (takenApart(endpoint)) {
          assert.equal(reply.status, 400, reply.text);
          assert.match(reply.text, /operations\.0\.path/);
          assert.equal(h.store.committed.length, before);
          return;
        }
        together++;
        assert.equal(reply.status, 200, reply.text);
        assert.ok(reply.data[0].status < 300, reply.text);
        const mine = h.store.committed.slice(before).filter((changes) =>
          changes.some(({ collection, kind }) => kind !== "check" && !OF_EVERY.has(collection)) &&
          // A deletion begins in the batch, and is done after it.
          !changes.some(({ collection, kind }) => collection === "deletions" && kind === "remove")
        );
        const writes = commitsOf(endpoint) !== "never";
        assert.equal(mine.length, writes ? 1 : 0, "commits");
      });
    }
    if (variant === "full") assert.ok(together >= 40, `${together}`);
  });
}

/** What is kept beside a commit, of any request. */
const OF_EVERY = new Set(["idempotentAnswers", "visits", "visitors", "documentViews", "apiKeys"]);

/** What the declaration says of itself. */
function takenApart({ upload, raw, secret, redirects, ownSession, commits }: Endpoint): boolean {
  return Boolean(upload || raw || secret || redirects || ownSession || commits === "apart");
}

function plain(body: unknown): unknown {
  return body instanceof FormData ? {} : body;
}

Deno.test("batch: the same route twice in one batch does not wait for itself", async () => {
  await using h = await harness({ variant: "full", env: { RATE_LIMIT: "false" } });
  for (const endpoint of writingEndpoints(h)) {
    if (takenApart(endpoint) || endpoint.path === "/batch") continue;
    const scene = await sceneOf(h);
    const operations = [];
    for (let n = 0; n < 2; n++) {
      const { path, body } = await writeTo(endpoint, scene);
      operations.push({ method: endpoint.method.toUpperCase(), path, body });
    }
    const reply = await send(h, operations, { token: scene.token });
    assert.equal(reply.status, 200, `${endpoint.operationId}: ${reply.text}`);
  }
});

// Documents: list, details, create, change, delete, as their owner, a manager and a stranger; and repeated requests.
import assert from "node:assert/strict";
import { documents, documentTags, documentViews } from "../../../models/documents.ts";
import { shares } from "../../../models/shares.ts";
import type { JournalEntry, Store } from "../../../storage/port.ts";
import { type Account, type Harness, harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";

const RIGHTS = ["documents:create", "documents:update", "documents:delete"];

async function grantAll(h: Harness, ...accounts: Account[]) {
  for (const account of accounts) await h.grant(account, ...RIGHTS);
}

async function post(h: Harness, as: Account, body: unknown) {
  const reply = await h.ask("POST", "/api/documents", { as, body });
  assert.equal(reply.status, 201, reply.text);
  return reply.data;
}

/** A document of `user`, one of `other`. */
async function arrange(h: Harness) {
  await grantAll(h, "user", "other");
  const own = await post(h, "user", {
    title: "Budget",
    content: "Zürich 💶",
    type: "SPREADSHEET",
    folder: "reports//2026/",
    tags: ["money", { name: "plans" }, "money"],
  });
  h.clock.advance(1000);
  const foreign = await post(h, "other", { title: "Diary", content: "hidden" });
  return { own, foreign, path: `/api/documents/${own.id}`, hidden: `/api/documents/${foreign.id}` };
}

scenarios("documents", {
  arrange,
  rows: [
    {
      name: "create gives the record with its defaults",
      method: "POST",
      path: "/api/documents",
      as: "user",
      body: { title: " Notes ", ignored: 1 },
      status: 201,
      holds: (_: unknown, h: Harness) => ({
        success: true,
        data: {
          title: "Notes",
          content: "",
          type: "document",
          size: 0,
          tags: [],
          shared: false,
          shares: [],
          views: 0,
          ownerId: h.accounts.user.id,
          owner: { id: h.accounts.user.id, name: "User Person" },
          folder: undefined,
        },
      }),
      after: (_, reply) => assert.match(reply.headers.get("etag") ?? "", /^".+"$/),
    },
    {
      name: "create names each bad field",
      method: "POST",
      path: "/api/documents",
      as: "user",
      body: { title: " ", content: 5, type: "poem", folder: "/a/../b", tags: [""] },
      status: 400,
      details: ["title", "content", "type", "folder", "tags.0"],
    },
    {
      name: "create without a body: 400",
      method: "POST",
      path: "/api/documents",
      as: "user",
      status: 400,
      details: ["body"],
    },
    {
      name: "create in an unknown team: 400",
      method: "POST",
      path: "/api/documents",
      as: "user",
      body: { title: "T", teamId: "unknown" },
      status: 400,
      details: ["teamId"],
    },
    {
      name: "create without a token: 401",
      method: "POST",
      path: "/api/documents",
      body: { title: "T" },
      status: 401,
    },
    {
      name: "create without the permission: 403",
      method: "POST",
      path: "/api/documents",
      as: "guest",
      body: { title: "T" },
      status: 403,
    },
    {
      name: "create of another content type: 415",
      method: "POST",
      path: "/api/documents",
      as: "user",
      headers: { "content-type": "text/plain" },
      body: "title",
      status: 415,
    },
    {
      name: "create with content over a record: 413 with a clear message",
      method: "POST",
      path: "/api/documents",
      as: "user",
      body: { title: "Long", content: "x".repeat(512 * 1024) },
      status: 413,
      holds: {
        error: {
          code: "PAYLOAD_TOO_LARGE",
          message: "Cannot save the document: with its content it is over 524288 bytes as JSON",
        },
      },
      after: async (h) => assert.equal(await h.store.from(documents).count(), 2),
    },
    {
      name: "create with a body over the limit of requests: 413",
      method: "POST",
      path: "/api/documents",
      as: "user",
      body: { title: "Long", content: "x".repeat(2 * 1024 * 1024) },
      status: 413,
    },
    {
      name: "create with content that just fits",
      method: "POST",
      path: "/api/documents",
      as: "user",
      body: { title: "Long", content: "é".repeat(250 * 1024) },
      status: 201,
      holds: { data: { size: 500 * 1024 } },
      async after(h, reply) {
        const read = await h.ask("GET", `/api/documents/${reply.data.id}`, { as: "user" });
        assert.equal(read.data.content.length, 250 * 1024);
      },
    },
    {
      name: "details",
      method: "GET",
      path: (s) => s.path,
      as: "user",
      status: 200,
      holds: {
        data: {
          title: "Budget",
          content: "Zürich 💶",
          size: 12,
          type: "spreadsheet",
          folder: "/reports/2026",
          tags: [{ name: "money" }, { name: "plans" }],
          views: 1,
          shares: [],
        },
      },
    },
    {
      name: "details, unchanged: 304",
      method: "GET",
      path: (s) => s.path,
      as: "user",
      status: 200,
      async after(h, reply, s) {
        const headers = { "if-none-match": reply.headers.get("etag")! };
        assert.equal((await h.ask("GET", s.path, { as: "user", headers })).status, 304);
      },
    },
    { name: "details without a token: 401", method: "GET", path: (s) => s.path, status: 401 },
    { name: "details as guest: 403", method: "GET", path: (s) => s.path, as: "guest", status: 403 },
    {
      name: "details of another's: 404",
      method: "GET",
      path: (s) => s.hidden,
      as: "user",
      status: 404,
    },
    {
      name: "details, unknown: 404",
      method: "GET",
      path: "/api/documents/unknown",
      as: "user",
      status: 404,
    },
    {
      name: "details of another's, as manager",
      method: "GET",
      path: (s) => s.hidden,
      as: "admin",
      status: 200,
      holds: { data: { content: "hidden" } },
    },
    {
      name: "update takes only what changes, and measures the content",
      method: "PATCH",
      path: (s) => s.path,
      as: "user",
      body: { content: "ü" },
      status: 200,
      holds: {
        data: { title: "Budget", content: "ü", size: 2, folder: "/reports/2026", tags: [{}, {}] },
      },
    },
    {
      name: "update takes back what was shown",
      method: "PUT",
      path: (s) => s.path,
      as: "user",
      body: (s: { own: Record<string, unknown> }) => ({ ...s.own, title: "Renamed" }),
      status: 200,
      holds: { data: { title: "Renamed", tags: [{ name: "money" }, { name: "plans" }], views: 0 } },
    },
    {
      name: "update replaces the tags, and empties the folder",
      method: "PUT",
      path: (s) => s.path,
      as: "user",
      body: { folder: "/", tags: ["plans", "new"] },
      status: 200,
      holds: { data: { folder: undefined, tags: [{ name: "new" }, { name: "plans" }] } },
      async after(h, _, s) {
        const listed = await h.ask("GET", "/api/documents?tag=money", { as: "user" });
        assert.equal(listed.body.pagination.total, 0);
        assert.equal(await h.store.from(documentTags).count({ documentId: s.own.id }), 2);
      },
    },
    {
      name: "update with content over a record: 413",
      method: "PUT",
      path: (s) => s.path,
      as: "user",
      body: { content: "\n".repeat(300 * 1024) },
      status: 413,
    },
    {
      name: "update names each bad field",
      method: "PUT",
      path: (s) => s.path,
      as: "user",
      body: { title: "", folder: "a/./b", tags: "x" },
      status: 400,
      details: ["title", "folder", "tags"],
    },
    {
      name: "update of another's: 404",
      method: "PUT",
      path: (s) => s.hidden,
      as: "user",
      body: { title: "Mine" },
      status: 404,
    },
    {
      name: "update without the permission: 403",
      method: "PUT",
      path: (s) => s.path,
      as: "guest",
      body: { title: "Mine" },
      status: 403,
    },
    {
      name: "update without a token: 401",
      method: "PUT",
      path: (s) => s.path,
      body: { title: "Mine" },
      status: 401,
    },
    {
      name: "update with a stale If-Match: 412",
      method: "PUT",
      path: (s) => s.path,
      as: "user",
      headers: { "if-match": '"stale"' },
      body: { title: "Late" },
      status: 412,
    },
    {
      name: "update of one that is not to be there: 412",
      method: "PUT",
      path: (s) => s.path,
      as: "user",
      headers: { "if-none-match": "*" },
      body: { title: "New" },
      status: 412,
      holds: { message: "If-None-Match rules this record out: it is there, in that version" },
    },
    {
      name: "an ETag without its quotes is told to be none",
      method: "PUT",
      path: (s) => s.path,
      as: "user",
      headers: { "if-match": "00000000000000010000" },
      body: { title: "New" },
      status: 412,
      holds: { message: "If-Match names no ETag: send it with its quotes" },
    },
    {
      name: "update with another ETag that it is not to have",
      method: "PUT",
      path: (s) => s.path,
      as: "user",
      headers: { "if-none-match": '"stale"' },
      body: { title: "Fresh" },
      status: 200,
    },
    {
      name: "update with the ETag that was given",
      method: "GET",
      path: (s) => s.path,
      as: "user",
      status: 200,
      async after(h, reply, s) {
        const headers = { "if-match": reply.headers.get("etag")! };
        const save = () => h.ask("PUT", s.path, { as: "user", headers, body: { title: "Second" } });
        assert.equal((await save()).status, 200);
        assert.equal((await save()).status, 412);
      },
    },
    {
      name: "delete takes tags, shares and views along",
      method: "DELETE",
      path: (s) => s.path,
      as: "user",
      status: 200,
      holds: (s: { own: { id: string } }) => ({ success: true, data: { id: s.own.id } }),
      async after(h, _, s) {
        assert.equal((await h.ask("GET", s.path, { as: "user" })).status, 404);
        assert.equal(await h.store.from(documentTags).count({ documentId: s.own.id }), 0);
        assert.equal((await h.ask("DELETE", s.path, { as: "user" })).status, 404);
      },
    },
    {
      name: "delete of another's: 404",
      method: "DELETE",
      path: (s) => s.hidden,
      as: "user",
      status: 404,
    },
    { name: "delete as manager", method: "DELETE", path: (s) => s.path, as: "admin", status: 200 },
    { name: "delete without a token: 401", method: "DELETE", path: (s) => s.path, status: 401 },
    {
      name: "delete as guest: 403",
      method: "DELETE",
      path: (s) => s.path,
      as: "guest",
      status: 403,
    },
    {
      name: "delete with a stale If-Match: 412",
      method: "DELETE",
      path: (s) => s.path,
      as: "user",
      headers: { "if-match": '"stale"' },
      status: 412,
    },
    {
      name: "compact has no sharing",
      method: "POST",
      path: (s) => `${s.path}/share`,
      as: "user",
      body: { userId: "x" },
      status: 404,
    },
  ],
});

scenarios("list of documents", {
  arrange,
  rows: [
    {
      name: "holds one's own, without the content",
      method: "GET",
      path: "/api/documents",
      as: "user",
      status: 200,
      holds: {
        data: [{
          title: "Budget",
          owner: { name: "User Person" },
          tags: [{ name: "money" }, { name: "plans" }],
          shared: false,
          views: 0,
        }],
        pagination: { total: 1, totalPages: 1 },
      },
      absent: ["content", "Zürich", "Diary"],
    },
    {
      name: "holds everything for managers, newest first",
      method: "GET",
      path: "/api/documents?limit=5",
      as: "admin",
      status: 200,
      holds: { data: [{ title: "Diary" }, { title: "Budget" }], pagination: { total: 2 } },
    },
    {
      name: "pages with an exact total",
      method: "GET",
      path: "/api/documents?limit=1&page=2&sort=title",
      as: "admin",
      status: 200,
      holds: { data: [{ title: "Diary" }], pagination: { page: 2, total: 2, totalPages: 2 } },
    },
    ...[
      ["type=Spreadsheet", 1],
      ["type=code", 0],
      ["folder=/reports/2026", 1],
      ["folder=reports/2026/", 1],
      ["folder=/reports", 0],
      ["folder=/", 1],
      ["tag=money", 1],
      ["tag=nothing", 0],
      ["search=UDG", 1],
      ["q=zzz", 0],
      ["teamId=none", 0],
      ["ownerId=&type=all&tag=", 2],
    ].map(([query, total]) => ({
      name: `with ${query}`,
      method: "GET",
      path: `/api/documents?${query}`,
      as: "admin" as const,
      status: 200,
      holds: { pagination: { total } },
    })),
    {
      name: "by the id of a tag",
      method: "GET",
      path: (s) => `/api/documents?tag=${s.own.tags[0].id}`,
      as: "user",
      status: 200,
      holds: { data: [{ title: "Budget" }] },
    },
    {
      name: "a filter on another owner shows nothing more",
      method: "GET",
      path: (s) => `/api/documents?ownerId=${s.foreign.ownerId}`,
      as: "user",
      status: 200,
      holds: { data: [], pagination: { total: 0 } },
    },
    ...["type=poem", "sort=content", "page=0", "cursor=x"].map((query) => ({
      name: `with ${query}: 400`,
      method: "GET",
      path: `/api/documents?${query}`,
      as: "user" as const,
      status: 400,
      holds: { error: { code: "VALIDATION_ERROR" } },
    })),
    { name: "without a token: 401", method: "GET", path: "/api/documents", status: 401 },
    { name: "as guest: 403", method: "GET", path: "/api/documents", as: "guest", status: 403 },
    {
      name: "shows new tags, owners' names and views at once",
      method: "GET",
      path: "/api/documents",
      as: "user",
      status: 200,
      async after(h, _, s) {
        await h.ask("PUT", s.path, { as: "user", body: { tags: ["fresh"] } });
        await h.ask("PUT", "/api/users/me", { as: "user", body: { name: "Renamed" } });
        await h.ask("GET", s.path, { as: "user" });
        const { data } = await h.ask("GET", "/api/documents", { as: "user" });
        assert.deepEqual(data[0].tags.map((tag: { name: string }) => tag.name), ["fresh"]);
        assert.equal(data[0].owner.name, "Renamed");
        assert.equal(data[0].views, 1);
      },
    },
  ],
});

Deno.test("documents: deleting one removes what hangs on it in the same commit", async () => {
  await using h = await harness({ variant: "full" });
  const { own, path } = await arrange(h);
  const userId = h.accounts.guest.id;
  await h.ask("POST", `${path}/share`, { as: "user", body: { userId } });
  await h.ask("GET", path, { as: "user" });
  await h.app.services.documentViews.flush();
  assert.equal((await h.store.from(documentViews).get(own.id))?.views, 1);

  const next = firstEntry(h.store);
  assert.equal((await h.ask("DELETE", path, { as: "user" })).status, 200);
  const removed = (await next).changes.filter((change) => change.op === "remove");
  assert.deepEqual(
    removed.map((change) => change.collection).sort(),
    ["documentTags", "documentTags", "documentViews", "documents", "notifications", "shares"],
  );
  assert.equal(await h.store.from(shares).count(), 0);
  assert.equal(await h.store.from(documentViews).get(own.id), null);
});

/** The first commit from now on. */
async function firstEntry(store: Store): Promise<JournalEntry> {
  for await (const entry of store.changes()) return entry;
  throw new Error("The journal ended");
}

Deno.test("documents: two with the same new tag at once share it", async () => {
  await using h = await harness();
  await grantAll(h, "user", "other");
  const made = await Promise.all(
    (["user", "other", "admin"] as const).map((as) => post(h, as, { title: as, tags: ["new"] })),
  );
  assert.equal(new Set(made.map((document) => document.tags[0].id)).size, 1);
});

Deno.test("documents: writers at once all get their turn, with If-Match only one", async () => {
  await using h = await harness();
  const { path } = await arrange(h);
  const save = (title: string, headers = {}) =>
    h.ask("PUT", path, { as: "user", body: { title }, headers });
  const free = await Promise.all(["a", "b", "c", "d"].map((title) => save(title)));
  assert.deepEqual(free.map((reply) => reply.status), [200, 200, 200, 200]);

  const etag = (await h.ask("GET", path, { as: "user" })).headers.get("etag")!;
  const held = await Promise.all(["e", "f", "g"].map((title) => save(title, { "if-match": etag })));
  assert.deepEqual(held.map((reply) => reply.status).sort(), [200, 412, 412]);
});

Deno.test("documents: a POST with an Idempotency-Key", async (t) => {
  await using h = await harness();
  await grantAll(h, "user", "other");
  const create = (as: Account, key: string, title: string) =>
    h.ask("POST", "/api/documents", { as, body: { title }, headers: { "idempotency-key": key } });
  const count = () => h.store.from(documents).count();

  await t.step("is answered again, and done once", async () => {
    const first = await create("user", "one", "T");
    const again = await create("user", "one", "T");
    assert.deepEqual([first.status, again.status], [201, 201]);
    assert.equal(again.headers.get("idempotency-replayed"), "true");
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get("etag"), first.headers.get("etag"));
    assert.equal(await count(), 1);
  });
  await t.step("of a different body: 422", async () => {
    const reply = await create("user", "one", "Another");
    assert.equal(reply.status, 422);
    assert.equal(reply.body.error.code, "IDEMPOTENCY_KEY_REUSED");
    assert.equal(await count(), 1);
  });
  await t.step("of another user is another key", async () => {
    const reply = await create("other", "one", "T");
    assert.equal(reply.status, 201);
    assert.equal(reply.data.ownerId, h.accounts.other.id);
    assert.equal(await count(), 2);
  });
  await t.step("many at once: one is done, the others are told to wait", async () => {
    const replies = await Promise.all([1, 2, 3, 4].map(() => create("user", "two", "T")));
    const statuses = replies.map((reply) => reply.status);
    assert.ok(statuses.includes(201), String(statuses));
    assert.ok(statuses.every((status) => status === 201 || status === 409), String(statuses));
    assert.ok(statuses.includes(409), String(statuses));
    const ids = replies.flatMap((reply) => reply.data?.id ?? []);
    assert.equal(new Set(ids).size, 1);
    assert.equal(await count(), 3);
  });
  await t.step("whose request failed may be used again", async () => {
    assert.equal((await create("user", "three", "")).status, 400);
    assert.equal((await create("user", "three", "T")).status, 201);
  });
});

Deno.test("documents: each of a page shows its own owner, whoever stands beside it", async () => {
  await using h = await harness();
  await grantAll(h, "user", "other");
  const owners = ["user", "user", "other", "admin", "user", "user"] as const;
  for (const as of owners) {
    await post(h, as, { title: "Log" });
    h.clock.advance(1000);
  }
  const { data } = await h.ask("GET", "/api/documents?sort=createdAt", { as: "admin" });
  const shown = data.map(({ owner }: { owner: { id: string } }) => owner.id);
  assert.deepEqual(shown, owners.map((as) => h.accounts[as].id));
});

Deno.test("the longest path of a folder is put back as it is shown, and lists its documents", async () => {
  await using h = await harness();
  const create = (folder: string) =>
    h.ask("POST", "/api/documents", { as: "admin", body: { title: "Found", folder } });
  const refused = await create("f".repeat(500));
  assert.equal(refused.status, 400, refused.text);
  assert.match(refused.body.error.message, /folder: must have at most 500 characters/);
  const { data } = await create("/deep".repeat(100).slice(1));
  const path = `/api/documents/${data.id}`, body = { folder: data.folder };
  const saved = await h.ask("PUT", path, { as: "admin", body });
  assert.equal(saved.data.folder, "/deep".repeat(100), saved.text);
  for (const folder of [data.folder, `${data.folder.slice(1)}/`]) {
    const reply = await h.ask("GET", `/api/documents?folder=${folder}`, { as: "admin" });
    assert.equal(reply.body.pagination?.total, 1, reply.text);
  }
});

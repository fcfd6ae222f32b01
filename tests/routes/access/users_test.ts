// Users: the profile, administration, and every way to escalate that must not work.
import assert from "node:assert/strict";
import { auditLog } from "../../../models/audit.ts";
import { documents } from "../../../models/documents.ts";
import { notifications } from "../../../models/notifications.ts";
import { sessions } from "../../../models/sessions.ts";
import { shares } from "../../../models/shares.ts";
import { users } from "../../../models/users.ts";
import { harness, PASSWORD } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";
import { form, png } from "../../uploads.ts";

const ids = (h: { accounts: Record<string, { id: string }> }) => ({
  user: h.accounts.user!.id,
  other: h.accounts.other!.id,
  admin: h.accounts.admin!.id,
  super: h.accounts.super!.id,
});

scenarios("users", {
  arrange: ids,
  rows: [
    {
      name: "me",
      method: "GET",
      path: "/api/users/me",
      as: "user",
      status: 200,
      holds: {
        success: true,
        data: {
          email: "user@example.com",
          permissions: ["documents:view", "files:view", "messages:view", "calendar:view"],
        },
      },
      absent: ["passwordHash"],
    },
    { name: "me at its alias", method: "GET", path: "/api/auth/me", as: "guest", status: 200 },
    { name: "me without a token", method: "GET", path: "/api/users/me", status: 401 },
    {
      name: "the profile is saved, fields are removed by null or an empty text",
      method: "PUT",
      path: "/api/users/me",
      as: "user",
      body: { name: "Renamed", bio: "A bio", phone: null, department: "" },
      status: 200,
      holds: { data: { name: "Renamed", bio: "A bio", phone: undefined } },
    },
    {
      name: "the profile takes no role, status or permissions",
      method: "PATCH",
      path: "/api/users/me",
      as: "user",
      body: { role: "super_admin", status: "inactive", permissions: ["*"] },
      status: 200,
      holds: { data: { role: "user", status: "active" } },
    },
    {
      name: "the profile names each bad field",
      method: "PUT",
      path: "/api/users/me",
      as: "user",
      body: { name: 7, email: "x", avatar: "javascript:alert(1)" },
      status: 400,
      details: ["name", "email", "avatar"],
    },
    {
      name: "list, newest first, with total",
      method: "GET",
      path: "/api/users?limit=2",
      as: "admin",
      status: 200,
      holds: { pagination: { page: 1, limit: 2, total: 5, totalPages: 3 } },
      after(_, reply) {
        assert.equal(reply.data.length, 2);
        assert.equal(reply.headers.get("x-total-count"), "5");
        assert.equal(
          reply.headers.get("link"),
          '</api/users?page=1&limit=2>; rel="first", </api/users?page=2&limit=2>; rel="next", ' +
            '</api/users?page=3&limit=2>; rel="last"',
        );
      },
    },
    {
      name: "list with search",
      method: "GET",
      path: "/api/users?keyword=OTHER",
      as: "admin",
      status: 200,
      holds: { data: [{ email: "other@example.com" }], pagination: { total: 1 } },
    },
    {
      name: "list with filters and sort; empty and all mean none",
      method: "GET",
      path: "/api/users?role=user&status=ACTIVE&department=&search=&sort=email",
      as: "admin",
      status: 200,
      holds: { data: [{ email: "other@example.com" }, { email: "user@example.com" }] },
    },
    {
      name: "list by e-mail address, in either case",
      method: "GET",
      path: "/api/users?email=Other@Example.COM&email=USER@example.com&email_ne=User@Example.com",
      as: "admin",
      status: 200,
      holds: { data: [{ email: "other@example.com" }] },
    },
    {
      name: "list caps the limit at 100",
      method: "GET",
      path: "/api/users?pageSize=5000&status=all",
      as: "admin",
      status: 200,
      holds: { pagination: { limit: 100, total: 5 } },
    },
    ...[
      "page=0",
      "page=-1",
      "page=x",
      "page=1.5",
      "limit=0",
      "status=gone",
      "sort=passwordHash",
      "cursor=x",
    ]
      .map((query) => ({
        name: `list with ${query}: 400`,
        method: "GET",
        path: `/api/users?${query}`,
        as: "admin" as const,
        status: 400,
        holds: { error: { code: "VALIDATION_ERROR" } },
      })),
    { name: "list as user: 403", method: "GET", path: "/api/users", as: "user", status: 403 },
    {
      name: "details",
      method: "GET",
      path: (s) => `/api/users/${s.user}`,
      as: "admin",
      status: 200,
    },
    {
      name: "details as user: 403",
      method: "GET",
      path: (s) => `/api/users/${s.user}`,
      as: "user",
      status: 403,
    },
    {
      name: "details, unknown: 404",
      method: "GET",
      path: "/api/users/unknown",
      as: "admin",
      status: 404,
    },
    {
      name: "details, odd id: 404",
      method: "GET",
      path: "/api/users/%2e%2e%2fx",
      as: "admin",
      status: 404,
    },
    {
      name: "create",
      method: "POST",
      path: "/api/users",
      as: "admin",
      body: {
        name: "New Person",
        email: "new@example.com",
        password: "a fine password",
        department: "Sales",
      },
      status: 201,
      holds: {
        success: true,
        data: { role: "user", department: "Sales" },
        message: "The user is created",
      },
      after(h) {
        assert.equal(h.mails.length, 0);
      },
    },
    {
      name: "create without a password invites",
      method: "POST",
      path: "/api/users",
      as: "admin",
      body: { name: "New Person", email: "new@example.com" },
      status: 201,
      async after(h) {
        const token = /token=([\w-]+)/.exec(h.mails[0]!.text)![1];
        const body = { token, password: "a fine password" };
        assert.equal((await h.ask("POST", "/api/auth/reset-password", { body })).status, 200);
        const login = { email: "new@example.com", password: "a fine password" };
        assert.equal((await h.ask("POST", "/api/auth/login", { body: login })).status, 200);
      },
    },
    {
      name: "create names each bad field",
      method: "POST",
      path: "/api/users",
      as: "admin",
      body: { email: "x", status: "gone", permissions: ["bad permission"] },
      status: 400,
      details: ["name", "email", "status", "permissions.0"],
    },
    {
      name: "create with a taken e-mail: 409",
      method: "POST",
      path: "/api/users",
      as: "admin",
      body: { name: "New Person", email: "user@example.com", password: "a fine password" },
      status: 409,
    },
    {
      name: "create with an unknown role: 400",
      method: "POST",
      path: "/api/users",
      as: "admin",
      body: { name: "New Person", email: "new@example.com", role: "emperor" },
      status: 400,
      details: ["role"],
    },
    {
      name: "create with a role beyond one's own: 403",
      method: "POST",
      path: "/api/users",
      as: "admin",
      body: { name: "New Person", email: "new@example.com", role: "super_admin" },
      status: 403,
    },
    {
      name: "create with permissions beyond one's own: 403",
      method: "POST",
      path: "/api/users",
      as: "admin",
      body: { name: "New Person", email: "new@example.com", permissions: ["roles:update"] },
      status: 403,
    },
    {
      name: "create as user: 403",
      method: "POST",
      path: "/api/users",
      as: "user",
      body: {},
      status: 403,
    },
    {
      name: "update takes only the changed fields",
      method: "PUT",
      path: (s) => `/api/users/${s.user}`,
      as: "admin",
      body: { position: "Captain" },
      status: 200,
      holds: { data: { name: "User Person", position: "Captain" } },
    },
    {
      name: "update, unknown: 404",
      method: "PUT",
      path: "/api/users/unknown",
      as: "admin",
      body: {},
      status: 404,
    },
    {
      name: "update as user, even of oneself: 403",
      method: "PUT",
      path: (s) => `/api/users/${s.user}`,
      as: "user",
      body: { role: "admin" },
      status: 403,
    },
    {
      name: "update of one's own role: 403",
      method: "PUT",
      path: (s) => `/api/users/${s.admin}`,
      as: "admin",
      body: { role: "guest" },
      status: 403,
    },
    {
      name: "update of one's own permissions: 403",
      method: "PUT",
      path: (s) => `/api/users/${s.admin}`,
      as: "admin",
      body: { permissions: ["documents:delete", "users:view", "calendar:extra"] },
      status: 403,
    },
    {
      name: "saving what was shown of oneself changes nothing and is fine",
      method: "PUT",
      path: (s) => `/api/users/${s.admin}`,
      as: "admin",
      body: {
        name: "Admin Person",
        role: "admin",
        status: "active",
        permissions: ["users:*", "documents:*", "files:*", "messages:*", "calendar:*"],
      },
      status: 200,
    },
    {
      name: "update of a user who may do more: 403",
      method: "PUT",
      path: (s) => `/api/users/${s.super}`,
      as: "admin",
      body: { password: "taking the account over" },
      status: 403,
    },
    {
      name: "update to a role beyond one's own: 403",
      method: "PUT",
      path: (s) => `/api/users/${s.user}`,
      as: "admin",
      body: { role: "super_admin" },
      status: 403,
    },
    {
      name: "update with a stale If-Match: 412",
      method: "PUT",
      path: (s) => `/api/users/${s.user}`,
      as: "admin",
      headers: { "if-match": '"stale"' },
      body: { position: "Captain" },
      status: 412,
      holds: { error: { code: "PRECONDITION_FAILED" } },
    },
    {
      name: "delete",
      method: "DELETE",
      path: (s) => `/api/users/${s.user}`,
      as: "admin",
      status: 200,
      async after(h, _, s) {
        assert.equal(await h.store.from(users).get(s.user), null);
        assert.equal((await h.ask("GET", "/api/users/me", { as: "user" })).status, 401);
        assert.equal(await h.store.from(sessions).count({ userId: s.user }), 0);
        const audited = await h.store.from(auditLog).list({
          where: { targetId: s.user, action: "remove" },
        });
        assert.equal(audited.rows[0]!.actorId, s.admin);
        assert.equal(JSON.stringify(audited.rows).includes("argon2id"), false);
      },
    },
    {
      name: "delete as user: 403",
      method: "DELETE",
      path: (s) => `/api/users/${s.other}`,
      as: "user",
      status: 403,
    },
    {
      name: "delete, unknown: 404",
      method: "DELETE",
      path: "/api/users/unknown",
      as: "admin",
      status: 404,
    },
    {
      name: "delete oneself: 409",
      method: "DELETE",
      path: (s) => `/api/users/${s.admin}`,
      as: "admin",
      status: 409,
    },
    {
      name: "delete one who may do more: 403",
      method: "DELETE",
      path: (s) => `/api/users/${s.super}`,
      as: "admin",
      status: 403,
    },
  ],
});

Deno.test("users: conditional reads and writes by ETag", async () => {
  await using h = await harness();
  const path = `/api/users/${h.accounts.user.id}`;
  const first = await h.ask("GET", path, { as: "admin" });
  const etag = first.headers.get("etag")!;
  const same = await h.ask("GET", path, { as: "admin", headers: { "if-none-match": `W/${etag}` } });
  assert.deepEqual([same.status, same.text], [304, ""]);
  const put = { as: "admin" as const, headers: { "if-match": etag }, body: { position: "Mate" } };
  const saved = await h.ask("PUT", path, put);
  assert.equal(saved.status, 200);
  assert.notEqual(saved.headers.get("etag"), etag);
  assert.equal((await h.ask("PUT", path, put)).status, 412);
  assert.equal(
    (await h.ask("DELETE", path, { as: "admin", headers: { "if-match": etag } })).status,
    412,
  );
  const changed = await h.ask("GET", path, { as: "admin", headers: { "if-none-match": etag } });
  assert.equal(changed.data.position, "Mate");
});

Deno.test("users: of many writers with one ETag, one wins", async () => {
  await using h = await harness();
  const path = `/api/users/${h.accounts.user.id}`;
  const etag = (await h.ask("GET", path, { as: "admin" })).headers.get("etag")!;
  const replies = await Promise.all(
    Array.from(
      { length: 8 },
      (_, i) =>
        h.ask("PUT", path, {
          as: "admin",
          headers: { "if-match": etag },
          body: { position: `P${i}` },
        }),
    ),
  );
  assert.equal(replies.filter((reply) => reply.status === 200).length, 1);
  assert.equal(replies.filter((reply) => reply.status === 412).length, 7);
});

Deno.test("users: the last active super_admin stays, also against two at once", async () => {
  await using h = await harness();
  const { user, super: first } = h.accounts;
  const put = (id: string, body: unknown, as: "super" | "user") =>
    h.ask("PUT", `/api/users/${id}`, { as, body });
  assert.equal((await put(user.id, { role: "super_admin" }, "super")).status, 200);
  const replies = await Promise.all([
    put(user.id, { status: "inactive" }, "super"),
    put(first.id, { status: "inactive" }, "user"),
  ]);
  assert.equal(replies.filter((reply) => reply.status === 200).length, 1);
  const left = await h.store.from(users).count({ role: "super_admin", status: "active" });
  assert.equal(left, 1);
});

Deno.test("users: whoever holds '*' without the role leaves one active super_admin, also by two changes at once", async () => {
  await using h = await harness();
  await h.grant("admin", "*");
  const { user, super: first } = h.accounts;
  const put = (id: string, body: unknown) =>
    h.ask("PUT", `/api/users/${id}`, { as: "admin", body });
  const taken = [
    await put(first.id, { status: "suspended" }),
    await put(first.id, { role: "user" }),
    await h.ask("DELETE", `/api/users/${first.id}`, { as: "admin" }),
  ];
  for (const { status, body } of taken) {
    assert.deepEqual([status, body.error.code], [409, "CONFLICT"]);
    assert.match(body.error.message, /last active super_admin/);
  }
  assert.equal((await put(user.id, { role: "super_admin" })).status, 200);
  const statuses = await Promise.all(
    [user, first].map(async ({ id }) => (await put(id, { status: "inactive" })).status),
  );
  assert.deepEqual(statuses.sort(), [200, 409]);
  assert.equal(await h.store.from(users).count({ role: "super_admin", status: "active" }), 1);
});

Deno.test("users: what a deleted user owned passes to who deleted them", async () => {
  await using h = await harness();
  await h.store.transact({ userId: null }, (tx) => {
    for (let i = 0; i < 30; i++) {
      tx.insert(documents, {
        title: `D${i}`,
        content: "",
        type: "document",
        size: 0,
        ownerId: h.accounts.user.id,
      });
    }
  });
  await h.ask("DELETE", `/api/users/${h.accounts.user.id}`, { as: "admin" });
  assert.equal(await h.store.from(documents).count({ ownerId: h.accounts.admin.id }), 30);
});

Deno.test("users: what was shared with who gets it is shared with them no more", async () => {
  await using h = await harness({ variant: "full" });
  await h.grant("user", "documents:create", "documents:update", "files:create", "files:update");
  const as = "user";
  const body = { userIds: [h.accounts.super.id, h.accounts.other.id] };
  const { data: { id } } = await h.ask("POST", "/api/documents", { as, body: { title: "Diary" } });
  const upload = { as, body: form({ bytes: png("bytes") }) } as const;
  const { data: file } = await h.ask("POST", "/api/files/upload", upload);
  for (const path of [`/api/documents/${id}`, `/api/files/${file.id}`]) {
    assert.equal((await h.ask("POST", `${path}/share`, { as, body })).status, 201);
  }
  const path = `/api/users/${h.accounts.user.id}`;
  assert.equal((await h.ask("DELETE", path, { as: "super" })).status, 200);
  const kept = await h.store.from(shares).list();
  const other = h.accounts.other.id;
  assert.deepEqual(kept.rows.map(({ userId }) => userId), [other, other]);
  const told = { type: "user", userId: h.accounts.super.id } as const;
  assert.equal(await h.store.from(notifications).count(told), 0);
});

Deno.test("users: a deletion opens nothing to who deletes and could not see it before", async (t) => {
  /** What the guest holds beside users:*, and whose the document and the event are then. */
  const cases = [
    { held: ["documents:view", "documents:create"], document: "super", event: "super" },
    { held: ["documents:*", "calendar:view"], document: "guest", event: "super" },
    { held: ["documents:*", "calendar:*"], document: "guest", event: "guest" },
  ] as const;
  for (const { held, document, event } of cases) {
    await t.step(held.join(), async () => {
      await using h = await harness({ variant: "full" });
      await h.grant("guest", "users:view", "users:delete", ...held);
      await h.grant("user", "documents:create");
      const as = "user";
      const made = (await h.ask("POST", "/api/documents", { as, body: { title: "Diary" } })).data;
      const body = { title: "Doctor", start: "2026-11-22T09:00:00Z" };
      const planned = (await h.ask("POST", "/api/calendar/events", { as, body })).data;
      const path = `/api/users/${h.accounts.user.id}`;
      assert.equal((await h.ask("DELETE", path, { as: "guest" })).status, 200);
      const owner = async (path: string) =>
        (await h.ask("GET", path, { as: "super" })).data.ownerId;
      assert.equal(await owner(`/api/documents/${made.id}`), h.accounts[document].id);
      assert.equal(await owner(`/api/calendar/events/${planned.id}`), h.accounts[event].id);
      const seen = await h.ask("GET", `/api/documents/${made.id}`, { as: "guest" });
      assert.equal(seen.status, document === "guest" ? 200 : 404);
    });
  }
});

Deno.test("users: a new role counts from the next request", async () => {
  await using h = await harness();
  assert.equal((await h.ask("GET", "/api/users", { as: "user" })).status, 403);
  await h.ask("PUT", `/api/users/${h.accounts.user.id}`, { as: "super", body: { role: "admin" } });
  assert.equal((await h.ask("GET", "/api/users", { as: "user" })).status, 200);
});

Deno.test("users: a password set by an admin ends the user's sessions", async () => {
  await using h = await harness();
  const body = { password: "set by an admin" };
  const reply = await h.ask("PUT", `/api/users/${h.accounts.user.id}`, { as: "admin", body });
  assert.equal(reply.status, 200);
  assert.equal((await h.ask("GET", "/api/users/me", { as: "user" })).status, 401);
  const login = (password: string) =>
    h.ask("POST", "/api/auth/login", { body: { email: "user@example.com", password } });
  assert.equal((await login(PASSWORD)).status, 401);
  assert.equal((await login(body.password)).status, 200);
});

Deno.test("users: walking by cursor gives every user once, while others come", async () => {
  await using h = await harness();
  const seen: string[] = [];
  let cursor: string | null = "";
  do {
    const query: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
    const page = await h.ask("GET", `/api/users?limit=2&sort=createdAt${query}`, { as: "admin" });
    seen.push(...page.data.map((user: { email: string }) => user.email));
    cursor = page.body.pagination.nextCursor;
  } while (cursor);
  assert.equal(new Set(seen).size, 5);
  assert.equal(seen.length, 5);
});

Deno.test("users: in a list each has the role and permissions of their own, as alone", async () => {
  await using h = await harness();
  await h.grant("other", "files:view", "calendar:view");
  await h.grant("guest", "teams:view");
  for (const query of ["sort=email", "sort=-email", "sort=createdAt&limit=1", "limit=3&page=2"]) {
    const list = await h.ask("GET", `/api/users?${query}`, { as: "super" });
    assert.ok(list.data.length > 0, query);
    for (const user of list.data) {
      const alone = await h.ask("GET", `/api/users/${user.id}`, { as: "super" });
      assert.deepEqual(user, alone.data, query);
    }
  }
  const all = await h.ask("GET", "/api/users", { as: "super" });
  const rights = new Set(
    all.data.map((user: { roles: unknown; permissions: unknown }) =>
      JSON.stringify([user.roles, user.permissions])
    ),
  );
  assert.ok(rights.size > 3, `${rights.size} of them differ`);
  assert.deepEqual((await h.ask("GET", "/api/users?page=9", { as: "super" })).data, []);
});

// API keys: made once, known by their form, open what their scopes name and their user holds, and make no credentials.
import assert from "node:assert/strict";
import { apiKeys } from "../../../models/api_keys.ts";
import { auditLog } from "../../../models/audit.ts";
import { documents } from "../../../models/documents.ts";
import { notifications } from "../../../models/notifications.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../../core/units.ts";
import { newApiKey, openedBy } from "../../../services/accounts/api_keys.ts";
import { type Account, type Harness, harness, PASSWORD } from "../../harness.ts";
import { interposedHarness } from "../../interposed.ts";
import { scenarios } from "../../scenario.ts";

interface Made {
  readonly id: string;
  readonly key: string;
}

async function make(h: Harness, as: Account, body: Record<string, unknown>): Promise<Made> {
  const reply = await h.ask("POST", "/api/auth/keys", { as, body: { name: "Nightly", ...body } });
  assert.equal(reply.status, 201, reply.text);
  return reply.data;
}

Deno.test("API keys: scanners know them by prefix, length and checksum", () => {
  const keys = Array.from({ length: 50 }, newApiKey);
  for (const { key, start } of keys) {
    assert.match(key, /^qd_[0-9A-Za-z]{36}$/);
    assert.ok(key.startsWith(start) && start.length === 8);
  }
  assert.equal(new Set(keys.map(({ key }) => key)).size, 50);
});

for (const variant of ["compact", "full", "web", "snippets"]) {
  Deno.test(`API keys (${variant}): made, used, seen, revoked`, async () => {
    await using h = await harness({ variant });
    const { id, key } = await make(h, "admin", { scopes: ["users:view", "snippets:create"] });
    const stored = JSON.stringify(await h.store.from(apiKeys).get(id));
    assert.ok(!stored.includes(key), "the key is stored");
    const me = await h.ask("GET", "/api/auth/keys", { as: "admin" });
    assert.deepEqual(me.data.map((one: Made) => one.id), [id]);
    assert.ok(!me.text.includes(key), "the key is shown again");
    const share = () =>
      h.ask("POST", "/api/share", { token: key, body: { content: "x", language: "html" } });
    assert.equal((await share()).status, 201);
    await h.app.services.keyUses.flush();
    const used = await h.ask("GET", `/api/auth/keys/${id}`, { as: "admin" });
    assert.equal(used.data.lastUsedAt, h.clock.now().toISOString());
    assert.equal(used.data.lastUsedIp, "127.0.0.1");
    assert.equal((await h.ask("DELETE", `/api/auth/keys/${id}`, { as: "admin" })).status, 200);
    const { rows } = await h.store.from(auditLog).list({
      where: { target: "apiKeys" },
      sort: "createdAt",
    });
    assert.deepEqual(rows.map(({ action, targetName }) => `${action} ${targetName}`), [
      "insert Nightly",
      "remove Nightly",
    ]);
    const after = await h.ask("GET", "/api/auth/keys", { token: key });
    assert.equal(after.status, 401);
  });
}

Deno.test("API keys: open what their scopes name, of what their user holds at the time", async () => {
  await using h = await harness();
  const { key } = await make(h, "admin", { scopes: ["users:view", "documents:*"] });
  const get = (path: string) => h.ask("GET", path, { token: key });
  assert.equal((await get("/api/users")).status, 200);
  assert.equal((await get("/api/documents")).status, 200);
  const refused = await get("/api/files");
  assert.equal(refused.status, 403);
  assert.deepEqual(refused.body.error.details, [{
    field: "permission",
    message: "files:view",
    code: "missing_permission",
  }]);
  const created = await h.ask("POST", "/api/documents", {
    token: key,
    body: { title: "By a program" },
  });
  assert.equal(created.status, 201);
  const { rows } = await h.store.from(auditLog).list({ where: { targetId: created.data.id } });
  assert.equal(rows[0]!.apiKeyId !== undefined && rows[0]!.actorId === h.accounts.admin.id, true);

  await h.ask("PUT", `/api/users/${h.accounts.admin.id}`, { as: "super", body: { role: "user" } });
  assert.equal((await get("/api/users")).status, 403, "the right went with the role");
  assert.equal((await get("/api/documents")).status, 200, "documents:view is left of documents:*");
  assert.equal(
    (await h.ask("POST", "/api/documents", { token: key, body: { title: "x" } })).status,
    403,
  );
  await h.ask("PUT", `/api/users/${h.accounts.admin.id}`, {
    as: "super",
    body: { status: "suspended" },
  });
  assert.equal((await get("/api/documents")).status, 401);
});

Deno.test("API keys: what everyone signed in may do takes the scope all the same", async () => {
  await using h = await harness({ variant: "full" });
  const narrow = await make(h, "user", { scopes: ["documents:view"] });
  assert.equal(
    (await h.ask("GET", "/api/messages/conversations", { token: narrow.key })).status,
    403,
  );
  assert.equal((await h.ask("GET", "/api/messages/conversations", { as: "user" })).status, 200);
});

for (const variant of ["compact", "full"] as const) {
  Deno.test(`API keys (${variant}): notifications, which show pieces of messages, take their scope`, async () => {
    await using h = await harness({ variant });
    const { id } = await h.store.transact({ userId: null }, (tx) =>
      tx.insert(notifications, {
        userId: h.accounts.user.id,
        type: "message",
        title: "A message",
        content: "between the two of us",
        read: false,
      }));
    const reads = ["notifications", "notifications/unread-count"].concat(
      variant === "full" ? [`notifications/${id}`, "dashboard/notifications"] : [],
    );
    const requests = [
      ...reads.map((path) => ["GET", path] as const),
      ["PUT", `notifications/${id}/read`],
      ["PUT", "notifications/read-all"],
      ["DELETE", `notifications/${id}`],
    ] as const;
    const other = await make(h, "user", { scopes: ["documents:view", "messages:view"] });
    const whole = await make(h, "user", { scopes: ["notifications:*"] });
    for (const [method, path] of requests) {
      const ask = (token: string) => h.ask(method, `/api/${path}`, { token });
      const refused = await ask(other.key);
      assert.equal(refused.status, 403, path);
      assert.match(refused.body.error.details[0].message, /^notifications:/, path);
      assert.equal((await ask(whole.key)).status, 200, path);
    }
  });
}

Deno.test("API keys: what everyone signed in may do is opened by its scope, whoever's the key is", async () => {
  await using h = await harness({ variant: "full" });
  for (const account of ["user", "admin", "guest", "super"] as const) {
    const { key } = await make(h, account, { scopes: ["messages:view"] });
    const list = await h.ask("GET", "/api/messages/conversations", { token: key });
    assert.equal(list.status, 200, `${account}: ${list.text}`);
    assert.equal((await h.ask("GET", "/api/documents", { token: key })).status, 403, account);
    const why = await h.ask("GET", "/api/access/explain?permission=messages:view", { token: key });
    assert.equal(why.data.allowed, true, why.text);
  }
});

for (const variant of ["compact", "full", "web"] as const) {
  Deno.test(`API keys (${variant}): snippets of their user take their scope`, async () => {
    await using h = await harness({ variant });
    const other = await make(h, "user", { scopes: ["documents:view"] });
    const whole = await make(h, "user", { scopes: ["snippets:*"] });
    const body = { content: "<p>mine</p>", language: "html" };
    const { data: { id } } = await h.ask("POST", "/api/share", { as: "user", body });
    const requests = [
      ["POST", "share", 201, body],
      ["GET", "share", 200, undefined],
      ["DELETE", `share/${id}`, 200, undefined],
    ] as const;
    for (const [method, path, status, body] of requests) {
      const ask = (token: string) => h.ask(method, `/api/${path}`, { token, body });
      const refused = await ask(other.key);
      assert.equal(refused.status, 403, path);
      assert.equal((await ask(whole.key)).status, status, path);
    }
    assert.equal((await h.ask("POST", "/api/share", { body })).status, 201, "without any account");
    const ofOthers = await h.ask("POST", "/api/share", { as: "other", body });
    const removed = await h.ask("DELETE", `/api/share/${ofOthers.data.id}`, { token: whole.key });
    assert.equal(removed.status, 403, "the scope opens no more than its user holds");
  });
}

Deno.test("API keys: what scopes open", () => {
  assert.deepEqual(openedBy(["*"], ["users:view", "files:*"]), ["users:view", "files:*"]);
  assert.deepEqual(openedBy(["users:view"], ["*"]), ["users:view"]);
  assert.deepEqual(openedBy(["users:*"], ["users:view", "files:view"]), ["users:view"]);
  assert.deepEqual(openedBy(["files:view"], ["users:*"]), []);
});

Deno.test("API keys: end in time, and are for their addresses alone", async () => {
  await using h = await harness();
  const expiresAt = new Date(h.clock.now().getTime() + DAY).toISOString();
  const { key } = await make(h, "admin", {
    scopes: ["users:view"],
    expiresAt,
    addresses: ["192.0.2.0/24", "2001:db8::1"],
  });
  const from = (from: string) => h.ask("GET", "/api/users", { token: key, from });
  assert.equal((await from("192.0.2.77")).status, 200);
  assert.equal((await from("2001:db8::1")).status, 200);
  assert.equal((await from("198.51.100.1")).status, 403);
  h.clock.advance(DAY);
  const late = await from("192.0.2.77");
  assert.equal(late.status, 401);
  assert.equal(late.body.error.message, "The API key 'Nightly' has expired");
});

Deno.test("API keys: their end may be written in any zone, without fractions of seconds, and is exact", async () => {
  await using h = await harness();
  const end = new Date(h.clock.now().getTime() + HOUR);
  const inTokyo = new Date(end.getTime() + 9 * HOUR).toISOString().replace(/\.000Z$/, "+09:00");
  for (const expiresAt of [end.toISOString().replace(".000", ""), inTokyo]) {
    const { id, key } = await make(h, "admin", { scopes: ["users:view"], expiresAt });
    const kept = await h.ask("GET", `/api/auth/keys/${id}`, { as: "admin" });
    assert.equal(kept.data.expiresAt, end.toISOString());
    h.clock.advance(end.getTime() - h.clock.now().getTime() - 1);
    assert.equal((await h.ask("GET", "/api/users", { token: key })).status, 200);
    h.clock.advance(500);
    assert.equal((await h.ask("GET", "/api/users", { token: key })).status, 401);
    h.clock.advance(-HOUR);
  }
});

Deno.test("API keys: an address or end that is set between the check and the commit wins", async () => {
  await using h = await interposedHarness();
  const body = { name: "Nightly", scopes: ["documents:create"] };
  const { data: { id, key } } = await h.ask("POST", "/api/auth/keys", { as: "admin", body });
  const soon = () => new Date(h.clock.now().getTime() + MINUTE).toISOString();
  const changes = [
    { change: () => ({ addresses: ["198.51.100.7"] }), status: 403 },
    { change: () => ({ expiresAt: soon() }), status: 401 },
  ];
  for (const { change, status } of changes) {
    h.store.beforeCommit = async () => {
      h.store.beforeCommit = null;
      const changed = await h.ask("PUT", `/api/auth/keys/${id}`, {
        as: "admin",
        body: change(),
      });
      assert.equal(changed.status, 200, changed.text);
      h.clock.advance(2 * MINUTE);
    };
    const made = await h.ask("POST", "/api/documents", { token: key, body: { title: "Late" } });
    assert.equal(made.status, status, made.text);
    const open = { addresses: [], expiresAt: null };
    const changed = await h.ask("PUT", `/api/auth/keys/${id}`, { as: "admin", body: open });
    assert.equal(changed.status, 200, changed.text);
  }
  assert.equal(await h.store.from(documents).count(), 0);
});

Deno.test("API keys: make and end no credentials", async (t) => {
  await using h = await harness({ variant: "full" });
  const { id, key } = await make(h, "super", { scopes: ["*"] });
  const user = h.accounts.user.id;
  const refused: [string, string, unknown?][] = [
    ["GET", "/api/auth/keys"],
    ["POST", "/api/auth/keys", { name: "Another", scopes: ["*"] }],
    ["PUT", `/api/auth/keys/${id}`, { scopes: ["*"] }],
    ["DELETE", `/api/auth/keys/${id}`],
    ["GET", `/api/users/${user}/keys`],
    ["DELETE", `/api/users/${user}/keys/${id}`],
    ["POST", "/api/auth/change-password", {
      currentPassword: PASSWORD,
      newPassword: "another harbour",
    }],
    ["POST", "/api/auth/mfa/totp"],
    ["POST", "/api/auth/mfa/totp/confirm", { code: "123456" }],
    ["POST", "/api/auth/mfa/recovery-codes"],
    ["DELETE", "/api/auth/mfa/totp"],
    ["DELETE", `/api/users/${user}/mfa`],
    ["POST", "/api/auth/step-up", { currentPassword: PASSWORD }],
    ["POST", "/api/auth/logout"],
    ["GET", "/api/auth/sessions"],
    ["DELETE", `/api/auth/sessions/${id}`],
    ["DELETE", `/api/users/${user}/sessions/${id}`],
    ["POST", `/api/users/${user}/impersonate`],
    ["PUT", "/api/users/me", { name: "Somebody Else" }],
    ["PUT", `/api/users/${user}`, { password: "another harbour" }],
    ["POST", "/api/users", {
      name: "New One",
      email: "new@example.com",
      password: "another harbour",
    }],
  ];
  for (const [method, path, body] of refused) {
    await t.step(`${method} ${path.replaceAll(id, "ID").replaceAll(user, "USER")}`, async () => {
      const reply = await h.ask(method, path, { token: key, body });
      assert.equal(reply.status, 403, reply.text);
      assert.match(reply.body.error.message, /API key does not do/);
    });
  }
  assert.equal(await h.store.from(apiKeys).count({}), 1);
});

Deno.test("API keys: ones that are wrong are no more than any bad token, and cost no look-up", async () => {
  await using h = await harness();
  const { key } = await make(h, "admin", { scopes: ["users:view"] });
  const changed = key.slice(0, 10) + (key[10] === "a" ? "b" : "a") + key.slice(11);
  for (const token of [changed, key.slice(0, -1), `${key}0`, "qd_", newApiKey().key]) {
    assert.equal((await h.ask("GET", "/api/users", { token })).status, 401);
  }
});

Deno.test("API keys: the last use is written at most once a minute", async () => {
  await using h = await harness();
  const { id, key } = await make(h, "admin", { scopes: ["users:view"] });
  const seen = async () => {
    await h.ask("GET", "/api/users", { token: key });
    await h.app.services.keyUses.flush();
    return (await h.store.from(apiKeys).get(id))!.lastUsedAt;
  };
  const first = await seen();
  h.clock.advance(59 * SECOND);
  assert.equal(await seen(), first);
  h.clock.advance(SECOND);
  assert.equal(await seen(), h.clock.now().toISOString());
});

Deno.test("API keys: making and changing one takes a fresh proof; revoking does not", async () => {
  await using h = await harness();
  const { id } = await make(h, "admin", { scopes: ["users:view"] });
  h.clock.advance(10 * MINUTE + SECOND);
  const code = async (method: string, path: string, body?: unknown) =>
    (await h.ask(method, path, { as: "admin", body })).body.error?.code;
  assert.equal(
    await code("POST", "/api/auth/keys", { name: "x", scopes: ["users:view"] }),
    "STEP_UP_REQUIRED",
  );
  assert.equal(await code("PUT", `/api/auth/keys/${id}`, { name: "x" }), "STEP_UP_REQUIRED");
  assert.equal(await code("DELETE", `/api/auth/keys/${id}`), undefined);
});

Deno.test("API keys: fifty of a user at most, however many are made at once", async () => {
  await using h = await harness();
  const body = { name: "Many", scopes: ["users:view"] };
  const replies = await Promise.all(
    Array.from({ length: 55 }, () => h.ask("POST", "/api/auth/keys", { as: "admin", body })),
  );
  assert.equal(await h.store.from(apiKeys).count({}), 50);
  assert.ok(replies.every(({ status }) => [201, 409].includes(status)));
});

const key = { name: "Nightly", scopes: ["documents:view"] };
const post = { method: "POST", path: "/api/auth/keys", as: "user" } as const;
const make2 = (h: Harness) => make(h, "admin", { scopes: ["users:view"] });

scenarios("API keys", {
  arrange: async (h) => ({
    ...await make2(h),
    admin: h.accounts.admin.id,
    super: h.accounts.super.id,
  }),
  rows: [
    { ...post, name: "without a token", as: null, body: key, status: 401 },
    { ...post, name: "without a body", body: {}, status: 400, details: ["name", "scopes"] },
    {
      ...post,
      name: "without scopes",
      body: { ...key, scopes: [] },
      status: 400,
      details: ["scopes"],
    },
    {
      ...post,
      name: "with a scope that is none",
      body: { ...key, scopes: ["all"] },
      status: 400,
      details: ["scopes.0"],
    },
    {
      ...post,
      name: "with an address that is none",
      body: { ...key, addresses: ["10.0.0.0/33"] },
      status: 400,
      details: ["addresses.0"],
    },
    {
      ...post,
      name: "that has ended already",
      body: { ...key, expiresAt: "2020-01-01T00:00:00.000Z" },
      status: 400,
      details: ["expiresAt"],
    },
    {
      ...post,
      name: "beyond what one holds",
      body: { ...key, scopes: ["users:delete"] },
      status: 403,
    },
    {
      ...post,
      name: "of everything, by who may not do everything",
      body: { ...key, scopes: ["*"] },
      status: 403,
    },
    {
      name: "another's: 404",
      method: "GET",
      path: (s) => `/api/auth/keys/${s.id}`,
      as: "user",
      status: 404,
    },
    {
      name: "another's is not changed",
      method: "PUT",
      path: (s) => `/api/auth/keys/${s.id}`,
      as: "user",
      body: { name: "Mine" },
      status: 404,
    },
    {
      name: "another's is not revoked",
      method: "DELETE",
      path: (s) => `/api/auth/keys/${s.id}`,
      as: "user",
      status: 404,
    },
    { name: "no such one", method: "DELETE", path: "/api/auth/keys/none", as: "user", status: 404 },
    {
      name: "widened beyond what one holds",
      method: "PUT",
      path: (s) => `/api/auth/keys/${s.id}`,
      as: "admin",
      body: { scopes: ["roles:create"] },
      status: 403,
    },
    {
      name: "narrowed and without end",
      method: "PUT",
      path: (s) => `/api/auth/keys/${s.id}`,
      as: "admin",
      body: { scopes: ["users:list"], expiresAt: null },
      status: 200,
      holds: { data: { scopes: ["users:list"] } },
    },
    {
      name: "of a user, for administrators",
      method: "GET",
      path: (s) => `/api/users/${s.admin}/keys`,
      as: "super",
      status: 200,
    },
    {
      name: "of a user, for nobody else",
      method: "GET",
      path: (s) => `/api/users/${s.admin}/keys`,
      as: "user",
      status: 403,
    },
    {
      name: "of who may do more: 403",
      method: "GET",
      path: (s) => `/api/users/${s.super}/keys`,
      as: "admin",
      status: 403,
    },
    {
      name: "of a user is revoked by administrators",
      method: "DELETE",
      path: (s) => `/api/users/${s.admin}/keys/${s.id}`,
      as: "super",
      status: 200,
    },
    {
      name: "of another user than named: 404",
      method: "DELETE",
      path: (s) => `/api/users/${s.super}/keys/${s.id}`,
      as: "super",
      status: 404,
    },
  ],
});

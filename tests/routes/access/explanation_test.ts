// Why someone may do something, or may not: the explanation agrees with what the routes do.
import assert from "node:assert/strict";
import { roles } from "../../../models/roles.ts";
import { sessions } from "../../../models/sessions.ts";
import { type Account, type Harness, harness } from "../../harness.ts";

const explain = (h: Harness, as: Account, query: Record<string, string>) =>
  h.ask("GET", `/api/access/explain?${new URLSearchParams(query)}`, { as });

const because = (data: { reasons: { rule: string; because: string }[] }, rule: string) =>
  data.reasons.find((reason) => reason.rule === rule)?.because;

Deno.test("explain: by the role, by one's own permission, or what is missing", async () => {
  await using h = await harness();
  await h.grant("user", "documents:create");
  const role = await explain(h, "admin", { permission: "users:delete" });
  assert.equal(role.data.allowed, true);
  assert.equal(because(role.data, "permission"), "the role 'admin' holds 'users:*'");
  const own = await explain(h, "user", { permission: "documents:create" });
  assert.equal(because(own.data, "permission"), "the user holds 'documents:create'");
  const missing = await explain(h, "user", { permission: "users:view" });
  assert.equal(missing.data.allowed, false);
  assert.match(because(missing.data, "permission")!, /'users:view' is missing/);
});

Deno.test("explain: for programs, what decides stands beside the sentence", async () => {
  await using h = await harness();
  const { id } =
    (await h.ask("POST", "/api/documents", { as: "admin", body: { title: "Plan" } })).data;
  const query = { permission: "documents:update", resource: "documents", id };
  const asked = await explain(h, "admin", { ...query, userId: h.accounts.user.id });
  const bases = asked.data.reasons.map(({ rule, ok, basis }: Record<string, unknown>) => ({
    rule,
    ok,
    basis,
  }));
  assert.deepEqual(bases, [
    { rule: "account", ok: true, basis: { status: "active" } },
    { rule: "permission", ok: false, basis: { by: "nothing", role: "user" } },
    { rule: "record", ok: false, basis: { by: "nothing", level: "none", needed: "edit" } },
  ]);
  const own = await explain(h, "admin", query);
  assert.deepEqual(own.data.reasons[1].basis, { by: "role", role: "admin", held: "documents:*" });
  assert.equal(own.data.reasons[2].basis.by, "ownership");
});

Deno.test("explain: the record, by ownership, share, team, management or attendance", async () => {
  await using h = await harness({ variant: "full" });
  for (const account of ["user", "other"] as const) {
    await h.grant(
      account,
      "documents:create",
      "documents:update",
      "calendar:create",
      "teams:create",
    );
  }
  const doc =
    (await h.ask("POST", "/api/documents", { as: "user", body: { title: "Charter" } })).data.id;
  const about = (account: Account, permission: string, resource = "documents", id = doc) =>
    explain(h, "admin", { permission, resource, id, userId: h.accounts[account].id });
  const record = async (account: Account, permission: string) =>
    because((await about(account, permission)).data, "record");
  assert.equal(
    await record("user", "documents:delete"),
    "they have 'owner', because it is theirs; 'owner' is needed",
  );
  assert.equal(
    await record("admin", "documents:update"),
    "they have 'owner', because they manage all of its kind; 'edit' is needed",
  );
  assert.equal(await record("other", "documents:view"), "nothing opens it to them");
  const body = { userId: h.accounts.other.id, permission: "read" };
  await h.ask("POST", `/api/documents/${doc}/share`, { as: "user", body });
  const shared = await about("other", "documents:update");
  assert.equal(
    because(shared.data, "record"),
    "they have 'read', because it is shared with them; 'edit' is needed",
  );
  assert.equal(shared.data.allowed, false);
  assert.equal(
    (await h.ask("PUT", `/api/documents/${doc}`, { as: "other", body: { title: "x" } })).status,
    403,
  );
  assert.equal((await about("other", "documents:view")).data.allowed, true);
  assert.equal((await h.ask("GET", `/api/documents/${doc}`, { as: "other" })).status, 200);

  const event = await h.ask("POST", "/api/calendar/events", {
    as: "user",
    body: { title: "Meeting", start: "2026-11-22T10:00:00Z", end: "2026-11-22T11:00:00Z" },
  });
  await h.grant("admin", "calendar:*");
  const path = `/api/calendar/events/${event.data.id}/attendees`;
  await h.ask("POST", path, { as: "user", body: { userId: h.accounts.other.id } });
  const attends = await about("other", "calendar:view", "calendar", event.data.id);
  assert.match(because(attends.data, "record")!, /because they attend it/);
});

Deno.test("explain: what one may not see is as if it were not there", async () => {
  await using h = await harness();
  const doc =
    (await h.ask("POST", "/api/documents", { as: "admin", body: { title: "Secret" } })).data.id;
  const hidden = await explain(h, "user", {
    permission: "documents:view",
    resource: "documents",
    id: doc,
  });
  const absent = await explain(h, "user", {
    permission: "documents:view",
    resource: "documents",
    id: "none",
  });
  assert.deepEqual(hidden.data, absent.data);
  await h.grant("other", "users:view");
  const query = { permission: "documents:view", resource: "documents", id: doc };
  const others = await explain(h, "other", { ...query, userId: h.accounts.admin.id });
  assert.equal(because(others.data, "record"), "there is no such record, or you may not see it");
});

Deno.test("explain: of others with users:view alone; bad questions are refused", async () => {
  await using h = await harness();
  const permission = "documents:view";
  const cases: [Account | null, Record<string, string>, number][] = [
    [null, { permission }, 401],
    ["user", { permission, userId: h.accounts.admin.id }, 403],
    ["user", { permission, userId: h.accounts.user.id }, 200],
    ["admin", { permission, userId: "nobody" }, 404],
    ["user", {}, 400],
    ["user", { permission: "everything" }, 400],
    ["user", { permission, resource: "documents" }, 400],
    ["user", { permission, id: "x" }, 400],
    ["user", { permission, resource: "users", id: "x" }, 400],
    ["user", { permission, color: "red" }, 400],
  ];
  for (const [as, query, status] of cases) {
    const reply = await h.ask("GET", `/api/access/explain?${new URLSearchParams(query)}`, { as });
    assert.equal(reply.status, status, JSON.stringify(query));
  }
});

Deno.test("explain: a suspended account, a missing second factor, and an API key say so", async () => {
  await using h = await harness({ env: { MFA_REQUIRED_ROLES: "user" } });
  await h.ask("PUT", `/api/users/${h.accounts.other.id}`, {
    as: "super",
    body: { status: "suspended" },
  });
  const query = { permission: "documents:view", userId: h.accounts.other.id };
  const { data } = await explain(h, "super", query);
  assert.equal(data.allowed, false);
  assert.equal(because(data, "account"), "the account is suspended");
  assert.equal(
    because(data, "secondFactor"),
    "the role 'user' asks for a second factor, which is not set up",
  );
  const body = { name: "Nightly", scopes: ["users:view"] };
  const { data: { key } } = await h.ask("POST", "/api/auth/keys", { as: "admin", body });
  const byKey = await h.ask("GET", "/api/access/explain?permission=files:view", { token: key });
  assert.equal(because(byKey.data, "permission"), "the API key 'Nightly' does not open it");
});

Deno.test("explain: a second factor that was given at a provider counts, as it does for the routes", async () => {
  await using h = await harness({ env: { MFA_REQUIRED_ROLES: "user" } });
  const permission = "documents:view";
  const refused = await explain(h, "user", { permission });
  assert.equal(refused.body.error.code, "MFA_REQUIRED");
  // As a session is whose provider says that one was given there.
  await h.store.transact({ userId: null }, async (tx) => {
    const { rows: [session] } = await tx.from(sessions).list({
      where: { userId: h.accounts.user.id },
    });
    tx.update(sessions, session!, { method: "provider", secondFactor: true });
  });
  assert.equal((await h.ask("GET", "/api/documents", { as: "user" })).status, 200);
  const { data } = await explain(h, "user", { permission });
  assert.equal(data.allowed, true);
  assert.equal(
    because(data, "secondFactor"),
    "the role 'user' asks for a second factor, which was given",
  );
});

Deno.test("explain: what opens a route beside the permission it is named for opens it here too", async () => {
  await using h = await harness();
  await h.store.transact({ userId: null }, async (tx) => {
    const role = await tx.from(roles).findBy("name", "user");
    tx.update(roles, role!, { permissions: [] });
  });
  const ways = [
    ["user", "messages:view", "messages:create", "POST", "/api/messages"],
    ["other", "messages:create", "messages:view", "GET", "/api/messages"],
    ["other", "documents:view", "dashboard:view", "GET", "/api/dashboard/stats"],
  ] as const;
  for (const [as, held, permission, method, path] of ways) {
    const before = await explain(h, as, { permission });
    assert.equal(before.data.allowed, false, permission);
    const body = method === "POST"
      ? { recipientId: h.accounts.super.id, content: "Hello" }
      : undefined;
    assert.equal((await h.ask(method, path, { as, body })).status, 403, `${as} ${path}`);
    await h.grant(as, held);
    const { data } = await explain(h, as, { permission });
    assert.ok((await h.ask(method, path, { as, body })).status < 300, `${as} ${path}`);
    assert.equal(data.allowed, true, `${permission} by ${held}`);
    assert.equal(because(data, "permission"), `the user holds '${held}'`);
  }
});

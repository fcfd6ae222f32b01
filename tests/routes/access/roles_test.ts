// Roles: the endpoints, every way to escalate that must not work, and what happens at the same time.
import assert from "node:assert/strict";
import { permissions } from "../../../models/permissions.ts";
import { roles } from "../../../models/roles.ts";
import { users } from "../../../models/users.ts";
import { planRoleRemoval } from "../../../services/access/roles.ts";
import { seedRoles } from "../../../services/accounts/first_start.ts";
import { assignableRole } from "../../../services/access/users.ts";
import type { Principal } from "../../../services/access/access.ts";
import { type Harness, harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";

const server = { userId: null };
const NOWHERE = "01900000-0000-7000-8000-000000000000";

interface State {
  /** Of each role, by name. */
  readonly roles: Readonly<Record<string, string>>;
  readonly permissions: Readonly<Record<string, string>>;
}

/** The built-in roles; `editor`, which nobody has; `author`, which `other` has. The admin may change roles. */
async function arrange(h: Harness): Promise<State> {
  await h.grant("admin", "roles:*", "permissions:*");
  const created = await h.store.transact(server, async (tx) => {
    const base = { builtIn: false, customised: false };
    const editor = { name: "editor", label: "Editor", permissions: ["documents:view"], ...base };
    const author = { name: "author", label: "Author", permissions: ["reports:view"], ...base };
    const other = await tx.from(users).get(h.accounts.other.id);
    tx.update(users, other!, { role: "author" });
    const unused = { resource: "unused", action: "*", builtIn: false };
    const reports = { resource: "reports", action: "view", builtIn: false };
    return {
      roles: [tx.insert(roles, editor), tx.insert(roles, author)],
      permissions: [
        tx.insert(permissions, { name: "unused:*", ...unused }),
        tx.insert(permissions, { name: "reports:view", ...reports }),
      ],
    };
  });
  const idsOf = (records: readonly { name: string; id: string }[]) =>
    Object.fromEntries(records.map(({ name, id }) => [name, id]));
  const builtIn = await h.store.from(roles).list({ where: { builtIn: true }, limit: 100 });
  const known = await h.store.from(permissions).list({ limit: 100 });
  return {
    roles: idsOf([...builtIn.rows, ...created.roles]),
    permissions: idsOf([...known.rows, ...created.permissions]),
  };
}

scenarios<State>("roles", {
  variant: "full",
  arrange,
  rows: [
    {
      name: "list with the number of users",
      method: "GET",
      path: "/api/roles?sort=name&builtIn=true",
      as: "super",
      status: 200,
      holds: {
        data: [
          {
            name: "admin",
            userCount: 1,
            builtIn: true,
            permissions: ["users:*", "documents:*", "files:*", "teams:*"],
          },
          { name: "guest", userCount: 1, permissions: ["dashboard:view"] },
          { name: "super_admin", userCount: 1, permissions: ["*"] },
          { name: "user", userCount: 1 },
        ],
        pagination: { total: 4 },
      },
    },
    {
      name: "list with search",
      method: "GET",
      path: "/api/roles?search=edit",
      as: "super",
      status: 200,
      holds: { data: [{ name: "editor", userCount: 0 }] },
    },
    {
      name: "list with a bad sort: 400",
      method: "GET",
      path: "/api/roles?sort=x",
      as: "super",
      status: 400,
    },
    { name: "list without a token: 401", method: "GET", path: "/api/roles", status: 401 },
    { name: "list as user: 403", method: "GET", path: "/api/roles", as: "user", status: 403 },
    {
      name: "details",
      method: "GET",
      path: (s) => `/api/roles/${s.roles.author}`,
      as: "admin",
      status: 200,
      holds: { data: { name: "author", label: "Author", userCount: 1, builtIn: false } },
      absent: ["customised"],
      after: async (h, reply, s) => {
        const headers = { "if-none-match": reply.headers.get("etag")! };
        const path = `/api/roles/${s.roles.author}`;
        assert.equal((await h.ask("GET", path, { as: "admin", headers })).status, 304);
        await h.ask("DELETE", `/api/users/${h.accounts.other.id}`, { as: "super" });
        const later = await h.ask("GET", path, { as: "admin", headers });
        assert.equal(later.status, 200, "the number of users is part of what is shown");
        assert.equal(later.data.userCount, 0);
      },
    },
    {
      name: "details of none: 404",
      method: "GET",
      path: `/api/roles/${NOWHERE}`,
      as: "super",
      status: 404,
    },
    {
      name: "details by name: 404",
      method: "GET",
      path: "/api/roles/admin",
      as: "super",
      status: 404,
    },
    {
      name: "details as guest: 403",
      method: "GET",
      path: (s) => `/api/roles/${s.roles.user}`,
      as: "guest",
      status: 403,
    },
    {
      name: "create",
      method: "POST",
      path: "/api/roles",
      as: "admin",
      body: { name: "reviewer", permissions: ["documents:view", "documents:view", "files:*"] },
      status: 201,
      holds: {
        data: {
          name: "reviewer",
          label: "reviewer",
          permissions: ["documents:view", "files:*"],
          builtIn: false,
          userCount: 0,
        },
      },
    },
    {
      name: "create names each bad field",
      method: "POST",
      path: "/api/roles",
      as: "super",
      body: { name: "x", label: "", permissions: ["nonsense"] },
      status: 400,
      details: ["name", "label", "permissions.0"],
    },
    {
      name: "create with an unknown permission: 400",
      method: "POST",
      path: "/api/roles",
      as: "super",
      body: { name: "reviewer", permissions: ["made:up"] },
      status: 400,
      details: ["permissions"],
    },
    {
      name: "create with a taken name: 409",
      method: "POST",
      path: "/api/roles",
      as: "super",
      body: { name: "editor" },
      status: 409,
    },
    {
      name: "an admin creates no role with *",
      method: "POST",
      path: "/api/roles",
      as: "admin",
      body: { name: "god", permissions: ["*"] },
      status: 403,
      after: async (h) => assert.equal(await h.store.from(roles).findBy("name", "god"), null),
    },
    {
      name: "an admin creates no role with what they lack",
      method: "POST",
      path: "/api/roles",
      as: "admin",
      body: { name: "mailer", permissions: ["messages:view"] },
      status: 403,
    },
    {
      name: "create as user: 403",
      method: "POST",
      path: "/api/roles",
      as: "user",
      body: { name: "x" },
      status: 403,
    },
    {
      name: "create with a body that is no JSON: 415",
      method: "POST",
      path: "/api/roles",
      as: "super",
      body: "name=x",
      headers: { "content-type": "text/plain" },
      status: 415,
    },
    {
      name: "update",
      method: "PUT",
      path: (s) => `/api/roles/${s.roles.editor}`,
      as: "admin",
      body: {
        name: "redactor",
        label: "Redactor",
        description: "Edits",
        permissions: ["documents:*"],
      },
      status: 200,
      holds: {
        data: {
          name: "redactor",
          label: "Redactor",
          description: "Edits",
          permissions: ["documents:*"],
        },
      },
    },
    {
      name: "update removes the description",
      method: "PATCH",
      path: (s) => `/api/roles/${s.roles.guest}`,
      as: "super",
      body: { description: null },
      status: 200,
      holds: { data: { description: undefined, label: "Guest" } },
    },
    {
      name: "update with the version that was read",
      method: "PUT",
      path: (s) => `/api/roles/${s.roles.editor}`,
      as: "super",
      headers: { "if-match": '"old"' },
      body: { label: "x" },
      status: 412,
    },
    {
      name: "update of none: 404",
      method: "PUT",
      path: `/api/roles/${NOWHERE}`,
      as: "super",
      body: { label: "x" },
      status: 404,
    },
    {
      name: "update to a taken name: 409",
      method: "PUT",
      path: (s) => `/api/roles/${s.roles.editor}`,
      as: "super",
      body: { name: "author" },
      status: 409,
    },
    {
      name: "a built-in role is not renamed: 409",
      method: "PUT",
      path: (s) => `/api/roles/${s.roles.guest}`,
      as: "super",
      body: { name: "visitor" },
      status: 409,
    },
    {
      name: "a built-in role is saved as it was shown",
      method: "PUT",
      path: (s) => `/api/roles/${s.roles.super_admin}`,
      as: "super",
      body: { name: "super_admin", label: "Root", permissions: ["*"] },
      status: 200,
      holds: { data: { label: "Root" } },
    },
    {
      name: "a role in use is not renamed: 409",
      method: "PUT",
      path: (s) => `/api/roles/${s.roles.author}`,
      as: "super",
      body: { name: "writer" },
      status: 409,
    },
    {
      name: "an admin gives a role no permission that they lack, by update",
      method: "PUT",
      path: (s) => `/api/roles/${s.roles.editor}`,
      as: "admin",
      body: { permissions: ["calendar:view"] },
      status: 403,
    },
    {
      name: "an admin does not touch super_admin",
      method: "PUT",
      path: (s) => `/api/roles/${s.roles.super_admin}`,
      as: "admin",
      body: { label: "Mine" },
      status: 403,
    },
    {
      name: "an admin does not touch a role that may do more",
      method: "PUT",
      path: (s) => `/api/roles/${s.roles.user}/permissions`,
      as: "admin",
      body: { permissions: ["documents:view"] },
      status: 403,
    },
    {
      name: "nobody changes what their own role may do",
      method: "PUT",
      path: (s) => `/api/roles/${s.roles.admin}`,
      as: "admin",
      body: { permissions: ["users:*", "documents:*", "files:*", "teams:*", "roles:*"] },
      status: 403,
    },
    {
      name: "super_admin does not lose *: 409",
      method: "PUT",
      path: (s) => `/api/roles/${s.roles.super_admin}/permissions`,
      as: "super",
      body: { permissions: ["users:*"] },
      status: 409,
    },
    {
      name: "assign by names",
      method: "PUT",
      path: (s) => `/api/roles/${s.roles.editor}/permissions`,
      as: "admin",
      body: { permissions: ["documents:view", "documents:update"] },
      status: 200,
      holds: { data: { permissions: ["documents:view", "documents:update"] } },
    },
    {
      name: "assign by ids",
      method: "PUT",
      path: (s) => `/api/roles/${s.roles.editor}/permissions`,
      as: "super",
      body: (s: State) => ({ permissionIds: [s.permissions["reports:view"], s.permissions["*"]] }),
      status: 200,
      holds: { data: { permissions: ["reports:view", "*"] } },
    },
    {
      name: "assign nothing",
      method: "PUT",
      path: (s) => `/api/roles/${s.roles.editor}/permissions`,
      as: "super",
      body: { permissions: [] },
      status: 200,
      holds: { data: { permissions: [] } },
    },
    {
      name: "assigning to a built-in role outlasts the seed",
      method: "PUT",
      path: (s) => `/api/roles/${s.roles.guest}/permissions`,
      as: "super",
      body: { permissions: ["dashboard:view", "documents:view"] },
      status: 200,
      after: async (h) => {
        await seedRoles(h.store, h.settings.variant);
        const guest = await h.store.from(roles).findBy("name", "guest");
        assert.deepEqual(guest?.permissions, ["dashboard:view", "documents:view"]);
        assert.equal(guest?.customised, true);
      },
    },
    ...[
      { body: {}, details: ["permissions"] },
      { body: { permissions: ["a:b"], permissionIds: ["x"] }, details: ["permissions"] },
      { body: { permissions: ["made:up"] }, details: ["permissions"] },
      { body: { permissionIds: [NOWHERE] }, details: ["permissionIds"] },
      { body: { permissions: "documents:view" }, details: ["permissions"] },
    ].map(({ body, details }) => ({
      name: `assign ${JSON.stringify(body)}: 400`,
      method: "PUT",
      path: (s: State) => `/api/roles/${s.roles.editor}/permissions`,
      as: "super" as const,
      body,
      status: 400,
      details,
    })),
    {
      name: "assign what the caller lacks, by id: 403",
      method: "PUT",
      path: (s) => `/api/roles/${s.roles.editor}/permissions`,
      as: "admin",
      body: (s: State) => ({ permissionIds: [s.permissions["*"]] }),
      status: 403,
    },
    {
      name: "assign to none: 404",
      method: "PUT",
      path: `/api/roles/${NOWHERE}/permissions`,
      as: "super",
      body: { permissions: [] },
      status: 404,
    },
    {
      name: "assign with another version: 412",
      method: "PUT",
      path: (s) => `/api/roles/${s.roles.editor}/permissions`,
      as: "super",
      headers: { "if-match": '"old"' },
      body: { permissions: [] },
      status: 412,
    },
    {
      name: "assign as user: 403",
      method: "PUT",
      path: (s) => `/api/roles/${s.roles.user}/permissions`,
      as: "user",
      body: { permissions: ["*"] },
      status: 403,
    },
    {
      name: "delete",
      method: "DELETE",
      path: (s) => `/api/roles/${s.roles.editor}`,
      as: "admin",
      headers: {},
      status: 200,
      after: async (h, reply, s) => {
        assert.equal(reply.data.id, s.roles.editor);
        assert.equal(await h.store.from(roles).get(s.roles.editor!), null);
      },
    },
    {
      name: "delete of a built-in role: 409",
      method: "DELETE",
      path: (s) => `/api/roles/${s.roles.guest}`,
      as: "super",
      status: 409,
    },
    {
      name: "delete of a role in use: 409",
      method: "DELETE",
      path: (s) => `/api/roles/${s.roles.author}`,
      as: "super",
      status: 409,
      after: async (h, _, s) => assert.ok(await h.store.from(roles).get(s.roles.author!)),
    },
    {
      name: "delete of a role that may do more: 403",
      method: "DELETE",
      path: (s) => `/api/roles/${s.roles.author}`,
      as: "admin",
      status: 403,
    },
    {
      name: "delete of none: 404",
      method: "DELETE",
      path: `/api/roles/${NOWHERE}`,
      as: "super",
      status: 404,
    },
    {
      name: "delete as user: 403",
      method: "DELETE",
      path: (s) => `/api/roles/${s.roles.editor}`,
      as: "user",
      status: 403,
    },
    {
      name: "delete with another version: 412",
      method: "DELETE",
      path: (s) => `/api/roles/${s.roles.editor}`,
      as: "super",
      headers: { "if-match": '"old"' },
      status: 412,
    },
  ],
});

Deno.test("roles: a change counts from the next request", async () => {
  await using h = await harness({ variant: "full" });
  assert.equal((await h.ask("GET", "/api/users", { as: "user" })).status, 403);
  const role = await h.store.from(roles).findBy("name", "user");
  const assign = (...permissions: string[]) =>
    h.ask("PUT", `/api/roles/${role!.id}/permissions`, { as: "super", body: { permissions } });
  await assign("users:view");
  assert.equal((await h.ask("GET", "/api/users", { as: "user" })).status, 200);
  const me = await h.ask("GET", "/api/users/me", { as: "user" });
  assert.deepEqual(me.data.permissions, ["users:view"]);
  await assign();
  assert.equal((await h.ask("GET", "/api/users", { as: "user" })).status, 403);
});

/** A caller who may do everything. */
function omnipotent(h: Harness): Principal {
  const user = h.accounts.super;
  return { user, role: null, session: null, key: null, permissions: ["*"] };
}

async function unusedRole(h: Harness, permissions: string[] = []) {
  const fields = { name: "brief", label: "Brief", builtIn: false, customised: false };
  return await h.store.transact(server, (tx) => tx.insert(roles, { ...fields, permissions }));
}

Deno.test("roles: a deletion that saw no users loses to a user who was given the role meanwhile", async () => {
  await using h = await harness({ variant: "full" });
  const { id } = await unusedRole(h);
  let assigned = false;
  const removal = h.store.transact(server, async (tx) => {
    const role = await tx.from(roles).get(id);
    await planRoleRemoval(tx, role!);
    if (assigned) return;
    assigned = true;
    await h.store.transact(server, async (other) => {
      const user = await other.from(users).get(h.accounts.user.id);
      const { name } = await assignableRole(other, omnipotent(h), "brief");
      other.update(users, user!, { role: name });
    });
  });
  await assert.rejects(removal, { code: "CONFLICT" });
  assert.ok(await h.store.from(roles).get(id));
});

Deno.test("roles: a user is not given a role that was deleted meanwhile", async () => {
  await using h = await harness({ variant: "full" });
  const { id } = await unusedRole(h);
  let removed = false;
  const assignment = h.store.transact(server, async (tx) => {
    const user = await tx.from(users).get(h.accounts.user.id);
    const { name } = await assignableRole(tx, omnipotent(h), "brief");
    tx.update(users, user!, { role: name });
    if (removed) return;
    removed = true;
    await h.store.transact(server, async (other) => {
      await planRoleRemoval(other, (await other.from(roles).get(id))!);
    });
  });
  await assert.rejects(assignment, { code: "VALIDATION_ERROR" });
  assert.equal((await h.store.from(users).get(h.accounts.user.id))?.role, "user");
});

Deno.test("roles: deletion and assignment by requests at once never leave a user without a role", async () => {
  await using h = await harness({ variant: "full" });
  for (let round = 0; round < 20; round++) {
    const { id } = await unusedRole(h);
    const user = `/api/users/${h.accounts.user.id}`;
    const [removal, assignment] = await Promise.all([
      h.ask("DELETE", `/api/roles/${id}`, { as: "super" }),
      h.ask("PUT", user, { as: "super", body: { role: "brief" } }),
    ]);
    const stored = await h.store.from(users).get(h.accounts.user.id);
    const role = await h.store.from(roles).findBy("name", stored!.role);
    assert.ok(role, `${removal.status} and ${assignment.status}`);
    assert.notEqual(removal.status === 200, assignment.status === 200);
    if (assignment.status === 200) {
      await h.ask("PUT", user, { as: "super", body: { role: "user" } });
      assert.equal((await h.ask("DELETE", `/api/roles/${id}`, { as: "super" })).status, 200);
    }
  }
});

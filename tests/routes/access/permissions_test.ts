// Permissions: the catalogue's endpoints, and what happens at the same time.
import assert from "node:assert/strict";
import { permissions } from "../../../models/permissions.ts";
import { roles } from "../../../models/roles.ts";
import type { Principal } from "../../../services/access/access.ts";
import { planAssignment, planPermissionRemoval } from "../../../services/access/roles.ts";
import { seedRoles } from "../../../services/accounts/first_start.ts";
import { type Harness, harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";

const server = { userId: null };
const NOWHERE = "01900000-0000-7000-8000-000000000000";

interface State {
  /** By name. */
  readonly permissions: Readonly<Record<string, string>>;
}

/** `reports:view`, which the role `author` holds; `unused:*`, which none does. The admin may change permissions. */
async function arrange(h: Harness): Promise<State> {
  await h.grant("admin", "roles:*", "permissions:*");
  const author = await addRole(h, "author", ["reports:view"]);
  const created = await h.store.transact(server, (tx) => [
    tx.insert(permissions, { name: "unused:*", resource: "unused", action: "*", builtIn: false }),
    tx.insert(permissions, {
      name: author.permissions[0]!,
      resource: "reports",
      action: "view",
      builtIn: false,
    }),
  ]);
  const known = await h.store.from(permissions).list({ limit: 100 });
  const entries = [...known.rows, ...created].map(({ name, id }) => [name, id]);
  return { permissions: Object.fromEntries(entries) };
}

async function addRole(h: Harness, name: string, permissions: string[]) {
  const fields = { name, label: name, builtIn: false, customised: false };
  return await h.store.transact(server, (tx) => tx.insert(roles, { ...fields, permissions }));
}

scenarios<State>("permissions", {
  variant: "full",
  arrange,
  rows: [
    {
      name: "list by resource",
      method: "GET",
      path: "/api/permissions?resource=reports",
      as: "admin",
      status: 200,
      holds: {
        data: [{ name: "reports:view", resource: "reports", action: "view", builtIn: false }],
        pagination: { total: 1 },
      },
    },
    {
      name: "list holds the whole catalogue",
      method: "GET",
      path: "/api/permissions?builtIn=true&limit=100&sort=name",
      as: "super",
      status: 200,
      after: (_, reply) => {
        const names: string[] = reply.data.map(({ name }: { name: string }) => name);
        for (const name of ["*", "users:*", "users:view", "roles:update", "dashboard:update"]) {
          assert.ok(names.includes(name), name);
        }
      },
    },
    { name: "list as user: 403", method: "GET", path: "/api/permissions", as: "user", status: 403 },
    { name: "list without a token: 401", method: "GET", path: "/api/permissions", status: 401 },
    {
      name: "list with page 0: 400",
      method: "GET",
      path: "/api/permissions?page=0",
      as: "super",
      status: 400,
    },
    {
      name: "details",
      method: "GET",
      path: (s) => `/api/permissions/${s.permissions["users:view"]}`,
      as: "super",
      status: 200,
      holds: { data: { name: "users:view", builtIn: true } },
      after: (_, reply) => assert.ok(reply.headers.get("etag")),
    },
    {
      name: "details of none: 404",
      method: "GET",
      path: `/api/permissions/${NOWHERE}`,
      as: "super",
      status: 404,
    },
    {
      name: "create by name",
      method: "POST",
      path: "/api/permissions",
      as: "admin",
      body: { name: "invoices:approve", description: "Approve invoices" },
      status: 201,
      holds: {
        data: {
          name: "invoices:approve",
          resource: "invoices",
          action: "approve",
          description: "Approve invoices",
          builtIn: false,
        },
      },
    },
    {
      name: "create by resource and action",
      method: "POST",
      path: "/api/permissions",
      as: "admin",
      body: { resource: "invoices", action: "*" },
      status: 201,
      holds: { data: { name: "invoices:*" } },
    },
    ...[{}, { name: "nonsense" }, { resource: "a" }, { name: "a:b", resource: "a", action: "c" }, {
      name: "a:b:c",
    }]
      .map((body) => ({
        name: `create ${JSON.stringify(body)}: 400`,
        method: "POST",
        path: "/api/permissions",
        as: "super" as const,
        body,
        status: 400,
        details: ["name"],
      })),
    {
      name: "create with a taken name: 409",
      method: "POST",
      path: "/api/permissions",
      as: "super",
      body: { name: "users:view" },
      status: 409,
    },
    {
      name: "create as guest: 403",
      method: "POST",
      path: "/api/permissions",
      as: "guest",
      body: { name: "a:b" },
      status: 403,
    },
    {
      name: "delete",
      method: "DELETE",
      path: (s) => `/api/permissions/${s.permissions["unused:*"]}`,
      as: "admin",
      status: 200,
      holds: (s: State) => ({ data: { id: s.permissions["unused:*"] } }),
    },
    {
      name: "delete of a built-in one: 409",
      method: "DELETE",
      path: (s) => `/api/permissions/${s.permissions["settings:view"]}`,
      as: "super",
      status: 409,
    },
    {
      name: "delete of one that a role holds: 409",
      method: "DELETE",
      path: (s) => `/api/permissions/${s.permissions["reports:view"]}`,
      as: "super",
      status: 409,
    },
    {
      name: "delete of none: 404",
      method: "DELETE",
      path: `/api/permissions/${NOWHERE}`,
      as: "super",
      status: 404,
    },
    {
      name: "delete as user: 403",
      method: "DELETE",
      path: (s) => `/api/permissions/${s.permissions["unused:*"]}`,
      as: "user",
      status: 403,
    },
    {
      name: "delete with another version: 412",
      method: "DELETE",
      path: (s) => `/api/permissions/${s.permissions["unused:*"]}`,
      as: "super",
      headers: { "if-match": '"old"' },
      status: 412,
    },
  ],
});

Deno.test("permissions: one that a user holds is not deleted", async () => {
  await using h = await harness({ variant: "full" });
  const made = await h.ask("POST", "/api/permissions", { as: "super", body: { name: "own:one" } });
  const path = `/api/permissions/${made.data.id}`;
  await h.grant("user", "own:one");
  assert.equal((await h.ask("DELETE", path, { as: "super" })).status, 409);
  const user = `/api/users/${h.accounts.user.id}`;
  await h.ask("PUT", user, { as: "super", body: { permissions: [] } });
  assert.equal((await h.ask("DELETE", path, { as: "super" })).status, 200);
});

Deno.test("permissions: a deletion loses to a role that was given the permission meanwhile", async () => {
  await using h = await harness({ variant: "full" });
  const made = await h.ask("POST", "/api/permissions", {
    as: "super",
    body: { name: "brief:one" },
  });
  const role = await addRole(h, "brief", []);
  const principal: Principal = {
    user: h.accounts.super,
    role: null,
    session: null,
    key: null,
    permissions: ["*"],
  };
  let assigned = false;
  const removal = h.store.transact(server, async (tx) => {
    await planPermissionRemoval(tx, (await tx.from(permissions).get(made.data.id))!);
    if (assigned) return;
    assigned = true;
    await h.store.transact(server, async (other) => {
      const asked = { permissions: ["brief:one"] };
      const granted = await planAssignment(other, principal, role, asked);
      other.update(roles, role, { permissions: granted });
    });
  });
  await assert.rejects(removal, { code: "CONFLICT" });
});

Deno.test("permissions: one that is built in by now cannot be deleted, though somebody had made it before", async () => {
  await using h = await harness({ variant: "full" });
  await h.store.transact(server, async (tx) => {
    const known = (await tx.from(permissions).findBy("name", "snippets:view"))!;
    tx.update(permissions, known, { builtIn: false, description: "Ours" });
  });
  await seedRoles(h.store, h.settings.variant);
  const known = await h.store.from(permissions).findBy("name", "snippets:view");
  assert.equal(known?.description, "Ours");
  const removed = await h.ask("DELETE", `/api/permissions/${known.id}`, { as: "super" });
  assert.equal(removed.status, 409, removed.text);
});

// Roles and permissions by their ids, wherever they are taken by their names.
import assert from "node:assert/strict";
import { permissions } from "../../../models/permissions.ts";
import { roles } from "../../../models/roles.ts";
import { type Harness, harness } from "../../harness.ts";

const account = { name: "New Person", email: "new@example.com" };

async function roleId(h: Harness, name: string): Promise<string> {
  return (await h.store.from(roles).findBy("name", name))!.id;
}

async function idsOf(h: Harness, ...names: string[]): Promise<string[]> {
  const { rows } = await h.store.from(permissions).list({ where: { name: names } });
  assert.equal(rows.length, names.length);
  return rows.map(({ id }) => id);
}

Deno.test("users: a role and permissions by their ids", async () => {
  await using h = await harness({ variant: "full" });
  const as = "super";
  const permissionIds = await idsOf(h, "users:view", "teams:view");
  const body = { ...account, roleId: await roleId(h, "guest"), permissionIds };
  const created = await h.ask("POST", "/api/users", { as, body });
  assert.equal(created.status, 201, created.text);
  assert.equal(created.data.role, "guest");
  assert.equal("warnings" in created.body, false);
  const all = ["dashboard:view", "teams:view", "users:view"];
  assert.deepEqual(created.data.permissions.toSorted(), all);
  const path = `/api/users/${created.data.id}`;
  const change = { roleId: await roleId(h, "user"), permissionIds: [] };
  const changed = await h.ask("PUT", path, { as, body: change });
  assert.equal(changed.data.role, "user");
  assert.equal(changed.data.permissions.includes("teams:view"), false);
  const kept = await h.ask("PUT", path, { as, body: { name: "Other Name" } });
  assert.equal(kept.data.role, "user");
});

Deno.test("users: without a role they get the default one; ids give no more than names do", async () => {
  await using h = await harness({ variant: "full" });
  const created = await h.ask("POST", "/api/users", { as: "admin", body: account });
  assert.equal(created.data.role, "user");
  const higher = { ...account, email: "b@example.com", roleId: await roleId(h, "super_admin") };
  assert.equal((await h.ask("POST", "/api/users", { as: "admin", body: higher })).status, 403);
  const path = `/api/users/${created.data.id}`;
  const [permission] = await idsOf(h, "roles:update");
  for (const body of [{ roleId: higher.roleId }, { permissionIds: [permission] }]) {
    assert.equal((await h.ask("PUT", path, { as: "admin", body })).status, 403);
  }
});

Deno.test("roles: permissions by their ids", async () => {
  await using h = await harness({ variant: "full" });
  const as = "super";
  const permissionIds = await idsOf(h, "users:view", "teams:view");
  const body = { name: "looker", permissionIds };
  const created = await h.ask("POST", "/api/roles", { as, body });
  assert.deepEqual(created.data.permissions.toSorted(), ["teams:view", "users:view"]);
  const path = `/api/roles/${created.data.id}`;
  const fewer = { permissionIds: permissionIds.slice(0, 1) };
  const changed = await h.ask("PUT", path, { as, body: fewer });
  assert.equal(changed.data.permissions.length, 1);
  const kept = await h.ask("PUT", path, { as, body: { label: "Looker" } });
  assert.equal(kept.data.permissions.length, 1);
});

Deno.test("rights: by name or by id, not by both, and not by the id of nothing", async () => {
  await using h = await harness({ variant: "full" });
  const as = "super";
  const id = await roleId(h, "guest");
  const cases: [string, object, string][] = [
    ["/api/users", { ...account, role: "guest", roleId: id }, "roleId"],
    ["/api/users", { ...account, permissions: [], permissionIds: [] }, "permissionIds"],
    ["/api/users", { ...account, roleId: "none" }, "roleId"],
    ["/api/users", { ...account, permissionIds: ["none"] }, "permissionIds"],
    ["/api/roles", { name: "x2", permissions: [], permissionIds: [] }, "permissionIds"],
    ["/api/roles", { name: "x2", permissionIds: ["none"] }, "permissionIds"],
  ];
  for (const [path, body, field] of cases) {
    const reply = await h.ask("POST", path, { as, body });
    assert.equal(reply.status, 400, reply.text);
    assert.equal(reply.body.error.details[0].field, field);
  }
});

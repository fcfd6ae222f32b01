// Roles: named sets of permissions. A change counts from the next request of everyone who has the role.
import { z } from "zod";
import { assertMatch } from "../../http/conditional.ts";
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import { conflict, existing } from "../../core/errors.ts";
import { rememberedView } from "../../core/json.ts";
import { deleted, patchOf } from "../../models/requests.ts";
import {
  permissionAssignment,
  publicRole,
  type Role,
  roleCreation,
  roleListQuery,
  roles,
  roleUpdate,
} from "../../models/roles.ts";
import { users } from "../../models/users.ts";
import type { Principal } from "../../services/access/access.ts";
import { listAnswer, listing } from "../../http/lists.ts";
import {
  type AskedRights,
  assertMayEdit,
  assertUnused,
  planAssignment,
  planRoleRemoval,
  userCounts,
} from "../../services/access/roles.ts";
import type { Store, Transaction } from "../../storage/port.ts";
import { KIB } from "../../core/units.ts";

const tag = "Roles";

const roleView = rememberedView(publicRole, (role: Role, userCount: number) => ({
  ...role,
  userCount,
}));

async function userCount(store: Pick<Store, "from">, role: Role): Promise<number> {
  return await store.from(users).count({ role: role.name });
}

/** The version of what is shown of a role: it changes with the number of its users too. */
function versionOf(role: Role, userCount: number): string {
  return `${role.rev}.${userCount}`;
}

async function shown(store: Pick<Store, "from">, role: Role) {
  const count = await userCount(store, role);
  return { data: roleView(role, count), etag: versionOf(role, count) };
}

const list = endpoint({
  operationId: "listRoles",
  method: "get",
  path: "/roles",
  tag,
  summary: "List roles",
  access: "roles:view",
  query: roleListQuery,
  list: true,
  data: z.array(publicRole),
  async handle(call) {
    const paging = listing<Role>(call.query);
    const page = await call.store.from(roles).list({ ...paging, where: call.query.where });
    const counts = await userCounts(call.store);
    const rows = page.rows.map((role) => roleView(role, counts.get(role.name) ?? 0));
    return listAnswer(paging, page, rows);
  },
});

const details = endpoint({
  operationId: "getRole",
  method: "get",
  path: "/roles/{id}",
  tag,
  summary: "Role details",
  access: "roles:view",
  data: publicRole,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const role = existing(await call.store.from(roles).get(call.params.id), "role");
    return await shown(call.store, role);
  },
});

const create = endpoint({
  operationId: "createRole",
  method: "post",
  path: "/roles",
  tag,
  summary: "Create a role",
  description: "With no permission that you do not hold yourself.",
  access: "roles:create",
  stepUp: "rights",
  created: true,
  makes: "roles",
  body: roleCreation,
  bodyLimit: 64 * KIB,
  data: publicRole,
  errors: ["CONFLICT"],
  async handle(call) {
    const { name, label } = call.body;
    const role = await call.transact(async (tx) =>
      tx.insert(roles, {
        name,
        label: label ?? name,
        description: call.body.description || undefined,
        permissions: await planAssignment(tx, call.principal, null, call.body),
        builtIn: false,
        customised: false,
      })
    );
    return { ...await shown(call.store, role), message: "The role is created" };
  },
});

const update = endpoint({
  operationId: "updateRole",
  method: "put",
  path: "/roles/{id}",
  tag,
  summary: "Change a role",
  description:
    "Takes only the changed fields. The name of a built-in role, or of one that users have, stays: change its label.",
  access: "roles:update",
  stepUp: "rights",
  body: roleUpdate,
  bodyLimit: 64 * KIB,
  data: publicRole,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
  async handle(call) {
    const { permissions, permissionIds, ...fields } = call.body;
    const role = await call.transact(async (tx) => {
      const role = existing(await tx.from(roles).get(call.params.id), "role");
      assertMatch(call, versionOf(role, await userCount(tx, role)));
      assertMayEdit(call.principal, role);
      if (fields.name !== undefined && fields.name !== role.name) await planRename(tx, role);
      const rights = (permissions ?? permissionIds) &&
        await planRights(tx, call.principal, role, { permissions, permissionIds });
      return tx.update(roles, role, { ...patchOf(fields), ...rights });
    });
    return { ...await shown(call.store, role), message: "The role is saved" };
  },
});

const assign = endpoint({
  operationId: "setRolePermissions",
  method: "put",
  path: "/roles/{id}/permissions",
  tag,
  summary: "Assign the permissions of a role",
  description: "Replaces the whole set, given by names or by ids. It counts from the next request.",
  access: "roles:update",
  stepUp: "rights",
  body: permissionAssignment,
  bodyLimit: 64 * KIB,
  data: publicRole,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
  async handle(call) {
    const role = await call.transact(async (tx) => {
      const role = existing(await tx.from(roles).get(call.params.id), "role");
      assertMatch(call, versionOf(role, await userCount(tx, role)));
      assertMayEdit(call.principal, role);
      return tx.update(roles, role, await planRights(tx, call.principal, role, call.body));
    });
    return { ...await shown(call.store, role), message: "The permissions are assigned" };
  },
});

/** Some front ends send the set by POST. */
const assignByPost: Endpoint = { ...assign, method: "post", operationId: "assignRolePermissions" };

const remove = endpoint({
  operationId: "deleteRole",
  method: "delete",
  path: "/roles/{id}",
  tag,
  summary: "Delete a role",
  description: "Not a built-in one, nor one that users have.",
  access: "roles:delete",
  stepUp: "rights",
  data: deleted,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id } = call.params;
    await call.transact(async (tx) => {
      const role = existing(await tx.from(roles).get(id), "role");
      assertMatch(call, versionOf(role, await userCount(tx, role)));
      assertMayEdit(call.principal, role);
      await planRoleRemoval(tx, role);
    });
    return { data: { id }, message: "The role is deleted" };
  },
});

/** @throws {ApiError} CONFLICT when users, or the server itself, refer to the role by its name. */
async function planRename(tx: Transaction, role: Role): Promise<void> {
  if (role.builtIn) throw conflict(`The built-in role ${role.name} cannot be renamed`);
  await assertUnused(tx, role, "renamed");
}

/** Marks a built-in role as customised once its permissions differ, so that the start does not set them back. */
async function planRights(
  tx: Transaction,
  principal: Principal,
  role: Role,
  asked: AskedRights,
): Promise<Partial<Pick<Role, "permissions" | "customised">>> {
  const permissions = await planAssignment(tx, principal, role, asked);
  return permissions.join() === role.permissions.join()
    ? {}
    : { permissions, customised: role.builtIn };
}

export const roleRoutes = [list, details, create, update, assign, assignByPost, remove];

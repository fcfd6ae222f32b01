// Permissions: the catalogue that a role editor chooses from.
import { z } from "zod";
import { assertMatch } from "../../http/conditional.ts";
import { endpoint } from "../../http/endpoint.ts";
import { existing } from "../../core/errors.ts";
import { rememberedView } from "../../core/json.ts";
import {
  type Permission,
  permissionCreation,
  permissionListQuery,
  permissions,
  publicPermission,
} from "../../models/permissions.ts";
import { deleted } from "../../models/requests.ts";
import { listAnswer, listing } from "../../http/lists.ts";
import { planPermissionRemoval } from "../../services/access/roles.ts";

const tag = "Permissions";

const permissionView = rememberedView(
  publicPermission,
  (permission: Permission, _: null) => permission,
);

const list = endpoint({
  operationId: "listPermissions",
  method: "get",
  path: "/permissions",
  tag,
  summary: "List permissions",
  access: "permissions:view",
  query: permissionListQuery,
  list: true,
  data: z.array(publicPermission),
  async handle(call) {
    const paging = listing<Permission>(call.query);
    const page = await call.store.from(permissions).list({ ...paging, where: call.query.where });
    return listAnswer(paging, page, page.rows.map((row) => permissionView(row, null)));
  },
});

const details = endpoint({
  operationId: "getPermission",
  method: "get",
  path: "/permissions/{id}",
  tag,
  summary: "Permission details",
  access: "permissions:view",
  data: publicPermission,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const permission = existing(
      await call.store.from(permissions).get(call.params.id),
      "permission",
    );
    return { data: permissionView(permission, null), etag: permission.rev };
  },
});

const create = endpoint({
  operationId: "createPermission",
  method: "post",
  path: "/permissions",
  tag,
  summary: "Create a permission",
  description: "By name, `reports:view`, or by resource and action.",
  access: "permissions:create",
  stepUp: "rights",
  created: true,
  makes: "permissions",
  body: permissionCreation,
  data: publicPermission,
  errors: ["CONFLICT"],
  async handle(call) {
    const { name, description } = call.body;
    const [resource = "*", action = "*"] = name.split(":");
    const permission = await call.transact((tx) =>
      tx.insert(permissions, {
        name,
        resource,
        action,
        description: description || undefined,
        builtIn: false,
      })
    );
    return {
      data: permissionView(permission, null),
      etag: permission.rev,
      message: "The permission is created",
    };
  },
});

const remove = endpoint({
  operationId: "deletePermission",
  method: "delete",
  path: "/permissions/{id}",
  tag,
  summary: "Delete a permission",
  description: "Not a built-in one, nor one that a role or a user holds.",
  access: "permissions:delete",
  stepUp: "rights",
  data: deleted,
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id } = call.params;
    await call.transact(async (tx) => {
      const permission = existing(await tx.from(permissions).get(id), "permission");
      assertMatch(call, permission.rev);
      await planPermissionRemoval(tx, permission);
    });
    return { data: { id }, message: "The permission is deleted" };
  },
});

export const permissionRoutes = [list, details, create, remove];

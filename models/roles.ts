// Roles: named sets of permissions. The four built-in ones are seeded at start.
import { z } from "zod";
import { listQuery } from "./list_query.ts";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { namedOnce, permissionIds, permissionName } from "./permissions.ts";
import { label, removable } from "./requests.ts";

export const roles = collection("roles", {
  /** What `user.role` refers to; never changes for a built-in role. */
  name: z.string(),
  label: z.string(),
  description: z.string().optional(),
  permissions: z.array(z.string()),
  builtIn: z.boolean(),
  /** True once someone has changed a built-in role: the seed then leaves it alone. */
  customised: z.boolean(),
}, {
  unique: { name: ["name"] },
  filter: ["builtIn"],
  sort: ["name", "label"],
  search: ["name", "label", "description"],
  audit: (role) => role.name,
  audited: ["name", "label", "description", "permissions", "customised"],
});

export type Role = RecordOf<typeof roles>;

/** The role of users who register themselves, and of users created without one. */
/** The role without which nobody could administer the server. */
export const SUPER_ADMIN = "super_admin";

export const DEFAULT_ROLE = "user";

export const publicRole = z.object({
  id: z.string(),
  name: z.string(),
  label: z.string(),
  description: z.string().optional(),
  permissions: z.array(z.string()),
  /** How many users have the role. */
  userCount: z.number().int(),
  builtIn: z.boolean(),
  createdAt: timestamp,
  updatedAt: timestamp,
}).meta({ id: "Role" });

/** Users refer to their role by its name. */
const roleName = z.string().trim().min(2, "must have at least 2 characters").max(50).regex(
  /^[\p{L}\p{N}][\p{L}\p{N} _.-]*$/u,
  "must be letters, digits, spaces, dots, dashes or underscores",
);

const permissionNames = z.array(permissionName).max(200);
const description = z.string().trim().max(1000);

export const roleCreation = z.object({
  name: roleName,
  /** @default the name */
  label: label.optional(),
  description: removable(description),
  permissions: permissionNames.optional(),
  permissionIds: permissionIds.optional(),
}).superRefine(namedOnce);

export const roleUpdate = z.object({
  name: roleName.optional(),
  label: label.optional(),
  description: removable(description),
  permissions: permissionNames.optional(),
  permissionIds: permissionIds.optional(),
}).superRefine(namedOnce);

/** All permissions that a role is to have, by name or by id; they replace those it had. */
export const permissionAssignment = z.object({
  permissions: permissionNames.optional(),
  permissionIds: permissionIds.optional(),
}).refine((body) => (body.permissions === undefined) !== (body.permissionIds === undefined), {
  path: ["permissions"],
  message: "give either permissions or permissionIds",
});

export const roleListQuery = listQuery(roles);

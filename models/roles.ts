// Roles: named sets of permissions. The four built-in ones are seeded at start.
import { z } from "zod";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { permissionName } from "./permissions.ts";
import { flagFilter, label, listQuery, removable } from "./requests.ts";

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
});

export type Role = RecordOf<typeof roles>;

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

/** A role is known by its name: users refer to it. */
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
  permissions: permissionNames.default([]),
});

export const roleUpdate = z.object({
  name: roleName.optional(),
  label: label.optional(),
  description: removable(description),
  permissions: permissionNames.optional(),
});

/** The whole set of a role: by name or by id. */
export const permissionAssignment = z.object({
  permissions: permissionNames.optional(),
  permissionIds: z.array(z.string().max(128)).max(200).optional(),
}).refine((body) => (body.permissions === undefined) !== (body.permissionIds === undefined), {
  path: ["permissions"],
  message: "give either permissions or permissionIds",
});

export const roleListQuery = listQuery({ builtIn: flagFilter });

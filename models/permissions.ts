// Permissions as records: the catalogue a role editor chooses from.
import { z } from "zod";
import { listQuery } from "./list_query.ts";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { removable } from "./requests.ts";

export const permissions = collection("permissions", {
  /** `users:view` */
  name: z.string(),
  resource: z.string(),
  action: z.string(),
  description: z.string().optional(),
  builtIn: z.boolean(),
}, {
  unique: { name: ["name"] },
  filter: ["resource", "action", "builtIn"],
  sort: ["name", "resource", "action"],
  search: ["name", "description"],
  audit: (permission) => permission.name,
  audited: ["name", "description"],
});

export type Permission = RecordOf<typeof permissions>;

export const publicPermission = z.object({
  id: z.string(),
  name: z.string(),
  resource: z.string(),
  action: z.string(),
  description: z.string().optional(),
  builtIn: z.boolean(),
  createdAt: timestamp,
}).meta({ id: "Permission" });

/** `resource:action`, `resource:*` or `*`. */
export const permissionName = z.string().trim().max(100).regex(
  /^(\*|[\w-]+:(\*|[\w-]+))$/,
  "must have the form resource:action, resource:* or *",
);

export const permissionIds = z.array(z.string().max(128)).max(200);

/** Roles and permissions are given by their names or by their ids, not by both. */
export function namedOnce(
  body: Readonly<Partial<Record<"role" | "roleId" | "permissions" | "permissionIds", unknown>>>,
  context: z.RefinementCtx,
): void {
  for (const [name, id] of [["role", "roleId"], ["permissions", "permissionIds"]] as const) {
    if (body[name] === undefined || body[id] === undefined) continue;
    context.addIssue({ code: "custom", path: [id], message: `give either ${name} or ${id}` });
  }
}

/** A new permission is given by its name, or by resource and action. */
export const permissionCreation = z.object({
  name: permissionName.optional(),
  resource: z.string().trim().regex(
    /^[\w-]{1,50}$/,
    "must be letters, digits, dashes or underscores",
  )
    .optional(),
  action: z.string().trim().regex(
    /^(\*|[\w-]{1,49})$/,
    "must be * or letters, digits, dashes or underscores",
  )
    .optional(),
  description: removable(z.string().trim().max(1000)),
}).transform(({ name, resource, action, description }, context) => {
  const combined = resource !== undefined && action !== undefined
    ? `${resource}:${action}`
    : undefined;
  const chosen = name ?? combined;
  if (chosen === undefined || (combined !== undefined && combined !== chosen)) {
    const message = chosen === undefined
      ? "is required, or resource and action"
      : "must be resource:action where all three are given";
    context.addIssue({ code: "custom", path: ["name"], message });
    return z.NEVER;
  }
  return { name: chosen, description };
});

export const permissionListQuery = listQuery(permissions);

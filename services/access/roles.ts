// The rules for changing roles and permissions. Nobody gains by it what they do not hold.
import { conflict, forbidden, invalid, lacking } from "../../core/errors.ts";
import { type Permission, permissions } from "../../models/permissions.ts";
import { type Role, roles } from "../../models/roles.ts";
import { users } from "../../models/users.ts";
import type { Store, Transaction } from "../../storage/port.ts";
import { assertMayGrant, permits, type Principal } from "./access.ts";
import { SUPER_ADMIN } from "../../models/roles.ts";
import { everyMatch } from "../../storage/every_match.ts";

/** How many users have each role. */
export async function userCounts(store: Pick<Store, "from">): Promise<ReadonlyMap<string, number>> {
  const groups = await store.from(users).aggregate({ by: "role" });
  return new Map(groups.map(({ key, count }) => [key, count]));
}

/**
 * Nobody changes a role that may do more than they.
 *
 * @throws {ApiError} FORBIDDEN
 */
export function assertMayEdit(principal: Principal, role: Role): void {
  const excess = role.permissions.find((held) => !permits(principal.permissions, held));
  if (excess === undefined) return;
  const message = `You cannot change the role ${role.name}: it holds '${excess}', you do not`;
  throw lacking([excess], message);
}

/** What a request says of roles and permissions: by name, or by id. */
export interface AskedRights {
  readonly role?: string;
  readonly roleId?: string;
  readonly permissions?: readonly string[];
  readonly permissionIds?: readonly string[];
}

/**
 * The role and permissions that a request asks for, by their names.
 *
 * @throws {ApiError} VALIDATION_ERROR for an id that is no role's or permission's.
 */
export async function namedRights(
  tx: Transaction,
  { role, roleId, permissions, permissionIds }: AskedRights,
): Promise<{ role?: string; permissions?: string[] }> {
  const names = permissionIds ? await namesOf(tx, permissionIds) : permissions;
  const name = roleId === undefined ? role : (await tx.from(roles).get(roleId))?.name;
  if (roleId !== undefined && name === undefined) {
    throw invalid("roleId", `there is no role '${roleId}'`);
  }
  return {
    ...(name === undefined ? {} : { role: name }),
    ...(names === undefined ? {} : { permissions: [...new Set(names)] }),
  };
}

/**
 * Plans the permissions that a role is to have.
 *
 * @param role What it is now; null for a new one.
 * @returns The names, each once.
 * @throws {ApiError} VALIDATION_ERROR for an unknown permission; FORBIDDEN for one that the caller lacks, and for
 * another set for the caller's own role; CONFLICT when super_admin would lose `*`.
 */
export async function planAssignment(
  tx: Transaction,
  principal: Principal,
  role: Role | null,
  asked: AskedRights,
): Promise<string[]> {
  const { permissions: names = [] } = await namedRights(tx, asked);
  const held = role?.permissions ?? [];
  const added = names.filter((name) => !held.includes(name));
  if (added.length === 0 && names.length === held.length) return [...held];
  if (role?.name === SUPER_ADMIN && !names.includes("*")) {
    throw conflict("The role super_admin cannot lose the permission '*'");
  }
  if (role?.name === principal.user.role) {
    throw forbidden("You cannot change the permissions of your own role");
  }
  await holdPermissions(tx, added, (unknown) => {
    throw invalid("permissions", `there is no permission '${unknown}'`);
  });
  assertMayGrant(principal, added);
  return names;
}

async function namesOf(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  const found = await tx.from(permissions).getMany(ids);
  const missing = ids.find((_, index) => found[index] === null);
  if (missing !== undefined) throw invalid("permissionIds", `there is no permission '${missing}'`);
  return [...new Set(found.map((permission) => permission!.name))];
}

/**
 * Call in a plan that gives these permissions to a role or a user: it bumps the version of those that can be deleted,
 * so that a deletion at the same time, which found them unused, fails and looks again.
 *
 * @param onUnknown Called for a name that is not in the catalogue.
 */
export async function holdPermissions(
  tx: Transaction,
  names: readonly string[],
  onUnknown: (name: string) => void = () => {},
): Promise<void> {
  if (names.length === 0) return;
  const found = await everyMatch(tx, permissions, { name: names });
  const inCatalogue = new Set(found.map(({ name }) => name));
  for (const name of names) if (!inCatalogue.has(name)) onUnknown(name);
  for (const permission of found) {
    if (!permission.builtIn) tx.update(permissions, permission, {});
  }
}

/**
 * Plans the removal of a role. A user who is given it at the same time bumps its version (see `assignableRole`).
 *
 * @throws {ApiError} CONFLICT for a built-in role, and one that users have.
 */
export async function planRoleRemoval(tx: Transaction, role: Role): Promise<void> {
  if (role.builtIn) throw conflict(`The built-in role ${role.name} cannot be deleted`);
  await assertUnused(tx, role, "deleted");
  tx.remove(roles, role);
}

/** @throws {ApiError} CONFLICT while users have the role. */
export async function assertUnused(tx: Transaction, role: Role, change: string): Promise<void> {
  const count = await tx.from(users).count({ role: role.name });
  if (count > 0) {
    throw conflict(`The role ${role.name} cannot be ${change}: ${count} users have it`);
  }
}

/**
 * Plans the removal of a permission from the catalogue.
 *
 * @throws {ApiError} CONFLICT for a built-in permission, and one that a role or a user holds.
 */
export async function planPermissionRemoval(
  tx: Transaction,
  permission: Permission,
): Promise<void> {
  const { name } = permission;
  if (permission.builtIn) throw conflict(`The built-in permission '${name}' cannot be deleted`);
  const role = (await everyMatch(tx, roles, {})).find((role) => role.permissions.includes(name));
  if (role) {
    throw conflict(`The permission '${name}' cannot be deleted: the role ${role.name} holds it`);
  }
  // Lists of permissions are not indexed: users are walked, which only this rare operation does.
  for await (const user of tx.from(users).scan()) {
    if (user.permissions.includes(name)) {
      throw conflict(`The permission '${name}' cannot be deleted: a user holds it`);
    }
  }
  tx.remove(permissions, permission);
}

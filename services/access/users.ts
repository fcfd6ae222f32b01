// Users as they are shown, and the rules for changing them.
import { conflict, forbidden, invalid } from "../errors.ts";
import { type JsonText, rememberedView } from "../json.ts";
import { type Role, roles } from "../models/roles.ts";
import { type PublicUser, publicUser, type User, users } from "../models/users.ts";
import type { Awaitable, Store, Transaction } from "../store.ts";
import { assertMayGrant, effectivePermissions, permits, type Principal } from "./access.ts";

/** The role without which nobody could administer the server. */
export const SUPER_ADMIN = "super_admin";

function shapeUser(user: User, role: Role | null): PublicUser {
  return {
    ...user,
    roles: role ? [role] : [],
    permissions: [...effectivePermissions(user, role)],
  };
}

/** A user in public, as JSON. */
export const userView = rememberedView(publicUser, shapeUser);

/** A user in public. */
export async function publicUserOf(store: Pick<Store, "from">, user: User): Promise<PublicUser> {
  return shapeUser(user, await roleOf(store, user));
}

export function roleOf(store: Pick<Store, "from">, user: User): Awaitable<Role | null> {
  return store.from(roles).findBy("name", user.role);
}

/** A page of users in public; each role is looked up once. */
export function userViews(
  store: Pick<Store, "from">,
  page: readonly User[],
): Awaitable<readonly JsonText[]> {
  const names = [...new Set(page.map((user) => user.role))];
  const found = names.map((name) => store.from(roles).findBy("name", name));
  const view = (held: readonly (Role | null)[]) =>
    page.map((user) => userView(user, held[names.indexOf(user.role)] ?? null));
  const atOnce = found.every((role) => !(role instanceof Promise));
  return atOnce ? view(found as (Role | null)[]) : Promise.all(found).then(view);
}

/** The version of what is shown of a user: it changes with the role too. */
export function userVersion(user: User, role: Role | null): string {
  return role ? `${user.rev}.${role.rev}` : user.rev;
}

/**
 * Looks up the role that a user is to have. It bumps the version of one that can be deleted: a deletion at the same
 * time, which found the role unused, then fails and looks again.
 *
 * @throws {ApiError} VALIDATION_ERROR when there is none; FORBIDDEN when it exceeds what the caller holds.
 */
export async function assignableRole(
  tx: Transaction,
  principal: Principal,
  name: string,
): Promise<Role> {
  const role = await tx.from(roles).findBy("name", name);
  if (!role) throw invalid("role", `there is no role '${name}'`);
  assertMayGrant(principal, role.permissions);
  if (!role.builtIn) tx.update(roles, role, {});
  return role;
}

/** The user's own permissions: what is asked for beyond the role, so that saving a shown user changes nothing. */
export function ownPermissions(asked: readonly string[], role: Role): string[] {
  return [...new Set(asked)].filter((permission) => !role.permissions.includes(permission));
}

/**
 * Nobody changes, or takes over the account of, a user who may do more than they.
 *
 * @throws {ApiError} FORBIDDEN
 */
export function assertMayManage(principal: Principal, target: User, role: Role | null): void {
  const held = principal.permissions;
  if (!effectivePermissions(target, role).every((permission) => permits(held, permission))) {
    throw forbidden(`You cannot change ${target.name}: they hold permissions that you do not`);
  }
}

/**
 * Call before a plan takes the role, the active status or the existence of a user. Two such plans at once cannot both
 * pass: each bumps the version of the role record.
 *
 * @throws {ApiError} CONFLICT for the last active super_admin.
 */
export async function keepOneSuperAdmin(tx: Transaction, target: User): Promise<void> {
  if (target.role !== SUPER_ADMIN || target.status !== "active") return;
  const others = await tx.from(users).count({ role: SUPER_ADMIN, status: "active" });
  if (others <= 1) throw conflict("The last active super_admin cannot be removed or demoted");
  const role = await tx.from(roles).findBy("name", SUPER_ADMIN);
  if (role) tx.update(roles, role, {});
}

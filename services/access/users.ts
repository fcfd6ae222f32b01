// Users as they are shown, and the rules for changing them.
import { conflict, invalid, lacking } from "../../core/errors.ts";
import { type JsonText, rememberedView } from "../../core/json.ts";
import { DEFAULT_ROLE, type Role, roles } from "../../models/roles.ts";
import { type PublicUser, publicUser, type User, users } from "../../models/users.ts";
import type { Store, Transaction } from "../../storage/port.ts";
import {
  assertMayGrant,
  effectivePermissions,
  excessOf,
  permits,
  type Principal,
} from "./access.ts";
import type { Awaitable } from "../../core/awaitable.ts";

/** The role without which nobody could administer the server. */
export const SUPER_ADMIN = "super_admin";

function shapeUser(user: User, role: Role | null): PublicUser {
  return {
    ...user,
    roles: role ? [role] : [],
    permissions: [...effectivePermissions(user, role)],
    emailVerified: user.unverifiedSince === undefined,
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
 * @throws {ApiError} VALIDATION_ERROR when there is none; FORBIDDEN when the caller may not give it.
 */
export async function assignableRole(
  tx: Transaction,
  principal: Principal,
  name: string,
): Promise<Role> {
  const role = await tx.from(roles).findBy("name", name);
  if (!role) throw invalid("role", `there is no role '${name}'`);
  assertMayGive(principal, role, []);
  if (!role.builtIn) tx.update(roles, role, {});
  return role;
}

/**
 * Nobody makes of a user what exceeds themselves. The default role may be given by whoever may create users: anyone
 * who registers gets it.
 *
 * @param own The user's own permissions, beside those of the role.
 * @param before The user as they are: keeping a role is not giving it. @default a new one
 * @throws {ApiError} FORBIDDEN
 */
export function assertMayGive(
  principal: Principal,
  role: Role | null,
  own: readonly string[],
  before?: User,
): void {
  const mayGive = before?.role === role?.name || permits(principal.permissions, "users:create");
  const given = mayGive ? defaultPermissions(role) : [];
  assertMayGrant(principal, [...role?.permissions ?? [], ...own], given);
}

/** What a role holds, where it is the one that anyone who registers gets; else nothing. */
function defaultPermissions(role: Role | null): readonly string[] {
  return role?.name === DEFAULT_ROLE ? role.permissions : [];
}

/** The user's own permissions: what is asked for beyond the role, so that saving a shown user changes nothing. */
export function ownPermissions(asked: readonly string[], role: Role): string[] {
  return [...new Set(asked)].filter((permission) => !role.permissions.includes(permission));
}

/**
 * Nobody changes, looks over or takes over the account of a user who may do more than they, and than anyone who
 * registers.
 *
 * @throws {ApiError} FORBIDDEN, naming the first permission that the caller lacks.
 */
export function assertMayManage(principal: Principal, target: User, role: Role | null): void {
  const may = effectivePermissions(target, role);
  const excess = excessOf(principal.permissions, may, defaultPermissions(role));
  if (excess === undefined) return;
  const { name } = target;
  throw lacking([excess], `You cannot manage ${name}: they hold '${excess}', which you do not`);
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

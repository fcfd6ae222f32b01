// Who may do what: permission matching, and the rules that decide a single record.
import type { ApiKey } from "../../models/api_keys.ts";
import type { Role } from "../../models/roles.ts";
import type { Session } from "../../models/sessions.ts";
import type { User } from "../../models/users.ts";
import { lacking } from "../../core/errors.ts";

/** The caller, as of the last commit. */
export interface Principal {
  readonly user: User;
  /** Null when the role was deleted under the user: then only the user's own permissions hold. */
  readonly role: Role | null;
  /** Null for a program that came with an API key. */
  readonly session: Session | null;
  /** The API key that the caller came with. */
  readonly key: ApiKey | null;
  /** The permissions of the role and the user's own; with an API key, what it opens of them. */
  readonly permissions: readonly string[];
}

/**
 * True when a held permission grants the required one: `*` grants everything, `users:*` what starts with `users:`,
 * any other only itself.
 */
export function matches(held: string, required: string): boolean {
  if (held === "*" || held === required) return true;
  return held.endsWith(":*") && required.startsWith(held.slice(0, -1));
}

/** True when any of the held permissions grants the required one. */
export function permits(held: readonly string[], required: string): boolean {
  for (const permission of held) {
    if (matches(permission, required)) return true;
  }
  return false;
}

/**
 * True when the caller sees and changes every record of the resource: holds `<resource>:*` or `*`. Others' calendars
 * take the right to see users too: in variant full every user has `calendar:*`, for a calendar of their own.
 */
export function manages(
  { permissions }: Pick<Principal, "permissions">,
  resource: string,
): boolean {
  if (!permits(permissions, `${resource}:*`)) return false;
  return resource !== "calendar" || permits(permissions, "users:view");
}

/** Whoever holds one of these sees the dashboard. */
export const DASHBOARD_ACCESS = ["dashboard:view", "users:view", "documents:view"] as const;

/** Whoever holds one of these reads, writes, marks and deletes messages of their own. */
const MESSAGES_ACCESS = ["messages:view", "messages:create"];

/** Permissions whose routes others open too. */
const ALSO_OPENED_BY: Readonly<Record<string, readonly string[]>> = {
  "dashboard:view": DASHBOARD_ACCESS,
  "messages:view": MESSAGES_ACCESS,
  "messages:create": MESSAGES_ACCESS,
  "messages:update": MESSAGES_ACCESS,
  "messages:delete": MESSAGES_ACCESS,
};

/** True when someone with the held permissions may already do what the permission allows. */
export function covers(held: readonly string[], permission: string): boolean {
  if (permits(held, permission)) return true;
  return ALSO_OPENED_BY[permission]?.some((one) => permits(held, one)) === true;
}

/**
 * What someone with the asked permissions may do beyond what is held, if anything: the first permission to name.
 *
 * @param given Permissions that need not be held. @default none
 */
export function excessOf(
  held: readonly string[],
  asked: readonly string[],
  given: readonly string[] = [],
): string | undefined {
  const excess = asked.find((one) => !given.includes(one) && !covers(held, one));
  if (excess !== undefined) return excess;
  // The calendars of others are opened by two permissions together, of which each may be harmless.
  const opens = (permissions: readonly string[]) => manages({ permissions }, "calendar");
  return opens(asked) && !opens(held) && !opens(given) ? "calendar:*" : undefined;
}

/**
 * Nobody grants more than they hold.
 *
 * @param given Permissions that the caller may grant without holding them. @default none
 * @throws {ApiError} FORBIDDEN, naming the first permission that exceeds the caller's own.
 */
export function assertMayGrant(
  principal: Principal,
  granted: readonly string[],
  given?: readonly string[],
): void {
  const excess = excessOf(principal.permissions, granted, given);
  if (excess === undefined) return;
  throw lacking([excess], `You cannot grant '${excess}': you do not hold it yourself`);
}

const joined = new WeakMap<User, { role: Role | null; permissions: readonly string[] }>();

/** The permissions of a user in a role; remembered for as long as both records live. */
export function effectivePermissions(user: User, role: Role | null): readonly string[] {
  const known = joined.get(user);
  if (known && known.role === role) return known.permissions;
  const permissions = joinedPermissions(role, user.permissions);
  joined.set(user, { role, permissions });
  return permissions;
}

/** The permissions of a role and a user's own, each once. */
export function joinedPermissions(
  role: Role | null,
  own: readonly string[],
): readonly string[] {
  return [...new Set([...(role?.permissions ?? []), ...own])];
}

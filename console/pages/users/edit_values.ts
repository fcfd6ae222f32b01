// What is edited of a user, and what of it has to be sent.
import type { User } from "../../../client/mod.ts";

export interface UserValues {
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly status: User["status"];
  /** Beside those of the role. */
  readonly permissions: readonly string[];
  readonly department: string;
  readonly position: string;
  readonly username: string;
  readonly phone: string;
  readonly timeZone: string;
  readonly bio: string;
  /** Empty: it stays. */
  readonly password: string;
}

export function valuesOf(user: User): UserValues {
  const { name, email, role, status, department = "", position = "" } = user;
  const { username = "", phone = "", timeZone = "", bio = "" } = user;
  return {
    name,
    email,
    role,
    status,
    permissions: ownPermissions(user),
    department,
    position,
    username,
    phone,
    timeZone,
    bio,
    password: "",
  };
}

/** The permissions of a user that their role does not hold. */
export function ownPermissions({ permissions, roles }: Pick<User, "permissions" | "roles">) {
  const byRole = new Set(roles.flatMap((role) => role.permissions));
  return permissions.filter((permission) => !byRole.has(permission));
}

/** The fields that differ from the stored ones; an emptied one is removed by null. */
export function changesOf(values: UserValues, before: User): Readonly<Record<string, unknown>> {
  const stored = valuesOf(before);
  const changed = (Object.keys(values) as (keyof UserValues)[])
    .filter((name) => JSON.stringify(values[name]) !== JSON.stringify(stored[name]));
  const kept = new Set<keyof UserValues>(["name", "email", "role", "status", "permissions"]);
  return Object.fromEntries(changed.map((name) => {
    const value = values[name];
    return [name, value === "" && !kept.has(name) ? null : value];
  }));
}

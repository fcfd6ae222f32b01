// The roles that people can have, and what they are called.
import { listRoles, type Role } from "../../client/mod.ts";
import { translated } from "./language.ts";
import { serves } from "./place.ts";
import { useQuery } from "./query.ts";
import { can } from "./session.ts";

const texts = translated({
  en: {
    super_admin: "Super administrator",
    admin: "Administrator",
    user: "User",
    guest: "Guest",
  },
  zh: {
    super_admin: "超级管理员",
    admin: "管理员",
    user: "普通用户",
    guest: "访客",
  },
});

type BuiltIn = "super_admin" | "admin" | "user" | "guest";

/** Those that every server has, whether it serves roles or not. */
const BUILT_IN_ROLES: readonly BuiltIn[] = ["super_admin", "admin", "user", "guest"];

/** As the server labels them as long as nobody has changed that: those labels are translated. */
const SERVERS_LABELS: Readonly<Record<BuiltIn, string>> = {
  super_admin: "Super administrator",
  admin: "Administrator",
  user: "User",
  guest: "Guest",
};

function isBuiltIn(name: string): name is BuiltIn {
  return Object.hasOwn(SERVERS_LABELS, name);
}

/** What a role is called. @param label As the server has it, where it was read. */
export function roleLabel(name: string, label?: string): string {
  if (!isBuiltIn(name)) return label ?? name;
  return label === undefined || label === SERVERS_LABELS[name] ? texts()[name] : label;
}

export interface RoleChoice {
  readonly value: string;
  readonly label: string;
}

/** The most roles that are offered: as many as one page of the server's list holds. */
const MOST = 100;

/** The roles as they are stored; undefined where the server does not serve them, or one may not see them. */
export function useRoles(): readonly Role[] | undefined {
  const enabled = serves("roles") && can("roles:view");
  const { data } = useQuery(
    ["roles", "choices"],
    async (signal) => (await listRoles({ query: { limit: MOST, sort: "createdAt" }, signal })).data,
    { enabled },
  );
  return enabled ? data : undefined;
}

/** What can be chosen from, by name. */
export function useRoleChoices(): readonly RoleChoice[] {
  const roles = useRoles();
  if (!roles) return BUILT_IN_ROLES.map((name) => ({ value: name, label: roleLabel(name) }));
  return roles.map(({ name, label }) => ({ value: name, label: roleLabel(name, label) }));
}

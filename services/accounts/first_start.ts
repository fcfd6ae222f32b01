// What a store needs before it serves: the built-in roles, their permissions, and a first administrator.
import type { Config } from "../config.ts";
import { permissions } from "../models/permissions.ts";
import { roles } from "../models/roles.ts";
import { users } from "../models/users.ts";
import { type Store, UniqueConflict } from "../store.ts";
import type { BuiltInRole, Variant } from "../variants.ts";
import { generatePassword, hashPassword } from "./passwords.ts";

const server = { userId: null };

const LABELS: Readonly<Record<BuiltInRole, readonly [label: string, description: string]>> = {
  super_admin: ["Super administrator", "May do everything"],
  admin: ["Administrator", "Administers users and content"],
  user: ["User", "Works with content"],
  guest: ["Guest", "Sees the dashboard"],
};

/** The catalogue of permissions: what endpoints ask for, and the names that front ends use. */
const CATALOGUE: Readonly<Record<string, readonly string[]>> = {
  users: ["view", "create", "update", "delete", "list"],
  roles: ["view", "create", "update", "delete", "list"],
  permissions: ["view", "create", "update", "delete", "list"],
  teams: ["view", "create", "update", "delete"],
  documents: ["view", "create", "update", "delete", "list"],
  files: ["view", "create", "update", "delete"],
  messages: ["view", "create", "update", "delete"],
  calendar: ["view", "create", "update", "delete"],
  dashboard: ["view", "update"],
  analytics: ["view"],
  settings: ["view"],
};

/** Several processes may start on one store at once: who comes second finds what the first one made. */
async function evenTogether<R>(seed: () => Promise<R>): Promise<R> {
  try {
    return await seed();
  } catch (error) {
    if (error instanceof UniqueConflict) return await seed();
    throw error;
  }
}

/** Creates what is missing, and brings built-in roles that nobody changed to the variant's sets. */
export async function seedRoles(store: Store, variant: Variant): Promise<void> {
  await evenTogether(() => seedBuiltInRoles(store, variant));
  await evenTogether(() => seedPermissions(store));
}

async function seedBuiltInRoles(store: Store, variant: Variant): Promise<void> {
  await store.transact(server, async (tx) => {
    for (const [name, granted] of Object.entries(variant.roles) as [BuiltInRole, string[]][]) {
      const role = await tx.from(roles).findBy("name", name);
      const [label, description] = LABELS[name];
      if (!role) {
        const permissions = [...granted];
        tx.insert(roles, {
          name,
          label,
          description,
          permissions,
          builtIn: true,
          customised: false,
        });
      } else if (!role.customised && role.permissions.join() !== granted.join()) {
        tx.update(roles, role, { permissions: [...granted] });
      }
    }
  });
}

async function seedPermissions(store: Store): Promise<void> {
  await store.transact(server, async (tx) => {
    for (const [resource, actions] of Object.entries(CATALOGUE)) {
      for (const action of ["*", ...actions]) {
        const name = `${resource}:${action}`;
        const known = await tx.from(permissions).findBy("name", name);
        if (!known) tx.insert(permissions, { name, resource, action, builtIn: true });
      }
    }
    const all = await tx.from(permissions).findBy("name", "*");
    if (!all) {
      tx.insert(permissions, { name: "*", resource: "*", action: "*", builtIn: true });
    }
  });
}

/**
 * Creates the first super_admin in a store without users.
 *
 * @returns The sign-in to tell, with the password where it was generated; null when there were users already.
 */
export async function createFirstAdmin(
  store: Store,
  { email, password }: Config["admin"],
): Promise<{ email: string; generatedPassword: string | null } | null> {
  if (await store.from(users).count() > 0) return null;
  const chosen = password ?? generatePassword();
  const passwordHash = await hashPassword(chosen);
  const created = await evenTogether(() => insertFirstAdmin(store, email, passwordHash));
  return created ? { email, generatedPassword: password ? null : chosen } : null;
}

function insertFirstAdmin(store: Store, email: string, passwordHash: string): Promise<boolean> {
  return store.transact(server, async (tx) => {
    if (await tx.from(users).count() > 0) return false;
    tx.insert(users, {
      name: "Administrator",
      email,
      passwordHash,
      role: "super_admin",
      permissions: [],
      status: "active",
    });
    return true;
  });
}

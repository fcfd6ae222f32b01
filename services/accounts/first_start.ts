// What a store needs before it serves: the built-in roles, their permissions, and a first administrator.
import { PERMISSION_CATALOGUE, ROLE_LABELS } from "../../config/built_in.ts";
import { SettingsError } from "../../config/environment.ts";
import type { Settings } from "../../config/settings.ts";
import type { BuiltInRole, Variant } from "../../config/variants.ts";
import { permissions } from "../../models/permissions.ts";
import { roles } from "../../models/roles.ts";
import { users } from "../../models/users.ts";
import type { Store } from "../../storage/port.ts";
import { checkNewPassword, generatePassword, hashPassword } from "./passwords.ts";

const server = { userId: null };

/**
 * Creates what is missing, and brings built-in roles that nobody changed to the variant's sets. Several processes may
 * start on one store at once: each plan looks for what it makes, so whoever comes second finds it made.
 */
export async function seedRoles(store: Store, variant: Variant): Promise<void> {
  await seedBuiltInRoles(store, variant);
  await seedPermissions(store);
}

async function seedBuiltInRoles(store: Store, variant: Variant): Promise<void> {
  await store.transact(server, async (tx) => {
    for (const [name, granted] of Object.entries(variant.roles) as [BuiltInRole, string[]][]) {
      const role = await tx.from(roles).findBy("name", name);
      const [label, description] = ROLE_LABELS[name];
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
    for (const [resource, actions] of Object.entries(PERMISSION_CATALOGUE)) {
      for (const action of ["*", ...actions]) {
        const name = `${resource}:${action}`;
        const known = await tx.from(permissions).findBy("name", name);
        if (!known) tx.insert(permissions, { name, resource, action, builtIn: true });
        // Somebody has made it before it was one of ours.
        else if (!known.builtIn) tx.update(permissions, known, { builtIn: true });
      }
    }
    const all = await tx.from(permissions).findBy("name", "*");
    if (!all) {
      tx.insert(permissions, { name: "*", resource: "*", action: "*", builtIn: true });
    }
  });
}

/** OWASP ASVS 5.0, 6.2.1: the least length of a password. The contract lets users have shorter ones. */
const MIN_ADMIN_PASSWORD = 8;

/** What is wrong with a password for the administrator of a server in production; null when nothing is. */
async function adminPasswordProblem(password: string): Promise<string | null> {
  if (password.length >= MIN_ADMIN_PASSWORD) return await checkNewPassword(password);
  return `must have at least ${MIN_ADMIN_PASSWORD} characters`;
}

/**
 * Creates the first super_admin in a store without users.
 *
 * @returns The sign-in to tell, with the password where it was generated; null when there were users already.
 * @throws {SettingsError} The password is one that is guessed first, in production.
 */
export async function createFirstAdmin(
  store: Store,
  { email, password, strict }: Settings["admin"],
): Promise<{ email: string; generatedPassword: string | null } | null> {
  if (await store.from(users).count() > 0) return null;
  const problem = password && strict ? await adminPasswordProblem(password) : null;
  if (problem) {
    throw new SettingsError(
      `Cannot start: ADMIN_PASSWORD: it ${problem} in production. Leave it unset to have one generated. ` +
        "Example: ADMIN_PASSWORD=$(openssl rand -hex 12)",
    );
  }
  const chosen = password ?? generatePassword();
  const passwordHash = await hashPassword(chosen);
  const created = await insertFirstAdmin(store, email, passwordHash);
  return created ? { email, generatedPassword: password ? null : chosen } : null;
}

function insertFirstAdmin(store: Store, email: string, passwordHash: string): Promise<boolean> {
  return store.transact(server, async (tx) => {
    if (await tx.from(users).count() > 0) return false;
    // Another process may create it at the same time. The commit checks this read, so the plan then runs again.
    if (await tx.from(users).findBy("email", email)) return false;
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

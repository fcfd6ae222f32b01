// The first run: whoever is at the machine names the administrator, where no other way was chosen and nobody has yet.
import type { Settings } from "../../config/settings.ts";
import { conflict } from "../../core/errors.ts";
import { DAY } from "../../core/units.ts";
import { usedChallenges } from "../../models/passkeys.ts";
import { type User, users } from "../../models/users.ts";
import type { Reader, Store, Transaction } from "../../storage/port.ts";

const ROLE = "super_admin";
/** What all who try at once write, so that one of them alone is let through. */
const MARK = "setup";
/** How many of the oldest accounts are looked at for an administrator, who is nearly always one of the first. */
const OLDEST = 100;

/** Whether there is no administrator, and one may be named. */
export async function awaitsSetup(
  store: Pick<Store, "from">,
  { setup }: Pick<Settings, "setup">,
): Promise<boolean> {
  return setup && !await hasAdministrator(store.from(users));
}

/** Counting them takes all accounts in memory, which a large store has long after its start; so the oldest come first. */
async function hasAdministrator(reader: Reader<User>): Promise<boolean> {
  let others = 0;
  for await (const { role } of reader.scan()) {
    if (role === ROLE) return true;
    if (++others === OLDEST) return await reader.count({ role: ROLE }) > 0;
  }
  return false;
}

/**
 * Plans the first administrator.
 *
 * @throws {ApiError} CONFLICT where there is one.
 */
export async function planSetup(
  tx: Transaction,
  settings: Pick<Settings, "setup">,
  { name, email, passwordHash }: Pick<User, "name" | "email" | "passwordHash">,
): Promise<User> {
  const taken = await tx.from(usedChallenges).get(MARK);
  if (taken || !await awaitsSetup(tx, settings)) {
    throw conflict("This server has an administrator already: log in");
  }
  const expiresAt = new Date(Date.parse(tx.now) + DAY).toISOString();
  tx.insert(usedChallenges, { id: MARK, expiresAt });
  return tx.insert(users, {
    name,
    email,
    passwordHash,
    role: ROLE,
    permissions: [],
    status: "active",
  });
}

// Who gets what a deleted user owned: nothing is lost, and nothing is opened to someone who could not see it before.
import { conflict } from "../../core/errors.ts";
import { users } from "../../models/users.ts";
import type { Transaction } from "../../storage/port.ts";
import { manages, type Principal } from "./access.ts";
import { SUPER_ADMIN } from "../../models/roles.ts";

/** Resources that are private until they are shared. Whoever manages one of them sees all of its records. */
const PRIVATE = ["documents", "files", "calendar", "teams"] as const;

/** Ids of users, by what they get. `rest` is what lets its holder see nothing more, such as who made a share. */
export type Heirs = Readonly<Record<(typeof PRIVATE)[number] | "rest", string>>;

/**
 * Whoever deletes a user gets the private resources that they manage anyway, and `rest`; the other private resources
 * pass to the active super_admin who is there longest.
 *
 * @param principal Null: the server deletes, and all passes to that super_admin.
 * @param userId Who is deleted.
 * @throws {ApiError} CONFLICT when there is no super_admin to take it.
 */
export async function heirsOf(
  tx: Transaction,
  principal: Principal | null,
  userId: string,
): Promise<Heirs> {
  const seen = principal ? PRIVATE.filter((resource) => manages(principal, resource)) : [];
  const all = principal !== null && seen.length === PRIVATE.length;
  const above = all ? principal.user.id : await superAdmin(tx, userId);
  const own = principal?.user.id ?? above;
  const heirs = PRIVATE.map((resource) => [resource, seen.includes(resource) ? own : above]);
  return { ...Object.fromEntries(heirs), rest: own };
}

async function superAdmin(tx: Transaction, butId: string): Promise<string> {
  const where = { role: SUPER_ADMIN, status: "active" };
  const { rows } = await tx.from(users).list({ where, sort: "createdAt", limit: 2 });
  const heir = rows.find(({ id }) => id !== butId);
  // Read by id, so that an heir who is deleted meanwhile makes the plan run again.
  if (heir && await tx.from(users).get(heir.id)) return heir.id;
  throw conflict("There is no active super_admin to take over what the user owned");
}

// The ways in which a user signs in: somebody always keeps one.
import type { ProviderSettings } from "../../config/providers.ts";
import type { Settings } from "../../config/settings.ts";
import { conflict } from "../../core/errors.ts";
import { identities } from "../../models/identities.ts";
import { passkeys } from "../../models/passkeys.ts";
import { type User, users } from "../../models/users.ts";
import type { Transaction } from "../../storage/port.ts";

/** Identities of a user at most. */
export const MAX_IDENTITIES = 20;

/** The provider that the settings have for an issuer. */
export function providerOf({ providers }: Settings, issuer: string): ProviderSettings | undefined {
  return providers.find((one) => one.issuer === issuer);
}

/**
 * Holds the removal of an identity or a passkey to what is left. The user is written, so that of two removals at once
 * the second sees the first.
 *
 * @param going Id of the record that is to be removed.
 * @throws {ApiError} CONFLICT when the user could sign in by nothing any more.
 */
export async function assertOtherWay(
  tx: Transaction,
  settings: Settings,
  user: User,
  going: string,
): Promise<void> {
  tx.update(users, user, {});
  if (user.passwordHash !== undefined) return;
  const where = { userId: user.id };
  const keys = await tx.from(passkeys).list({ where, limit: 2 });
  if (keys.rows.some(({ id }) => id !== going)) return;
  const linked = await tx.from(identities).list({ where, limit: MAX_IDENTITIES });
  const left = linked.rows.filter(({ id, issuer }) => id !== going && providerOf(settings, issuer));
  if (left.length > 0) return;
  throw conflict("You would sign in by nothing any more: set a password first");
}

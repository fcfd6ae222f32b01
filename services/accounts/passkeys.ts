// Passkeys of users: registered, used once for each challenge, removed.
import { notFound } from "../../core/errors.ts";
import {
  type Passkey,
  passkeys,
  usedChallenges,
  type UsedCredential,
} from "../../models/passkeys.ts";
import type { User } from "../../models/users.ts";
import { everyMatch } from "../../storage/every_match.ts";
import type { Store, Transaction } from "../../storage/port.ts";
import { passkeyCopiedMail } from "../messaging/mails.ts";
import type { Services } from "../services.ts";
import { planPasskeyAdded, planPasskeyRemoved } from "./second_factors.ts";
import {
  type Assertion,
  type Ceremony,
  type Challenge,
  checkAssertion,
  handleOf,
  refusedRegistration,
  type Registered,
} from "./webauthn.ts";
import { tellOwner } from "./verification.ts";
import { assertOtherWay } from "./ways.ts";

/** Passkeys of a user at most. */
export const MAX_PASSKEYS = 20;

type Source = Pick<Store, "from">;

export async function passkeysOf(source: Source, userId: string): Promise<readonly Passkey[]> {
  return await everyMatch(source, passkeys, { userId });
}

/**
 * Plans a passkey more.
 *
 * @returns With new recovery codes where it is the first second factor of the account.
 * @throws {ApiError} VALIDATION_ERROR where the challenge was answered before, or too late; CONFLICT.
 * @throws {UniqueConflict} The passkey is registered already.
 */
export async function planPasskey(
  tx: Transaction,
  userId: string,
  { challenge, ...made }: Registered,
  name: string,
): Promise<{ passkey: Passkey; recoveryCodes: string[] | undefined }> {
  if (!await isGood(tx, challenge)) throw refusedRegistration();
  const recoveryCodes = await planPasskeyAdded(tx, userId, MAX_PASSKEYS);
  planUsed(tx, challenge);
  return { passkey: tx.insert(passkeys, { userId, name, ...made }), recoveryCodes };
}

/** @throws {ApiError} NOT_FOUND, also for passkeys of others. */
export async function ownPasskey(tx: Transaction, id: string, userId: string): Promise<Passkey> {
  const passkey = await tx.from(passkeys).get(id);
  if (passkey?.userId !== userId) throw notFound("passkey");
  return passkey;
}

/** Plans the end of a passkey. @throws {ApiError} NOT_FOUND; CONFLICT where the role of its user needs it, or it is the last way in. */
export async function planPasskeyRemoval(
  tx: Transaction,
  { settings }: Pick<Services, "settings">,
  user: User,
  id: string,
): Promise<void> {
  const passkey = await ownPasskey(tx, id, user.id);
  await assertOtherWay(tx, settings, user, id);
  tx.remove(passkeys, passkey);
  await planPasskeyRemoved(tx, settings, user);
}

/**
 * Checks that a passkey of a user has answered. An authenticator whose count does not rise may have been copied (Web
 * Authentication, section 6.1.1): it is refused, and its owner told.
 *
 * @returns Null when it has not.
 * @throws {ApiError} VALIDATION_ERROR for an answer that was given to another place.
 */
export async function proofOf(
  services: Services,
  user: User,
  ceremony: Ceremony,
  credential: UsedCredential,
): Promise<Assertion | null> {
  const { store, settings } = services;
  const passkey = await store.from(passkeys).findBy("credential", credential.id);
  const { userHandle } = credential.response;
  const named = userHandle ? userHandle === handleOf(user.id) : ceremony.purpose !== "sign-in";
  if (passkey?.userId !== user.id || !named) return null;
  const assertion = await checkAssertion({ settings, ceremony }, passkey, credential);
  if (!assertion || isRisen(passkey, assertion)) return assertion;
  tellOfCopy(services, user);
  return null;
}

/**
 * Plans that a passkey was used. Of two plans with one challenge the second fails at its commit, and finds it used when
 * it runs again.
 *
 * @returns False when the passkey was removed, has signed since, or the challenge is used or has expired.
 */
export async function takeProof(tx: Transaction, assertion: Assertion | null): Promise<boolean> {
  if (assertion === null || !await isGood(tx, assertion.challenge)) return false;
  const passkey = await tx.from(passkeys).get(assertion.passkeyId);
  if (!passkey || !isRisen(passkey, assertion)) return false;
  tx.update(passkeys, passkey, { signCount: assertion.signCount, lastUsedAt: tx.now });
  planUsed(tx, assertion.challenge);
  return true;
}

async function isGood(tx: Transaction, { id, expiresAt }: Challenge): Promise<boolean> {
  return expiresAt > tx.now && await tx.from(usedChallenges).get(id) === null;
}

function planUsed(tx: Transaction, { id, expiresAt }: Challenge): void {
  tx.insert(usedChallenges, { id, expiresAt });
}

/** Authenticators that do not count always say 0. */
function isRisen({ signCount: before }: Passkey, { signCount }: Assertion): boolean {
  return signCount > before || signCount === 0 && before === 0;
}

function tellOfCopy(services: Services, user: User): void {
  tellOwner(services, user, () => passkeyCopiedMail(user), { limit: "deviceMail" });
}

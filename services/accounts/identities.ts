// Who users are at providers of OpenID Connect: linking an account with it, and ending that.
import type { ProviderSettings } from "../../config/providers.ts";
import type { Settings } from "../../config/settings.ts";
import { conflict, existing, forbidden, notFound } from "../../core/errors.ts";
import { sha256 } from "../../core/hashing.ts";
import { identities, type Identity } from "../../models/identities.ts";
import { usedChallenges } from "../../models/passkeys.ts";
import { type User, users } from "../../models/users.ts";
import type { Transaction } from "../../storage/port.ts";
import { identityChangedMail } from "../messaging/mails.ts";
import type { Services } from "../services.ts";
import { FLOW_LIFETIME, type ProvenSignIn, usedUp } from "./provider_codes.ts";
import type { Claims } from "./providers.ts";
import { tellOwner } from "./verification.ts";
import { assertOtherWay, MAX_IDENTITIES, providerOf } from "./ways.ts";

/** Milliseconds after its use by which no code of the same sign-in is good any more. */
const USED_LIFETIME = 2 * FLOW_LIFETIME;

/**
 * Plans that a signed-in user signs in by what a provider has proven from now on.
 *
 * @returns The identity, and whether it is linked only now.
 * @throws {ApiError} VALIDATION_ERROR for a code that was used; CONFLICT when the person is linked with another user;
 * FORBIDDEN for an address that the provider is not for.
 */
export async function planLink(
  tx: Transaction,
  settings: Settings,
  { id: userId }: Pick<User, "id">,
  proven: ProvenSignIn,
): Promise<{ identity: Identity; fresh: boolean }> {
  const { claims } = proven;
  const provider = configured(settings, proven);
  assertDomain(provider, claims);
  await planUse(tx, proven);
  const known = await tx.from(identities).findBy("identity", claims.issuer, claims.subject);
  if (known) {
    if (known.userId === userId) return { identity: known, fresh: false };
    throw conflict(`This account of ${provider.label} is linked with another user`);
  }
  const user = existing(await tx.from(users).get(userId), "user");
  return { identity: await planIdentity(tx, user, claims), fresh: true };
}

/** Plans that a user signs in by an identity no more. @throws {ApiError} NOT_FOUND, also for others'; CONFLICT. */
export async function planUnlink(
  tx: Transaction,
  settings: Settings,
  { id: userId }: Pick<User, "id">,
  id: string,
): Promise<Identity> {
  const identity = await tx.from(identities).get(id);
  if (identity?.userId !== userId) throw notFound("identity");
  const user = existing(await tx.from(users).get(userId), "user");
  await assertOtherWay(tx, settings, user, id);
  tx.remove(identities, identity);
  return identity;
}

export function tellOfLink(services: Services, user: User, issuer: string): void {
  const name = providerOf(services.settings, issuer)?.label ?? issuer;
  tell(services, user, `You sign in to your account by ${name} from now on.`);
}

export function tellOfUnlink(services: Services, user: User, issuer: string): void {
  const name = providerOf(services.settings, issuer)?.label ?? issuer;
  tell(services, user, `You sign in to your account by ${name} no more.`);
}

function tell(services: Services, user: User, what: string): void {
  tellOwner(services, user, () => identityChangedMail(user, what));
}

/** The provider of a proven sign-in, as the settings have it now. */
export function configured(
  { providers }: Settings,
  { provider, claims }: ProvenSignIn,
): ProviderSettings {
  const found = providers.find(({ name }) => name === provider);
  if (found?.issuer !== claims.issuer) throw usedUp();
  return found;
}

/** Plans that a code is used up, and any other of the same sign-in with it. @throws {ApiError} VALIDATION_ERROR */
export async function planUse(tx: Transaction, { state }: ProvenSignIn): Promise<void> {
  const id = sha256(state);
  if (await tx.from(usedChallenges).get(id)) throw usedUp();
  const expiresAt = new Date(Date.parse(tx.now) + USED_LIFETIME).toISOString();
  tx.insert(usedChallenges, { id, expiresAt });
}

/** @throws {ApiError} FORBIDDEN */
export function assertDomain(
  { allowedDomains, label }: ProviderSettings,
  { email, emailVerified }: Claims,
): void {
  if (allowedDomains.length === 0) return;
  const domain = email?.slice(email.lastIndexOf("@") + 1);
  if (emailVerified && domain !== undefined && allowedDomains.includes(domain)) return;
  throw forbidden(`Only people of ${allowedDomains.join(", ")} sign in by ${label}`);
}

/** @throws {ApiError} CONFLICT for one too many. */
export async function planIdentity(
  tx: Transaction,
  user: User,
  { issuer, subject, email }: Claims,
): Promise<Identity> {
  if (await tx.from(identities).count({ userId: user.id }) >= MAX_IDENTITIES) {
    throw conflict(`Nobody has more than ${MAX_IDENTITIES} identities: unlink one first`);
  }
  const identity = tx.insert(identities, { userId: user.id, issuer, subject, email });
  // The user is written, so that what is linked at the same time is counted.
  tx.update(users, user, {});
  return identity;
}

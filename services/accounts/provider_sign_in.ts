// The end of a sign-in by a provider: whom it signs in.
import { getLogger } from "@logtape/logtape";
import type { ProviderSettings } from "../../config/providers.ts";
import type { Settings } from "../../config/settings.ts";
import { ApiError, conflict, existing, forbidden } from "../../core/errors.ts";
import { identities } from "../../models/identities.ts";
import { label } from "../../models/requests.ts";
import { roles } from "../../models/roles.ts";
import { type User, users } from "../../models/users.ts";
import type { Transaction } from "../../storage/port.ts";
import type { Visitor } from "../services.ts";
import { type Challenged, type Opened, planSignIn, signedIn } from "./authentication.ts";
import { assertDomain, configured, planIdentity, planUse, tellOfLink } from "./identities.ts";
import type { ProvenSignIn } from "./provider_codes.ts";
import type { Claims } from "./providers.ts";
import { MAX_IDENTITIES } from "./ways.ts";

const log = getLogger(["quarterdeck", "accounts"]);

/**
 * Signs in whom a provider has proven: the user who is linked with that person, or who has the same address, where the
 * provider and this server both know it to be theirs; else a new one, where the provider may make any.
 *
 * @throws {ApiError} VALIDATION_ERROR for a code that was used, UNAUTHORIZED, FORBIDDEN and CONFLICT where there is nobody to sign in as,
 * RATE_LIMITED.
 */
export async function signInByProvider(
  visitor: Visitor,
  proven: ProvenSignIn,
): Promise<Opened | Challenged> {
  const { store, settings, limiter } = visitor.services;
  const { claims } = proven;
  const { issuer, subject, secondFactor, provenAt } = claims;
  const provider = configured(settings, proven);
  const known = await store.from(identities).findBy("identity", issuer, subject);
  limiter.take("signIn", { address: visitor.ip, account: `${issuer} ${subject}` });
  if (!known) limiter.assertFree("providerSignUp", { address: visitor.ip });
  const actor = known ? { userId: known.userId, ip: visitor.ip } : visitor.actor;
  const done = await store.transact(actor, async (tx) => {
    await planUse(tx, proven);
    const { user, outcome } = await planUser(tx, settings, provider, claims);
    if (user.status !== "active") {
      throw new ApiError("UNAUTHORIZED", "Your account is disabled: ask an administrator");
    }
    const proof = {
      method: "provider" as const,
      secondFactor,
      provenAt: provenAt !== undefined && provenAt < tx.now ? provenAt : undefined,
    };
    return { planned: await planSignIn(tx, visitor, user, proof), user, outcome };
  });
  if (done.outcome === "made") limiter.hit("providerSignUp", { address: visitor.ip });
  if (done.outcome === "linked") tellOfLink(visitor.services, done.user, provider.issuer);
  return await signedIn(visitor, done.planned);
}

/** @returns The user, and whether they were linked before, are now, or are made now. */
async function planUser(
  tx: Transaction,
  settings: Settings,
  provider: ProviderSettings,
  claims: Claims,
): Promise<{ user: User; outcome: "known" | "linked" | "made" }> {
  assertDomain(provider, claims);
  const { issuer, subject, email } = claims;
  // Before the identity, since one commit makes both: whoever meets the account of a sign-in at the same moment then meets
  // its identity too, and not an account that somebody else seems to be linked with.
  const holder = email === undefined ? null : await tx.from(users).findBy("email", email);
  const known = await tx.from(identities).findBy("identity", issuer, subject);
  if (known) {
    if (known.email !== email) tx.update(identities, known, { email });
    return { user: existing(await tx.from(users).get(known.userId), "user"), outcome: "known" };
  }
  if (email === undefined || !claims.emailVerified) {
    throw forbidden(`${provider.label} does not say that your e-mail address is confirmed there`);
  }
  if (holder) await assertSamePerson(tx, settings, provider, holder);
  const user = holder ?? await planAccount(tx, provider, claims, email);
  await planIdentity(tx, user, claims);
  return { user, outcome: holder ? "linked" : "made" };
}

/**
 * Holds a sign-in by the address alone to what makes it safe: someone has confirmed here that the address is theirs,
 * and no other person at the provider is linked with the account, whose address may have passed on (ASVS 5.0, 10.5.2).
 *
 * @throws {ApiError} CONFLICT. Who is told has the address, so that nobody learns of others' accounts.
 */
async function assertSamePerson(
  tx: Transaction,
  { emailVerification }: Settings,
  { issuer, label }: ProviderSettings,
  holder: User,
): Promise<void> {
  if (!emailVerification || holder.unverifiedSince !== undefined) {
    throw conflict(
      "There is an account with your address that nobody has confirmed: set its password by 'Forgot password', or " +
        `log in to it and link ${label}`,
    );
  }
  const { rows } = await tx.from(identities).list({
    where: { userId: holder.id },
    limit: MAX_IDENTITIES,
  });
  if (rows.some((one) => one.issuer === issuer)) {
    throw conflict(
      `Another account of ${label} is linked with your address: log in another way and link this one`,
    );
  }
}

/** @throws {ApiError} FORBIDDEN where the provider makes no accounts; UNAVAILABLE where its role is none. */
async function planAccount(
  tx: Transaction,
  { signUp, defaultRole, label: provider }: ProviderSettings,
  { name }: Claims,
  email: string,
): Promise<User> {
  if (!signUp) throw forbidden("There is no account for you: ask an administrator for one");
  if (!await tx.from(roles).findBy("name", defaultRole)) {
    log.error("{provider} makes no accounts: there is no role '{role}', as OIDC_PROVIDERS says", {
      provider,
      role: defaultRole,
    });
    throw new ApiError("UNAVAILABLE", "No accounts can be made at present: tell an administrator");
  }
  return tx.insert(users, {
    name: label.min(2).safeParse(name).data ?? email,
    email,
    role: defaultRole,
    permissions: [],
    status: "active",
  });
}

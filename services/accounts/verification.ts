// Proving addresses: the link after a registration, and the one that an account's new address is confirmed by.
import type { Settings } from "../../config/settings.ts";
import { conflict, invalid } from "../../core/errors.ts";
import { randomToken, sha256 } from "../../core/hashing.ts";
import { turns } from "../../core/turns.ts";
import { DEFAULT_ROLE } from "../../models/roles.ts";
import { type EmailLink, emailLinks } from "../../models/sessions.ts";
import { type User, users } from "../../models/users.ts";
import type { Store, Transaction } from "../../storage/port.ts";
import { everyMatch } from "../../storage/every_match.ts";
import {
  addressChangeAskedMail,
  addressChangedMail,
  addressInUseMail,
  newAddressMail,
  verificationMail,
} from "../messaging/mails.ts";
import type { Mail } from "../messaging/mailer.ts";
import type { Services, Visitor } from "../services.ts";
import { permits } from "../access/access.ts";
import { roleOf } from "../access/users.ts";
import { hashNewPassword, invalidLink, mailedLink, planPasswordChange } from "./accounts.ts";
import type { RateLimitName } from "./limits.ts";
import { proveHolder, wrongPassword } from "./proof.ts";
import { endMailedLinks, endSessions } from "./sessions.ts";
import { DAY } from "../../core/units.ts";

/** Milliseconds that a link is good for. */
const LINK_LIFETIME = DAY;

/** True for an account that registered itself and whose address nobody has confirmed yet. */
export function isUnverified({ emailVerification }: Settings, user: User): boolean {
  return emailVerification && user.unverifiedSince !== undefined;
}

/** What `tellOwner` needs. */
export type Telling = Pick<Services, "mailer" | "limiter" | "settings">;

/**
 * Mails to the owner of an account what was done to it; an address that is not proven may be a stranger's.
 *
 * @param limit How many such mails an account gets. @default all
 * @param sender Id of whoever did it. @default the owner
 */
export function tellOwner(
  { mailer, limiter, settings }: Telling,
  owner: User,
  compose: () => Mail | Promise<Mail>,
  { limit, sender = owner.id }: { readonly limit?: RateLimitName; readonly sender?: string } = {},
): void {
  if (isUnverified(settings, owner)) return;
  if (limit !== undefined && !limiter.tryTake(limit, { account: owner.id })) return;
  mailer.inBackground(compose, { urgent: true, sender });
}

/**
 * An account whose address is not proven has the default role and what that grants, no more: a stranger may have
 * registered it with the address of someone who is to be given more. Another role is refused even where it grants
 * less today, for it may grant more tomorrow.
 *
 * @throws {ApiError} CONFLICT
 */
export async function assertDefaultRights(tx: Transaction, user: User): Promise<void> {
  const refused = (what: string) =>
    conflict(
      `Cannot give ${user.name} ${what}: they have not confirmed the address ${user.email} yet`,
    );
  if (user.role !== DEFAULT_ROLE) throw refused(`the role '${user.role}'`);
  const role = await roleOf(tx, user);
  const beyond = user.permissions.find((asked) => !permits(role?.permissions ?? [], asked));
  if (beyond !== undefined) throw refused(`'${beyond}'`);
}

/**
 * Plans a link that proves an address; it replaces an earlier one for the same purpose.
 *
 * @param email Where the link is to be mailed. @default the address of the account
 * @returns The secret part of the link; only its hash is stored.
 */
export async function planEmailLink(
  tx: Transaction,
  user: User,
  purpose: EmailLink["purpose"],
  email = user.email,
): Promise<string> {
  for (const link of await everyMatch(tx, emailLinks, { userId: user.id })) {
    if (link.purpose === purpose) tx.remove(emailLinks, link);
  }
  const token = randomToken();
  tx.insert(emailLinks, {
    userId: user.id,
    email,
    purpose,
    tokenHash: sha256(token),
    expiresAt: new Date(Date.parse(tx.now) + LINK_LIFETIME).toISOString(),
  });
  return token;
}

/** Mails the link that proves an address. @param sender Whoever caused the mail. */
export function mailVerification(
  { mailer, settings }: Services,
  user: User,
  token: string,
  sender: string,
): void {
  const link = mailedLink(settings, "verify-email", token);
  mailer.inBackground(() => verificationMail(user, link), { urgent: true, sender });
}

/**
 * Mails another link to a user who has not confirmed the address yet.
 *
 * @param transact Runs a plan in the name of the user.
 * @returns False when it is confirmed already.
 * @throws {ApiError} RATE_LIMITED
 */
export async function resendVerification(
  services: Services,
  { id }: Pick<User, "id">,
  transact: <R>(plan: (tx: Transaction) => Promise<R>) => Promise<R>,
): Promise<boolean> {
  const { settings, limiter, store } = services;
  const known = await store.from(users).get(id);
  if (!known || !isUnverified(settings, known)) return false;
  // Counted before the first wait, so that requests at the same time cannot pass the limit together.
  limiter.take("addressMail", { account: id });
  const planned = await transact(async (tx) => {
    const user = await tx.from(users).get(id);
    if (!user || !isUnverified(settings, user)) return null;
    return { user, token: await planEmailLink(tx, user, "verify") };
  });
  if (!planned) return false;
  mailVerification(services, planned.user, planned.token, id);
  return true;
}

/**
 * Confirms the address of an account that registered itself. The link alone does not do: whoever opens it gives the
 * password of the account, or a new one; and every session that was opened before ends. So an account which a
 * stranger registered with someone's address is worth nothing to the stranger.
 *
 * @throws {ApiError} VALIDATION_ERROR, RATE_LIMITED
 */
export async function verifyEmail(
  visitor: Visitor,
  form: { token: string; password?: string; newPassword?: string; confirmPassword?: string },
): Promise<void> {
  const { token, newPassword, confirmPassword: confirm, password } = form;
  if ((newPassword === undefined) === (password === undefined)) {
    throw invalid("password", "give the password of the account, or else newPassword");
  }
  await opening(token, async () => {
    const { user: known } = await openedLink(visitor, token, "verify");
    if (password !== undefined) await proveHolder(visitor, known, password);
    const passwordHash = newPassword === undefined
      ? undefined
      : await hashNewPassword(newPassword, { confirm, field: "newPassword" });
    await visitor.services.store.transact(
      visitor.actor,
      (tx) => planVerification(tx, token, known, passwordHash),
    );
    if (passwordHash) visitor.services.limiter.clear("login", known.email);
  });
}

/** By token: requests with the same one wait for each other, so that no more is hashed than one password a link. */
const opening = turns();

/**
 * Plans the end of a verification.
 *
 * @param known The user whose password was proven before this plan.
 * @param passwordHash Of the new password, where one was chosen instead.
 */
async function planVerification(
  tx: Transaction,
  token: string,
  known: User,
  passwordHash: string | undefined,
): Promise<void> {
  const { user, link } = await linkedUser(tx, token, "verify");
  if (link.email !== user.email) throw invalidLink();
  if (passwordHash) return await planPasswordChange(tx, user, passwordHash, { proven: true });
  if (user.passwordHash !== known.passwordHash) throw wrongPassword("password");
  tx.update(users, user, { unverifiedSince: undefined });
  await endSessions(tx, user.id);
  await endMailedLinks(tx, user.id);
}

/**
 * Asks for another address in the name of a signed-in user, who gave the password. The caller does not wait, and is
 * answered alike whether the address has an account or not: its owner is told by mail. So is the address before.
 */
export function requestEmailChange(visitor: Visitor, user: User, email: string): void {
  const { store, settings, mailer } = visitor.services;
  tellOwner(visitor.services, user, () => addressChangeAskedMail(user, email));
  mailer.inBackground(async () => {
    const holder = await store.from(users).findBy("email", email);
    if (holder) return addressInUseMail(holder);
    const token = await store.transact(visitor.actor, async (tx) => {
      const current = await tx.from(users).get(user.id);
      const same = current?.status === "active" && current.passwordHash === user.passwordHash;
      return same ? await planEmailLink(tx, current, "change", email) : null;
    });
    if (token === null) return null;
    return newAddressMail(email, mailedLink(settings, "confirm-email", token));
  }, { urgent: true, sender: user.id });
}

/**
 * Makes the address that a link was mailed to the one of the account. It takes the password too, so that nobody gets
 * an account of others by their typing error, nor confirms a stranger's account by a click.
 *
 * @throws {ApiError} VALIDATION_ERROR, RATE_LIMITED
 * @throws {UniqueConflict} Another account got the address meanwhile.
 */
export async function confirmEmailChange(
  visitor: Visitor,
  { token, password }: { token: string; password: string },
): Promise<void> {
  const { user: known } = await openedLink(visitor, token, "change");
  await proveHolder(visitor, known, password);
  const { before, after } = await visitor.services.store.transact(visitor.actor, async (tx) => {
    const { user, link } = await linkedUser(tx, token, "change");
    if (user.passwordHash !== known.passwordHash) throw wrongPassword("password");
    return { before: user, after: await planEmailChange(tx, user, link.email) };
  });
  tellAddressBefore(visitor.services, before, after.email);
}

/** Plans another address for a user, which is proven or vouched for: links to the one before are worth nothing. */
export async function planEmailChange(tx: Transaction, user: User, email: string): Promise<User> {
  await endMailedLinks(tx, user.id);
  return tx.update(users, user, { email, unverifiedSince: undefined });
}

/** Mails to the address that a user had. */
export function tellAddressBefore(services: Services, before: User, email: string): void {
  tellOwner(services, before, () => addressChangedMail(before, email));
}

/**
 * The record that a link's token belongs to. Only unknown tokens count against the rate limit, so those who guess at
 * links do not hold up whoever has one.
 *
 * @throws {ApiError} VALIDATION_ERROR, RATE_LIMITED
 */
async function openedLink(
  { services: { store, clock, limiter }, ip }: Visitor,
  token: string,
  purpose: EmailLink["purpose"],
) {
  const opened = await findLink(store, token, purpose, clock().toISOString());
  if (opened) return opened;
  limiter.take("resetPassword", { address: ip });
  throw invalidLink();
}

/** The address that a link after a registration proves; null for one that is unknown or has expired. */
export async function emailOfVerification(
  store: Store,
  token: string,
  now: Date,
): Promise<string | null> {
  const opened = await findLink(store, token, "verify", now.toISOString());
  return opened?.link.email ?? null;
}

async function linkedUser(tx: Transaction, token: string, purpose: EmailLink["purpose"]) {
  const found = await findLink(tx, token, purpose, tx.now);
  if (!found) throw invalidLink();
  return found;
}

async function findLink(
  source: Pick<Store, "from">,
  token: string,
  purpose: EmailLink["purpose"],
  now: string,
): Promise<{ user: User; link: EmailLink } | null> {
  const link = await source.from(emailLinks).findBy("token", sha256(token));
  const user = link && await source.from(users).get(link.userId);
  return user && link.purpose === purpose && link.expiresAt > now ? { user, link } : null;
}

// Accounts: the rules of signing in, and the links that set a password.
import type { Settings } from "../../config/settings.ts";
import { ApiError, type FieldError, invalid } from "../../core/errors.ts";
import { apiKeys } from "../../models/api_keys.ts";
import { identities } from "../../models/identities.ts";
import { password } from "../../models/passwords.ts";
import { passwordResets } from "../../models/sessions.ts";
import { type User, users } from "../../models/users.ts";
import { everyMatch } from "../../storage/every_match.ts";
import type { Store, Transaction } from "../../storage/port.ts";
import { randomToken, sha256 } from "../../core/hashing.ts";
import { checkNewPassword, hashPassword, needsRehash, verifyPassword } from "./passwords.ts";
import { planRemoval } from "./second_factors.ts";
import { endMailedLinks, endSessions } from "./sessions.ts";
import { DAY, HOUR } from "../../core/units.ts";

/** Milliseconds a reset link is good for. */
const RESET_LIFETIME = HOUR;
/** Milliseconds an invitation link is good for. */
export const INVITATION_LIFETIME = 7 * DAY;

/**
 * The user whose e-mail and password these are. Unknown account, wrong password and disabled account take the same
 * time and give the same answer: null.
 */
export async function verifyCredentials(
  store: Store,
  email: string,
  password: string,
): Promise<User | null> {
  const user = await store.from(users).findBy("email", email);
  const correct = await verifyPassword(password, user?.passwordHash);
  if (!user || !correct || user.status !== "active") return null;
  return needsRehash(user.passwordHash!) ? await rehash(store, user, password) : user;
}

/** @returns The user with the new hash; null when the password was changed meanwhile. */
async function rehash(store: Store, user: User, password: string): Promise<User | null> {
  const passwordHash = await hashPassword(password);
  const current = await store.transact({ userId: user.id }, async (tx) => {
    const current = await tx.from(users).get(user.id);
    if (!current || current.passwordHash !== user.passwordHash) return current;
    return tx.update(users, current, { passwordHash });
  });
  if (!current || current.passwordHash === passwordHash) return current;
  // Another sign-in at the same time may have stored its new hash first; the password then fits that one.
  return await verifyPassword(password, current.passwordHash) ? current : null;
}

/**
 * The hash of a new password.
 *
 * @param field The field that an error names.
 * @throws {ApiError} VALIDATION_ERROR when it is too common or not confirmed.
 */
export async function hashNewPassword(
  chosen: string,
  { confirm, field = "password" }: { confirm?: string; field?: string } = {},
): Promise<string> {
  if (confirm !== undefined && confirm !== chosen) {
    throw invalid("confirmPassword", UNCONFIRMED);
  }
  const problem = await checkNewPassword(chosen);
  if (problem !== null) throw invalid(field, problem);
  return await hashPassword(chosen);
}

/**
 * What is wrong with a new password beyond its schema, for answers that name all problems at once.
 *
 * @param body The body as it was sent.
 * @param field The field that holds the password. @default "password"
 * @param confirm Whether the confirmation is required. @default false
 */
export async function newPasswordProblems(
  body: unknown,
  { field = "password", confirm = false }: { field?: string; confirm?: boolean } = {},
): Promise<FieldError[]> {
  const sent = (body ?? {}) as Readonly<Record<string, unknown>>;
  const { [field]: chosen, confirmPassword: confirmed } = sent;
  const problems: FieldError[] = [];
  // What the schema refuses is reported by the schema itself, so only a valid password is checked further.
  const valid = typeof chosen === "string" && password.safeParse(chosen).success;
  const common = valid ? await checkNewPassword(chosen) : null;
  if (common !== null) problems.push({ field, message: common });
  if (confirmed === undefined && confirm) {
    problems.push({ field: "confirmPassword", message: "is required" });
  } else if (
    [chosen, confirmed].every((text) => typeof text === "string") && confirmed !== chosen
  ) {
    problems.push({ field: "confirmPassword", message: UNCONFIRMED });
  }
  return problems;
}

const UNCONFIRMED = "the two passwords differ";

/** Holds a login to the rule for passwords, where the variant does. */
export function requireLoginForm(settings: Settings, given: string): void {
  if (!settings.variant.checkLoginForm) return;
  const message = password.safeParse(given).error?.issues[0]?.message;
  if (message === undefined) return;
  throw new ApiError("VALIDATION_ERROR", `Cannot log in: the password ${message}`, {
    details: [{ field: "password", message }],
  });
}

/** Links of a user that set the password at most, at a time: more than can be asked for within the rate limits. */
const MAX_RESETS = 20;

/**
 * Plans a link that sets the user's password, once. Earlier ones stay good until one of them is used, for anyone may
 * ask for a link at any time: else strangers would make the link stale that the owner is about to open.
 *
 * @param lifetime In milliseconds. @default one hour
 * @returns The secret part of the link; only its hash is stored. Null where there are as many as there may be.
 */
export async function planPasswordReset(
  tx: Transaction,
  user: User,
  lifetime = RESET_LIFETIME,
): Promise<string | null> {
  const good = { userId: user.id, expiresAt: { gt: tx.now } };
  if (await tx.from(passwordResets).count(good) >= MAX_RESETS) return null;
  const token = randomToken();
  tx.insert(passwordResets, {
    userId: user.id,
    tokenHash: sha256(token),
    expiresAt: new Date(Date.parse(tx.now) + lifetime).toISOString(),
  });
  return token;
}

/** The pages that links in mails open: this server's own, or those of the front end. */
type LinkedPage = "reset-password" | "accept-invitation" | "verify-email" | "confirm-email";

export function mailedLink({ frontendUrl }: Settings, page: LinkedPage, token: string): string {
  return `${frontendUrl}/${page}?token=${token}`;
}

/** The token of a mailed link is unknown, used or expired. */
export function invalidLink(): ApiError {
  return new ApiError("VALIDATION_ERROR", "The link is not valid any more: ask for a new one", {
    details: [{ field: "token", message: "is unknown, used or expired" }],
  });
}

/**
 * Plans a new password: every session but the given one ends, and so do mailed links.
 *
 * @param keepSession The id of the session that goes on.
 * @param proven The change proves the address as well, or an administrator vouches for it. @default false
 */
export async function planPasswordChange(
  tx: Transaction,
  user: User,
  passwordHash: string,
  { keepSession, proven = false }: { keepSession?: string; proven?: boolean } = {},
): Promise<void> {
  tx.update(users, user, proven ? { passwordHash, unverifiedSince: undefined } : { passwordHash });
  await endSessions(tx, user.id, keepSession);
  await endMailedLinks(tx, user.id, proven ? undefined : ["change"]);
  if (proven && user.unverifiedSince !== undefined) await endCredentials(tx, user.id);
}

/** Plans the end of what else signs in: a stranger may have registered the account, and left it there. */
export async function endCredentials(tx: Transaction, userId: string): Promise<void> {
  for (const key of await everyMatch(tx, apiKeys, { userId })) tx.remove(apiKeys, key);
  for (const identity of await everyMatch(tx, identities, { userId })) {
    tx.remove(identities, identity);
  }
  await planRemoval(tx, userId);
}

/** The address of the account that a link sets the password of; null for one that is unknown or has expired. */
export async function emailOfReset(
  store: Store,
  token: string,
  now: Date,
): Promise<string | null> {
  const reset = await store.from(passwordResets).findBy("token", sha256(token));
  if (!reset || reset.expiresAt <= now.toISOString()) return null;
  return (await store.from(users).get(reset.userId))?.email ?? null;
}

/**
 * Sets a password by the token of a link.
 *
 * @returns The user as it was before the change.
 * @throws {ApiError} VALIDATION_ERROR for a token that is unknown, used or expired.
 */
export async function resetPassword(
  store: Store,
  token: string,
  passwordHash: string,
): Promise<User> {
  return await store.transact({ userId: null }, async (tx) => {
    const reset = await tx.from(passwordResets).findBy("token", sha256(token));
    const user = reset && await tx.from(users).get(reset.userId);
    if (!user || reset.expiresAt <= tx.now) throw invalidLink();
    // The link came by mail, so the address is proven too.
    await planPasswordChange(tx, user, passwordHash, { proven: true });
    return user;
  });
}

// Accounts: the rules of signing in, and the links that set a password.
import type { Config } from "../config.ts";
import { ApiError, invalid } from "../errors.ts";
import { password } from "../models/passwords.ts";
import { passwordResets } from "../models/sessions.ts";
import { type User, users } from "../models/users.ts";
import type { Store, Transaction } from "../store.ts";
import { randomToken, sha256 } from "./hashing.ts";
import { checkNewPassword, hashPassword, needsRehash, verifyPassword } from "./passwords.ts";
import { endPasswordResets, endSessions } from "./sessions.ts";

/** Milliseconds a reset link is good for. */
const RESET_LIFETIME = 60 * 60 * 1000;
/** Milliseconds an invitation link is good for. */
export const INVITATION_LIFETIME = 7 * 24 * 60 * 60 * 1000;

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
  // Another sign-in at the same time may have come first.
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
    throw invalid("confirmPassword", "confirmPassword must equal the password");
  }
  const problem = await checkNewPassword(chosen);
  if (problem !== null) throw invalid(field, problem);
  return await hashPassword(chosen);
}

/** Holds a login to the rule for passwords, where the variant does. */
export function requireLoginForm(config: Config, given: string): void {
  if (!config.variant.checkLoginForm) return;
  const message = password.safeParse(given).error?.issues[0]?.message;
  if (message === undefined) return;
  throw new ApiError("VALIDATION_ERROR", `Cannot log in: the password ${message}`, {
    details: [{ field: "password", message }],
  });
}

/** Requires the confirmation where the variant does. */
export function requireConfirmation(config: Config, confirm: string | undefined): void {
  if (config.variant.confirmPassword && confirm === undefined) {
    throw invalid("confirmPassword", "confirmPassword is required");
  }
}

/**
 * Plans a link that sets the user's password, once.
 *
 * @param lifetime In milliseconds. @default one hour
 * @returns The secret part of the link; only its hash is stored.
 */
export async function planPasswordReset(
  tx: Transaction,
  user: User,
  lifetime = RESET_LIFETIME,
): Promise<string> {
  await endPasswordResets(tx, user.id);
  const token = randomToken();
  tx.insert(passwordResets, {
    userId: user.id,
    tokenHash: sha256(token),
    expiresAt: new Date(Date.parse(tx.now) + lifetime).toISOString(),
  });
  return token;
}

/** The page of the front end that the link opens. */
export function resetLink(config: Config, token: string): string {
  return `${config.publicUrl}/reset-password?token=${token}`;
}

/**
 * Plans a new password: every session but the given one ends, and so do reset links.
 *
 * @param keepSession Goes on.
 */
export async function planPasswordChange(
  tx: Transaction,
  user: User,
  passwordHash: string,
  keepSession?: string,
): Promise<void> {
  tx.update(users, user, { passwordHash });
  await endSessions(tx, user.id, keepSession);
  await endPasswordResets(tx, user.id);
}

/**
 * Sets a password by the token of a link.
 *
 * @throws {ApiError} VALIDATION_ERROR for a token that is unknown, used or expired.
 */
export async function resetPassword(
  store: Store,
  token: string,
  passwordHash: string,
): Promise<void> {
  await store.transact({ userId: null }, async (tx) => {
    const reset = await tx.from(passwordResets).findBy("token", sha256(token));
    const user = reset && await tx.from(users).get(reset.userId);
    if (!user || reset.expiresAt <= tx.now) {
      throw new ApiError("VALIDATION_ERROR", "The link is not valid any more: ask for a new one", {
        details: [{ field: "token", message: "is unknown, used or expired" }],
      });
    }
    await planPasswordChange(tx, user, passwordHash);
  });
}

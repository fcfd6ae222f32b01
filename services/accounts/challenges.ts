// Sign-ins that wait for the second factor: the password was right, and no session is open yet.
import { ApiError } from "../../core/errors.ts";
import { randomToken, sha256 } from "../../core/hashing.ts";
import { MINUTE } from "../../core/units.ts";
import { type SignInChallenge, signInChallenges } from "../../models/second_factors.ts";
import type { SignInMethod } from "../../models/sessions.ts";
import { type User, users } from "../../models/users.ts";
import type { Store, Transaction } from "../../storage/port.ts";

/** Milliseconds in which the code has to come (ASVS 5.0, 6.5.5, allows ten minutes). */
const LIFETIME = 5 * MINUTE;
/** Wrong codes after which the sign-in has to begin anew. */
export const MAX_FAILURES = 5;
/** Sign-ins of a user that wait at a time; one more ends the oldest. */
const MAX_WAITING = 20;

/** Plans that a sign-in waits. @returns The secret that the client holds; only its hash is stored. */
export async function planChallenge(
  tx: Transaction,
  user: User,
  method: SignInMethod,
): Promise<string> {
  const waiting = { where: { userId: user.id }, sort: "createdAt", limit: MAX_WAITING };
  const { rows, total } = await tx.from(signInChallenges).list(waiting);
  for (const oldest of rows.slice(0, Math.max(0, total + 1 - MAX_WAITING))) {
    tx.remove(signInChallenges, oldest);
  }
  const token = randomToken();
  tx.insert(signInChallenges, {
    userId: user.id,
    tokenHash: sha256(token),
    method,
    passwordVersion: passwordVersion(user),
    failures: 0,
    expiresAt: new Date(Date.parse(tx.now) + LIFETIME).toISOString(),
  });
  return token;
}

/**
 * The sign-in that a client's token stands for, and its user.
 *
 * @throws {ApiError} UNAUTHORIZED when it was ended, has expired, or the account was disabled or has another password.
 */
export async function waitingSignIn(
  source: Pick<Store, "from">,
  token: string,
  now: string,
): Promise<{ challenge: SignInChallenge; user: User }> {
  const challenge = await source.from(signInChallenges).findBy("token", sha256(token));
  const user = challenge && await source.from(users).get(challenge.userId);
  const good = user?.status === "active" && challenge!.expiresAt > now &&
    challenge!.passwordVersion === passwordVersion(user);
  if (!good) throw new ApiError("UNAUTHORIZED", "The sign-in has ended: log in again");
  return { challenge: challenge!, user };
}

/** Plans that a code was wrong: after too many the sign-in ends. @returns Whether it has ended. */
export function planFailure(tx: Transaction, challenge: SignInChallenge): boolean {
  const failures = challenge.failures + 1;
  if (failures < MAX_FAILURES) tx.update(signInChallenges, challenge, { failures });
  else tx.remove(signInChallenges, challenge);
  return failures >= MAX_FAILURES;
}

function passwordVersion({ passwordHash = "" }: User): string {
  return sha256(passwordHash);
}

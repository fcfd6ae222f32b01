// Changes of second factors that their owner is told of by mail.
import { type Session, sessions } from "../../models/sessions.ts";
import type { User } from "../../models/users.ts";
import type { Transaction } from "../../storage/port.ts";
import { secondFactorChangedMail } from "../messaging/mails.ts";
import { planTotpConfirmation } from "./second_factors.ts";
import { endProofs } from "./sessions.ts";
import { type Telling, tellOwner } from "./verification.ts";

/**
 * Tells the owner of an account what was done to its second factors.
 *
 * @param sender Id of whoever did it. @default the user
 */
export function tellOfSecondFactor(
  services: Telling,
  user: User,
  what: string,
  sender = user.id,
): void {
  tellOwner(services, user, () => secondFactorChangedMail(user, what), { sender });
}

/**
 * Confirms the authenticator of a signed-in user, who is told by mail.
 *
 * @param transact Runs a plan in the name of the user, with their session as it reads it.
 * @returns The recovery codes, which are shown once.
 * @throws {ApiError} CONFLICT, VALIDATION_ERROR, RATE_LIMITED
 */
export async function confirmAuthenticator(
  services: Telling,
  user: User,
  code: string,
  transact: <R>(plan: (tx: Transaction, session: Session) => Promise<R>) => Promise<R>,
): Promise<string[]> {
  const { limiter, settings } = services;
  limiter.take("totpConfirmation", { account: user.id });
  const codes = await transact(async (tx, session) => {
    const codes = await planTotpConfirmation(tx, settings, user.id, code);
    await endProofs(tx, user.id, session.id);
    tx.update(sessions, session, { provenAt: tx.now, secondFactor: true });
    return codes;
  });
  limiter.clear("totpConfirmation", user.id);
  const what = "Sign-ins to your account take a code of an authenticator from now on.";
  tellOfSecondFactor(services, user, what);
  return codes;
}

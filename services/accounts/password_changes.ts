// Changes of passwords that their owner is told of by mail (OWASP ASVS 5.0, 6.3.7).
import type { User } from "../../models/users.ts";
import { passwordChangedMail } from "../messaging/mails.ts";
import type { Services } from "../services.ts";
import { isUnverified } from "./verification.ts";

/**
 * Tells the owner of an account that it has another password. An address that nobody proved may be a stranger's, and who
 * had none and never signed in, as by a provider, has just come by an invitation.
 *
 * @param before As it was before the change.
 * @param how The change, as a sentence.
 * @param sender Id of whoever did it. @default the user
 */
export function tellOfPassword(
  { mailer, limiter, settings }: Pick<Services, "mailer" | "limiter" | "settings">,
  before: User,
  how: string,
  sender = before.id,
): void {
  const isInvited = before.passwordHash === undefined && before.lastLoginAt === undefined;
  if (isInvited || isUnverified(settings, before)) return;
  if (!limiter.tryTake("passwordMail", { account: before.id })) return;
  mailer.inBackground(() => passwordChangedMail(before, how), { urgent: true, sender });
}

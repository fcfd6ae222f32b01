// Changes of passwords that their owner is told of by mail (OWASP ASVS 5.0, 6.3.7).
import type { User } from "../../models/users.ts";
import { passwordChangedMail } from "../messaging/mails.ts";
import { type Telling, tellOwner } from "./verification.ts";

/**
 * Tells the owner of an account that it has another password. An address that nobody proved may be a stranger's, and who
 * had none and never signed in, as by a provider, has just come by an invitation.
 *
 * @param before As it was before the change.
 * @param how The change, as a sentence.
 * @param sender Id of whoever did it. @default the user
 */
export function tellOfPassword(
  services: Telling,
  before: User,
  how: string,
  sender = before.id,
): void {
  const isInvited = before.passwordHash === undefined && before.lastLoginAt === undefined;
  if (isInvited) return;
  tellOwner(services, before, () => passwordChangedMail(before, how), {
    limit: "passwordMail",
    sender,
  });
}

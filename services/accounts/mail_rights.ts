// Mails that one user causes and another reads: both addresses must be proven, and their number per hour is limited.
import { getLogger } from "@logtape/logtape";
import type { User } from "../../models/users.ts";
import type { Mail } from "../messaging/mailer.ts";
import type { Services } from "../services.ts";
import { isUnverified } from "./verification.ts";

const log = getLogger(["quarterdeck", "mail"]);

/**
 * Mails a notice in a user's name. None is sent in the name of an account whose address is not proven, nor to such an
 * account: the owner of the address may know nothing of it. What is not mailed is still told by notification.
 */
export function mailNotice(
  { settings, limiter, mailer }: Services,
  sender: User,
  recipient: User,
  compose: () => Mail,
): void {
  if (isUnverified(settings, sender) || isUnverified(settings, recipient)) return;
  if (!limiter.tryTake("noticeMail", { account: sender.id })) {
    return log.warn("Cannot mail a notice: {userId} has sent too many", { userId: sender.id });
  }
  mailer.inBackground(compose, { sender: sender.id });
}

// Devices and places of sessions in words, and the mail about a device that an account was not used from before.
import type { z } from "zod";
import { isPrivate, networksOf } from "../../core/addresses.ts";
import type { publicSession } from "../../models/auth.ts";
import { type Session, sessions } from "../../models/sessions.ts";
import type { User } from "../../models/users.ts";
import { everyMatch } from "../../storage/every_match.ts";
import { tellOwner } from "./verification.ts";
import { newDeviceMail } from "../messaging/mails.ts";
import type { Services } from "../services.ts";

/** Such as "Firefox on Windows"; null for what is no browser that is known. */
export async function deviceOf({ userAgent }: Pick<Session, "userAgent">): Promise<string | null> {
  if (!userAgent) return null;
  const { default: Bowser } = await import("bowser");
  const { browser, os } = Bowser.parse(userAgent);
  const parts = [browser.name, os.name].filter((name) => name);
  if (parts.length > 0) return parts.join(" on ");
  // Programs name themselves by a word and a version: "curl/8.5.0" (RFC 9110 section 10.1.5).
  return /^[\w.-]{1,40}(?=\/)/.exec(userAgent)?.[0] ?? null;
}

const LOOPBACK = /^(127\.|::1$)/;

/** As much of where an address is as it says itself: the server asks nobody for more. */
export function placeOf({ ip }: Pick<Session, "ip">): string | null {
  if (!ip) return null;
  if (LOOPBACK.test(ip)) return "the server's own machine";
  return isPrivate(ip) ? `a private network (${ip})` : `the Internet (${ip})`;
}

/**
 * A session as its user is shown it; where a super_admin acts as them by it, neither from where nor by what device.
 *
 * @param current Id of the session that asks.
 */
export async function sessionView(
  session: Session,
  current?: string,
): Promise<z.input<typeof publicSession>> {
  const impersonated = session.impersonatorId !== undefined;
  const shown = impersonated ? { ...session, ip: undefined, userAgent: undefined } : session;
  return {
    ...shown,
    device: await deviceOf(shown) ?? undefined,
    place: placeOf(shown) ?? undefined,
    impersonated,
    current: session.id === current,
  };
}

/**
 * Tells the owner of an account that a session was opened from a device and a network which no other session of theirs
 * is from (ASVS 5.0, 6.3.5). The first sign-in of an account is no news.
 *
 * @param known Whether the device showed a token of an earlier sign-in.
 */
export async function tellOfNewDevice(
  services: Services,
  user: User,
  session: Session,
  { known, first }: { readonly known: boolean; readonly first: boolean },
): Promise<void> {
  if (known || first) return;
  const others = await everyMatch(services.store, sessions, { userId: user.id });
  if (others.some((other) => other.id !== session.id && isAlike(other, session))) return;
  const compose = async () =>
    newDeviceMail(user, {
      device: await deviceOf(session),
      place: placeOf(session),
      at: session.createdAt,
    });
  tellOwner(services, user, compose, { limit: "deviceMail" });
}

function isAlike(one: Session, other: Session): boolean {
  return one.userAgent === other.userAgent && networkOf(one) === networkOf(other);
}

function networkOf({ ip = "" }: Session): string | undefined {
  return networksOf(ip)[0];
}

// The texts of the mails: plain text, and the same as simple HTML. Names and titles come from users.
import { UTC } from "../../core/time_zone.ts";
import type { Event } from "../../models/calendar.ts";
import type { User } from "../../models/users.ts";
import { type Mail, singleLine } from "./mailer.ts";

/** A name is used in mails to proven addresses alone: else a stranger writes to anyone, through their own name. */
type Recipient = Pick<User, "name" | "email" | "unverifiedSince" | "timeZone">;
type Meeting = Pick<Event, "title" | "start" | "end" | "allDay" | "location">;

/** @param link Good for one hour, once. */
export function passwordResetMail(user: Recipient, link: string): Mail {
  return compose(user, "Reset your password", [
    "Someone, probably you, asked for a new password for this account. Set it within an hour:",
    { label: "Set a new password", link },
    "If it was not you, ignore this mail: your password stays as it is.",
  ]);
}

/** @param link Good for seven days, once. */
export function invitationMail(user: Recipient, link: string): Mail {
  return compose(user, "Your account is ready", [
    `An account was made for you. You sign in with ${user.email}; first set a password:`,
    { label: "Set your password", link },
    "The link works for seven days. After that, ask for a new one under 'Forgot password'.",
  ]);
}

/** @param link Good for a day, once. */
export function verificationMail(user: Recipient, link: string): Mail {
  return compose(user, "Confirm your e-mail address", [
    `An account was registered with the address ${user.email}. Confirm within a day that it is yours:`,
    { label: "Confirm the address", link },
    "If you did not register, ignore this mail. Without you the account can do little.",
  ]);
}

/**
 * To the address that is to be the new one.
 *
 * @param link Good for a day, once.
 */
export function newAddressMail(email: string, link: string): Mail {
  return compose({ email }, "Confirm your new e-mail address", [
    `Someone, probably you, wants to sign in with the address ${email}. Confirm it within a day, with the password of the account:`,
    { label: "Confirm the new address", link },
    "If it was not you, ignore this mail: nothing changes.",
  ]);
}

/** To an address that has an account already, and was to become that of another. */
export function addressInUseMail(user: Recipient): Mail {
  return compose(user, "Your e-mail address was asked for", [
    `Someone asked to use the address ${user.email} for another account. It is yours, so nothing changes.`,
    "If it was you: sign in with it, or ask for a new password under 'Forgot password'.",
  ]);
}

/** To the address that would be replaced. */
export function addressChangeAskedMail(user: Recipient, email: string): Mail {
  return compose(user, "Your e-mail address is to be changed", [
    "Someone who knows your password asked to change the address of your account. The new one:",
    { quote: [email] },
    "It changes when it is confirmed there. If it was not you, change your password now: that stops it.",
  ]);
}

/** To the address that was replaced. */
export function addressChangedMail(user: Recipient, email: string): Mail {
  return compose(user, "Your e-mail address was changed", [
    "You do not sign in with this address any more. The new one:",
    { quote: [email] },
    "If it was not you, tell an administrator at once.",
  ]);
}

/** To the owner of an account that was signed in to from somewhere new. */
export function newDeviceMail(
  user: Recipient,
  { device, place, at }: { device: string | null; place: string | null; at: string },
): Mail {
  return compose(user, "A new sign-in to your account", [
    `Someone, probably you, signed in at ${formatTime(at, false, user.timeZone ?? UTC)}:`,
    { quote: [`With: ${device ?? "an unknown program"}`, `From: ${place ?? "an unknown place"}`] },
    "If it was not you, change your password now: that ends all sessions.",
  ]);
}

/**
 * After several wrong codes of the second factor.
 *
 * @param byProvider Whether the sign-in was begun at a provider. @default by the password
 */
export function secondFactorGuessedMail(user: Recipient, byProvider = false): Mail {
  const wrong = "and then gave wrong codes for the second factor. They did not get in.";
  if (byProvider) {
    return compose(user, "Someone signs in as you at a provider", [
      `Someone signed in by your account at a provider, ${wrong}`,
      "If it was not you, change the password of that account now.",
    ]);
  }
  return compose(user, "Someone has your password", [
    `Someone signed in with your password, ${wrong}`,
    "If it was not you, change your password now.",
  ]);
}

/** @param how The change, as a sentence. */
export function passwordChangedMail(user: Recipient, how: string): Mail {
  return compose(user, "Your password was changed", [
    how,
    "If it was not you, ask for a new one under 'Forgot password', and tell an administrator at once.",
  ]);
}

/** @param what The change, as a sentence. */
export function secondFactorChangedMail(user: Recipient, what: string): Mail {
  return compose(user, "Your second factor was changed", [
    what,
    "If it was not you, set a new password and tell an administrator at once.",
  ]);
}

/** After an answer of a passkey that had signed fewer times than before. */
export function passkeyCopiedMail(user: Recipient): Mail {
  return compose(user, "A copy of your passkey may be in use", [
    "Someone used one of your passkeys whose count of uses is behind what it was: there may be a copy of it. They did not get in.",
    "Remove the passkey that you cannot sign in with any more, and tell an administrator.",
  ]);
}

/** @param what The change, as a sentence. */
export function identityChangedMail(user: Recipient, what: string): Mail {
  return compose(user, "How you sign in was changed", [
    what,
    "If it was not you, set a new password and tell an administrator at once.",
  ]);
}

/**
 * @param host Of its address.
 * @param why As a sentence.
 */
export function webhookStoppedMail(user: Recipient, host: string, why: string): Mail {
  return compose(user, "A webhook was stopped", [
    "Nothing is sent to this address any more:",
    { quote: [host] },
    why,
    "What waits for it is kept for some days, and goes out when you set the webhook active again.",
  ]);
}

export function eventReminderMail(user: Recipient, event: Meeting): Mail {
  return compose(user, "Reminder of an event", ["This is coming up:", {
    quote: describe(event, user),
  }]);
}

/** @param inviter Whoever added the recipient to the event. */
export function eventInvitationMail(
  user: Recipient,
  event: Meeting,
  inviter: Pick<User, "name">,
): Mail {
  return compose(user, "Invitation to an event", [
    "You are invited:",
    { quote: [...describe(event, user), `From: ${inviter.name}`] },
  ]);
}

function describe(meeting: Meeting, { timeZone }: Recipient): string[] {
  const { title, location } = meeting;
  const when = `When: ${timeOf(meeting, timeZone)}`;
  return [title, when, ...(location ? [`Where: ${location}`] : [])];
}

/**
 * When an event is, for a person.
 *
 * @param zone Where that person is. IANA name.
 */
export function timeOf(
  { start, end, allDay }: Pick<Meeting, "start" | "end" | "allDay">,
  zone = UTC,
): string {
  const [from, to] = [formatTime(start, allDay, zone), formatTime(end, allDay, zone)];
  return from === to ? from : `${from} to ${to}`;
}

/** A whole day is the same date everywhere; a time tells whose clocks it is on. */
function formatTime(iso: string, dateOnly: boolean, zone: string): string {
  const date = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "full",
    timeStyle: dateOnly ? undefined : "short",
    timeZone: dateOnly ? UTC : zone,
  }).format(new Date(iso));
  return dateOnly ? date : `${date} ${zone}`;
}

/** What users write stands in quotes, and never in the subject: it cannot pass for our own words. */
type Block =
  | string
  | { readonly label: string; readonly link: string }
  | { readonly quote: readonly string[] };

function compose(
  user: Pick<Recipient, "email"> & Partial<Recipient>,
  subject: string,
  body: readonly Block[],
): Mail {
  const named = user.name !== undefined && user.unverifiedSince === undefined;
  const blocks = [named ? `Hello ${user.name},` : "Hello,", ...body];
  return {
    to: user.email,
    subject: singleLine(subject),
    text: blocks.map(toText).join("\n\n") + "\n",
    html: `<!doctype html>\n<html lang="en"><body>\n${
      blocks.map(toHtml).join("\n")
    }\n</body></html>`,
  };
}

function toText(block: Block): string {
  if (typeof block === "string") return singleLine(block);
  if ("link" in block) return block.link;
  return block.quote.map((line) => `> ${singleLine(line)}`).join("\n");
}

function toHtml(block: Block): string {
  if (typeof block === "string") return `<p>${escapeHtml(singleLine(block))}</p>`;
  if ("link" in block) {
    return `<p><a href="${escapeHtml(block.link)}">${escapeHtml(block.label)}</a></p>`;
  }
  const lines = block.quote.map((line) => escapeHtml(singleLine(line)));
  return `<blockquote>${lines.join("<br>\n")}</blockquote>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

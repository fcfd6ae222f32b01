// The texts of the mails: plain text, and the same as simple HTML. Names and titles come from users.
import type { Event } from "../models/calendar.ts";
import type { User } from "../models/users.ts";
import { type Mail, singleLine } from "./mailer.ts";

type Recipient = Pick<User, "name" | "email">;
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

export function eventReminderMail(user: Recipient, event: Meeting): Mail {
  return compose(user, `Reminder: ${event.title}`, ["This is coming up:", ...describe(event)]);
}

/** @param inviter Whoever added the recipient to the event. */
export function eventInvitationMail(
  user: Recipient,
  event: Meeting,
  inviter: Pick<User, "name">,
): Mail {
  return compose(user, `Invitation: ${event.title}`, [
    `${inviter.name} invites you:`,
    ...describe(event),
  ]);
}

function describe(meeting: Meeting): string[] {
  const { title, location } = meeting;
  return [title, `When: ${timeOf(meeting)}`, ...(location ? [`Where: ${location}`] : [])];
}

/** When an event is, for a person. */
export function timeOf({ start, end, allDay }: Pick<Meeting, "start" | "end" | "allDay">): string {
  const [from, to] = [formatTime(start, allDay), formatTime(end, allDay)];
  return from === to ? from : `${from} to ${to}`;
}

/** In UTC: the reader's time zone is not known. */
function formatTime(iso: string, dateOnly: boolean): string {
  const date = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "full",
    timeStyle: dateOnly ? undefined : "short",
    timeZone: "UTC",
  }).format(new Date(iso));
  return dateOnly ? date : `${date} UTC`;
}

type Block = string | { readonly label: string; readonly link: string };

function compose(user: Recipient, subject: string, body: readonly Block[]): Mail {
  const blocks = [`Hello ${user.name},`, ...body];
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
  return typeof block === "string" ? singleLine(block) : block.link;
}

function toHtml(block: Block): string {
  if (typeof block === "string") return `<p>${escapeHtml(singleLine(block))}</p>`;
  return `<p><a href="${escapeHtml(block.link)}">${escapeHtml(block.label)}</a></p>`;
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
